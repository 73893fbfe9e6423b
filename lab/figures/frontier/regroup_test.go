package frontier

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
)

// lowCase is a stream of uniform points with few sensitive values: where
// regrouping has neighbours of the same signature to work with, or has not.
type lowCase struct {
	d, values, batch, records, k, l int
	zipf                            float64
	hold                            int64
	// gains is the least share of append's loss that max_regroups 2 saves;
	// negative: the most it may cost.
	gains float64
}

func (c lowCase) String() string {
	return fmt.Sprintf("%d dimensions, %d values of Zipf %g, batches of %d, k=%d, l=%d, max_hold %d", c.d, c.values, c.zipf, c.batch, c.k,
		c.l, c.hold)
}

func (c lowCase) table(tb testing.TB) *table {
	rng := rand.New(rand.NewPCG(1, 2))
	var names []string
	for j := range c.d {
		names = append(names, fmt.Sprint("q", j))
	}
	cumulated, sum := make([]float64, c.values), 0.0
	for v := range cumulated {
		sum += math.Pow(float64(v+1), -c.zipf)
		cumulated[v] = sum
	}
	rows := make([]equivclass.Row, c.records)
	for i := range rows {
		for range c.d {
			rows[i] = append(rows[i], fmt.Append(nil, rng.IntN(10000)))
		}
		rows[i] = append(rows[i], fmt.Append(nil, "v", sort.SearchFloat64s(cumulated, rng.Float64()*sum)))
	}
	t, err := newTable(names, "s", rows)
	require.NoError(tb, err)
	return t
}

// lab/docs/FRONTIER.md, "Regrouping through the whole daemon", is this test's log.
func TestWhereRegroupingPays(t *testing.T) {
	for i, c := range []lowCase{
		{2, 4, 60, 6000, 6, 3, 0, 0, 0.02},
		{2, 4, 60, 6000, 6, 3, 0, 4, 0.02},
		{2, 3, 60, 6000, 4, 2, 0, 0, 0.05},
		{2, 3, 60, 6000, 4, 2, 0, 4, 0.04},
		{1, 3, 60, 3000, 6, 2, 0, 4, 0},
		{2, 10, 200, 6000, 6, 3, 0.5, 4, -0.01},
	} {
		t.Run(c.String(), func(t *testing.T) {
			if i != 2 {
				tier.Heavy(t, "it is one of six like it")
			}
			data, loss := c.table(t), map[string]float64{}
			for _, name := range []string{"append", "regroup x1", "regroup x2", "regroup unlimited"} {
				p, err := Options{K: c.k, L: c.l}.policy(name)
				require.NoError(t, err)
				p.MaxHold = c.hold
				row, _, err := streamRun{shape: shape{5 * c.batch, c.batch, c.records/c.batch - 5}, data: data, policy: p,
					cutEvery: c.batch}.do(context.Background())
				require.NoError(t, err)
				t.Logf("%s: loss %.4f, hold %.2f, never %.4f, regrouped %.3f", name, row.NCPInterval, row.MeanHoldStreamed, row.Never, row.Regrouped)
				loss[name] = row.NCPInterval
			}
			require.LessOrEqual(t, loss["regroup x2"], (1-c.gains)*loss["append"])
			require.LessOrEqual(t, loss["regroup unlimited"], 1.01*loss["regroup x2"])
		})
	}
}
