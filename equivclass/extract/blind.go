package extract

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
)

// Blind forms classes of exactly k records from quasi-identifiers alone. It is
// the partitioner of level L2 (rule B, buckets), where values decide only which
// whole classes share a bucket.
//
// Guarantee: it is given points, not values, so no class depends on a value.
// Every class has exactly k records. No record is in two classes. Rest is the
// newest n mod k records: an unusual record never stays behind because of its
// loss. The classes of the others are a function of their coordinates: in
// another order of arrival the same cells come out, and the order only decides
// which of several records with equal coordinates is in which class. The
// classes do not depend on the number of workers.
//
// It knows no subjects: the caller gives it one record of a subject only, as
// subject.repeat `first` does.
//
// Method, in four steps:
//
//  1. Records with equal coordinates form classes without loss, k at a time.
//     On Adult that is a third of 30,000 records at k=10, half of them at k=5.
//  2. The others are cut by medians into buckets of a multiple of k, and in each
//     bucket a class grows from the record farthest from the centre by the
//     record that enlarges its cell least, k records each time: k-member
//     clustering (Byun, Kamra, Bertino and Li, DASFAA 2007). Only the records
//     nearest to the first one are considered, which an index of the bucket
//     finds (rowindex.go).
//  3. A few neighbouring classes are divided anew: each of the new ones grows from
//     one of their records, drawn by a generator that anybody can repeat. If the
//     new classes lose little more than the old ones, they swap the two records that
//     save most, again and again (refine.go). The better division stays. This
//     moves several records at once, which no exchange of two records can do. Only
//     groups of neighbours that overlap most are tried, since few divisions of the
//     others gain anything (divide.go). Above 20,000 records wide buckets lower the
//     loss as much at less cost, so this step is left out there but for
//     hierarchies and steps.
//  4. Pairs of neighbouring classes swap the two records that save most, as in
//     Extract.
//
// Step 3 must precede step 4: on Adult (30,000 records, k=10, buckets of 1,500
// records) the loss is 0.035 without step 3, 0.031 with it after step 4, and 0.028
// in this order. Buckets of 8,192 records reach 0.028 without it.
//
// Cost: linear for step 1, n log n where 128 bits do not tell the records apart;
// then O(n k D) for a number of rounds that the size of the pool fixes; about half as much as
// Extract from 2,000 records on. Determinism is that of Extract.
type Blind struct {
	// Workers is how many goroutines share the work, at least one. It has no
	// influence on the classes.
	Workers int
	stop    func() bool         // see WithStop
	tell    func(done, all int) // see WithProgress
}

// WithStop returns the partitioner with a way to end its work early: once stop
// returns true, Classes returns soon, and its result must be discarded.
func (m Blind) WithStop(stop func() bool) Blind { m.stop = stop; return m }

// Classes returns classes of exactly k rows, k at least 2, and the newest
// rows that are too few for another class.
func (m Blind) Classes(p equivclass.Points, k int) (groups [][]int32, rest []int32) {
	rows := cut.Identity(p.Len())
	k = max(2, k)
	rows, rest = rows[:len(rows)/k*k], rows[len(rows)/k*k:]
	groups, others := equalClasses(p, rows, k)
	effort := blindEffort(len(others), leaps(p.Space))
	rounds, passes := dividings(len(others), leaps(p.Space))
	progress := newSteps(m.tell, p.Len(), 1+rounds+effort.rounds)
	defer progress.end()
	if len(others) == 0 {
		return groups, rest
	}
	x := newExtraction(gather(p, others), equivclass.Requirement{K: k, L: 1})
	x.size, x.most = k, k
	x.fixed = newFixed(x.losses)
	x.workers, x.stop, x.steps = m.Workers, m.stop, progress
	x.cutExact(effort, rounds, passes)
	for _, g := range x.groups() {
		for i, r := range g {
			g[i] = others[r]
		}
		groups = append(groups, g)
	}
	return groups, rest
}

// gather returns the points of some rows as a pool in which all values are the
// same.
func gather(p equivclass.Points, rows []int32) *equivclass.Pool {
	d := len(p.Space.Dims)
	out := &equivclass.Pool{Space: p.Space, X: make([]float32, 0, len(rows)*d), SA: make([]equivclass.Code, len(rows))}
	for _, r := range rows {
		out.X = append(out.X, p.X[int(r)*d:int(r+1)*d]...)
	}
	return out
}

// equalClasses forms classes of rows with equal coordinates, and returns the
// other rows, sorted by coordinates and then by number. Cost: see sortByCoordinates.
func equalClasses(p equivclass.Points, rows []int32, k int) (groups [][]int32, others []int32) {
	s := sortByCoordinates(p, rows)
	for i := range rows {
		rows[i] = s.list[i].row
	}
	for begin, end := 0, 0; begin < len(rows); begin = end {
		for end = begin + 1; end < len(rows) && s.equal(begin, end); end++ {
		}
		for ; end-begin >= k; begin += k {
			groups = append(groups, rows[begin:begin+k:begin+k])
		}
		others = append(others, rows[begin:end]...)
	}
	return groups, others
}

// cutExact cuts the whole pool, a multiple of k records, into classes of exactly
// k: steps 2 to 4 of Blind, with so many rounds of divisions, each of so many passes.
func (x *extraction) cutExact(e effort, rounds, passes int) {
	x.takeExact(cut.Identity(x.p.Len()), e)
	for turn := 0; turn < rounds && !x.stopped(); turn++ {
		x.divideAll(e, turn, passes)
	}
	if !x.stopped() {
		x.search(e)
	}
}

// takeExact is step 2 of Blind. All buckets have a multiple of k rows.
func (x *extraction) takeExact(rows []int32, e effort) {
	multiple := func(n int) int { return n / 2 / x.k * x.k }
	buckets := splitter{x.p.X, x.d, max(e.bucket, 2*x.k-1), multiple}.split(rows, 0, x.workers, make([]uint64, len(rows)))
	drafts, place := make([][]*draft, len(buckets)), make([]int32, len(rows))
	x.each(len(buckets), func(w *extraction, i int) {
		w.drafts = nil
		w.growAll(buckets[i], place, e.shortlist)
		drafts[i] = w.drafts
	})
	x.drafts = slices.Concat(drafts...)
}

// growAll forms classes of all rows of a bucket, a multiple of k: each from the row farthest from the
// centre, out of those nearest to it.
func (x *extraction) growAll(rows, place []int32, shortlist int) {
	var f few
	index := newRowIndex(x.fixed, rows, place)
	for _, seed := range x.farthestFirst(rows) {
		if x.stopped() {
			return
		}
		if place[seed] < 0 {
			continue
		}
		f.reset(x.fixed)
		f.add([]int32{seed})
		f.add(index.nearest(seed, shortlist+x.k))
		f.grow(0, x.k, ^uint64(0))
		index.remove(f.taken)
		x.drafts = append(x.drafts, x.newDraft(f.taken))
	}
}
