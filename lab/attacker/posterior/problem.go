package posterior

import (
	"encoding/binary"
	"slices"
)

// problem is one component without certificate, reduced to what decides its
// posteriors: how many records of each type there are, and the bag of every
// known set of types. x[type][value] denotes the unknown number of records of a
// type that carry a value; P(record of type t has v) = E[x[t][v]] / n[t].
type problem struct {
	n      []int      // records per type
	typeID []uint32   // types as numbered by the linkage
	values []uint32   // sensitive values that occur, ascending
	sets   []knownSet // one per distinct class, then derived ones
	direct int        // sets[:direct] are classes: they imply all others
	unions []knownSet // unions of classes of one release, for differences
}

// knownSet is a set of types whose bag is known.
type knownSet struct {
	types []int // ascending
	bag   []int // per value of the problem
}

// buildProblems reduces the components without certificate.
func buildProblems(views []view, k *linkage, all map[uint32]*component) map[uint32]*problem {
	out := map[uint32]*problem{}
	local := map[uint32]int{} // type -> index in its problem
	for rec, t := range k.typ {
		if t == 0 {
			continue
		}
		root := k.parent.find(uint32(rec))
		if all[root].certified() {
			continue
		}
		p := out[root]
		if p == nil {
			p = &problem{}
			out[root] = p
		}
		if _, ok := local[t]; !ok {
			local[t] = len(p.n)
			p.n = append(p.n, k.size[t])
			p.typeID = append(p.typeID, t)
		}
	}
	if len(out) == 0 {
		return out
	}
	p := &problemBuilder{views: views, k: k, out: out, local: local, all: all}
	p.addClasses()
	p.addUnions()
	return out
}

type problemBuilder struct {
	views []view
	k     *linkage
	out   map[uint32]*problem
	local map[uint32]int
	all   map[uint32]*component
}

func (b *problemBuilder) addClasses() {
	for root, p := range b.out {
		seen := map[uint32]bool{}
		for _, e := range b.all[root].classes {
			for _, v := range b.views[e.view].classes[e.class].Bag {
				if !seen[v] {
					seen[v] = true
					p.values = append(p.values, v)
				}
			}
		}
		slices.Sort(p.values)
	}
	for i := range b.views {
		v := &b.views[i]
		for c, x := range v.classes {
			if v.unchanged[c] {
				continue
			}
			if p := b.out[b.k.parent.find(x.Members[0])]; p != nil {
				p.sets = append(p.sets, b.knownSet(p, x.Members, x.Bag))
			}
		}
	}
	for _, p := range b.out {
		p.sets = dedupe(p.sets)
		p.direct = len(p.sets)
	}
}

func (b *problemBuilder) knownSet(p *problem, who, bag []uint32) knownSet {
	s := knownSet{bag: make([]int, len(p.values))}
	for _, r := range who {
		s.types = append(s.types, b.local[b.k.typ[r]])
	}
	slices.Sort(s.types)
	s.types = slices.Compact(s.types)
	for _, v := range bag {
		i, _ := slices.BinarySearch(p.values, v)
		s.bag[i]++
	}
	return s
}

// addUnions finds, for each pair of consecutive releases, the smallest groups of
// classes that cover the same old records: the union of the later ones minus
// the union of the earlier ones is exactly the newcomers of that region. This
// is what "add a record to its class, split, republish" gives away.
func (b *problemBuilder) addUnions() {
	for i := 1; i < len(b.views); i++ {
		before, after := &b.views[i-1], &b.views[i]
		r := newRegions(before, after, b.k.n)
		old := map[uint32][]uint32{}
		cur := map[uint32][]uint32{}
		for rec := range b.k.n {
			c := after.class(rec)
			if c == 0 || after.unchanged[c-1] || b.out[b.k.parent.find(uint32(rec))] == nil {
				continue
			}
			region := r.ofAfter(c)
			cur[region] = append(cur[region], uint32(rec))
			if before.class(rec) > 0 {
				old[region] = append(old[region], uint32(rec))
			}
		}
		for region, who := range cur {
			p := b.out[b.k.parent.find(who[0])]
			b.addUnion(p, who, after)
			b.addUnion(p, old[region], before)
		}
	}
	for _, p := range b.out {
		p.unions = dedupe(p.unions)
	}
}

// addUnion adds the set of some records that fill whole classes of a release.
func (b *problemBuilder) addUnion(p *problem, who []uint32, v *view) {
	if len(who) == 0 {
		return
	}
	classes := map[uint32]bool{}
	size := 0
	var bag []uint32
	for _, r := range who {
		c := v.class(int(r))
		if !classes[c] {
			classes[c] = true
			size += len(v.classes[c-1].Members)
			bag = append(bag, v.classes[c-1].Bag...)
		}
	}
	if size == len(who) && len(classes) > 1 {
		p.unions = append(p.unions, b.knownSet(p, who, bag))
	}
}

// regions joins classes of two consecutive releases that share records.
type regions struct {
	parent disjoint
	before uint32 // classes of the earlier release come first
}

func newRegions(before, after *view, n int) regions {
	r := regions{before: uint32(len(before.classes))}
	r.parent = newDisjoint(len(before.classes) + len(after.classes))
	for rec := range n {
		p, c := before.class(rec), after.class(rec)
		if p > 0 && c > 0 {
			r.parent.union(p-1, r.before+c-1)
		}
	}
	return r
}

func (r *regions) ofAfter(class uint32) uint32 { return r.parent.find(r.before + class - 1) }

// dedupe sorts sets into a fixed order and drops repetitions; two sets of equal
// types and different bags both stay (the release contradicts itself).
func dedupe(sets []knownSet) []knownSet {
	slices.SortFunc(sets, func(a, b knownSet) int {
		if o := slices.Compare(a.types, b.types); o != 0 {
			return o
		}
		return slices.Compare(a.bag, b.bag)
	})
	return slices.CompactFunc(sets, func(a, b knownSet) bool {
		return slices.Equal(a.types, b.types) && slices.Equal(a.bag, b.bag)
	})
}

func (s *knownSet) key(buf []byte) []byte {
	buf = buf[:0]
	for _, t := range s.types {
		buf = binary.AppendUvarint(buf, uint64(t))
	}
	return buf
}

func (p *problem) records() int {
	total := 0
	for _, n := range p.n {
		total += n
	}
	return total
}
