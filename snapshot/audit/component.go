package audit

// view is one release with its membership, kept for the analysis of the chain.
type view struct {
	rel     *release
	classOf []uint32
	fates   []fate
}

func (v *view) class(rec int) uint32 {
	if rec < len(v.classOf) {
		return v.classOf[rec]
	}
	return 0
}

// disjoint is a union-find forest.
type disjoint []uint32

func newDisjoint(n int) disjoint {
	d := make(disjoint, n)
	for i := range d {
		d[i] = uint32(i)
	}
	return d
}

func (d disjoint) find(x uint32) uint32 {
	for d[x] != x {
		d[x] = d[d[x]]
		x = d[x]
	}
	return x
}

func (d disjoint) union(x, y uint32) {
	x, y = d.find(x), d.find(y)
	if x < y {
		d[y] = x
	} else {
		d[x] = y
	}
}

// linkage groups the records of a chain. Two records are of one component when
// a path of shared classes joins them; of one type when they share a class in
// every release. Worlds factorise over components, and records of one type are
// exchangeable.
type linkage struct {
	n      int
	parent disjoint // component = root
	typ    []uint32 // type per record, 0 = never published
	size   []int    // members per type
}

// link runs over the releases once. Classes that reappear unchanged neither
// join nor separate anyone and are skipped.
func link(views []view, n int) *linkage {
	k := &linkage{n: n, parent: newDisjoint(n), typ: make([]uint32, n)}
	types := uint32(1)
	for i := range views {
		v := &views[i]
		first := make([]uint32, v.rel.tab.m)
		refined := map[uint64]uint32{}
		for rec := range n {
			class := v.class(rec)
			if class > 0 && v.fates[class-1] == fateUnchanged {
				continue
			}
			if class > 0 {
				if first[class-1] == 0 {
					first[class-1] = uint32(rec) + 1
				}
				k.parent.union(uint32(rec), first[class-1]-1)
			} else if k.typ[rec] == 0 {
				continue
			}
			key := uint64(k.typ[rec])<<32 | uint64(class)
			t, ok := refined[key]
			if !ok {
				t = types
				types++
				refined[key] = t
			}
			k.typ[rec] = t
		}
	}
	k.size = make([]int, types)
	for _, t := range k.typ {
		k.size[t]++
	}
	k.size[0] = 0
	return k
}

// trajectoryK is K2: the least number of records that share a class in every
// release; 0 when nothing is published.
func (k *linkage) trajectoryK() int {
	least := 0
	for _, n := range k.size {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// regime is the certificate a component has.
type regime uint8

const (
	regimeFrozen regime = iota // one class that never changed (rule A, frozen classes; Theorem A)
	regimePure                 // all classes flat over one value set (rule P, pure classes; Theorem P)
	regimeNone
)

// component is one connected component of records.
type component struct {
	records int
	classes []event // distinct classes over all releases, in order
	support uint32
	flat    bool // every class flat over support
	sound   bool // every class has >= k records, no value above 1/l, membership known
}

// event is a class at the release where it was born or re-formed.
type event struct{ view, class int }

func (c *component) regime() regime {
	switch {
	case c.sound && len(c.classes) == 1:
		return regimeFrozen
	case c.sound && c.flat:
		return regimePure
	}
	return regimeNone
}

// components gathers the classes of each component, keyed by root, and the
// roots in order of first appearance.
func components(views []view, k *linkage) (map[uint32]*component, []uint32) {
	all := map[uint32]*component{}
	var roots []uint32
	for i := range views {
		v := &views[i]
		t, policy := v.rel.tab, v.rel.man.Policy
		member := make([]uint32, t.m)
		n := make([]int, t.m)
		for rec, class := range v.classOf {
			if class > 0 {
				member[class-1] = uint32(rec)
				n[class-1]++
			}
		}
		for c := range t.m {
			if v.fates[c] == fateUnchanged || n[c] == 0 {
				continue
			}
			root := k.parent.find(member[c])
			x := all[root]
			if x == nil {
				x = &component{support: t.support[c], flat: true, sound: true}
				all[root] = x
				roots = append(roots, root)
			}
			x.classes = append(x.classes, event{i, c})
			x.flat = x.flat && t.flat[c] > 0 && t.support[c] == x.support
			x.sound = x.sound && n[c] == t.size(c) && n[c] >= policy.K && !t.exceeds(c, policy.L)
		}
	}
	for rec, t := range k.typ {
		if t > 0 {
			all[k.parent.find(uint32(rec))].records++
		}
	}
	return all, roots
}

// regions joins classes of two consecutive releases that share records.
type regions struct {
	parent disjoint
	before uint32 // classes of the earlier release come first
}

func newRegions(before, after *view, n int) regions {
	r := regions{before: uint32(before.rel.tab.m)}
	r.parent = newDisjoint(before.rel.tab.m + after.rel.tab.m)
	for rec := range n {
		p, c := before.class(rec), after.class(rec)
		if p > 0 && c > 0 {
			r.parent.union(p-1, r.before+c-1)
		}
	}
	return r
}

func (r *regions) ofAfter(class uint32) uint32  { return r.parent.find(r.before + class - 1) }
func (r *regions) ofBefore(class uint32) uint32 { return r.parent.find(class - 1) }
