// Package withdraw says which buckets leave the releases of a dataset because their people asked to be erased (rule W, what may leave).
//
// Theorem G. Let each bucket's later fate be a function of public data and of the number of requests of its people. If people ask
// after their bucket was decided, each by a law that follows from nothing but what the person has (the value too), then for every
// person t ever published, erased or not, and every value v, P(s(t)=v | all releases, program, law of draws) = count_B(v)/|B|, the share
// in the bucket B of t.
//
// Proof. Put into the history of each person whether, and when, the person asks: h(t) is what t has and does. The prior is
// exchangeable over whole histories. Theorem E (package equivclass/merge) holds for histories in the place of values: what was
// decided up to the birth of a bucket looks at its bag of values alone. What later releases show of the requests is, for each
// bucket, a function of how many of its people asked in which period: a function of the bag of histories of the bucket, which
// any exchange of the histories of two of its people leaves as it is. What is decided for others looks at the bags of pools
// at birth (state.Born), which stay. So the group of Theorem E, acting on histories, leaves all that is seen as it is, and is
// transitive on B.  QED
//
// Who is in a pool that is fixed may ask before it is decided: the pool loses nobody (package pools), so the request counts as one behind
// the decision.
//
// Who asked is not seen: of an adversary who knows the list, this says nothing unless asking is independent of the value; then the
// releases follow from what was seen before, and from the list. People who wait are no people of a bucket: package erase.
//
// Broken, and caught by TestErasureTwins: a class that leaves in the place of its bucket, a row, a row with its value from the bag,
// and a second start for who has left.
//
// This package is given numbers and times, and imports nothing of the module: it cannot see a record.
package withdraw

import "slices"

// Rule is how requests are heeded. The zero Rule keeps every row.
type Rule struct {
	Every int64 // seconds: at most one release in each such period withdraws buckets, the first one
	Count int   // requests without which a bucket stays
}

// Keeps reports that nothing is ever withdrawn.
func (r Rule) Keeps() bool { return r.Every == 0 }

// Due reports whether a release that is made at a time withdraws what is to leave: it is the first of its period, behind a release that
// was made before.
func (r Rule) Due(before, at int64) bool { return !r.Keeps() && at/r.Every > before/r.Every }

// Next is when the next period begins, behind a release that was made before.
func (r Rule) Next(before int64) int64 { return (before/r.Every + 1) * r.Every }

// Leaps reports that the clock lies more than three periods, and a month, ahead of when it was seen last, and of the newest release. The
// public time of a release never falls, so one that is made then would put off every request until the clock has caught up.
func (r Rule) Leaps(newest, seen, now int64) bool {
	const month = 30 * 86400
	return !r.Keeps() && now-max(seen, newest) > max(3*r.Every, month)
}

// Leave are the buckets that leave, ascending, of those for whose people there were requests, so many each.
func (r Rule) Leave(requests map[uint32]int) (out []uint32) {
	for bucket, n := range requests {
		if n >= r.Count {
			out = append(out, bucket)
		}
	}
	slices.Sort(out)
	return out
}
