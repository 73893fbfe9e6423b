package extract

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/tier"
)

// The search leaves out what bounds exclude. Here is what it computes without any bound,
// and the demand that both find the same, ties included.

// plainCase is a pool with dimensions of every kind, many points of which are equal.
func plainCase(t *testing.T, seed uint64) (*equivclass.Pool, equivclass.Requirement, *rand.Rand) {
	rng := rand.New(rand.NewPCG(seed, 29))
	p := censusPool(seed, 60+rng.IntN(200))
	switch seed % 4 {
	case 1:
		p = equivtest.Grid(rng, 60+rng.IntN(200), 1+rng.IntN(4), 2+rng.IntN(5), 5)
	case 2, 3:
		p = clusteredPool(rng, 60+rng.IntN(200), 1+rng.IntN(11), 2+rng.IntN(9))
		mixKinds(t, rng, p)
	}
	want := equivclass.Requirement{K: 3 + rng.IntN(8)}
	want.L = 1 + rng.IntN(want.K)
	return p, want, rng
}

// plainSpan is the span of a cell of rows, from the pool itself.
func plainSpan(p *equivclass.Pool, rows []int32) float32 {
	var sum float32
	for j := range p.D() {
		sum += p.DimLoss(j, rows)
	}
	return sum
}

func plainCases(t *testing.T, do func(p *equivclass.Pool, want equivclass.Requirement, rng *rand.Rand)) {
	for seed := range uint64(tier.Of(t, 40, 120, 1000)) {
		do(plainCase(t, seed))
	}
}

// TestSpansAreThoseOfThePool: cells with one row more, and drafts with one exchanged,
// lose what the pool says. (More than 64 categories share bits: the search
// underestimates.)
func TestSpansAreThoseOfThePool(t *testing.T) {
	plainCases(t, func(p *equivclass.Pool, want equivclass.Requirement, rng *rand.Rand) {
		if slices.ContainsFunc(p.Space.Dims, func(d equivclass.Dim) bool { return d.Kind == equivclass.Set && d.Size > 64 }) {
			return
		}
		x := newExtraction(p, want)
		order := cut.Identity(p.Len())
		cut.Shuffle(order, rng)
		c, r := x.newDraft(order[:want.K]), order[want.K]
		x.fillLacking(c)
		require.Equal(t, plainSpan(p, c.rows), c.span)
		require.Equal(t, plainSpan(p, order[:want.K+1]), x.with(c.cell, r))
		for i, out := range c.rows {
			rest := slices.Delete(slices.Clone(c.rows), i, i+1)
			require.Equal(t, plainSpan(p, rest), c.lack.span[i])
			require.Equal(t, plainSpan(p, append(rest, r)), x.without(&c.lack, out, r))
			require.LessOrEqual(t, c.lack.span[i]+x.gap(c.cell, r)-slack, x.without(&c.lack, out, r))
		}
	})
}

// TestNeighboursAreTheNearest: against a sort by all distances.
func TestNeighboursAreTheNearest(t *testing.T) {
	plainCases(t, func(p *equivclass.Pool, want equivclass.Requirement, rng *rand.Rand) {
		ids := cut.Identity(p.Len())
		cut.Shuffle(ids, rng)
		ids = ids[:2+rng.IntN(len(ids)-2)]
		near, found := 1+rng.IntN(30), make([][]nearby, len(ids))
		newNeighbours(p.X, p.D(), ids).each(near, 1+rng.IntN(4), func(place int32, list []nearby) { found[place] = slices.Clone(list) })
		for place, list := range found {
			var all []nearby
			for at, id := range ids {
				if at != place {
					all = append(all, nearby{manhattan(p.At(ids[place]), p.At(id)), int32(at)})
				}
			}
			slices.SortStableFunc(all, func(a, b nearby) int { return cmp.Compare(a.dist, b.dist) })
			require.Equal(t, all[:min(near, len(all))], list)
		}
	})
}

