package replay

import (
	"math/rand/v2"
	"slices"
	"sync"

	"anond/equivclass/merge"
	"anond/incremental"
)

// world is an assignment of the sensitive values to the records, which a reader of the
// releases cannot tell from the one that is, and the draws with which it gives the same
// releases (Theorem E).
type world struct {
	of    []uint32              // by record: the record whose value it has
	moved map[merge.Key][]int32 // by Merge: where the values of each part stand now
	rng   *rand.Rand
}

// orders are those that a run drew.
type orders struct {
	mu sync.Mutex
	at map[merge.Key][]int32
}

// note keeps an order and leaves it as it is.
func (o *orders) note(k merge.Key, order []int32) []int32 {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.at[k] = slices.Clone(order)
	return order
}

// find returns the key under which a release drew an order for a sub-pool, or for its
// pool (0), and for how many parts.
func (o *orders) find(release, subPool uint32) (k merge.Key, parts int) {
	for key, order := range o.at {
		if key.Release == uint64(release) && key.SubPool == subPool {
			return key, len(order)
		}
	}
	return merge.Key{}, 0
}

// newWorld draws a world: with the generators of Theorem E inside buckets, any
// permutation inside a quarantined pool, and any of those who wait.
func (r *Recording) newWorld(number int, drawn *orders) *world {
	w := &world{of: make([]uint32, len(r.rows)), moved: map[merge.Key][]int32{}, rng: rand.New(rand.NewPCG(uint64(number), 0))}
	free := make([]bool, len(r.rows))
	for i := range w.of {
		w.of[i], free[i] = uint32(i), true
	}
	for _, c := range r.classes {
		for _, m := range c.Members {
			free[m] = false
		}
	}
	for _, pool := range r.pools {
		w.move(pool, pool)
		for _, m := range pool {
			free[m] = false
		}
	}
	var waiting []incremental.RecordID
	for i, is := range free {
		if is {
			waiting = append(waiting, incremental.RecordID(i))
		}
	}
	w.move(waiting, waiting)
	for i := range r.intents {
		w.exchange(r.births(r.intents[i].Release), r.intents[i].Release, drawn)
	}
	return w
}

// move gives the values of some records to others, as many, along a bijection that is
// drawn.
func (w *world) move(from, to []incremental.RecordID) {
	for i, j := range w.rng.Perm(len(to)) {
		w.of[to[j]] = uint32(from[i])
	}
}

// exchange moves the values of the classes of one pool, which are in the order in which
// Merge had them.
func (w *world) exchange(classes []*incremental.Class, release uint32, drawn *orders) {
	top, subPools := drawn.find(release, 0)
	if subPools == len(classes) { // Merge saw the classes, not sub-pools of them
		subPools = 1
	}
	buckets := map[incremental.BucketID][]int{}
	var order []incremental.BucketID
	for i, c := range classes {
		if buckets[c.Bucket] == nil {
			order = append(order, c.Bucket)
		}
		buckets[c.Bucket] = append(buckets[c.Bucket], i)
	}
	for _, b := range order {
		members := buckets[b]
		subPool := members[0] % max(subPools, 1)
		alone := !slices.ContainsFunc(members, func(i int) bool { return i%subPools != subPool })
		switch {
		case subPools == 1:
			w.parts(top, len(classes), members, func(part int) []incremental.RecordID { return classes[part].Members })
		case alone: // class i is part i/subPools of its sub-pool
			key, parts := drawn.find(release, uint32(subPool+1))
			var at []int
			for _, i := range members {
				at = append(at, i/subPools)
			}
			w.parts(key, parts, at, func(part int) []incremental.RecordID { return classes[part*subPools+subPool].Members })
		default:
			w.joined(top, subPools, members, classes)
		}
	}
}

// joined moves the values of sub-pools that are one bucket.
func (w *world) joined(top merge.Key, subPools int, members []int, classes []*incremental.Class) {
	of := make([][]incremental.RecordID, subPools)
	var at []int
	for _, i := range members {
		if of[i%subPools] == nil {
			at = append(at, i%subPools)
		}
		of[i%subPools] = append(of[i%subPools], classes[i].Members...)
	}
	w.parts(top, subPools, at, func(part int) []incremental.RecordID { return of[part] })
}

// parts permutes the parts of one bucket: part i of a Merge of n parts gives its values
// to another one, and inside of each the values are permuted.
func (w *world) parts(key merge.Key, n int, bucket []int, members func(part int) []incremental.RecordID) {
	if w.moved[key] == nil {
		w.moved[key] = make([]int32, n)
		for i := range w.moved[key] {
			w.moved[key][i] = int32(i)
		}
	}
	for i, j := range w.rng.Perm(len(bucket)) {
		w.moved[key][bucket[i]] = int32(bucket[j])
		w.move(members(bucket[i]), members(bucket[j]))
	}
}

// orders are the draws of this world: a part stands where the one stood whose values it
// has. Equal bags then stand in the same order as before, so Merge sees the same list.
func (w *world) order(k merge.Key, drawn []int32) []int32 {
	moved := w.moved[k]
	if len(moved) != len(drawn) {
		return drawn // another pool than in the state; the run ends at its release
	}
	out := make([]int32, len(drawn))
	for i, part := range drawn {
		out[i] = moved[part]
	}
	return out
}
