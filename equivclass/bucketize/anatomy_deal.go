package bucketize

import (
	"math/rand/v2"
	"slices"

	"anond/equivclass/internal/cut"
)

// saDealer deals rows out to groups of l rows with l different sensitive values,
// always from the l values that most rows are left of: lines 3 to 9 of
// Algorithm 2 of Zhu et al. 2015, which are the group-creation step of Xiao and
// Tao's Anatomize (VLDB 2006).
type saDealer struct {
	sa    cut.Column
	l     int
	coin  *rand.Rand // nil: the rows of a value are taken in the given order
	tally *cut.Tally
	hands []hand
}

// hand is what is left of the rows of one sensitive value.
type hand struct {
	value int32
	rows  []int32
}

func newSADealer(sa cut.Column, l int, coin *rand.Rand) *saDealer {
	return &saDealer{sa: sa, l: max(l, 1), coin: coin, tally: cut.NewTally(sa.Size)}
}

// deal returns the groups and the rows that are left.
//
// If no value has more than floor(len(rows)/l) of the rows, there are exactly
// floor(len(rows)/l) groups and len(rows) mod l rows left, with different values
// (property 2), and for each row left there is a group without its value
// (property 3); TestZhuProperty2And3 holds both.
//
// The hands stay sorted by size: of those tied with the l-th largest, the last
// ones are drawn from. Cost: n + (n/l) log(values).
func (d *saDealer) deal(rows []int32) (groups [][]int32, left []int32) {
	d.pickUp(rows)
	dealt := make([]int32, 0, len(rows))
	for live := len(d.hands); live >= d.l; {
		from, to := d.tied(live)
		start := len(dealt)
		for i := range from {
			dealt = append(dealt, d.draw(i))
		}
		for i := to - (d.l - from); i < to; i++ {
			dealt = append(dealt, d.draw(i))
		}
		groups = append(groups, dealt[start:len(dealt):len(dealt)])
		for live > 0 && len(d.hands[live-1].rows) == 0 {
			live--
		}
	}
	for _, h := range d.hands {
		left = append(left, h.rows...)
	}
	return groups, left
}

// pickUp sorts the rows into hands, largest first, equals by value.
func (d *saDealer) pickUp(rows []int32) {
	for _, r := range rows {
		d.tally.Add(d.sa.Codes[r])
	}
	slices.Sort(d.tally.Seen)
	d.hands = d.hands[:0]
	all := make([]int32, len(rows))
	at := 0
	for _, v := range d.tally.Seen {
		n := int(d.tally.N[v])
		d.hands = append(d.hands, hand{v, all[at : at : at+n]})
		d.tally.N[v] = int32(len(d.hands)) // place + 1
		at += n
	}
	for _, r := range rows {
		h := &d.hands[d.tally.N[d.sa.Codes[r]]-1]
		h.rows = append(h.rows, r)
	}
	d.tally.Clear()
	for _, h := range d.hands {
		if d.coin != nil {
			d.coin.Shuffle(len(h.rows), func(i, j int) { h.rows[i], h.rows[j] = h.rows[j], h.rows[i] })
		}
	}
	slices.SortStableFunc(d.hands, func(a, b hand) int { return len(b.rows) - len(a.rows) })
}

// tied returns the hands [from,to) of the size of the l-th largest.
func (d *saDealer) tied(live int) (from, to int) {
	size := len(d.hands[d.l-1].rows)
	bySize := func(h hand, n int) int { return n - len(h.rows) }
	from, _ = slices.BinarySearchFunc(d.hands[:live], size, bySize)
	to, _ = slices.BinarySearchFunc(d.hands[:live], size-1, bySize)
	return from, to
}

func (d *saDealer) draw(i int) int32 {
	r := d.hands[i].rows[0]
	d.hands[i].rows = d.hands[i].rows[1:]
	return r
}

// lacks reports whether no row of the group has the sensitive value of row r.
func (d *saDealer) lacks(group []int32, r int32) bool {
	for _, q := range group {
		if d.sa.Codes[q] == d.sa.Codes[r] {
			return false
		}
	}
	return true
}