// plainUnits is the loss of a cell of rows in fixed point, from the pool itself.
func plainUnits(p *equivclass.Pool, rows []int32) (loss uint64) {
	for j := range p.D() {
		dim := &p.Space.Dims[j]
		lo, hi, categories := p.At(rows[0])[j], p.At(rows[0])[j], map[float32]bool{}
		for _, r := range rows {
			v := p.At(r)[j]
			lo, hi, categories[v] = min(lo, v), max(hi, v), true
		}
		switch {
		case dim.Kind == equivclass.Set:
			loss += uint64(len(categories)-1) * uint64(inUnits(dim.SetLoss(2)))
		case dim.Kind == equivclass.Number && len(dim.Steps) == 0:
			loss += uint64(inUnits(hi) - inUnits(lo))
		default:
			loss += uint64(inUnits(dim.RangeLoss(lo, hi)))
		}
	}
	return loss
}

// plainGrow is few.grow from scratch: the class, and the rows that are left by place.
func plainGrow(p *equivclass.Pool, rows []int32, seed, size int) (class, left []int32) {
	left = slices.Clone(rows)
	for at := seed; ; {
		last := len(left) - 1
		class = append(class, left[at])
		left[at], left = left[last], left[:last]
		if len(class) == size {
			return class, left
		}
		best := uint64(math.MaxUint64)
		for i, r := range left {
			if loss := plainUnits(p, append(slices.Clone(class), r)); loss < best {
				best, at = loss, i
			}
		}
	}
}

// TestFewGrowsAsPlain: the same rows in the same order, one class after the other, or an
// early end if the limit is reached.
func TestFewGrowsAsPlain(t *testing.T) {
	reached, grown := 0, 0
	plainCases(t, func(p *equivclass.Pool, want equivclass.Requirement, rng *rand.Rand) {
		if slices.ContainsFunc(p.Space.Dims, func(d equivclass.Dim) bool { return d.Kind == equivclass.Set && d.Size > 64 }) {
			return
		}
		x := newExtraction(p, want)
		x.fixed = newFixed(x.losses)
		left := cut.Identity(p.Len())
		cut.Shuffle(left, rng)
		left = left[:3*want.K]
		var f few
		f.reset(x.fixed)
		f.add(left)
		var class, taken []int32
		for range 2 {
			seed, limit := rng.IntN(len(left)), uint64(rng.Float32()*float32(2*p.D())*unit)
			class, left = plainGrow(p, left, seed, want.K)
			loss, plain := f.grow(seed, want.K, limit), plainUnits(p, class)
			if monotone := x.losses.monotone; plain >= limit && monotone {
				require.GreaterOrEqual(t, loss, limit)
				reached++
				return
			} else if loss >= limit && !monotone {
				return
			}
			require.Equal(t, plain, loss)
			taken = append(taken, class...)
			require.Equal(t, taken, f.taken)
			require.Equal(t, left, f.ids)
			require.Equal(t, plainUnits(p, left), f.rest())
			grown++
		}
	})
	require.Greater(t, min(reached, grown), 5)
}

// plainSwap is bestSwap without bounds, from the spans of the rows.
func (x *exchanger) plainSwap(a, b *draft) change {
	na, nb := float32(len(a.rows)), float32(len(b.rows))
	best := change{i: -1, j: -1, loss: float32(na*a.span) + float32(nb*b.span) - leastGain}
	for i, ra := range a.rows {
		for j, rb := range b.rows {
			loss := float32(na*x.without(&a.lack, ra, rb)) + float32(nb*x.without(&b.lack, rb, ra))
			if loss < best.loss && x.swappable(a, b, ra, rb) {
				best = change{i, j, loss}
			}
		}
	}
	return best
}

