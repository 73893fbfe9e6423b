package place

import (
	"anond/equivclass"
	"anond/incremental/place/nearest"
	"anond/incremental/state"
)

// landmarks are the published classes by which waiting records are positioned (Wang et
// al. IV.B: a box that contains the record, else the nearest; of equals the class with the
// smallest number). They are classes alive at the newest release, in the space of the
// records below its cut: a function of what is durable. The index grows with each release,
// and only when a position is asked for.
//
// Rule B (buckets): they are looked up by quasi-identifiers alone. No sensitive value is
// read here. At level L1 a position decides which waiting records are planned together or
// offered to a pure class; rules A (frozen classes) and P (pure classes) judge the result.
//
// Cost: a new or dead class costs one insertion or removal, amortized, whatever the number
// of classes. A record costs one search.
type landmarks struct {
	records *state.Records
	History *state.History
	release uint32            // the newest one that is in
	classes int               // so many classes are in, or have died before they could be
	Space   *equivclass.Space // of the quasi-identifiers
	grid    grid
	index   *nearest.Index

	measured bool // the spaces are those of release newest
	newest   uint32
}

// follow takes in what was released since positions were asked for the last time.
func (l *landmarks) follow() {
	h, c := l.History, l.records
	l.measure()
	if l.index == nil {
		l.grid = newGrid(c, l.Space)
		l.index = nearest.New(l.grid.scale())
	} else if l.release < h.Releases() {
		l.regrid(newGrid(c, l.Space))
	}
	l.grid.prepare(c)
	for ; l.release < h.Releases(); l.release++ {
		for _, id := range h.Died[l.release+1] {
			if int(id) < l.classes && !h.Classes[id].Holds() {
				l.index.Remove(int32(id))
			}
		}
	}
	l.add(h.Classes[l.classes:])
	l.classes = len(h.Classes)
}

// measure finds the space of the newest release. Right after the release that takes as long
// as there are different values; later the records below its cut are looked through.
func (l *landmarks) measure() {
	if l.measured && l.newest == l.History.Releases() {
		return
	}
	l.measured, l.newest = true, l.History.Releases()
	l.Space = l.records.Space(l.History.Cut())
}

// regrid measures by a domain that has grown: more categories.
func (l *landmarks) regrid(to grid) {
	to.steps = l.grid.steps
	l.grid = to
	l.index.Rescale(to.scale())
}

// add indexes those of the classes that are alive, and have all quasi-identifiers that records have now.
func (l *landmarks) add(classes []*state.Class) {
	d := l.records.Schema.D()
	var numbers []int32
	var boxes []int64
	for _, c := range classes {
		if quasi := l.records.Schema.Quasi(); c.Holds() && l.records.Has(quasi, c.Members[0]) == len(quasi) {
			numbers = append(numbers, int32(c.ID))
			boxes = append(boxes, make([]int64, 2*d)...)
			l.grid.box(l.records, c.Members, boxes[len(boxes)-2*d:])
		}
	}
	l.index.Add(numbers, boxes)
}

// Positions returns the class at which each record lies; none if there is no class.
func (l *landmarks) Positions(records []state.RecordID, workers int) []state.ClassID {
	l.follow()
	found := l.index.Nearest(len(records), func(i int, into []int64) { l.grid.at(l.records, records[i], into) }, workers)
	out := make([]state.ClassID, len(found))
	for i, id := range found {
		out[i] = state.ClassID(id) // -1 is none
	}
	return out
}

// Around returns the n classes whose centres are nearest to that of the box around
// records, nearest first.
func (l *landmarks) Around(records []state.RecordID, n int) []state.ClassID {
	l.follow()
	box := make([]int64, 2*l.records.Schema.D())
	l.grid.box(l.records, records, box)
	var out []state.ClassID
	for _, f := range l.index.Neighbours(box, n, nil) {
		out = append(out, state.ClassID(f.Number))
	}
	return out
}
