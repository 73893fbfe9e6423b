package chain

// View is one release with its membership, kept for the analysis of the chain.
type View struct {
	Rel     *Release
	ClassOf []uint32
	Fates   []Fate
	Before  *Release // the release before, without what has left; nil: there is none
}

func (v *View) Class(rec int) uint32 {
	if rec < len(v.ClassOf) {
		return v.ClassOf[rec]
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

// Linkage groups the records of a chain. Two records are of one component when
// a path of shared classes joins them; of one type when they share a class in
// every release. Worlds factorise over components, and records of one type are
// exchangeable.
type Linkage struct {
	N      int
	parent disjoint // component = root
	Typ    []uint32 // type per record, 0 = never published
	size   []int    // members per type
}

// Link runs over the releases once. Classes that reappear unchanged neither
// join nor separate anyone and are skipped.
func Link(views []View, n int) *Linkage {
	k := &Linkage{N: n, parent: newDisjoint(n), Typ: make([]uint32, n)}
	types := uint32(1)
	for i := range views {
		v := &views[i]
		first := make([]uint32, v.Rel.Tab.M)
		refined := map[uint64]uint32{}
		for rec := range n {
			class := v.Class(rec)
			if class > 0 && v.Fates[class-1] == FateUnchanged {
				continue
			}
			if class > 0 {
				if first[class-1] == 0 {
					first[class-1] = uint32(rec) + 1
				}
				k.parent.union(uint32(rec), first[class-1]-1)
			} else if k.Typ[rec] == 0 {
				continue
			}
			key := uint64(k.Typ[rec])<<32 | uint64(class)
			t, ok := refined[key]
			if !ok {
				t = types
				types++
				refined[key] = t
			}
			k.Typ[rec] = t
		}
	}
	k.size = make([]int, types)
	for _, t := range k.Typ {
		k.size[t]++
	}
	k.size[0] = 0
	return k
}

// TrajectoryK is K2: the least number of records that share a class in every
// release; 0 when nothing is published.
func (k *Linkage) TrajectoryK() int {
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
	RegimeFrozen regime = iota // one class that never changed (rule A, frozen classes; Theorem A)
	RegimePure                 // all classes flat over one value set (rule P, pure classes; Theorem P)
	regimeNone
)

// Component is one connected component of records.
type Component struct {
	Records int
	Classes []event // distinct classes over all releases, in order
	Support uint32
	flat    bool // every class flat over support
	sound   bool // every class has >= k records, no value above 1/l, membership known
}

// event is a class at the release where it was born or re-formed.
type event struct{ View, Class int }

func (c *Component) Regime() regime {
	switch {
	case c.sound && len(c.Classes) == 1:
		return RegimeFrozen
	case c.sound && c.flat:
		return RegimePure
	}
	return regimeNone
}

// Components gathers the classes of each component, keyed by root, and the
// roots in order of first appearance.
func Components(views []View, k *Linkage) (map[uint32]*Component, []uint32) {
	all := map[uint32]*Component{}
	var roots []uint32
	for i := range views {
		v := &views[i]
		t, policy := v.Rel.Tab, v.Rel.Man.Policy
		member := make([]uint32, t.M)
		n := make([]int, t.M)
		for rec, class := range v.ClassOf {
			if class > 0 {
				member[class-1] = uint32(rec)
				n[class-1]++
			}
		}
		for c := range t.M {
			if v.Fates[c] == FateUnchanged || n[c] == 0 {
				continue
			}
			root := k.parent.find(member[c])
			x := all[root]
			if x == nil {
				x = &Component{Support: t.Support[c], flat: true, sound: true}
				all[root] = x
				roots = append(roots, root)
			}
			x.Classes = append(x.Classes, event{i, c})
			x.flat = x.flat && t.Flat[c] > 0 && t.Support[c] == x.Support
			x.sound = x.sound && n[c] == t.Size(c) && n[c] >= policy.K && !t.Exceeds(c, policy.L)
		}
	}
	for rec, t := range k.Typ {
		if t > 0 {
			all[k.parent.find(uint32(rec))].Records++
		}
	}
	return all, roots
}

// Regions joins classes of two consecutive releases that share records.
type Regions struct {
	parent disjoint
	before uint32 // classes of the earlier release come first
}

func NewRegions(before, after *View, n int) Regions {
	r := Regions{before: uint32(before.Rel.Tab.M)}
	r.parent = newDisjoint(before.Rel.Tab.M + after.Rel.Tab.M)
	for rec := range n {
		p, c := before.Class(rec), after.Class(rec)
		if p > 0 && c > 0 {
			r.parent.union(p-1, r.before+c-1)
		}
	}
	return r
}

func (r *Regions) OfAfter(class uint32) uint32  { return r.parent.find(r.before + class - 1) }
func (r *Regions) OfBefore(class uint32) uint32 { return r.parent.find(class - 1) }
