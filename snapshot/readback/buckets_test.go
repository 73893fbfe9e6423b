package readback

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/query"
)

// AsBuckets has the classes and buckets of each form of level L2: those that
// were published.
func TestAsBuckets(t *testing.T) {
	for i, recoding := range sharedRecodings() {
		p := newPeople(t, rand.New(rand.NewPCG(3, 3)), recoding, 3)
		r := p.publish(t, 3)
		b, ok := r.AsBuckets()
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
	}
}

// Joined columns are no classes that share buckets.
func TestSlicingHasNoBuckets(t *testing.T) {
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
