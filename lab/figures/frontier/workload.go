package frontier

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"anond/equivclass"
	"anond/equivclass/query"
)

// Queries are the number of count queries of each kind that a point is asked if all
// columns are wanted.
const Queries = 1000

// workload is the count queries by which releases are measured: with a condition
// on the sensitive attribute that 1 to 5 % of all records satisfy, and .2 to 1 %;
// and without one, 1 to 5 %.
type workload struct{ large, small, quasi []*query.Bound }

// drawsEach bounds the draws for each query that is kept.
const drawsEach = 200

// newWorkload draws queries over the first n records of a table: one to three
// quasi-identifiers, each restricted to a random range of a scale or a random set
// of categories, and a random set of sensitive values. Its kind is that of the share
// of the records that satisfy it.
func newWorkload(t *table, n, each int, seed uint64) (w workload) {
	rng, a := rand.New(rand.NewPCG(seed, 0x7175657279)), newAsker(t)
	for range drawsEach * each {
		full := len(w.large) == each && len(w.small) == each
		if full && len(w.quasi) == each {
			break
		}
		q := a.draw(rng, !full)
		share := t.count(q, n) / float64(n)
		kind := &w.quasi
		switch {
		case share < .002 || share >= .05 || full && share < .01:
			continue
		case full:
		case share < .01:
			kind = &w.small
		default:
			kind = &w.large
		}
		if len(*kind) < each {
			*kind = append(*kind, q)
		}
	}
	return w
}

// asker draws queries over a table.
type asker struct {
	t      *table
	values [][]equivclass.Code // by attribute, in order
}

func newAsker(t *table) *asker {
	a := &asker{t: t}
	for _, d := range t.Dicts {
		codes := make([]equivclass.Code, d.Len())
		for c := range codes {
			codes[c] = equivclass.Code(c)
		}
		if d.Kind() == equivclass.Number {
			slices.SortFunc(codes, func(x, y equivclass.Code) int { return int(d.Number(x) - d.Number(y)) })
		}
		a.values = append(a.values, codes)
	}
	return a
}

func (a *asker) draw(rng *rand.Rand, sensitive bool) *query.Bound {
	last := len(a.t.Dicts) - 1
	attributes := rng.Perm(last)[:1+rng.IntN(min(3, last))]
	if sensitive {
		attributes = append(attributes, last)
	}
	var q query.Query
	for _, j := range attributes {
		q.Where = append(q.Where, a.condition(rng, j))
	}
	bound, err := query.Bind(q, a.t.Dicts)
	if err != nil {
		panic(err) // values of the dictionaries themselves
	}
	return bound
}

func (a *asker) condition(rng *rand.Rand, j int) query.Condition {
	d, values := a.t.Dicts[j], a.values[j]
	c := query.Condition{Attribute: d.Attribute().Name}
	text := func(i int) string {
		if d.Kind() == equivclass.Number {
			return strconv.FormatFloat(d.Number(values[i]), 'f', -1, 64)
		}
		return d.Text(values[i])
	}
	if slices.Contains(a.t.scales, c.Attribute) {
		from, to := rng.IntN(len(values)), rng.IntN(len(values))
		c.Range = &query.TextRange{Lo: text(min(from, to)), Hi: text(max(from, to))}
		return c
	}
	for _, i := range rng.Perm(len(values))[:1+rng.IntN(max(1, len(values)/2))] {
		c.Values = append(c.Values, text(i))
	}
	return c
}

// count is how many of the first n records satisfy a query.
func (t *table) count(q *query.Bound, n int) float64 {
	hits := 0
next:
	for r := range n {
		for i := range q.Preds {
			if !q.Preds[i].Match[t.Codes[q.Preds[i].Attribute][r]] {
				continue next
			}
		}
		hits++
	}
	return float64(hits)
}
