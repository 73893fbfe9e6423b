// Package posterior finds whom a chain of releases exposes: the people for whom some
// sensitive value has a probability above 1/l, for a reader who keeps every release and
// knows who is in which class (docs/THREAT_MODEL.md, level L0). It is for chains
// that break their contract, as common methods of refreshing a table make them, and for
// figures. Of chains that keep it the auditor has closed forms.
//
// Method: records that ever share a class form a component, and worlds factorise over
// components. A component that never changed, or that always shows one set of values
// equally often, has a closed form. Of others the worlds are counted
// exactly where they are few; elsewhere the differences of known sets, bounds
// on every count, and the pigeonhole principle decide what they can. Every alarm is
// true; what is not decided is counted as such.
package posterior

import "slices"

// Chain is what such a reader knows: in each release the classes, with their members
// and the values that they show. Records and values are numbered from 0.
type Chain struct {
	Records  int
	Releases [][]Class
}

// Class has as many values as members, in any order.
type Class struct{ Members, Bag []uint32 }

// Options say what each release keeps by itself, and how much is counted.
type Options struct {
	K, L int
	// MaxExact: components of up to this many records are counted exactly; 0: none.
	MaxExact int
}

// Exact suits components whose worlds are counted in well under a second.
const Exact = 24

// result counts people.
type result struct {
	Certified int     // by closed form at most 1/l
	Exposed   int     // above 1/l, proven
	Groups    int     // sets of people in which someone is
	Safe      int     // at most 1/l, proven
	Undecided int     // neither proven
	Max       float64 // largest proven probability of those without a closed form
}

// Search judges everybody. A chain that no assignment of values fits is an error.
// Cost: linear in the classes that change, and what Options and the limits of this
// package allow for components without a closed form.
func Search(c Chain, o Options) (result, error) {
	views := viewsOf(c)
	k := link(views, c.Records)
	all, roots := components(views, k, o)
	problems := buildProblems(views, k, all)
	budget := workBudget{exactBudget, maxNarrowings}
	var out result
	for _, root := range roots {
		p := problems[root]
		if p == nil {
			out.Certified += all[root].records
			continue
		}
		f := p.decide(o.L, o.MaxExact, &budget)
		if f.contradictory {
			return result{}, errContradictory
		}
		for t, n := range p.n {
			switch {
			case f.exposed[t]:
				out.Exposed += n
			case f.safe[t]:
				out.Safe += n
			default:
				out.Undecided += n
			}
		}
		out.Groups += f.groups
		out.Max = max(out.Max, f.max)
	}
	return out, nil
}

// view is one release.
type view struct {
	classes   []Class
	classOf   []uint32 // by record: its class + 1; 0: not published
	unchanged []bool   // by class: it was there in the release before, with these members
}

func (v *view) class(rec int) uint32 { return v.classOf[rec] }

func viewsOf(c Chain) []view {
	views := make([]view, len(c.Releases))
	for i, classes := range c.Releases {
		v := &views[i]
		v.classes, v.classOf, v.unchanged = classes, make([]uint32, c.Records), make([]bool, len(classes))
		for j, x := range classes {
			for _, m := range x.Members {
				v.classOf[m] = uint32(j) + 1
			}
			if i > 0 {
				v.unchanged[j] = views[i-1].has(x)
			}
		}
	}
	return views
}

// has reports that a class has exactly these members.
func (v *view) has(x Class) bool {
	first := v.classOf[x.Members[0]]
	return first > 0 && len(v.classes[first-1].Members) == len(x.Members) &&
		!slices.ContainsFunc(x.Members, func(m uint32) bool { return v.classOf[m] != first })
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
	d[max(x, y)] = min(x, y)
}

// linkage groups the records of a chain: into components, joined by paths of shared
// classes, and into types, whose records share a class in every release and are
// exchangeable.
type linkage struct {
	n      int
	parent disjoint // component = root
	typ    []uint32 // by record, 0 = never published
	size   []int    // members of each type
}

// link runs over the releases once. Classes that reappear unchanged neither
// join nor separate anyone and are skipped.
func link(views []view, n int) *linkage {
	k := &linkage{n: n, parent: newDisjoint(n), typ: make([]uint32, n)}
	types := uint32(1)
	for i := range views {
		v := &views[i]
		refined := map[uint64]uint32{}
		for rec, class := range v.classOf {
			if class > 0 && v.unchanged[class-1] || class == 0 && k.typ[rec] == 0 {
				continue
			}
			if class > 0 {
				k.parent.union(uint32(rec), v.classes[class-1].Members[0])
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

// component is one connected component of records.
type component struct {
	records int
	classes []event  // distinct classes over all releases, in order
	support []uint32 // values of the first class
	flat    bool     // every class shows each value of support equally often
	sound   bool     // every class has k records at least and no value above 1/l
}

// event is a class at the release where it was born or formed anew.
type event struct{ view, class int }

// certified: one class that never changed (Theorem A of docs/PROOFS.md), or classes that
// are flat over one set of values (Theorem P).
func (x *component) certified() bool { return x.sound && (len(x.classes) == 1 || x.flat) }

// components gathers the classes of each component, keyed by root, and the
// roots in order of first appearance.
func components(views []view, k *linkage, o Options) (map[uint32]*component, []uint32) {
	all := map[uint32]*component{}
	var roots []uint32
	for i := range views {
		for c, class := range views[i].classes {
			if views[i].unchanged[c] {
				continue
			}
			values, least, most := shape(class.Bag)
			root := k.parent.find(class.Members[0])
			x := all[root]
			if x == nil {
				x = &component{support: values, flat: true, sound: true}
				all[root] = x
				roots = append(roots, root)
			}
			x.classes = append(x.classes, event{i, c})
			x.flat = x.flat && least == most && slices.Equal(values, x.support)
			x.sound = x.sound && len(class.Members) >= o.K && most*o.L <= len(class.Bag)
		}
	}
	for rec, t := range k.typ {
		if t > 0 {
			all[k.parent.find(uint32(rec))].records++
		}
	}
	return all, roots
}

// shape gives the values of a bag, ascending, and how often the rarest and the most
// frequent of them occur.
func shape(bag []uint32) (values []uint32, least, most int) {
	sorted := slices.Sorted(slices.Values(bag))
	for i := 0; i < len(sorted); {
		j := i
		for j < len(sorted) && sorted[j] == sorted[i] {
			j++
		}
		if values = append(values, sorted[i]); least == 0 || j-i < least {
			least = j - i
		}
		most = max(most, j-i)
		i = j
	}
	return values, least, most
}
