package merge

import (
	"math"
	"math/bits"
)

const (
	// stepItems is how many parts, or lists of parts that stay together, are divided anew at once.
	stepItems = 8
	// severalItems are those with several attributes, whose groups have more parts: with severalNear, 40 % of the time of a Merge of
	// three attributes of Adult for 1.5 % of energy.
	severalItems = 6
	// none is the energy of what is not eligible.
	none = math.MaxInt64
)

// step is a large-neighbourhood step: the parts of one or two groups are divided anew into
// eligible groups, so that their energy is the least that there is. Of large groups some
// parts stay together. A subset of the items is a number, item i being bit i.
type step struct {
	*groups
	n     int
	items [stepItems][]int32
	apart [stepItems][stepItems]int64 // the sum of squared distances between two items, or inside one

	margins

	// The subsets that have less energy than the groups, in the order in which they are found.
	// Each is an earlier one and a later item.
	found  int // the empty one included
	subset [1 << stepItems]uint8
	parent [1 << stepItems]uint8
	last   [1 << stepItems]uint8
	pairs  [1 << stepItems]int64 // the sum of the squared distances of its pairs
	parts  [1 << stepItems]int64
	to     [1 << stepItems]int64 // the sum of those to the next item, and inside that

	energy [1 << stepItems]int64 // by subset; none if it is not eligible
	lists  [stepItems][]uint8    // by first item: the subsets that may be a group

	asked      [1 << stepItems]bool
	now, best  []uint8 // divisions
	bestEnergy int64
}

// margins has, of the values that can exceed their caps in some division, how far items and subsets stay below them.
type margins struct {
	hot   []int32  // those values
	words int      // of their lanes
	below []uint64 // by item
	slack []uint64 // by subset
}

// try divides the groups of two parts anew, or their only one, if that lowers the energy.
func (t *step) try(p, q int32) bool {
	g, h := t.of[p], t.of[q]
	ng, nh := len(t.members[g]), len(t.members[h])
	fg, fh := ng, nh // the parts that need not stay together
	items := stepItems
	if t.several() {
		items = severalItems
	}
	switch {
	case g == h:
		fg = free(ng, items)
	case ng+nh > items && ng < items/2:
		fh = free(nh, items-ng)
	case ng+nh > items && nh < items/2:
		fg = free(ng, items-nh)
	case ng+nh > items:
		fg, fh = free(ng, items/2), free(nh, items-items/2)
	}
	t.n = 0
	was := t.take(g, q, fg)
	if h != g {
		was += t.take(h, p, fh)
	}
	if was == 0 {
		return false
	}
	t.weigh()
	t.spread(was)
	t.judge()
	t.bestEnergy, t.now, t.asked = was, t.now[:0], [1 << stepItems]bool{}
	if t.cover(1<<t.n-1, 0); t.bestEnergy == was {
		return false
	}
	t.apply(g, h)
	return true
}

// free is how many of n parts may be apart, if they are so many items at most.
func free(n, items int) int {
	if n <= items {
		return n
	}
	return items - 1
}

// take adds the parts of a group: those that are nearest to a part alone, the others as one
// item. It returns the group's energy.
func (t *step) take(g, to int32, free int) int64 {
	from, members := t.n, t.members[g]
	if len(members) > free {
		for i := range free {
			best, least := i, t.groups.apart(members[i], to)
			for j := i + 1; j < len(members); j++ {
				if d := t.groups.apart(members[j], to); d < least {
					best, least = j, d
				}
			}
			members[i], members[best] = members[best], members[i]
		}
		t.add(members[free:])
	}
	for i := range free {
		t.add(members[i : i+1])
	}
	var pairs int64
	for i := from; i < t.n; i++ {
		for j := from; j <= i; j++ {
			pairs += t.apart[i][j]
		}
	}
	return energyOf(pairs, int64(len(members)))
}

// add adds an item.
func (t *step) add(parts []int32) {
	i := t.n
	t.items[i] = parts
	t.n++
	var own int64
	for a, p := range parts {
		for _, q := range parts[:a] {
			own += t.groups.apart(p, q)
		}
	}
	t.apart[i][i] = own
	for j := range i {
		var d int64
		for _, p := range parts {
			for _, q := range t.items[j] {
				d += t.groups.apart(p, q)
			}
		}
		t.apart[i][j] = d
	}
}