// TestSwapsAreTheBest: bestSwap finds what trying all of them finds, and where hopeless
// says so there is none.
func TestSwapsAreTheBest(t *testing.T) {
	found, none := 0, 0
	plainCases(t, func(p *equivclass.Pool, want equivclass.Requirement, rng *rand.Rand) {
		x := newExtraction(p, want)
		rows := cut.Identity(p.Len())
		x.farthestFirst(rows) // so that some classes lie apart
		for n := want.K; n+want.K <= len(rows); n += want.K {
			a, b := x.newDraft(rows[:want.K]), x.newDraft(rows[n:n+want.K])
			x.fillLacking(a)
			x.fillLacking(b)
			plain, got := x.exchanger().plainSwap(a, b), change{i: -1, j: -1}
			got.loss = float32(float32(len(a.rows))*a.span) + float32(float32(len(b.rows))*b.span) - leastGain
			x.exchanger().bestSwap(a, b, &a.lack, &b.lack, &got)
			require.Equal(t, plain, got)
			if plain.i >= 0 {
				require.False(t, x.exchanger().hopeless(a, b))
				found++
			} else {
				none++
			}
		}
	})
	require.Greater(t, min(found, none), 50)
}

// plainCheapest is bucket.cheapest without bounds: the place of a row in b.short.
func (b *bucket) plainCheapest() int {
	x, best, at := b.x, float32(maxSpan), -1
	limit := x.limit(max(x.size, len(b.rows)+1))
	onlyRequired := b.unmet > 0 && b.unmet >= x.size-len(b.rows)
	for i, c := range b.short {
		if c.id < 0 || onlyRequired && b.required[x.value[c.id]] == 0 {
			continue
		}
		if span := x.with(x.grown, c.id); span < best && x.times(b.rows, -1, c.id) < limit {
			best, at = span, i
		}
	}
	return at
}

// TestShortlistAndCheapest: the nearest rows in the order of their distances, and of the
// required values more; and at each step the row that a look at all of them finds.
func TestShortlistAndCheapest(t *testing.T) {
	required := 0
	plainCases(t, func(p *equivclass.Pool, want equivclass.Requirement, rng *rand.Rand) {
		x := newExtraction(p, want)
		e := effort{shortlist: 1 + rng.IntN(40)}
		b := x.newBucket(cut.Identity(p.Len()), e)
		b.computeRequired()
		b.gather()
		b.shortlist(rng.IntN(p.Len())) // another seed before: what it leaves is no more than a guess
		b.computeRequired()
		place := rng.IntN(p.Len())
		seed := b.live[place]
		b.shortlist(place)
		requireShortlist(t, b, seed)
		if b.unmet > 0 {
			required++
		}
		b.rows = append(b.rows[:0], seed)
		x.start(x.grown, seed)
		for b.took(seed); len(b.rows) < x.size; {
			plain := b.plainCheapest()
			at := b.cheapest()
			require.Equal(t, plain, at)
			if at < 0 {
				return
			}
			r := b.short[at].id
			b.short[at].id = -1
			b.rows = append(b.rows, r)
			x.widen(x.grown, r)
			b.took(r)
		}
	})
	require.Greater(t, required, 5)
}

