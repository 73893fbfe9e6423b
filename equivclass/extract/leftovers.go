package extract

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/cut"
)

// rescue is step 5 of Extract. The records that are left are joined with the
// classes nearest to their middle, one after the other, until all of them
// together satisfy the requirement; then they are cut as mondrian-both cuts. So
// Extract publishes at least the records that median cuts of the pool would: in
// the end all records are joined. Strict principles (t-closeness at a small t,
// many different values) need larger classes than step 2 forms.
//
// A record that was in a class stays in one: a class is not joined if it has a
// record of a subject that the others have.
//
// Without extra principles it does nothing: steps 2 and 3 then look ahead, and
// records are left only because their values are too frequent.
//
// Cost: for the records left and joined, n log n x D; and a test of the
// different values for each draft joined up to 1,024 values, for each 64th of
// growth beyond.
func (x *extraction) rescue(want equivclass.Requirement, rest []int32) (groups [][]int32, left []int32) {
	if len(x.extra) == 0 {
		return x.groups(), rest
	}
	cutter := cut.NewMedianCutter(x.p, want)
	for len(rest) > 0 {
		u := newUnion(x, want, rest)
		if !u.grow(x.nearestDrafts(u.rows)) {
			break
		}
		cut, _ := cut.TopDown(u.rows, cutter.Judge, cutter.Both)
		groups = append(groups, cut...)
		x.drafts = slices.DeleteFunc(x.drafts, func(c *draft) bool { return u.joined[c] })
		rest = u.left
	}
	return append(x.groups(), groups...), rest
}

// union is records that may be published together.
type union struct {
	x        *extraction
	want     equivclass.Requirement
	rows     []int32
	left     []int32 // records of a subject that is in rows already
	joined   map[*draft]bool
	subjects map[uint64]bool // of rows
	// bag is that of the first counted rows.
	bag     equivclass.Bag
	counted int
}

// newUnion begins with some records.
func newUnion(x *extraction, want equivclass.Requirement, rest []int32) *union {
	u := &union{x: x, want: want, joined: map[*draft]bool{}, subjects: map[uint64]bool{}}
	for _, r := range rest {
		if u.free([]int32{r}) {
			u.rows = append(u.rows, r)
		} else {
			u.left = append(u.left, r)
		}
	}
	u.bag, u.counted = equivclass.BagOf(x.p.SA, u.rows), len(u.rows)
	return u
}

// grow joins the records with as many of the nearest drafts as they need, at least none; false
// if even all of them do not suffice.
func (u *union) grow(near []nearby) bool {
	for !u.due(len(near) == 0) || !u.holds() {
		if len(near) == 0 {
			return false
		}
		c := u.x.drafts[near[0].id]
		near = near[1:]
		if u.free(c.rows) {
			u.joined[c] = true
			u.rows = append(u.rows, c.rows...)
		}
	}
	return true
}

// A union of more different values than fewInUnion is tested once it has grown by
// a part in unionSteps: a test looks at every value, and there may be as many
// drafts as values.
const (
	fewInUnion = 1024
	unionSteps = 64
)

// due tells whether it is time to test the union; in the end it always is.
func (u *union) due(last bool) bool {
	return last || len(u.bag.Counts) <= fewInUnion || (len(u.rows)-u.counted)*unionSteps >= u.counted
}

func (u *union) holds() bool {
	if fresh := u.rows[u.counted:]; len(fresh) > 0 {
		u.bag, u.counted = u.bag.Plus(equivclass.BagOf(u.x.p.SA, fresh)), len(u.rows)
	}
	return u.want.Holds(u.bag)
}

// free reports whether none of the rows belongs to a subject of the union, and adds their subjects if so.
func (u *union) free(rows []int32) bool {
	of := u.x.p.Subject
	if of == nil {
		return true
	}
	for _, r := range rows {
		if u.subjects[of[r]] {
			return false
		}
	}
	for _, r := range rows {
		if s := of[r]; s != 0 {
			u.subjects[s] = true
		}
	}
	return true
}

// nearestDrafts orders the drafts by the distance of their middles from the mean
// of the rows, equals by number.
func (x *extraction) nearestDrafts(rows []int32) []nearby {
	mean := x.mean(rows)
	mid, ids := x.middles()
	order := make([]nearby, len(ids))
	for i := range order {
		order[i] = nearby{manhattan(mean, mid[i*x.d:(i+1)*x.d]), int32(i)}
	}
	slices.SortFunc(order, func(a, b nearby) int {
		switch {
		case a.dist < b.dist:
			return -1
		case a.dist > b.dist:
			return 1
		}
		return int(a.id) - int(b.id)
	})
	return order
}
