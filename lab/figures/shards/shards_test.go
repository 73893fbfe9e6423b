package shards

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/lab/figures"
	"anond/lab/figures/figurestest"
	"anond/lab/figures/frontier"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden numbers of the shards")

// TestShardsAreAFigure: the figure at a small scale. What it finds there is frozen.
func TestShardsAreAFigure(t *testing.T) {
	tier.Heavy(t, "it measures for seconds")
	r := figurestest.Run(t, Figures(), "shards")
	require.Len(t, r.Panels, len(settings))
	require.Len(t, r.Claims, len(criteria)*len(settings)+2)
	var out strings.Builder
	rows := csv.NewWriter(&out)
	for _, p := range r.Panels {
		fmt.Fprintf(&out, "panel %q\n", p.Name)
		require.NoError(t, rows.WriteAll(append([][]string{p.Header}, p.Rows...)))
	}
	for _, c := range r.Claims {
		fmt.Fprintf(&out, "claim: %s\n  %s: %s\n", c.Text, c.Verdict(), c.Numbers())
	}
	path := filepath.Join("testdata", "shards.golden")
	if *rewrite {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(out.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), out.String(), "if it is meant, run with -rewrite and look at the difference")
}

func TestShardsStop(t *testing.T) { figurestest.Stops(t, Figures(), "shards") }

// TestOneShardIsTheFrontier: one shard of Adult is the measurement that the figure frontier makes
// at level L2, number by number.
func TestOneShardIsTheFrontier(t *testing.T) {
	tier.Heavy(t, "it sends 30,000 people twice")
	p, err := census("", adultPeople, 1)
	require.NoError(t, err)
	got, err := divide(t.Context(), p, setting{10, 5}, 1, 1)
	require.NoError(t, err)
	want, err := frontier.Measure(context.Background(), frontier.Options{K: 10, L: 5, Seed: 1, Bare: true, Policies: []string{"L2"},
		MaxHolds: []int64{maxHold}})
	require.NoError(t, err)
	row := want.Rows[0]
	assert.InDelta(t, row.NCPInterval, got.loss, 1e-9)
	assert.InDelta(t, row.Never, got.never, 1e-9)
	assert.Equal(t, []int{row.MedianBucket, row.Releases}, []int{got.medianBucket, got.releases})
}

// TestShardsDivide: each person is in one shard, whatever their number, and a shard publishes
// nobody of another.
func TestShardsDivide(t *testing.T) {
	p, err := wards(1200, 1)
	require.NoError(t, err)
	for _, of := range []int{1, 3, 4} {
		seen := map[int32]int{}
		for i := range of {
			s, err := openShard(p, setting{5, 3}, i)
			require.NoError(t, err)
			out, err := s.run(t.Context(), of, 1)
			require.NoError(t, err)
			require.Positive(t, out.published)
			require.LessOrEqual(t, out.published, len(s.person))
			for _, who := range s.person {
				seen[who]++
			}
		}
		require.Len(t, seen, 1200)
		for _, n := range seen {
			require.Equal(t, 1, n)
		}
	}
}

// TestLossIsOfAllWhoArrived: by hand, for two classes and somebody who is never published.
func TestLossIsOfAllWhoArrived(t *testing.T) {
	p, err := newPeople("x", []string{"a", "b"}, "s")
	require.NoError(t, err)
	for i := range 60 {
		p.add(fmt.Sprint(i), "v", int32(i), int32(i%2*10))
	}
	p.measured()
	require.InDelta(t, (2.0/59+0)/2, p.loss([]int32{0, 2}), 1e-12)
	require.InDelta(t, (1.0/59+1)/2, p.loss([]int32{0, 1}), 1e-12)
	whole, err := sum(p, setting{5, 3}, []*outcome{{people: 20, published: 20, loss: 10, buckets: []int{10, 10}, releases: 1},
		{people: 40, published: 30, loss: 5, buckets: []int{30}, releases: 2, quarantined: 10}})
	require.NoError(t, err)
	require.InDelta(t, 15.0/60+10.0/60, whole.loss, 1e-12)
	require.InDelta(t, 10.0/60, whole.never, 1e-12)
	require.Equal(t, []int{30, 2, 10}, []int{whole.medianBucket, whole.releases, whole.quarantined})
	_, err = sum(p, setting{5, 3}, []*outcome{{people: 59}})
	require.Error(t, err, "somebody is in no shard")
}

// measured has points of the given losses: one shard, then 2 and 4 shards of 1,000 people, each
// with the same releases and with rarer ones.
func measured(loss ...float64) *result {
	r := &result{}
	for _, s := range settings {
		for i, of := range []int{1, 2, 2, 4, 4} {
			at := point{data: "x", people: 1000, setting: s, shards: of, every: 1, loss: loss[i], whole: loss[0]}
			if i == 2 || i == 4 {
				at.every = of
			}
			r.points = append(r.points, at)
		}
	}
	return r
}

// TestClaimsFollowTheRows: each claim says from where on hashing costs little, and fails where it
// does not.
func TestClaimsFollowTheRows(t *testing.T) {
	claims := measured(.1, .104, .103, .109, .121).claims()
	for i, want := range []string{"from 500 people", "from 250 people", "from 500 people", "from 500 people", "from 250 people",
		"from 500 people", "", "0 people"} {
		assert.Equal(t, figures.If(i != 6), claims[i].Verdict(), claims[i].Numbers())
		assert.Contains(t, claims[i].Numbers(), want)
	}
	assert.Contains(t, claims[0].Numbers(), "least: 1.04 for x in 2 shards of 500 people; most: 1.09 for x in 4 shards of 250 people")
	assert.Contains(t, claims[6].Numbers(), "2 of 4; most: 0.001 less for x in 2 shards")
	claims = measured(.1, .12, .12, .1, .09).claims()
	for i := range criteria {
		assert.Equal(t, figures.HoldsNot, claims[i].Verdict(), "fewer people a shard do not make up for more that lose too much")
	}
	r := measured(.1, .1, .1, .1, .1)
	r.points[1].quarantined = 30
	claims = r.claims()
	assert.Equal(t, figures.HoldsNot, claims[7].Verdict())
	assert.Contains(t, claims[7].Numbers(), "30 people of x in 2 shards of 500")
}
