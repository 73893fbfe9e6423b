package settle

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
)

// Outcome says what became of a message.
type Outcome struct {
	What What
	// Left: the person's records, if there were any, are shown no more, and nothing of the person will be.
	Left bool
	// Held is how many there were.
	Held int
}

// What became of a message itself.
type What uint8

// What becomes of one.
const (
	Taken    What = iota // it is a record of the person's
	Replaces             // it is, in the place of another one
	Beyond               // it is not looked at, or changes nothing but what is known of the person
	Refused              // it is at fault, or not configured; the host says so
)

// Open are the histories that are open. Not safe for concurrent use.
type Open struct {
	Rule     Rule
	room     room
	next     uint64 // number of the next history
	bytes    int
	records  int
	gone     []uint64 // numbers of histories of the store that left since the last commit
	keptNext uint64   // numbers below are in the store, unless they are gone
}

// New returns a room without histories.
func New(r Rule) Open { return Open{Rule: r} }

// Len is how many people are observed.
func (o *Open) Len() int { return o.room.places.held }

// Records is how many records of theirs would be shown.
func (o *Open) Records() int { return o.records }

// Weight is how many records of a state the histories count as, by their bytes.
func (o *Open) Weight() int { return o.Len() + o.bytes/weighty }

// weighty is how many bytes of rows count as one record more.
const weighty = 256

// Of returns the history of a person, nil if none is open.
func (o *Open) Of(person uint64) *History {
	if at, found := o.room.find(person); found {
		return o.room.read(at)
	}
	return nil
}

// Has reports whether a history of a person is open.
func (o *Open) Has(person uint64) bool {
	_, found := o.room.find(person)
	return found
}

// Take takes in a message about a person of whom the machine has no record. judge says what is wrong with it; it is asked only if the
// message is looked at.
func (o *Open) Take(m Message, judge func() Fault) Outcome {
	at, found := o.room.find(m.Person)
	var h *History
	switch {
	case found:
		if h = o.room.read(at); m.Lane != h.Lane || m.At >= h.End {
			return o.Late(m.Kind)
		}
	case m.Kind == Delete:
		return Outcome{What: Beyond, Left: true}
	default:
		h = &History{Number: o.next, Person: m.Person, Lane: m.Lane, End: m.At + o.Rule.Length(), changed: true}
		o.next++
	}
	out := o.take(h, m, judge)
	switch {
	case out.Left:
		if out.Held = len(h.Records); found {
			o.drop(at)
		}
		return out
	case !found:
		o.room.add(h)
	case h.changed:
		o.count(o.room.replace(at, h), -1)
	default:
		return out
	}
	o.count(h, 1)
	return out
}

// count takes the records of a history into the sums, or out of them.
func (o *Open) count(h *History, sign int) {
	o.records += sign * len(h.Records)
	for i := range h.Records {
		o.bytes += sign * len(h.Records[i].Row)
	}
}

// take changes a history by a message inside the window.
func (o *Open) take(h *History, m Message, judge func() Fault) Outcome {
	switch m.Kind {
	case Delete:
		return Outcome{What: Beyond, Left: true}
	case Unclear:
		return Outcome{What: Refused, Left: true}
	}
	if m.Kind == Insert && m.Key != 0 && o.Rule.Updates && h.record(m.Key) != nil {
		m.Kind = Update // the source inserts what it has inserted before
	}
	if m.Kind == Update {
		return o.update(h, m, judge)
	}
	if len(h.Records) >= o.Rule.Inserts() {
		return Outcome{What: Beyond}
	}
	out := h.judge(m, judge)
	if out.What == Taken {
		h.Epoch, h.Records = m.Epoch, append(h.Records, m.Record)
	}
	return out
}

// Late is what becomes of a message behind the window: nothing, and it is not looked at.
func (o *Open) Late(kind Kind) Outcome {
	if kind == Insert || kind == Unclear || kind == Update && o.Rule.Updates {
		return Outcome{What: Beyond}
	}
	return Outcome{What: Refused}
}

// update deals with one inside the window. It counts because it came.
func (o *Open) update(h *History, m Message, judge func() Fault) Outcome {
	h.changed, h.Updated = h.changed || !h.Updated, true
	old := h.record(m.Key)
	switch {
	case !o.Rule.Updates:
		return Outcome{What: Refused}
	case old == nil:
		return Outcome{What: Beyond} // of a record that is not shown
	}
	out := h.judge(m, judge)
	if out.What == Taken {
		*old = m.Record
		out.What = Replaces
	}
	return out
}

