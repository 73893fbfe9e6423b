package publish_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// erasureViews are releases with the third and fourth of which buckets leave.
func erasureViews(t testing.TB) (out []*incremental.View) {
	c := &sharedChain{r: rand.New(rand.NewPCG(5, 5))}
	died := map[state.BucketID]uint32{}
	for release := uint32(1); release <= 4; release++ {
		for b := range c.byBucket() {
			if died[b] == 0 && release >= 3 && uint32(b)%3 == release%3 {
				died[b] = release
			}
		}
		c.grow(t, int(release), false)
		out = append(out, withdrawn(c.view(t, release), died))
	}
	return out
}

func publishErasure(t testing.TB, p *publish.Publisher, intents *[]state.Intent) error {
	s := sharedSettings(render.Buckets())
	s.Erasure = &snapshot.Erasure{Every: 100, Count: 1}
	return publishBy(t, p, intents, erasureViews, s)
}

// TestErasureReleasesAtEveryStep: a crash at any step of a release with which buckets leave parts, also while these are joined, and a
// failure of any side effect, change nothing of what is published in the end.
func TestErasureReleasesAtEveryStep(t *testing.T) {
	tier.NotShort(t, "it tries every step")
	defer joinParts(2)()
	assert.Equal(t, 4*8, crashes(t, publishErasure))
	if tier.Of(t, 0, 0, 1) > 0 {
		failures(t, publishErasure)
	}
}
