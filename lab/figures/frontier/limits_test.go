package frontier

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/extract"
)

// TestWhatBoundsLargeQueries: at k=5, l=3 level L2 errs in large count queries nearly as
// little as the same classes would if every class that needs others got the nearest ones
// with which it is eligible. That rule sees values and places together, which Theorem E
// forbids. Buckets of three near classes, whatever their values, would err far less: what
// costs is l-diversity of whole classes, not the symmetric choice.
func TestWhatBoundsLargeQueries(t *testing.T) {
	tier.Heavy(t, "it measures for a minute and a half")
	var mean boundsOfLargeQueries
	for seed := range uint64(3) {
		of := measureLargeQueries(t, 1+seed)
		t.Logf("seed %d: %+v", 1+seed, of)
		mean.own, mean.near, mean.nearest, mean.ours = mean.own+of.own/3, mean.near+of.near/3, mean.nearest+of.nearest/3, mean.ours+of.ours/3
	}
	require.Less(t, mean.own, mean.near)
	require.Less(t, mean.near, .8*mean.nearest)
	require.Less(t, .9*mean.ours, mean.nearest)
}

// boundsOfLargeQueries are errors of large queries where a bucket is a class with its own values, three near classes, the
// nearest eligible ones, and what level L2 publishes.
type boundsOfLargeQueries struct{ own, near, nearest, ours float64 }

func measureLargeQueries(t *testing.T, seed uint64) (of boundsOfLargeQueries) {
	data, err := adult.load("", seed)
	require.NoError(t, err)
	o := Options{K: 5, L: 3}
	p, err := o.policy("L2")
	require.NoError(t, err)
	p.MaxHold = 5
	s := o.shape(data)
	run := streamRun{shape: s, data: data, policy: p, cutEvery: s.batch}
	st, err := run.open()
	require.NoError(t, err)
	for i := range s.total() {
		_, err := st.machine.Apply(source, int64(i), data.rows[i])
		require.NoError(t, err)
		if done := i + 1; done >= s.load && (done-s.load)%s.batch == 0 {
			_, err := st.cut(s.batchOf(i))
			require.NoError(t, err)
		}
	}
	require.NoError(t, st.drain(context.Background(), s.batches, p.MaxHold))
	_, shown, err := run.measure(st)
	require.NoError(t, err)
	w := newWorkload(data, s.total(), Queries, 1001)
	pools, at := poolsOf(shown, st.published), classesOf(data, shown.groups)
	large := func(bucket []int32) float64 {
		var row frontierRow
		(&published{groups: shown.groups, bucket: bucket}).ask(data, &w, &row)
		return row.QueryLarge
	}
	of.ours = large(shown.bucket)
	of.own = large(at.buckets(pools, func([]int32) [][]int32 { return nil }))
	of.near = large(at.buckets(pools, func(pool []int32) [][]int32 { return at.near(pool, 3) }))
	of.nearest = large(at.buckets(pools, func(pool []int32) [][]int32 { return at.eligible(pool, o.L) }))
	return of
}

// poolsOf are the classes of each release, whose batch is given for each record.
func poolsOf(p *published, batch []int) map[int][]int32 {
	pools := map[int][]int32{}
	for i, rows := range p.groups {
		pools[batch[rows[0]]] = append(pools[batch[rows[0]]], int32(i))
	}
	return pools
}

// classes are those of a release, with their bags and the centres of their cells.
type classes struct {
	centres equivclass.Points
	bags    []map[equivclass.Code]int
	size    int
}

func classesOf(t *table, groups [][]int32) *classes {
	c := &classes{centres: equivclass.Points{Space: t.points.Space}, size: len(groups[0])}
	for _, rows := range groups {
		lo := slices.Clone(t.points.At(rows[0]))
		hi, bag := slices.Clone(lo), map[equivclass.Code]int{}
		for _, r := range rows {
			bag[t.points.SA[r]]++
			for j, x := range t.points.At(r) {
				lo[j], hi[j] = min(lo[j], x), max(hi[j], x)
			}
		}
		for j := range lo {
			c.centres.X = append(c.centres.X, (lo[j]+hi[j])/2)
		}
		c.bags = append(c.bags, bag)
	}
	return c
}

// buckets numbers what a rule makes of each pool. Who is in none has one of their own.
func (c *classes) buckets(pools map[int][]int32, rule func(pool []int32) [][]int32) []int32 {
	out := make([]int32, len(c.bags))
	for i := range out {
		out[i] = int32(i)
	}
	for _, pool := range pools {
		for _, b := range rule(pool) {
			for _, class := range b {
				out[class] = b[0]
			}
		}
	}
	at := map[int32]int32{}
	for i, b := range out {
		if _, known := at[b]; !known {
			at[b] = int32(len(at))
		}
		out[i] = at[b]
	}
	return out
}

// near puts n near classes into each bucket.
func (c *classes) near(pool []int32, n int) [][]int32 {
	p := equivclass.Points{Space: c.centres.Space}
	for _, class := range pool {
		p.X = append(p.X, c.at(class)...)
	}
	groups, _ := (extract.Blind{Workers: 2}).Classes(p, n)
	for _, g := range groups {
		for i, row := range g {
			g[i] = pool[row]
		}
	}
	return groups
}

func (c *classes) at(class int32) []float32 {
	d := len(c.centres.Space.Dims)
	return c.centres.X[int(class)*d : int(class+1)*d]
}

// eligible joins each bucket in turn that is not eligible with the nearest one with which
// it is, or else with the nearest one.
func (c *classes) eligible(pool []int32, l int) (out [][]int32) {
	for _, class := range pool {
		out = append(out, []int32{class})
	}
	for i := 0; i < len(out); {
		if c.lack(out[i], nil, l) == 0 || len(out) == 1 {
			i++
			continue
		}
		best, least := -1, float32(0)
		for j := range out {
			if j == i {
				continue
			}
			d := c.distance(out[i][0], out[j][0])
			if best >= 0 && d >= least {
				continue
			}
			if c.lack(out[i], out[j], l) > 0 {
				d += float32(len(c.centres.Space.Dims)) // behind all with which it is
			}
			if best < 0 || d < least {
				best, least = j, d
			}
		}
		out[i] = append(out[i], out[best]...)
		out = slices.Delete(out, best, best+1)
		if best < i {
			i--
		}
	}
	return out
}

func (c *classes) distance(a, b int32) (sum float32) {
	y := c.at(b)
	for j, x := range c.at(a) {
		sum += max(x-y[j], y[j]-x)
	}
	return sum
}

// lack is how many records of the most frequent value are too many in two buckets together.
func (c *classes) lack(a, b []int32, l int) (over int) {
	bag := map[equivclass.Code]int{}
	for _, class := range slices.Concat(a, b) {
		for v, n := range c.bags[class] {
			bag[v] += n
			over = max(over, bag[v]*l-c.size*(len(a)+len(b)))
		}
	}
	return over
}
