package readback

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/query"
)

// The model sees the classes and buckets of each form of level L2: those that
// were published.
func TestModelReadsSharedReleases(t *testing.T) {
	for i, recoding := range sharedRecodings() {
		p := newPeople(t, rand.New(rand.NewPCG(3, 3)), recoding, 3)
		r := p.publish(t, 3)
		b, ok := r.modelled()
		require.True(t, ok)
		records := make([]int, len(b.Bags))
		for class, bucket := range b.Bucket {
			records[bucket] += int(b.Size[class])
		}
		for bucket, bag := range b.Bags {
			assert.Equal(t, bag.Total, records[bucket])
		}
		assert.Len(t, b.Bags, len(p.buckets))
		if i != 1 { // not anatomy, whose classes are rows
			assert.Len(t, b.Size, len(p.in.Classes))
		}
		m, _ := r.Model()
		a, model, _, err := r.AskModel("count where score = 1", m)
		require.NoError(t, err)
		assert.InDelta(t, a.Estimate, model, 0.1, "published counts are kept")
		for _, text := range []string{"count where age < 20 and score = 1", "sum(age) where score != 1",
			"count where ward = a and score in {1, 11}"} {
			uniform, _, err := r.Ask(text)
			require.NoError(t, err)
			a, model, absent, err := r.AskModel(text, m)
			require.NoError(t, err)
			assert.Equal(t, uniform, a)
			assert.Empty(t, absent)
			assert.False(t, math.IsNaN(model) || model < a.Lower || model > a.Upper)
		}
		_, _, _, err = r.AskModel("count where nothing = 1", m)
		assert.Error(t, err)
	}
}

// Joined columns have no model.
func TestSlicingHasNoModel(t *testing.T) {
	dicts := []*equivclass.Dictionary{wardOf(), wardOf(), wardOf()}
	for _, c := range []struct {
		blocks [][]int
		ok     bool
	}{{query.AnatomyBlocks(3, 2), true}, {query.SingleBlocks(3), true}, {[][]int{{0}, {1, 2}}, false}, {query.WholeBlock(3), false}} {
		r := query.NewBlockRelease(dicts, make([][]equivclass.Code, len(dicts)), nil, c.blocks)
		_, ok := r.Buckets(2)
		assert.Equal(t, c.ok, ok, c.blocks)
	}
}

func wardOf() *equivclass.Dictionary {
	return equivclass.NewDictionary(equivclass.Attribute{Name: "ward", Type: equivclass.Categorical})
}
