package literal

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/measure"
	"anond/lab/topdown"
)

// normalRows is the table of figure 5: discrete values in d dimensions,
// normally distributed.
func normalRows(n, d int) []Row {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = Row{X: make([]float32, d), SA: equivclass.Code(rng.IntN(20))}
		for j := range rows[i].X {
			rows[i].X[j] = float32(math.Round(min(1, max(0, 0.5+rng.NormFloat64()/6))*100) / 100)
		}
	}
	return rows
}

type outcome struct {
	cavg, ncp float64
	took      time.Duration
	classes   int
}

// figure5 loads 80 % of the rows and inserts the rest in batches.
func figure5(m Method, rows []Row, want equivclass.Requirement, batch int) outcome {
	u := New(m, topdown.WangCloseK{}, want, Params{Space: space(len(rows[0].X)), Threshold: -1})
	base := len(rows) * 4 / 5
	u.Insert(rows[:base]...)
	u.Release()
	begin := time.Now()
	for i := base; i < len(rows); i += batch {
		u.Insert(rows[i:min(i+batch, len(rows))]...)
		u.Release()
	}
	groups := u.Flush()
	return outcome{measure.CAVG(measure.Sizes(groups), want.K), equivclass.NCP(&u.pool, groups, len(u.Waiting())),
		time.Since(begin), len(groups)}
}

// Figure 5 (a) of Wang, Xu and Sun: 10,000 rows of six dimensions, 20 % of them
// inserted: the local update keeps C_AVG close to that of the full update, and
// both are nearer to 1 than I3M. Figure 5 (b), the time, is BenchmarkUpdate's: the
// local update wins as long as a batch touches a small part of the table, and
// loses to a full update that takes n log n once it touches most of it.
func TestWangFigure5(t *testing.T) {
	tier.NotShort(t, "it measures a figure")
	rows := normalRows(10000, 6)
	for _, want := range []equivclass.Requirement{{K: 5, L: 3}, {K: 5, L: 1}, {K: 10, L: 1}}[:tier.Of(t, 1, 1, 3)] {
		got := map[Method]outcome{}
		for _, m := range methods {
			got[m] = figure5(m, rows, want, 200)
			t.Logf("k=%d l=%d %-12s C_AVG %.3f, NCP %.2f %%, %d classes, %v", want.K, want.L, m,
				got[m].cavg, 100*got[m].ncp, got[m].classes, got[m].took.Round(time.Millisecond))
		}
		require.InDelta(t, got[Full].cavg, got[Local].cavg, 0.08)
		require.Less(t, got[Local].cavg, got[I3M].cavg)
		require.Less(t, got[Full].cavg, got[I3M].cavg)
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, m := range methods {
		for _, n := range []int{1000, 10000, 30000} {
			b.Run(fmt.Sprintf("%s/rows=%d/batch=100", m, n), func(b *testing.B) {
				rows := normalRows(n+100, 6)
				for b.Loop() {
					b.StopTimer()
					u := New(m, topdown.WangCloseK{}, equivclass.Requirement{K: 5, L: 1}, Params{Space: space(6), Threshold: -1})
					u.Insert(rows[:n]...)
					u.Release()
					u.Insert(rows[n:]...)
					b.StartTimer()
					u.Release()
				}
			})
		}
	}
}
