package incremental_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/equivclass/topdown"
	"anond/incremental"
	"anond/incremental/memstore"
)

// BenchmarkBucketizedCut is a release by local generalization and bucketization:
// 2,000 newcomers, a third of whose pays break l by themselves, after what is
// published already: the cut with its held classes, and the view with its buckets.
func BenchmarkBucketizedCut(b *testing.B) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "x", Role: equivclass.Quasi, Type: equivclass.Integer}, {Name: "y", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "pay", Role: equivclass.Semi, Type: equivclass.Integer, Flag: "f", Promise: &equivclass.SemiPromise{L: 4}},
		{Name: "sex", Role: equivclass.Semi, Type: equivclass.Categorical, Flag: "g",
			Promise: &equivclass.SemiPromise{T: 0.2, Distance: "equal"}},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "f", Role: equivclass.Flag}, {Name: "g", Role: equivclass.Flag}}, equivclass.RefuseMissing)
	require.NoError(b, err)
	for _, published := range []int{5000, 20000} {
		b.Run(fmt.Sprintf("published=%d", published), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			p := policy(5, 3)
			p.Bucketized, p.MaxHold, p.Initial, p.Local = true, 0, topdown.Mondrian{}, extract.Extract{}
			m, err := incremental.Open(memstore.New(), incremental.Options{Schema: schema, Policy: p, Seeded: true})
			require.NoError(b, err)
			sent := int64(0)
			send := func(n int, share float64) {
				for range n {
					pay := 1 + rng.IntN(5000)
					if rng.Float64() < share {
						pay = 0
					}
					_, err := m.Apply(source, sent, equivclass.Row{fmt.Append(nil, rng.IntN(1000)), fmt.Append(nil, rng.IntN(100)),
						fmt.Append(nil, pay), fmt.Append(nil, "s", rng.IntN(2)),
						fmt.Append(nil, "i", rng.IntN(20)), fmt.Append(nil, rng.IntN(2)), fmt.Append(nil, rng.IntN(2))})
					require.NoError(b, err)
					sent++
				}
			}
			release := func() {
				intent, err := m.Cut(1, [32]byte{})
				require.NoError(b, err)
				_, err = m.View(intent.Release)
				require.NoError(b, err)
				require.NoError(b, m.Published(intent.Release, [32]byte{1}))
			}
			send(published, 0.2)
			release()
			for b.Loop() {
				b.StopTimer()
				send(2000, 0.34)
				b.StartTimer()
				release()
			}
		})
	}
}
