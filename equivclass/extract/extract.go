package extract

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
)

// Extract forms classes by extraction: it takes one class of near records after
// another out of the pool, then exchanges records between neighbouring classes
// as long as that lowers the loss. It is the daemon's default for the first
// load and for local updates.
//
// Guarantee: that of Partitioner. Every class has at least K records, no value
// more than floor(size/L) times, satisfies the extra principles, and has at
// most one record of a subject. No record is in two classes, and none is lost.
//
// Method, in five steps:
//
//  1. The pool is cut into buckets by medians (kd.go), so that the cost stays
//     linear.
//  2. In each bucket the record farthest from the centre is the seed of a
//     class, which grows by the record that enlarges its cell least (grow.go).
//     This is the k-member clustering of Byun, Kamra, Bertino and Li (DASFAA
//     2007), with a test that keeps the remaining records eligible for
//     frequency l-diversity.
//  3. Leftovers join the class of the whole pool where they cost least
//     (absorb.go).
//  4. Pairs of neighbouring classes swap or move the one record that saves
//     most, round after round (exchange.go, pairs.go). Each round cuts the
//     neighbourhoods elsewhere, which also improves classes at the borders of
//     the buckets.
//  5. With extra principles, the records still left are joined with the nearest
//     classes until all of them together may be published, and cut by medians
//     (leftovers.go), because step 2 does not look ahead to such principles.
//
// On Adult (15,000 records, k=10, l=5) step 4 lowers the loss from 0.15 to
// 0.117, where median cuts lose 0.58: rig/docs/BENCHMARKS.md.
//
// Cost: O(n (bucket + neighbours x size x D)) for a number of rounds that the
// size of the pool fixes; about 2-12 us for each record at k=10, D=7. Memory:
// about 300 bytes for each record while it runs.
//
// Deterministic: no randomness, no order of a map; ties go to the smaller row.
// Products of float32 are rounded before they are added, so that a processor
// with fused multiply-add forms the same classes.
type Extract struct {
	// Workers is how many goroutines share the work, at least one. It has no
	// influence on the classes.
	Workers int
	stop    func() bool         // see Stoppable
	tell    func(done, all int) // see Reporting
}

// Name returns extract.
func (Extract) Name() string { return "extract" }

// Partition implements Partitioner.
func (m Extract) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	x := newExtraction(p, want)
	x.workers, x.stop = m.Workers, m.stop
	rows := cut.Identity(p.Len())
	effort := effortFor(len(rows))
	x.steps = newSteps(m.tell, len(rows), 2+effort.rounds)
	defer x.steps.end()
	if len(rows) < x.size {
		if len(rows) < x.k {
			return nil, rows
		}
		x.setSize(x.k)
	}
	x.chooseSize(rows, effort)
	rest = x.cutAll(rows, effort)
	x.search(effort)
	groups, rest = x.rescue(want, rest)
	slices.Sort(rest)
	return groups, rest
}

// effort bounds the work as a function of the number of records only.
type effort struct {
	bucket    int // records among which a class is sought
	shortlist int // nearest records considered while a class grows
	near      int // neighbours of a class in the search
	part      int // classes among which neighbours are sought
	rounds    int // of the search, each with other neighbourhoods
	passes    int // over the pairs of one round
}

func effortFor(n int) effort {
	switch {
	case n <= 150:
		return effort{bucket: 256, shortlist: 16, near: 3, part: 256, rounds: 1, passes: 1}
	case n <= 20000:
		return effort{bucket: 2048, shortlist: 64, near: 24, part: 1024, rounds: 6, passes: 20}
	case n <= 150000:
		return effort{bucket: 1536, shortlist: 64, near: 16, part: 512, rounds: 4, passes: 6}
	default:
		return effort{bucket: 1024, shortlist: 64, near: 10, part: 256, rounds: 2, passes: 3}
	}
}

// chooseSize sets the usual size of a class: k, or the next multiple of l if a
// trial in one bucket shows that it loses less. At k=5, l=3 a class of 5 needs 5
// different values, one of 6 may hold each value twice.
func (x *extraction) chooseSize(rows []int32, e effort) {
	exact, multiple := max(x.k, x.l), (max(x.k, x.l)+x.l-1)/x.l*x.l
	if exact == multiple || len(rows) < multiple {
		x.setSize(exact)
		return
	}
	if x.trial(rows, exact, e) < x.trial(rows, multiple, e) {
		x.setSize(exact)
	} else {
		x.setSize(multiple)
	}
}

// trial returns the loss of the first bucket at a usual size, where a leftover
// loses everything.
func (x *extraction) trial(rows []int32, size int, e effort) float32 {
	x.setSize(size)
	bucket := x.firstBucket(slices.Clone(rows), e.bucket)
	left := x.takeAll(bucket, e)
	loss := float32(len(left) * x.d)
	for _, c := range x.drafts {
		loss += float32(float32(len(c.rows)) * c.span)
	}
	x.drafts = x.drafts[:0]
	return loss
}

// cutAll does steps 1 to 3 and returns the records that fit nowhere. The
// leftovers of the first pass are cut once more: records that were too many in
// their own buckets may make classes with each other.
func (x *extraction) cutAll(rows []int32, e effort) []int32 {
	for range 2 {
		if len(rows) < x.size {
			break
		}
		rows = x.absorb(x.takeBuckets(rows, e))
	}
	return rows
}

// takeBuckets takes classes out of each bucket and returns what is left. The
// buckets share nothing, so they may be processed in parallel.
func (x *extraction) takeBuckets(rows []int32, e effort) (left []int32) {
	buckets := kdSplit(x.p.X, x.d, rows, e.bucket, 0, x.workers)
	drafts, over := make([][]*draft, len(buckets)), make([][]int32, len(buckets))
	x.each(len(buckets), func(w *extraction, i int) {
		w.drafts = nil
		over[i] = w.takeAll(buckets[i], e)
		drafts[i] = w.drafts
	})
	for i := range buckets {
		x.drafts = append(x.drafts, drafts[i]...)
		left = append(left, over[i]...)
	}
	return left
}
