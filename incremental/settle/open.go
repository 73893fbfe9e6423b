package settle

import (
	"cmp"
	"fmt"
	"maps"
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
	people   map[uint64]*History
	ends     map[uint16][]*History // by lane, in the order in which they end; one that was taken out stays until its turn
	next     uint64                // number of the next history
	bytes    int
	records  int
	altered  map[uint64]*History // by number, since the last commit; nil: gone
	keptNext uint64              // numbers below are in the store, unless they are gone
}

// New returns a room without histories.
func New(r Rule) Open {
	return Open{Rule: r, people: map[uint64]*History{}, ends: map[uint16][]*History{}, altered: map[uint64]*History{}}
}

// Len is how many people are observed.
func (o *Open) Len() int { return len(o.people) }

// Records is how many records of theirs would be shown.
func (o *Open) Records() int { return o.records }

// Weight is how many records of a state the histories count as, by their bytes.
func (o *Open) Weight() int { return len(o.people) + o.bytes/weighty }

// weighty is how many bytes of rows count as one record more.
const weighty = 256

// Of returns the history of a person, nil if none is open. It must not be changed.
func (o *Open) Of(person uint64) *History { return o.people[person] }

// Take takes in a message about a person of whom the machine has no record. judge says what is wrong with it; it is asked only if the
// message is looked at.
func (o *Open) Take(m Message, judge func() Fault) Outcome {
	h := o.people[m.Person]
	switch {
	case h == nil && m.Kind == Delete:
		return Outcome{What: Beyond, Left: true}
	case h == nil:
		h = o.begin(m)
	case m.Lane != h.Lane || m.At >= h.End:
		return o.Late(m.Kind)
	case m.Kind == Delete:
		return o.remove(h, Beyond)
	}
	if m.Kind == Unclear {
		return o.remove(h, Refused)
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
	out := o.judge(h, m, judge)
	if out.What == Taken {
		h.Epoch, h.Records = m.Epoch, append(h.Records, m.Record)
		o.records, o.bytes = o.records+1, o.bytes+len(m.Row)
	}
	return out
}

// begin opens the window of a person.
func (o *Open) begin(m Message) *History {
	h := &History{Number: o.next, Person: m.Person, Lane: m.Lane, End: m.At + o.Rule.Length()}
	o.next++
	o.add(h)
	o.alter(h)
	return h
}

func (o *Open) add(h *History) {
	o.people[h.Person] = h
	o.ends[h.Lane] = append(o.ends[h.Lane], h)
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
	if !h.Updated {
		h.Updated = true
		o.alter(h)
	}
	old := h.record(m.Key)
	switch {
	case !o.Rule.Updates:
		return Outcome{What: Refused}
	case old == nil:
		return Outcome{What: Beyond} // of a record that is not shown
	}
	out := o.judge(h, m, judge)
	if out.What == Taken {
		o.bytes += len(m.Row) - len(old.Row)
		*old = m.Record
		out.What = Replaces
	}
	return out
}

// judge asks what is wrong with a message that is looked at.
func (o *Open) judge(h *History, m Message, judge func() Fault) Outcome {
	fault := judge()
	switch {
	case fault == Public:
		h.Faulty = true
		o.alter(h)
		return Outcome{What: Refused}
	case fault == Sensitive:
		return o.remove(h, Refused)
	case len(h.Records) > 0 && h.Epoch != m.Epoch:
		return o.remove(h, Beyond)
	}
	o.alter(h)
	return Outcome{What: Taken}
}

// Remove takes a person out, and returns how many records there were to show.
func (o *Open) Remove(person uint64) (held int, open bool) {
	h := o.people[person]
	if h == nil {
		return 0, false
	}
	return o.remove(h, Beyond).Held, true
}

func (o *Open) remove(h *History, what What) Outcome {
	delete(o.people, h.Person)
	o.altered[h.Number] = nil
	for i := range h.Records {
		o.bytes -= len(h.Records[i].Row)
	}
	o.records -= len(h.Records)
	out := Outcome{What: what, Left: true, Held: len(h.Records)}
	h.gone()
	return out
}

// gone marks a history that its lane still has.
func (h *History) gone() { h.Records, h.Person = nil, 0 }

// Settled is a person whose window has ended.
type Settled struct {
	Person  uint64
	Stratum Stratum
	Records []Record // to be shown; nil: nothing of the person is, ever
	Held    int      // records that were to be shown, and are not
}

// Due reports whether a window of a lane has ended at a time.
func (o *Open) Due(lane uint16, at int64) bool {
	q := o.ends[lane]
	for len(q) > 0 && q[0].Person == 0 {
		q[0], q = nil, q[1:]
	}
	if o.ends[lane] = q; len(q) == 0 {
		delete(o.ends, lane)
		return false
	}
	return q[0].End <= at
}

// Ended hands out those whose windows have ended, by the time of each lane, in the order in which they end, and of those that end
// together in the order of their first messages.
func (o *Open) Ended(at func(lane uint16) int64, epoch uint32) (out []Settled) {
	var ended []*History
	for lane := range o.ends {
		for now := at(lane); o.Due(lane, now); {
			ended = append(ended, o.ends[lane][0])
			o.ends[lane] = o.ends[lane][1:]
		}
	}
	slices.SortFunc(ended, order)
	for _, h := range ended {
		s := Settled{Person: h.Person}
		if stratum, shown := h.stratum(epoch); shown {
			s.Stratum, s.Records = stratum, h.Records
		} else {
			s.Held = len(h.Records)
		}
		out = append(out, s)
		o.remove(h, Beyond)
	}
	return out
}

// Finish hands out those whose windows end with the source, in the order of their first messages.
func (o *Open) Finish(epoch uint32) []Settled {
	if !o.Rule.End {
		return nil
	}
	return o.Ended(func(uint16) int64 { return math.MaxInt64 }, epoch)
}

// order is that in which windows end.
func order(a, b *History) int {
	return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Number, b.Number))
}