func requireShortlist(t *testing.T, b *bucket, seed int32) {
	t.Helper()
	var all, must []nearby
	one := b.x.newCell()
	b.x.start(one, seed)
	for _, r := range b.live {
		if r == seed {
			continue
		}
		c := nearby{b.x.with(one, r), r}
		if all = append(all, c); b.required[b.x.value[r]] > 0 {
			must = append(must, c)
		}
	}
	byDistance := func(a, b nearby) int { return cmp.Compare(a.dist, b.dist) }
	slices.SortStableFunc(all, byDistance)
	slices.SortStableFunc(must, byDistance)
	room := b.effort.shortlist + b.x.size
	list := slices.Clone(all[:min(room, len(all))])
	if b.unmet > 0 {
		for _, c := range must[:min(room+spareRequired, len(must))] {
			if !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	var ids, got []int32
	for _, c := range list {
		ids = append(ids, c.id)
	}
	for _, c := range b.short {
		got = append(got, c.id)
	}
	require.Equal(t, ids, got)
}

// TestRowsAreSortedAsPlain: sortByCoordinates and selectRows against comparisons of the
// coordinates.
func TestRowsAreSortedAsPlain(t *testing.T) {
	plainCases(t, func(p *equivclass.Pool, _ equivclass.Requirement, rng *rand.Rand) {
		rows := cut.Identity(p.Len())
		cut.Shuffle(rows, rng)
		plain, selected, j := slices.Clone(rows), slices.Clone(rows), rng.IntN(p.D())
		same, n := slices.Clone(rows), rng.IntN(len(rows))
		slices.SortFunc(plain, func(a, b int32) int { return cmp.Or(slices.Compare(p.At(a), p.At(b)), cmp.Compare(a, b)) })
		slices.Sort(rows)
		for i, at := range sortByCoordinates(p.Points(), rows).list {
			require.Equal(t, plain[i], at.row)
		}
		selectRows(p.X, p.D(), j, selected, n, nil)
		equivclass.Select(same, n, func(a, b int32) bool {
			return cmp.Or(cmp.Compare(p.At(a)[j], p.At(b)[j]), cmp.Compare(a, b)) < 0
		})
		require.Equal(t, same, selected)
	})
}

// plainDistance is what the range of two rows loses by the bits of an index.
func (x *rowIndex) plainDistance(a, b int32) (sum uint64) {
	f := x.fixed
	for j := range f.dims {
		p, lane := &x.parts[j/8], j%8*8
		u, v := p.words[a]>>lane&127, p.words[b]>>lane&127
		switch r, s := f.rows[j/8][x.rows[a]][j%8], f.rows[j/8][x.rows[b]][j%8]; f.dims[j].kind {
		case ranged:
			sum += max(u, v) - min(u, v)
		case listed:
			if r != s {
				sum += p.weight >> lane & 127
			}
		default:
			sum += uint64(f.otherLoss(j, min(r, s), max(r, s))) * x.scale >> 32
		}
	}
	return sum
}

// TestRowIndexFindsTheNearest: what the index finds is as near as what a look at all rows that
// are left finds, while rows are taken out.
func TestRowIndexFindsTheNearest(t *testing.T) {
	searches, boxes := 0, 0
	plainCases(t, func(p *equivclass.Pool, want equivclass.Requirement, rng *rand.Rand) {
		x := newExtraction(p, want)
		index := newRowIndex(newFixed(x.losses), cut.Identity(p.Len()), make([]int32, p.Len()))
		for index.live > 1 {
			seed := index.alive()[rng.IntN(index.live)]
			room := 1 + rng.IntN(min(80, index.live))
			var plain, got []uint64
			for _, r := range index.alive() {
				if r != seed {
					plain = append(plain, index.plainDistance(index.place[seed], index.place[r]))
				}
			}
			slices.Sort(plain)
			found := slices.Clone(index.nearest(seed, room))
			if len(index.list) < len(plain) {
				boxes++
			}
			for _, r := range found {
				got = append(got, index.plainDistance(index.place[seed], index.place[r]))
			}
			slices.Sort(got)
			require.Equal(t, plain[:min(room, len(plain))], got)
			slices.Sort(found)
			require.Len(t, slices.Compact(found), len(got), "each once")
			require.NotContains(t, found, seed)
			index.remove(append(found[:rng.IntN(len(found)+1)], seed))
			searches++
		}
	})
	require.Greater(t, min(searches, boxes), 50)
}

// alive are the rows that are left.
func (x *rowIndex) alive() (out []int32) {
	for leaf, n := range x.count {
		out = append(out, x.rows[leaf*indexLeaf:leaf*indexLeaf+int(n)]...)
	}
	return out
}
