package merge

import (
	"math"
	"math/bits"
)

const (
	// stepItems is how many parts, or lists of parts that stay together, are divided anew at once.
	stepItems = 8
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

	subsets []uint8 // those with less energy than the groups have
	pairs   [1 << stepItems]int64
	last    [1 << stepItems]int64 // of pairs: those of the last item with the others
	parts   [1 << stepItems]int64
	energy  [1 << stepItems]int64
	slack   [1 << stepItems]uint64
	hot     []int32
	lists   [stepItems][]uint8 // by first item: the subsets that may be a group

	asked      [1 << stepItems]bool
	now, best  []uint8 // divisions
	bestEnergy int64
}

// try divides the groups of two parts anew, or their only one, if that lowers the energy.
func (t *step) try(p, q int32) bool {
	g, h := t.of[p], t.of[q]
	ng, nh := len(t.members[g]), len(t.members[h])
	fg, fh := ng, nh // the parts that need not stay together
	switch {
	case g == h:
		fg = free(ng, stepItems)
	case ng+nh > stepItems && ng < stepItems/2:
		fh = free(nh, stepItems-ng)
	case ng+nh > stepItems && nh < stepItems/2:
		fg = free(ng, stepItems-nh)
	case ng+nh > stepItems:
		fg, fh = free(ng, stepItems/2), free(nh, stepItems/2)
	}
	t.n = 0
	was := t.take(g, q, fg)
	if h != g {
		was += t.take(h, p, fh)
	}
	if was == 0 {
		return false
	}
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

// spread lists the subsets with less energy than a bound, each after its own subsets, which
// have less than it.
func (t *step) spread(was int64) {
	t.subsets = append(t.subsets[:0], 0)
	for i := range t.n {
		bit, parts := uint8(1)<<i, int64(len(t.items[i]))
		for _, s := range t.subsets {
			var last int64
			if s != 0 {
				high := bits.Len8(s) - 1
				last = t.last[s&^(1<<high)|bit] + t.apart[i][high&(stepItems-1)]
			} else {
				last = t.apart[i][i]
			}
			r := s | bit
			t.last[r] = last
			t.pairs[r], t.parts[r] = t.pairs[s]+last, t.parts[s]+parts
			if e := energyOf(t.pairs[r], t.parts[r]); e < was {
				t.energy[r] = e
				t.subsets = append(t.subsets, r)
			}
		}
	}
	t.subsets = t.subsets[1:]
}

// judge lists the eligible subsets that are worth to be a group.
func (t *step) judge() {
	t.hot = t.hot[:0]
	for _, parts := range t.items[:t.n] {
		for _, p := range parts {
			for _, v := range t.groups.parts[p].hot {
				t.heat(v)
			}
		}
	}
	for at := 0; at < len(t.hot); at += t.lanes.each {
		t.exclude(t.hot[at:min(len(t.hot), at+t.lanes.each)])
	}
	var alone uint8 // items that are eligible alone
	for i, parts := range t.items[:t.n] {
		t.lists[i] = t.lists[i][:0]
		if len(parts) == 1 && t.groups.parts[parts[0]].lack > 0 {
			t.energy[1<<i] = none
		} else if len(t.principles) == 0 && t.energy[1<<i] < none {
			alone |= 1 << i
		}
	}
	for _, s := range t.subsets {
		if t.energy[s] < none && !t.divides(s, alone) {
			first := bits.TrailingZeros8(s)
			t.lists[first] = append(t.lists[first], s)
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

// exclude notes which subsets exceed the cap of one of the values, which fit a word.
func (t *step) exclude(values []int32) {
	var words [stepItems]uint64
	for i, parts := range t.items[:t.n] {
		for _, p := range parts {
			t.slackOf(p, values, words[i:i+1])
		}
	}
	signs := t.lanes.signs
	t.slack[0] = signs
	for _, s := range t.subsets {
		high := bits.Len8(s) - 1
		t.slack[s] = t.slack[s&^(1<<high)] + words[high&(stepItems-1)]
		if t.slack[s]&signs != signs {
			t.energy[s] = none
		}
	}
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
	out := make([]int32, 0, t.parts[s])
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
