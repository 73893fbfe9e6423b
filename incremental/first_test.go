package incremental_test

import (
	"anond/incremental/state"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/cuts"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/extract"
	"anond/snapshot/render"
)

// firstPartitioners form first loads; drawing says which have to be keyed.
var firstPartitioners = []struct {
	by      equivclass.Partitioner
	drawing bool
}{
	{extract.Extract{}, false}, {cuts.Median{}, false}, {cuts.Drawn{}, true},
}

// TestFirstLoadIsKeyed: the first load is a function of the records and the
// state's seed. A restart before the cut changes nothing; another seed changes
// the methods that draw and nothing else (rule R, randomness); and every chain is
// certified.
func TestFirstLoadIsKeyed(t *testing.T) {
	tier.NotShort(t, "it runs every method for the first load three times")
	for _, x := range firstPartitioners {
		t.Run(x.by.Name(), func(t *testing.T) {
			p := policy(4, 2)
			p.Initial, p.Republication = x.by, state.Regroup
			straight := firstChain(t, p, [32]byte{7}, false)
			restarted := firstChain(t, p, [32]byte{7}, true)
			require.Equal(t, classesOf(t, straight), classesOf(t, restarted))
			other := classesOf(t, firstChain(t, p, [32]byte{8}, false))
			if x.drawing {
				assert.NotEqual(t, classesOf(t, straight), other, "it draws, so it must be keyed")
				require.Implements(t, (*equivclass.Drawing)(nil), x.by)
			} else {
				assert.Equal(t, classesOf(t, straight), other)
			}
			restarted.certify()
		})
	}
}

// firstChain loads 240 records, is killed before the first cut if asked to, and
// publishes two releases.
func firstChain(t *testing.T, p state.Policy, seed [32]byte, restart bool) *chain {
	c := newChain(t, plane(t, 3), p, render.Generalization())
	c.seed = seed
	c.open()
	rng := rand.New(rand.NewPCG(4, 4))
	apply := func(from, to int) {
		for i := from; i < to; i++ {
			c.apply(source, int64(i), equivclass.Row{fmt.Append(nil, rng.IntN(40)), fmt.Append(nil, rng.IntN(40)), fmt.Append(nil, rng.IntN(6)),
				{'a' + byte(rng.IntN(6))}})
		}
	}
	apply(0, 240)
	require.NoError(t, c.m.Commit())
	if restart {
		c.crash()
	}
	require.NotNil(t, c.cut())
	apply(240, 320)
	c.cut()
	return c
}

func classesOf(t *testing.T, c *chain) (out [][]state.RecordID) {
	v, err := c.m.Releases().View(1)
	require.NoError(t, err)
	for _, class := range v.Classes {
		out = append(out, class.Members)
	}
	return out
}
