package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"sort"
	"testing"
)

func TestScratchLow(t *testing.T) {
	if os.Getenv("SCRATCHLOW") == "" {
		t.Skip()
	}
	var d, values, pool, k, l, n int
	var zipf float64
	fmt.Sscan(os.Getenv("SCRATCHLOW"), &d, &values, &zipf, &pool, &k, &l, &n)
	rng := rand.New(rand.NewPCG(1, 2))
	tb := &table{sensitive: "s"}
	for j := range d {
		tb.quasi = append(tb.quasi, fmt.Sprint("q", j))
	}
	cum := make([]float64, values)
	tt := 0.0
	for v := range cum {
		tt += math.Pow(float64(v+1), -zipf)
		cum[v] = tt
	}
	for range n {
		row := make([]float64, d)
		for j := range row {
			row[j] = float64(rng.IntN(10000))
		}
		tb.values = append(tb.values, row)
		tb.secret = append(tb.secret, fmt.Sprint("v", sort.SearchFloat64s(cum, rng.Float64()*tt)))
	}
	tb.measureDomain()
	o := FrontierOptions{K: k, L: l}
	for _, name := range FrontierPolicies {
		for _, hold := range []int64{0, 4} {
			p, _ := o.policy(name)
			p.MaxHold = hold
			s := streamRun{shape: shape{load: 5 * pool, batch: pool, batches: n/pool - 5}, data: tb, policy: p, row: FrontierRow{Policy: name, MaxHold: hold}, cutEvery: pool}
			x, err := s.do(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("| %s | %d | %d | %.2f | %.2f | %d | %.4f | %.4f | %.2f%% | %.1f%% | %d | %.1f |\n", x.Policy, x.Pool, x.MaxHold, x.MeanHold, x.MeanHoldStreamed, x.LongestHold, x.NCPInterval, x.NCPEngine, 100*x.Never, 100*x.Regrouped, x.Releases, x.Seconds)
		}
	}
}
