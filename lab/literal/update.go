package literal

import (
	"fmt"
	"slices"

	"anond/equivclass"
)

// Method chooses how far an insertion reaches.
type Method uint8

// The methods; see the package's documentation.
const (
	Local Method = iota
	Full
	I3M
)

// String is how experiments and the demo write the method.
func (m Method) String() string {
	switch m {
	case Local:
		return "literal"
	case Full:
		return "full-update"
	case I3M:
		return "i3m"
	default:
		return fmt.Sprintf("method(%d)", uint8(m))
	}
}

// Params are the settings of the update. Only Space has no default.
type Params struct {
	// Space is the geometry of the coordinates.
	Space *equivclass.Space
	// Threshold is how many records may wait without an update (section IV.A);
	// below 0: k-1. One more starts it.
	Threshold int
	// Neighbours is how many of the nearest classes are asked for relevance
	// (0: 32; below 0: all classes, as in eq. 11), NeighbourDims in how many
	// dimensions a record has to lie within a class (0: all but one; 1 is the
	// "exists j" of eq. 10), Similar how many similar sets each new record brings
	// in (0: 8). The paper names none of these three numbers.
	Neighbours, NeighbourDims, Similar int
	// ByClass compares feature points of two classes, as eq. 15 has it. Each
	// touched class then brings in similar sets once, not each new record.
	ByClass bool
	// GlobalWithoutClass makes the update global if a new record lies in no class
	// (section IV.B). Without it, such a record is assigned to the nearest class,
	// and only one outside the region of all classes makes the update global, as
	// in the paper's algorithm.
	GlobalWithoutClass bool
	// MaxHold is after how many updates without a class the region of a waiting record
	// is widened, up to the whole table (0: 2).
	MaxHold int
}

func (p Params) orDefaults(want equivclass.Requirement) Params {
	if p.Threshold < 0 {
		p.Threshold = want.K - 1
	}
	d := len(p.Space.Dims)
	for _, x := range []struct {
		at       *int
		standard int
	}{{&p.Neighbours, 32}, {&p.NeighbourDims, max(1, d-1)}, {&p.Similar, 8}, {&p.MaxHold, 2}} {
		if *x.at == 0 {
			*x.at = x.standard
		}
	}
	return p
}

// Row is one record: scaled coordinates and the sensitive value. Subject is 0
// for a person of its own.
type Row struct {
	X       []float32
	SA      equivclass.Code
	Subject uint64
}

// Group is a class: rows of the pool, ascending. It must not be changed.
type Group = []int32

// Update keeps a growing table anonymous. Not safe for concurrent use, and not
// safe for people: see the package's documentation.
type Update struct {
	method  Method
	by      equivclass.Partitioner
	want    equivclass.Requirement
	params  Params
	pool    equivclass.Pool
	classes []class
	waiting []waiter // in order of arrival
	cut     int      // records given to the partitioner so far
}

// class is a published class with what the update computes about it once.
type class struct {
	rows    Group
	box     equivclass.Box
	feature int32 // the medoid; -1: not yet asked for
}

type waiter struct {
	row  int32
	held int // updates that could not place it
}

// New returns an empty table that the partitioner by is to keep at want.
func New(method Method, by equivclass.Partitioner, want equivclass.Requirement, params Params) *Update {
	return &Update{method: method, by: by, want: want, params: params.orDefaults(want),
		pool: equivclass.Pool{Space: params.Space, Subject: []uint64{}}}
}

// Insert takes records in. They wait until a release places them.
func (u *Update) Insert(rows ...Row) {
	for _, r := range rows {
		u.waiting = append(u.waiting, waiter{row: int32(u.pool.Len())})
		u.pool.X = append(u.pool.X, r.X...)
		u.pool.SA = append(u.pool.SA, r.SA)
		u.pool.Subject = append(u.pool.Subject, r.Subject)
	}
}

// Waiting returns the records that no class holds, in order of arrival.
func (u *Update) Waiting() []int32 {
	out := make([]int32, len(u.waiting))
	for i, w := range u.waiting {
		out[i] = w.row
	}
	return out
}

// Repartitioned returns how many records the partitioner was given so far, each
// counted as often as it was.
func (u *Update) Repartitioned() int { return u.cut }

// Release runs the update if more records than the threshold wait, and returns
// the classes of the new release.
func (u *Update) Release() []Group {
	if len(u.waiting) > u.params.Threshold {
		u.update(false)
	}
	return u.groups()
}

// Flush is Release without threshold and MaxHold: every record is published that any
// class of the whole table can take.
func (u *Update) Flush() []Group {
	if len(u.waiting) > 0 {
		u.update(true)
	}
	return u.groups()
}

func (u *Update) groups() []Group {
	out := make([]Group, len(u.classes))
	for i := range u.classes {
		out[i] = u.classes[i].rows
	}
	return out
}

func (u *Update) update(now bool) {
	switch {
	case u.method == Full || len(u.classes) == 0:
		u.redo(everything(len(u.classes)), u.Waiting())
	case u.method == I3M:
		u.redoTouched()
	case !u.outside() || !u.redo(everything(len(u.classes)), u.Waiting()):
		u.redo(u.similarSets(), u.Waiting())
	}
	u.lookFurther(now)
	for i := range u.waiting {
		u.waiting[i].held++
	}
}

// outside reports whether a waiting record makes the update global: one that
// lies outside the region of all classes together or, with GlobalWithoutClass,
// outside of every class.
func (u *Update) outside() bool {
	if u.params.GlobalWithoutClass {
		return slices.ContainsFunc(u.waiting, func(w waiter) bool {
			x := u.pool.At(w.row)
			return !slices.ContainsFunc(u.classes, func(c class) bool { return c.box.Distance2(x) == 0 })
		})
	}
	region := equivclass.NewBox(u.pool.D())
	copy(region.Lo, u.classes[0].box.Lo)
	copy(region.Hi, u.classes[0].box.Hi)
	for _, c := range u.classes[1:] {
		region.Extend(c.box.Lo)
		region.Extend(c.box.Hi)
	}
	return slices.ContainsFunc(u.waiting, func(w waiter) bool { return region.Distance2(u.pool.At(w.row)) > 0 })
}

func everything(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}
