package repartition

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/shards/keying"
)

// verdict is what the readers made of the logs.
type verdict struct {
	hole   bool
	silent int // records that no reader has, and no hole told of
	wrong  int // records that were had twice, out of order or in a partition of others
}

type mark struct{ target, source int32 }

// read is a reader of each target partition. It crashes: marks and records of a transaction are
// there together or not at all.
func (w *world) read() (v verdict) {
	had := map[[2]int64]bool{}
	before := map[mark]int64{}
	for t, l := range w.broker.logs {
		marks := map[mark]keying.Reached{}
		for i := 0; i < len(l.log); {
			batch := l.log[i:min(len(l.log), i+1+w.rng.IntN(5))]
			if w.rng.Float64() < .1 {
				continue // the transaction was not committed, and is done again
			}
			for j := range batch {
				x := &batch[j].Link
				m := mark{int32(t), x.Source}
				again, hole := marks[m].Follow(x)
				if w.broker.blind {
					again, hole = x.Offset < marks[m].Next, false
				}
				if hole {
					v.hole = true
					return v
				}
				if again {
					continue
				}
				marks[m] = keying.Reached{Known: true, Next: x.Offset + 1}
				at := [2]int64{int64(x.Source), x.Offset}
				value := w.sources[x.Source][x.Offset]
				key := modelKey([]byte(value))
				if value == "unreadable" {
					key = fmt.Appendf(nil, "unreadable:%d:%d", x.Source, x.Offset)
				}
				if last, some := before[m]; had[at] || some && last >= x.Offset || keying.PartitionOf(key, modelTargets) != int32(t) {
					v.wrong++
				}
				had[at], before[m] = true, x.Offset
			}
			i += len(batch)
		}
	}
	for s, values := range w.sources {
		for o := range values {
			if !had[[2]int64{int64(s), int64(o)}] {
				v.silent++
			}
		}
	}
	return v
}

func modelSchema(t *testing.T) *equivclass.Schema {
	s, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "who", Role: equivclass.Subject},
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	return s
}

// TestNothingIsLostInSilence runs the model over many seeds.
func TestNothingIsLostInSilence(t *testing.T) {
	seeds := uint64(tier.Of(t, 100, 250, 10_000))
	schema := modelSchema(t)
	for _, truncates := range []bool{false, true} {
		holes := 0
		for seed := range seeds {
			w := newWorld(t, schema, seed, variant{truncates: truncates})
			w.run()
			v := w.read()
			require.Zero(t, v.wrong, "seed %d", seed)
			if v.hole {
				holes++
				require.True(t, truncates, "seed %d: nothing was lost, and a reader stops", seed)
				continue
			}
			require.Zero(t, v.silent, "seed %d: records are lost, and nobody says so", seed)
		}
		require.Equal(t, truncates, holes > 0, "%d holes", holes)
	}
}

// TestBrokenVariantsAreCaught: each way to leave out a part of the method fails in the model.
func TestBrokenVariantsAreCaught(t *testing.T) {
	const seeds = 60
	schema := modelSchema(t)
	for name, c := range map[string]struct {
		variant
		caught func(verdict) bool
	}{
		"five requests in flight":                   {variant{pipelined: true}, func(v verdict) bool { return v.hole }},
		"five requests in flight, no links":         {variant{pipelined: true, blind: true}, func(v verdict) bool { return v.silent > 0 }},
		"no links, and a broker that loses records": {variant{blind: true, truncates: true}, func(v verdict) bool { return v.silent > 0 }},
	} {
		caught := 0
		for seed := range uint64(seeds) {
			w := newWorld(t, schema, seed, c.variant)
			w.run()
			if c.caught(w.read()) {
				caught++
			}
		}
		require.Greater(t, caught, seeds/10, name)
	}
}
