package literal

import (
	"slices"

	"anond/equivclass"
)

// redo partitions the records of the region (class numbers, ascending) and the tuples
// (waiting records, ascending) anew and replaces the region's classes by the result. It
// changes nothing and reports false if no tuple would be placed or a published record
// would be left without a class.
func (u *Update) redo(region, tuples []int32) bool {
	rows := slices.Clone(tuples)
	for _, c := range region {
		rows = append(rows, u.classes[c].rows...)
	}
	slices.Sort(rows)
	groups, rest := u.partition(rows)
	groups, rest = u.absorb(groups, rest)
	if len(rest) >= len(tuples) || slices.ContainsFunc(rest, func(r int32) bool { return !has(tuples, r) }) {
		return false
	}
	u.replace(region, groups)
	u.waiting = slices.DeleteFunc(u.waiting, func(w waiter) bool { return has(tuples, w.row) && !has(rest, w.row) })
	return true
}

// has looks up a row in ascending rows.
func has(rows []int32, r int32) bool {
	_, found := slices.BinarySearch(rows, r)
	return found
}

// partition runs the partitioner on some rows of the pool.
func (u *Update) partition(rows []int32) (groups [][]int32, rest []int32) {
	part := &equivclass.Pool{Space: u.pool.Space}
	u.cut += len(rows)
	for _, r := range rows {
		part.X = append(part.X, u.pool.At(r)...)
		part.SA = append(part.SA, u.pool.SA[r])
		part.Subject = append(part.Subject, u.pool.Subject[r])
	}
	groups, rest = u.by.Partition(part, u.want)
	for _, g := range append(slices.Clone(groups), rest) {
		for i, r := range g {
			g[i] = rows[r]
		}
		slices.Sort(g)
	}
	return groups, rest
}

// absorb puts each row of rest into the nearest group that still satisfies the
// requirement with it, for partitioners that leave records over. What no group
// can take is returned. This is the growth by a lone record that rule D (difference)
// forbids.
func (u *Update) absorb(groups [][]int32, rest []int32) (_ [][]int32, left []int32) {
	if len(groups) == 0 {
		return groups, rest
	}
	boxes := make([]equivclass.Box, len(groups))
	for i, g := range groups {
		boxes[i] = u.pool.Box(g, equivclass.NewBox(u.pool.D()))
	}
	closeness := make([]float64, len(groups))
	for _, r := range rest {
		for i := range boxes {
			closeness[i] = -float64(boxes[i].Distance2(u.pool.At(r)))
		}
		at := slices.IndexFunc(equivclass.MostSimilar(closeness, u.params.Neighbours, nil), func(i int32) bool {
			if !u.fits(groups[i], r) {
				return false
			}
			at, _ := slices.BinarySearch(groups[i], r)
			groups[i] = slices.Insert(slices.Clone(groups[i]), at, r)
			boxes[i].Extend(u.pool.At(r))
			return true
		})
		if at < 0 {
			left = append(left, r)
		}
	}
	return groups, left
}

func (u *Update) fits(group []int32, row int32) bool {
	if s := u.pool.Subject[row]; s != 0 && slices.ContainsFunc(group, func(r int32) bool { return u.pool.Subject[r] == s }) {
		return false
	}
	bag := u.pool.Bag(group)
	bag.Add(u.pool.SA[row], 1)
	return u.want.Holds(bag)
}

// replace puts groups into the places of the region's classes (ascending), more
// of them behind all others; places that stay empty close up.
func (u *Update) replace(region []int32, groups [][]int32) {
	for i, g := range groups {
		c := class{rows: g, box: u.pool.Box(g, equivclass.NewBox(u.pool.D())), feature: -1}
		if i < len(region) {
			u.classes[region[i]] = c
		} else {
			u.classes = append(u.classes, c)
		}
	}
	if len(groups) >= len(region) {
		return
	}
	gone, kept := region[len(groups):], u.classes[:0]
	for i, c := range u.classes {
		if !has(gone, int32(i)) {
			kept = append(kept, c)
		}
	}
	u.classes = kept
}

// redoTouched partitions each touched class anew, alone.
func (u *Update) redoTouched() {
	touched, tuples := u.positions()
	for i := range touched { // one class becomes at least one: the numbers of the others stay
		u.redo(touched[i:i+1], tuples[touched[i]])
	}
}

// widest is how many classes a region may have before it is the whole table.
const widest = 256

// lookFurther widens the region of records that have waited for too long: the
// nearest 1, 2, 4, ... classes until a partition takes the record, at last the
// whole table with all that wait, which is the paper's global update. A record that
// finds no class even then continues to wait: its value is too frequent.
func (u *Update) lookFurther(now bool) {
	global := true
	for _, row := range u.Waiting() {
		i := slices.IndexFunc(u.waiting, func(w waiter) bool { return w.row == row })
		if i < 0 || !now && u.waiting[i].held < u.params.MaxHold || u.widen(row) {
			continue
		}
		if global {
			global = u.redo(everything(len(u.classes)), u.Waiting())
		}
	}
}

func (u *Update) widen(row int32) bool {
	at := equivclass.Box{Lo: u.pool.At(row), Hi: u.pool.At(row)}
	for n := 1; n <= min(widest, len(u.classes)); n *= 2 {
		region := u.nearest(at, n)
		slices.Sort(region)
		if u.redo(region, []int32{row}) {
			return true
		}
	}
	return false
}