// judge asks what is wrong with a message that is looked at.
func (h *History) judge(m Message, judge func() Fault) Outcome {
	fault := judge()
	switch {
	case fault == Sensitive:
		return Outcome{What: Refused, Left: true}
	case fault == Sound && len(h.Records) > 0 && h.Epoch != m.Epoch:
		return Outcome{What: Beyond, Left: true}
	}
	h.changed = true
	if fault == Public {
		h.Faulty = true
		return Outcome{What: Refused}
	}
	return Outcome{What: Taken}
}

// Remove takes a person out, and returns how many records there were to show.
func (o *Open) Remove(person uint64) (held int, open bool) {
	at, found := o.room.find(person)
	if !found {
		return 0, false
	}
	return len(o.drop(at).Records), true
}

// drop takes a history out.
func (o *Open) drop(at slot) *History {
	h := o.room.remove(at)
	o.count(h, -1)
	if h.Number < o.keptNext {
		o.gone = append(o.gone, h.Number)
	}
	return h
}

// Settled is a person whose window has ended.
type Settled struct {
	Person  uint64
	Stratum Stratum
	Records []Record // to be shown; nil: nothing of the person is, ever
	Held    int      // records that were to be shown, and are not
}

// Due reports whether a window of a lane has ended at a time.
func (o *Open) Due(lane uint16, at int64) bool {
	l := o.room.lane(lane)
	return l != nil && l.end <= at
}

// Ended hands out those whose windows have ended, by the time of each lane, in the order in which they end, and of those that end
// together in the order of their first messages. Whoever is handed out is in the room no more.
func (o *Open) Ended(at func(lane uint16) int64, epoch uint32) iter.Seq[Settled] {
	return func(yield func(Settled) bool) {
		var due []*lane // those with an end to come, in the order of their next ones
		for number, l := range o.room.lanes {
			if o.Due(uint16(number), at(uint16(number))) {
				due = append(due, l)
			}
		}
		slices.SortFunc(due, order)
		for len(due) > 0 {
			l := due[0]
			h := o.drop(l.blocks[0].slot(l.next))
			s := Settled{Person: h.Person}
			if stratum, shown := h.stratum(epoch); shown {
				s.Stratum, s.Records = stratum, h.Records
			} else {
				s.Held = len(h.Records)
			}
			if due = due[1:]; o.Due(h.Lane, at(h.Lane)) {
				next, _ := slices.BinarySearchFunc(due, l, order)
				due = slices.Insert(due, next, l)
			}
			if !yield(s) {
				return
			}
		}
	}
}

// order is that in which windows end.
func order(a, b *lane) int {
	return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.number, b.number))
}

// Finish hands out those whose windows end with the source, in the order of their first messages.
func (o *Open) Finish(epoch uint32) iter.Seq[Settled] {
	return o.Ended(func(uint16) int64 {
		if o.Rule.End {
			return math.MaxInt64
		}
		return math.MinInt64
	}, epoch)
}

// Change is what a commit changes of one history.
type Change struct {
	Number uint64
	Bytes  []byte // as Decode reads them; nil: it is open no more
}

// Staged are the changes since the last commit, in order of numbers.
func (o *Open) Staged() (out []Change) {
	for _, n := range o.gone {
		out = append(out, Change{n, nil})
	}
	for at := range o.room.altered {
		h := o.room.read(at)
		out = append(out, Change{h.Number, h.Encode()})
	}
	slices.SortFunc(out, func(a, b Change) int { return cmp.Compare(a.Number, b.Number) })
	return out
}

// Committed notes that the store has all.
func (o *Open) Committed() {
	o.room.committed()
	o.gone, o.keptNext = nil, o.next
}

// Load takes in a history that a store has kept, in order of numbers.
func (o *Open) Load(c Change) error {
	h, err := Decode(c)
	if err != nil {
		return err
	}
	l := o.room.lane(h.Lane)
	if len(h.Records) > o.Rule.Inserts() || h.Number < o.next || o.Has(h.Person) || l != nil && l.last > h.End {
		return fmt.Errorf("the history %d is out of order or too long, or its person has another one", h.Number)
	}
	o.room.add(&h)
	o.room.committed()
	o.next, o.keptNext = h.Number+1, h.Number+1
	o.count(&h, 1)
	return nil
}

// All visits the histories in order of their numbers.
func (o *Open) All(yield func(*History) bool) {
	for _, at := range o.room.byNumber() {
		if !yield(o.room.read(at)) {
			return
		}
	}
}
