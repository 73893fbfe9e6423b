package extract

import (
	"slices"
)

const (
	spareRequired = 32 // required candidates considered beyond the shortlist
	maxFails      = 16 // seeds that may fail in a row before a bucket is given up
)

// bucket is what is left of one part of the pool while classes are taken out.
type bucket struct {
	x        *extraction
	effort   effort
	live     []int32
	columns  [][]uint32 // words of the live rows, by dimension
	values   []int32    // the values that the part began with
	left     []int32    // by value: records in live
	required []int32    // by value: records the next class must take
	unmet    int        // sum of required
	short    []candidate
	sorted   int       // candidates that ascend by from; those after them must be taken
	spans    []float32 // of the seed and each live row
	within   float32   // the span below which as many rows as wanted lay before, and some more
	keys     []uint64  // scratch of shortlist
	rows     []int32   // the class that grows
}

// takeAll takes classes out of rows until no seed yields one, and returns the leftovers.
func (x *extraction) takeAll(rows []int32, e effort) []int32 {
	b := x.newBucket(x.farthestFirst(rows), e)
	defer b.close()
	b.gather()
	failed := 0 // seeds live[:failed] have failed
	for inARow := 0; failed < len(b.live) && len(b.live) >= x.size && inARow < maxFails; {
		if !b.grow(failed) {
			failed++
			inARow++
			continue
		}
		inARow = 0
		x.drafts = append(x.drafts, x.newDraft(b.rows))
		failed -= b.remove(failed)
	}
	return b.live
}

// newBucket begins a part. Its counts by value use scratch space of the worker
// that has room for the values of the whole pool. Only the part's own values
// are read, so that the cost of a part does not depend on the values of the
// others.
func (x *extraction) newBucket(rows []int32, e effort) *bucket {
	if x.left == nil {
		x.left, x.required = make([]int32, len(x.tally)), make([]int32, len(x.tally))
	}
	b := &bucket{x: x, effort: e, live: rows, left: x.left, required: x.required,
		short: make([]candidate, 0, e.shortlist+x.size), rows: make([]int32, 0, x.most)}
	for _, r := range rows {
		v := x.value[r]
		if b.left[v] == 0 {
			b.values = append(b.values, v)
		}
		b.left[v]++
	}
	return b
}

// close leaves the scratch as newBucket found it.
func (b *bucket) close() {
	for _, v := range b.values {
		b.left[v], b.required[v] = 0, 0
	}
}

// remove takes the new class out of the live rows and returns how many of them
// were among the first ones.
func (b *bucket) remove(first int) (among int) {
	for _, r := range b.rows {
		b.x.gone[r] = true
	}
	slices.Sort(b.rows)
	places := make([]int32, 0, 32)
	for i, r := range b.live {
		if b.x.gone[r] {
			places = append(places, int32(i))
			b.left[b.x.value[r]]--
			if i < first {
				among++
			}
		}
	}
	b.live = without(b.live, places)
	for j := range b.columns {
		b.columns[j] = without(b.columns[j], places)
	}
	for _, r := range b.rows {
		b.x.gone[r] = false
	}
	return among
}

// without closes the gaps at some places, which ascend.
func without[T any](list []T, places []int32) []T {
	kept := 0
	for i, p := range places {
		end := len(list)
		if i+1 < len(places) {
			end = int(places[i+1])
		}
		if i == 0 {
			kept = int(p)
		}
		kept += copy(list[kept:], list[p+1:end])
	}
	return list[:len(list)-len(places)]
}

// grow forms a class around a seed, the live row at a place, in b.rows and reports
// success. The nearest rows are tried first; only if they cannot make a class, all of them.
func (b *bucket) grow(place int) bool {
	if b.computeRequired(); b.unmet > 0 && !b.possible() {
		return false
	}
	seed := b.live[place]
	b.shortlist(place)
	if b.fill(seed) {
		return true
	}
	if len(b.short) >= len(b.live)-1 {
		return false
	}
	b.short, b.sorted = b.short[:0], 0
	for _, r := range b.live {
		if r != seed {
			b.short = append(b.short, candidate{id: r})
		}
	}
	b.computeRequired()
	return b.fill(seed)
}

// computeRequired computes how many records of each value the next class must take
// so that the remainder can still be cut into eligible classes: there a value
// may hold 1/l at most. Without this guard the frequent values are left over.
func (b *bucket) computeRequired() {
	x := b.x
	room := int32(x.limit(len(b.live) - x.size))
	most := int32(x.limit(x.size))
	b.unmet = 0
	for _, v := range b.values {
		b.required[v] = min(most, max(0, b.left[v]-room))
		b.unmet += int(b.required[v])
	}
}

// possible reports whether the live rows can fill one class at all.
func (b *bucket) possible() bool {
	n, most := 0, b.x.limit(b.x.size)
	for _, v := range b.values {
		n += min(int(b.left[v]), most)
	}
	return n >= b.x.size
}

// fill adds to the seed, one by one, the candidate that widens the cell least,
// until the class is valid. It reports whether the class became valid.
func (b *bucket) fill(seed int32) bool {
	x := b.x
	b.rows = append(b.rows[:0], seed)
	x.start(x.grown, seed)
	b.took(seed)
	for len(b.rows) < x.most {
		if len(b.rows) >= x.size && x.valid(b.rows) {
			return true
		}
		at := b.cheapest()
		if at < 0 {
			return false
		}
		r := b.short[at].id
		b.short[at].id = -1
		b.rows = append(b.rows, r)
		x.widen(x.grown, r)
		b.took(r)
	}
	return x.valid(b.rows)
}

func (b *bucket) took(r int32) {
	if v := b.x.value[r]; b.required[v] > 0 {
		b.required[v]--
		b.unmet--
	}
}

// cheapest returns the candidate that widens the cell least and may join, -1 if
// there is none. Once the open places just suffice for the values that the
// class must take, only those values may join.
//
// Most candidates are left out by a span that the cell had with them before, or, those
// that ascend, by one they have with the seed alone: the cell only grows.
func (b *bucket) cheapest() int {
	x := b.x
	limit := x.limit(max(x.size, len(b.rows)+1))
	onlyRequired := b.unmet > 0 && b.unmet >= x.size-len(b.rows)
	best, at := float32(maxSpan), -1
	for i := 0; i < len(b.short); i++ {
		c := &b.short[i]
		if c.least >= best {
			if i < b.sorted && c.from >= best {
				i = b.sorted - 1
			}
			continue
		}
		r := c.id
		if r < 0 || onlyRequired && b.required[x.value[r]] == 0 {
			continue
		}
		span := x.with(x.grown, r)
		if x.losses.monotone {
			c.least = span
		}
		if span >= best {
			continue
		}
		if x.times(b.rows, -1, r) >= limit || x.clash(b.rows, -1, r) {
			if len(b.rows) < x.size {
				c.id = -1
			}
			continue
		}
		best, at = span, i
	}
	return at
}

// maxSpan is above the span of any cell.
const maxSpan = 1e9
