package replay

import (
	"anond/incremental/settle"
	"anond/incremental/state"
	"math/rand/v2"
	"slices"
	"sync"

	"anond/equivclass/merge"
)

// world is an assignment of the sensitive values to the records, those of a record together, which a reader of the
// releases cannot tell from the one that is, and the draws with which it gives the same
// releases (Theorem E).
type world struct {
	of    []uint32              // by record: the record whose values it has
	only  []int                 // the attribute of which that holds; nil: of all
	moved map[merge.Key][]int32 // by Merge: where the values of each part stand now
	rng   *rand.Rand
}

// attributes are those whose values a world moves.
func (w *world) attributes(r *Recording) []int {
	if w.only != nil {
		return w.only
	}
	return r.options.Schema.Sensitive()
}

// columnWorlds are worlds in which the values of one attribute are permuted inside each class, and all others stay: one for one of the
// attributes, or none where there is a single one, whose worlds are permuted inside buckets.
//
// Merge sees the bag of each attribute in each class, and never who has both of two values (rule U, units). So
// with the draws as they are all decisions must stay, and every byte but those of pair tables.
func (r *Recording) columnWorlds(number int) []*world {
	sensitive := r.options.Schema.Sensitive()
	if len(sensitive) < 2 {
		return nil
	}
	k := number % len(sensitive)
	w := &world{of: make([]uint32, len(r.rows)), only: sensitive[k : k+1], rng: rand.New(rand.NewPCG(uint64(number), 2))}
	for i := range w.of {
		w.of[i] = uint32(i)
	}
	for _, c := range r.classes {
		w.move(c.Members, c.Members)
	}
	return []*world{w}
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

// waiting divides the free records by the versions of the hierarchies of the sensitive
// attributes, and by eras of arrival: in no world has a record a value that was not valid when it arrived. And by strata, whose people are
// not alike.
func (r *Recording) waiting(free []bool) [][]state.RecordID {
	var begins []state.RecordID
	for attribute, of := range r.meta.Hierarchies {
		if slices.Contains(r.options.Schema.Sensitive(), attribute) {
			for _, v := range of {
				begins = append(begins, v.Records)
			}
		}
	}
	for _, e := range r.meta.Eras {
		if e.Arrival {
			begins = append(begins, e.Records)
		}
	}
	slices.Sort(begins)
	type kind struct {
		version int
		of      settle.Stratum
	}
	var out [][]state.RecordID
	at, group := 0, map[kind]int{}
	for i, is := range free {
		for at < len(begins) && int(begins[at]) <= i {
			at++
		}
		if !is {
			continue
		}
		of, known := group[kind{at, r.strata[i]}]
		if !known {
			of, out = len(out), append(out, nil)
			group[kind{at, r.strata[i]}] = of
		}
		out[of] = append(out[of], state.RecordID(i))
	}
	return out
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
	pools := r.pools
	if of := r.meta.Pools.Open; of != nil { // it may have been refused
		pools = append(slices.Clone(pools), of.Members)
	}
	for _, pool := range pools {
		w.move(pool, pool)
		for _, m := range pool {
			free[m] = false
		}
	}
	for _, waiting := range r.waiting(free) {
		w.move(waiting, waiting)
	}
	for i := range r.intents {
		w.exchange(r.births(r.intents[i].Release), r.intents[i].Release, drawn)
	}
	return w
}

// move gives the values of some records to others, as many, along a bijection that is
// drawn.
func (w *world) move(from, to []state.RecordID) {
	for i, j := range w.rng.Perm(len(to)) {
		w.of[to[j]] = uint32(from[i])
	}
}

// exchange moves the values of the classes of one pool, which are in the order in which
// Merge had them: class i is in sub-pool i modulo their number. The sub-pools of a node
// exchange all their values, and so do, in all of them at once, the places of a bucket
// (Theorem F).
func (w *world) exchange(classes []*state.Class, release uint32, drawn *orders) {
	top, subPools := drawn.find(release, 0)
	if subPools == len(classes) { // Merge saw the classes, not sub-pools of them
		subPools = 1
	}
	if subPools == 0 {
		return
	}
	for _, n := range nodesOf(classes, subPools) {
		key, to := top, map[int]int{n.subPools[0]: n.subPools[0]}
		if subPools > 1 {
			to = w.permuted(top, subPools, n.subPools)
			key, _ = drawn.find(release, uint32(n.subPools[0]+1))
		}
		for _, bucket := range n.places {
			places := w.permuted(key, len(classes)/subPools, bucket)
			for _, at := range bucket {
				for _, s := range n.subPools {
					w.move(classes[at*subPools+s].Members, classes[places[at]*subPools+to[s]].Members)
				}
			}
		}
	}
}

// node is sub-pools that were joined, or one that was not, ascending, and the places of
// each of its buckets.
type node struct {
	subPools []int
	places   [][]int
}

// nodesOf returns the nodes of a pool: a bucket has classes of all sub-pools of its node,
// at the same places of each.
func nodesOf(classes []*state.Class, subPools int) (nodes []*node) {
	buckets := map[state.BucketID][]int{}
	var order []state.BucketID
	for i, c := range classes {
		if buckets[c.Bucket] == nil {
			order = append(order, c.Bucket)
		}
		buckets[c.Bucket] = append(buckets[c.Bucket], i)
	}
	of := map[int]*node{}
	for _, b := range order {
		var in, places []int
		for _, i := range buckets[b] {
			in, places = append(in, i%subPools), append(places, i/subPools)
		}
		slices.Sort(in)
		in, places = slices.Compact(in), slices.Compact(places) // ascending, as the classes
		n := of[in[0]]
		if n == nil {
			n = &node{subPools: in}
			of[in[0]], nodes = n, append(nodes, n)
		}
		n.places = append(n.places, places)
	}
	return nodes
}

// permuted draws where the values of some of the n parts of a Merge go: among each other.
func (w *world) permuted(key merge.Key, n int, parts []int) map[int]int {
	if w.moved[key] == nil {
		w.moved[key] = make([]int32, n)
		for i := range w.moved[key] {
			w.moved[key][i] = int32(i)
		}
	}
	to := make(map[int]int, len(parts))
	for i, j := range w.rng.Perm(len(parts)) {
		to[parts[i]] = parts[j]
		w.moved[key][parts[i]] = int32(parts[j])
	}
	return to
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
