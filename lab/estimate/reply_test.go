package estimate

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/flagged"
	"anond/equivclass/query"
)

// graduates are classes of ten graduates or of ten others; of those 55 % are professionals, of these 8 %. Buckets are classes joined
// until at most a quarter of each has this value, which no class of graduates alone keeps to.
func graduates(seed uint64) (*flagged.Table, *query.BucketRelease) {
	rng := rand.New(rand.NewPCG(seed, 11))
	table := &flagged.Table{Table: &equivclass.Table{Dicts: []*equivclass.Dictionary{
		equivclass.NewDictionary(equivclass.Attribute{Name: "degree", Type: equivclass.Categorical}),
		equivclass.NewDictionary(equivclass.Attribute{Name: "work", Type: equivclass.Categorical}),
	}, Codes: make([][]equivclass.Code, 2)}}
	var bad, good [][2]string // a class: its degree, and ten letters of work
	for range 400 {
		degree, share := "none", .08
		if rng.IntN(4) == 0 {
			degree, share = "graduate", .55
		}
		works, professionals := "", 0
		for range 10 {
			if rng.Float64() < share {
				works, professionals = works+"p", professionals+1
			} else {
				works += string(rune('a' + rng.IntN(5)))
			}
		}
		if professionals > 2 {
			bad = append(bad, [2]string{degree, works})
		} else {
			good = append(good, [2]string{degree, works})
		}
	}
	r := &query.BucketRelease{Sensitive: 1, Tight: true, Columns: make([]query.Column, 2)}
	var members [][2]string
	bucket := func(classes ...[2]string) {
		var rows []int32
		for _, c := range classes {
			members = append(members, c)
			for _, w := range c[1] {
				d, _ := table.Dicts[0].Encode([]byte(c[0]))
				v, _ := table.Dicts[1].Encode([]byte(string(w)))
				table.Codes[0], table.Codes[1] = append(table.Codes[0], d), append(table.Codes[1], v)
				rows = append(rows, int32(len(table.Codes[1])-1))
			}
			r.Size, r.Bucket = append(r.Size, 10), append(r.Bucket, int32(len(r.Bags)))
		}
		r.Bags = append(r.Bags, equivclass.BagOf(table.Codes[1], rows))
	}
	count := func(c [2]string) (n int) {
		for _, w := range c[1] {
			if w == 'p' {
				n++
			}
		}
		return n
	}
	for _, c := range bad {
		classes, n := [][2]string{c}, count(c)
		for 4*n > 10*len(classes) {
			classes, n, good = append(classes, good[0]), n+count(good[0]), good[1:]
		}
		bucket(classes...)
	}
	for _, c := range good {
		bucket(c)
	}
	r.Dicts = table.Dicts
	var cells [][]query.Cell
	for _, c := range members {
		code, _ := table.Dicts[0].Named(c[0])
		cells = append(cells, []query.Cell{{Codes: []equivclass.Code{code}}, {}})
	}
	r.Columns = query.ColumnsOf(table.Dicts, 1, cells)
	table.Flags = make([]uint64, len(table.Codes[0]))
	return table, r
}

// TestAStrongRelationIsHiddenOrRight: of graduates who are professionals, more than the cap lets any bucket show, no answer is far from
// the truth without saying so; the interval holds the truth, or nearly always; and a count that buckets tell is not hidden.
func TestAStrongRelationIsHiddenOrRight(t *testing.T) {
	held, low := 0, 0
	for seed := range uint64(20) {
		table, r := graduates(seed)
		q := paBound(t, table.Dicts, "count where degree = graduate and work = p")
		truth := 0.
		for i := range table.Codes[0] {
			if table.Dicts[0].Text(table.Codes[0][i]) == "graduate" && table.Dicts[1].Text(table.Codes[1][i]) == "p" {
				truth++
			}
		}
		answers := NewModel(r).Answers([]*query.Bound{q, paBound(t, table.Dicts, "count where work = p")})
		a := answers[0]
		if a.Shares < truth/2 {
			low++
		}
		assert.True(t, a.Hidden || a.Estimate > .75*truth && a.Estimate < 1.25*truth, "%v for %v", a, truth)
		if a.Low <= truth && truth <= a.High {
			held++
		}
		require.False(t, answers[1].Hidden)
		require.InDelta(t, answers[1].Shares, answers[1].Estimate, 1e-6)
	}
	t.Logf("the interval held %d of 20 truths; shares said less than half of %d", held, low)
	require.GreaterOrEqual(t, held, 17)
	require.GreaterOrEqual(t, low, 10, "the shares hide the relation")
}

// TestImputationsFollowTheModel: counts in the mean of the tables are those of the model, not those of the shares.
func TestImputationsFollowTheModel(t *testing.T) {
	table, r := graduates(1)
	joint := NewJoint(&query.JointRelease{BucketRelease: r, Sensitive: []query.SensitiveBags{{Attribute: 1, Bags: r.Bags}},
		Pool: make([]int32, len(r.Bags))})
	n := 0.
	require.NoError(t, joint.Impute(5, 1, func(table, _ int, _, _ int32, values []string) error {
		if table > 0 && values[0] == "graduate" && values[1] == "p" {
			n++
		}
		return nil
	}))
	a := joint.Answers([]*query.Bound{paBound(t, table.Dicts, "count where degree = graduate and work = p")})[0]
	t.Logf("imputed %.1f, model %.1f, shares %.1f", n/5, a.Estimate, a.Shares)
	require.InDelta(t, a.Estimate, n/5, .1*a.Estimate)
	require.Greater(t, n/5, (a.Estimate+a.Shares)/2)
}

// TestWeightsAreExponential: those of the buckets in the replicates have mean 1 and variance 1, and are not those of other replicates.
func TestWeightsAreExponential(t *testing.T) {
	sum, square, cross := 0., 0., 0.
	const n = 20_000
	for b := range n {
		w := weight(3, b)
		sum, square, cross = sum+w, square+w*w, cross+w*weight(4, b)
	}
	require.InDelta(t, 1, sum/n, .03)
	require.InDelta(t, 2, square/n, .15)
	require.InDelta(t, 1, cross/n, .05)
}