// spread finds the subsets with less energy than a bound. A part of such a subset is one, too.
func (t *step) spread(was int64) {
	signs := t.lanes.signs
	t.found = 1
	if n := t.words << stepItems; len(t.slack) < n {
		t.slack = make([]uint64, n)
	}
	for w := range t.words {
		t.slack[w] = signs
	}
	for i := range t.n {
		row, bit, parts := &t.apart[i], uint8(1)<<i, int64(len(t.items[i]))
		below := t.below[i*t.words:][:t.words]
		t.to[0] = row[i]
		for k := range t.found {
			if k > 0 {
				t.to[k] = t.to[t.parent[k]] + row[t.last[k]&(stepItems-1)]
			}
			pairs := t.pairs[k] + t.to[k]
			energy := energyOf(pairs, t.parts[k]+parts)
			if energy >= was {
				continue
			}
			next := t.found
			t.found++
			from, into, all := t.slack[k*t.words:][:t.words], t.slack[next*t.words:][:t.words], signs
			for w, more := range below {
				sum := from[w] + more
				into[w] = sum
				all &= sum
			}
			if all != signs {
				energy = none
			}
			t.subset[next], t.parent[next], t.last[next] = t.subset[k]|bit, uint8(k), uint8(i)
			t.pairs[next], t.parts[next] = pairs, t.parts[k]+parts
			t.energy[t.subset[next]] = energy
		}
	}
}

// judge lists the eligible subsets that are worth to be a group.
func (t *step) judge() {
	var alone uint8 // items that are eligible alone
	for i, parts := range t.items[:t.n] {
		t.lists[i] = t.lists[i][:0]
		if len(parts) == 1 && t.groups.parts[parts[0]].lack > 0 {
			t.energy[1<<i] = none
		} else if len(t.principles) == 0 && t.energy[1<<i] < none {
			alone |= 1 << i
		}
	}
	for _, s := range t.subset[1:t.found] {
		if t.energy[s] < none && !t.divides(s, alone) {
			first := bits.TrailingZeros8(s)
			t.lists[first] = append(t.lists[first], s)
		}
	}
}

// weigh notes what the items have below the caps that some part exceeds. Only these can be
// exceeded by a group.
func (t *step) weigh() {
	t.hot = t.hot[:0]
	for _, parts := range t.items[:t.n] {
		for _, p := range parts {
			for _, v := range t.groups.parts[p].hot {
				t.heat(v)
			}
		}
	}
	t.words = (len(t.hot) + t.lanes.each - 1) / t.lanes.each
	t.below = append(t.below[:0], make([]uint64, t.n*t.words)...)
	for i, parts := range t.items[:t.n] {
		for _, p := range parts {
			t.slackOf(p, t.hot, t.below[i*t.words:][:t.words])
		}
	}
}

func (t *step) heat(v int32) {
	for _, w := range t.hot {
		if v == w {
			return
		}
	}
	t.hot = append(t.hot, v)
}

// divides reports whether a subset without one of its items, and that item, are eligible: a
// better division.
func (t *step) divides(s, alone uint8) bool {
	for r := s & alone; r != 0; r &= r - 1 {
		if rest := s &^ (r & -r); rest != 0 && t.energy[rest] < none {
			return true
		}
	}
	return false
}

// cover tries the divisions of a subset, unless they have no less energy than the best one.
func (t *step) cover(s uint8, energy int64) {
	if s == 0 {
		t.bestEnergy, t.best = energy, append(t.best[:0], t.now...)
		return
	}
	for _, r := range t.lists[bits.TrailingZeros8(s)] {
		if r&^s == 0 && t.energy[r] < t.bestEnergy-energy && t.holds(r) {
			t.now = append(t.now, r)
			t.cover(s&^r, energy+t.energy[r])
			t.now = t.now[:len(t.now)-1]
		}
	}
}

// holds asks the extra principles about a subset, once.
func (t *step) holds(s uint8) bool {
	if len(t.principles) > 0 && !t.asked[s] {
		if t.asked[s] = true; t.lacks(t.union(s)) > 0 {
			t.energy[s] = none
		}
	}
	return t.energy[s] < none
}

// union lists the parts of a subset.
func (t *step) union(s uint8) []int32 {
	out := make([]int32, 0, stepItems)
	for ; s != 0; s &= s - 1 {
		out = append(out, t.items[bits.TrailingZeros8(s)]...)
	}
	return out
}

// apply puts the best division into the place of one or two groups.
func (t *step) apply(g, h int32) {
	var all [stepItems][]int32
	for i, s := range t.best {
		all[i] = t.union(s)
	}
	t.empty(g)
	if h != g {
		t.empty(h)
	}
	for _, parts := range all[:len(t.best)] {
		t.groups.add(parts)
	}
}
