package bucketize

import (
	"math/rand/v2"
	"slices"

	"anond/lab/split"
)

// valueAssigner assigns rows to groups of l rows with l different sensitive
// values, always taking the l values with most rows left: lines 3 to 9 of
// Algorithm 2 of Zhu et al. 2015, which are the group-creation step of Xiao and
// Tao's Anatomize (VLDB 2006).
type valueAssigner struct {
	sa     split.Column
	l      int
	random *rand.Rand // nil: the rows of a value are taken in the given order
	tally  *split.Tally
	lists  []valueList
}

// valueList is what is left of the rows of one sensitive value.
type valueList struct {
	value int32
	rows  []int32
}

func newValueAssigner(sa split.Column, l int, random *rand.Rand) *valueAssigner {
	return &valueAssigner{sa: sa, l: max(l, 1), random: random, tally: split.NewTally(sa.Size)}
}

// assign returns the groups and the rows that are left.
//
// If no value has more than floor(len(rows)/l) of the rows, there are exactly
// floor(len(rows)/l) groups and len(rows) mod l rows left. The rows left have
// different values (property 2), and for each of them there is a group without
// its value (property 3). TestZhuProperty2And3 checks both.
//
// The lists stay sorted by size: of those as long as the l-th longest, the last
// ones are drawn from. Cost: n + (n/l) log(values).
func (d *valueAssigner) assign(rows []int32) (groups [][]int32, left []int32) {
	d.collect(rows)
	assigned := make([]int32, 0, len(rows))
	for live := len(d.lists); live >= d.l; {
		from, to := d.tied(live)
		start := len(assigned)
		for i := range from {
			assigned = append(assigned, d.draw(i))
		}
		for i := to - (d.l - from); i < to; i++ {
			assigned = append(assigned, d.draw(i))
		}
		groups = append(groups, assigned[start:len(assigned):len(assigned)])
		for live > 0 && len(d.lists[live-1].rows) == 0 {
			live--
		}
	}
	for _, h := range d.lists {
		left = append(left, h.rows...)
	}
	return groups, left
}

// collect sorts the rows into lists by value, longest first, equal lengths by
// value.
func (d *valueAssigner) collect(rows []int32) {
	for _, r := range rows {
		d.tally.Add(d.sa.Codes[r])
	}
	slices.Sort(d.tally.Seen)
	d.lists = d.lists[:0]
	all := make([]int32, len(rows))
	at := 0
	for _, v := range d.tally.Seen {
		n := int(d.tally.N[v])
		d.lists = append(d.lists, valueList{v, all[at : at : at+n]})
		d.tally.N[v] = int32(len(d.lists)) // place + 1
		at += n
	}
	for _, r := range rows {
		h := &d.lists[d.tally.N[d.sa.Codes[r]]-1]
		h.rows = append(h.rows, r)
	}
	d.tally.Clear()
	for _, h := range d.lists {
		if d.random != nil {
			d.random.Shuffle(len(h.rows), func(i, j int) { h.rows[i], h.rows[j] = h.rows[j], h.rows[i] })
		}
	}
	slices.SortStableFunc(d.lists, func(a, b valueList) int { return len(b.rows) - len(a.rows) })
}

// tied returns the range [from,to) of lists as long as the l-th longest.
func (d *valueAssigner) tied(live int) (from, to int) {
	size := len(d.lists[d.l-1].rows)
	bySize := func(h valueList, n int) int { return n - len(h.rows) }
	from, _ = slices.BinarySearchFunc(d.lists[:live], size, bySize)
	to, _ = slices.BinarySearchFunc(d.lists[:live], size-1, bySize)
	return from, to
}

func (d *valueAssigner) draw(i int) int32 {
	r := d.lists[i].rows[0]
	d.lists[i].rows = d.lists[i].rows[1:]
	return r
}

// lacks reports whether no row of the group has the sensitive value of row r.
func (d *valueAssigner) lacks(group []int32, r int32) bool {
	for _, q := range group {
		if d.sa.Codes[q] == d.sa.Codes[r] {
			return false
		}
	}
	return true
}