func (o *Open) alter(h *History) { o.altered[h.Number] = h }

// Change is what a commit changes of one history.
type Change struct {
	Number uint64
	Bytes  []byte // as Decode reads them; nil: it is open no more
}

// Staged are the changes since the last commit, in order of numbers.
func (o *Open) Staged() (out []Change) {
	for _, n := range slices.Sorted(maps.Keys(o.altered)) {
		switch h := o.altered[n]; {
		case h != nil:
			out = append(out, Change{n, h.Encode()})
		case n < o.keptNext:
			out = append(out, Change{n, nil})
		}
	}
	return out
}

// Committed notes that the store has all.
func (o *Open) Committed() {
	clear(o.altered)
	o.keptNext = o.next
}

// Load takes in a history that a store has kept, in order of numbers.
func (o *Open) Load(c Change) error {
	h, err := Decode(c)
	if err != nil {
		return err
	}
	q := o.ends[h.Lane]
	if len(h.Records) > o.Rule.Inserts() || h.Number < o.next || o.people[h.Person] != nil || len(q) > 0 && q[len(q)-1].End > h.End {
		return fmt.Errorf("the history %d is out of order or too long, or its person has another one", h.Number)
	}
	o.next, o.keptNext = h.Number+1, h.Number+1
	o.add(&h)
	for i := range h.Records {
		o.bytes += len(h.Records[i].Row)
	}
	o.records += len(h.Records)
	return nil
}

// All visits the histories in order of their numbers. They must not be changed.
func (o *Open) All(yield func(*History) bool) {
	all := slices.SortedFunc(maps.Values(o.people), func(a, b *History) int { return cmp.Compare(a.Number, b.Number) })
	for _, h := range all {
		if !yield(h) {
			return
		}
	}
}
