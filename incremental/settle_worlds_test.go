package incremental_test

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
	"anond/incremental/settle"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/decode"
)

// Streams of people who send more than one message, through the decoder and the machine itself: Theorem DS. Who sends what, and when, is
// the same in all worlds of a stream as far as adversaries see it; a world says what the messages say.

// history is what one person may send.
type history struct {
	first  int // the value of the first message
	second int // that of the second one
	does   bool
	shown  int    // the value that is published, if one is
	weight uint64 // of what follows the first value, given that
}

// law says how a second value follows the first, and how likely it is, of four, that something comes at all.
type law struct {
	name    string
	persist func(v, w int) uint64
	comes   [3]uint64
}

var (
	independent = law{"independent", func(int, int) uint64 { return 1 }, [3]uint64{3, 1, 2}}
	sticky      = law{"sticky", func(v, w int) uint64 {
		if v == w {
			return 6
		}
		return 1
	}, [3]uint64{3, 1, 2}}
	chronic = law{"chronic", func(v, w int) uint64 {
		if v == w {
			return 1
		}
		return 0
	}, [3]uint64{3, 1, 2}}
	// drifting values tend to one.
	drifting = law{"drifting", func(_, w int) uint64 { return []uint64{6, 1, 1}[w] }, [3]uint64{3, 1, 2}}
	laws     = []law{sticky, drifting, independent, chronic}
)

// still are the histories of somebody of whom nothing follows the first message, though it might have.
func (x law) still(values int) (out []history) {
	for v := range values {
		out = append(out, history{first: v, shown: v, weight: 4 - x.comes[v]})
	}
	return out
}

// certain is a law by which something comes in any case.
func certain(x law) law {
	x.comes = [3]uint64{1, 1, 1}
	return x
}

// unwatched are those of somebody of whom nothing more can be seen.
func unwatched(values int) (out []history) {
	for v := range values {
		out = append(out, history{first: v, shown: v, weight: 4})
	}
	return out
}

// corrected are those of somebody whose second message corrects the first.
func (x law) corrected(values int) (out []history) {
	for v := range values {
		for w := range values {
			if weight := x.comes[v] * x.persist(v, w); weight > 0 {
				out = append(out, history{first: v, second: w, does: true, shown: w, weight: weight})
			}
		}
	}
	return out
}

// maybe are those of somebody who does something, unless they do not; what is published is the first value.
func (x law) maybe(values int) (out []history) {
	for v := range values {
		out = append(out, history{first: v, shown: v, weight: 4 - x.comes[v]}, history{first: v, shown: v, does: true, weight: x.comes[v]})
	}
	return out
}

// told are the first values of a world, and the weight of what follows them.
func (p *play) told() (first []int, weight uint64) {
	weight = 1
	for r, w := range p.world {
		l := p.histories[r][w]
		first, weight = append(first, l.first), product(weight, l.weight)
	}
	return first, weight
}

// does is what a person does in this world.
func (p *play) does(person int) history { return p.histories[person][p.world[person]] }

// span is how long people are observed, and begins when a stream begins.
const span, begins = 100, 1000

// situation is a stream of people, of pools of one class. do plays it, with what is broken; empty: nothing.
type situation struct {
	values    int
	histories [][]history
	known     []int
	do        func(p *play, broken string)
	reaches   []string
	versions  []string       // of the hierarchy of the value
	lateIf    map[string]int // what is broken, and whose second message is late then
	// blindToCounts: adversaries see releases only, and no status.
	blindToCounts bool
	// most is how many records a history has; 0: what is published is one value. pool is how many people a pool has; 0: one class.
	most, pool int
	also       func(value int) string // attributes that a message has unless it says otherwise, as JSON
	more       []equivclass.Attribute // these, in the schema
	updates    bool                   // of one of several records
}

// course is a stream of one situation.
func (s situation) course(t testing.TB, broken string) *course {
	histories := slices.Clone(s.histories)
	if person, late := s.lateIf[broken]; late {
		histories[person] = slices.Clone(histories[person])
		for i := range histories[person] {
			histories[person][i].shown = histories[person][i].first
		}
	}
	known := slices.Clone(s.known)
	for len(known) < len(histories) {
		known = append(known, -1)
	}
	for i := range 4 { // the first pool, of people of whom all is known
		histories = append(histories, []history{{first: i / 2, shown: i / 2, weight: 1}})
		known = append(known, 0)
	}
	values := s.values
	if s.most > 1 {
		values += s.values * s.values
	}
	c := &course{n: len(histories), d: values, k: 2, l: 2, schema: withPeople(t), need: asksFor(2), histories: histories, known: known,
		policy: func(p *state.Policy) {
			quarantines(p)
			p.Settle, p.MaxPool = settle.Rule{For: span, Updates: s.most == 0 || s.updates, Max: s.most}, max(2, s.pool)
		}, reaches: s.reaches, blindToCounts: s.blindToCounts}
	if c.also = s.also; s.more != nil {
		c.schema = schemaOf(t, append([]equivclass.Attribute{{Name: "value", Role: equivclass.Sensitive, Type: equivclass.Categorical},
			{Name: "person", Role: equivclass.Subject}}, s.more...)...)
	}
	for i, v := range s.versions {
		c.versions = append(c.versions, withPeopleOf(t, v))
		c.schemas[min(i, 1)] = c.versions[i]
	}
	c.play = func(p *play) {
		for i := range 4 {
			p.tell(c.n-4+i, message{op: "c", at: -2 * span, quasi: strconv.Itoa(i / 2 * 100)}) // classes whose bags differ
		}
		p.passes(-span)
		p.releases()
		p.reached = map[string]bool{}
		s.do(p, broken)
		now := p.m.Status()
		if p.restarts(broken); broken == "" {
			require.Equal(p.t, now.Sent, now.Accounted())
			require.Empty(p.t, p.m.CheckInvariants())
		}
	}
	return c
}

// closing has those whose first value is v published with that, whatever they send.
func (s situation) closing(v int) situation {
	s.histories = slices.Clone(s.histories)
	for person := range s.histories {
		s.histories[person] = slices.Clone(s.histories[person])
		for i, l := range s.histories[person] {
			if l.first == v {
				s.histories[person][i].shown = v
			}
		}
	}
	return s
}

// message is one of a change feed.
type message struct {
	op    string // c, u, d
	value string // JSON
	quasi string // JSON, in the place of the first coordinate
	at    int64
	from  state.Partition
	// unseen: adversaries do not see it, nor when it comes.
	unseen bool
	// alias is another name of the person.
	alias string
	also  string // further attributes, as JSON
}

func (p *play) valueText(v int) string { return `"` + string(rune(p.name(v))) + `"` }

// tell gives the machine a message of a person, as the loop does.
func (p *play) tell(person int, x message) {
	if x.from == (state.Partition{}) {
		x.from = source
	}
	if x.value == "" {
		x.value = p.valueText(p.does(person).first)
	}
	if x.quasi == "" {
		x.quasi = strconv.Itoa(positions[person%len(positions)][0])
	}
	row := fmt.Sprintf(`{"person":"%s%d","x0":%s,"x1":%d,"value":%s%s}`, x.alias, person, x.quasi, positions[person%len(positions)][1], x.value,
		p.further(person, x.also))
	event := fmt.Sprintf(`{"op":%q,"before":null,"after":%s}`, x.op, row)
	if x.op == "d" {
		event = fmt.Sprintf(`{"op":"d","before":%s,"after":null}`, row)
	}
	subject, o := p.send(x.from, []byte(event), begins+x.at)
	if p.persons == nil {
		p.persons = map[uint64]int32{}
	}
	p.persons[subject] = int32(person)
	if !x.unseen && !p.looksAway {
		p.note(person, x.op, x.at, o.Reason, o.Attribute)
		p.note(p.m.Trigger().UpdateDue(), p.m.Trigger().CutDue())
	}
}

// further are the further attributes of a message: those that it says, or the usual ones.
func (p *play) further(person int, said string) string {
	if said == "" && p.also != nil {
		return p.also(p.does(person).first)
	}
	return said
}

// send gives decoder and machine a message.
func (p *play) send(from state.Partition, value []byte, at int64) (subject uint64, o decode.Outcome) {
	offset, _ := p.m.Intake().Next(from)
	r := &ingest.Record{Offset: offset, Value: value, Time: at}
	p.must(p.m.Stamp(from, at))
	if p.decoder == nil {
		var err error
		p.decoder, err = decode.New(decode.Debezium, p.options.Schema, decode.Options{Kinds: true, Updates: p.options.Policy.Settle.Updates})
		p.must(err)
	}
	cells := make(equivclass.Row, len(p.options.Schema.Attributes()))
	o = p.decoder.Decode(value, nil, cells)
	subject = p.m.SubjectOf(cells)
	o, err := ingest.Place(p.m, p.options.Schema, from, r, o, cells, subject, false)
	p.must(err)
	return subject, o
}

// comes is the first message of a person.
func (p *play) comes(person int, at int64) { p.tell(person, message{op: "c", at: at}) }

// corrects is the second one, if they send it in this world.
func (p *play) corrects(person int, at int64) {
	if l := p.does(person); l.does {
		p.tell(person, message{op: "u", value: p.valueText(l.second), at: at})
	}
}

// late is what nobody sees of the messages in do, if they come when nobody looks.
func (p *play) late(is bool, do func()) {
	p.looksAway = is
	do()
	p.looksAway = false
}

// restarts opens the machine again, unless it is broken.
func (p *play) restarts(broken string) {
	if broken == "" {
		p.must(p.m.Commit())
		p.open()
	}
}

// grows opens the machine with a version of the hierarchy.
func (p *play) grows(version int) {
	p.must(p.m.Commit())
	p.options.Schema, p.options.Settings, p.decoder = p.versions[version], settingsOf(byte(version+1)), nil
	p.open()
}

// passes lets time pass: something is read that is ignored.
func (p *play) passes(at int64) {
	offset, _ := p.m.Intake().Next(source)
	p.must(p.m.Stamp(source, begins+at))
	p.must(p.m.Intake().Ignore(source, offset, decode.ReasonTombstone))
	p.must(p.m.Commit())
}

// releases makes as many releases as come.
func (p *play) releases() {
	for range 4 {
		p.knowsWho()
		if p.cut() == nil {
			return
		}
	}
	require.Fail(p.t, "releases go on")
}

// knowsWho notes which person each record is of.
func (p *play) knowsWho() {
	p.taken = p.taken[:0]
	for _, s := range p.m.Releases().All().Subject {
		who, known := p.persons[s]
		if s == 0 {
			who, known = -1, true // who was forgotten
		}
		require.True(p.t, known)
		p.taken = append(p.taken, who)
	}
}

// perhaps are those of somebody whose second message corrects the first, if there is one. late: it comes when nobody looks any more.
func (x law) perhaps(values int, late bool) []history {
	out := append(x.still(values), x.corrected(values)...)
	if late {
		return tooLate(out)
	}
	return out
}

// tooLate has the second message come when nobody looks any more.
func tooLate(of []history) []history {
	for i := range of {
		of[i].shown = of[i].first
	}
	return of
}

// corrections are of four people, of whom the second messages of two correct the first.
func corrections(x law) situation {
	values := 2
	if tier.Full() {
		values = 3
	}
	histories := [][]history{x.still(values), x.corrected(values), x.still(values), x.corrected(values)}
	return situation{values: values, histories: histories, do: func(p *play, broken string) {
		for person := range 4 {
			p.comes(person, int64(person))
		}
		p.restarts(broken)
		for _, person := range []int{1, 3} {
			switch l := p.does(person); {
			case broken == "only real changes count" && l.first == l.second, broken == "a window closes by the value" && l.first == 0:
				p.note(person, "u") // and nothing comes of it
			default:
				p.corrects(person, 50+int64(person))
			}
		}
		p.passes(1000)
		if broken == "corrected people in the pool of others" {
			p.m.Restratify(func(settle.Stratum) settle.Stratum { return settle.Plain })
		}
		p.releases()
	}, reaches: []string{"second release", "quarantined"}}
}

// outage is that somebody reads nothing for long, while the log goes on. The second of two people comes behind it.
func outage(x law) situation {
	return situation{values: 2, histories: [][]history{x.perhaps(2, false), x.perhaps(2, false)}, do: func(p *play, broken string) {
		byReading := broken == "a window by the time of reading"
		at := func(log, reading int64) int64 {
			if byReading {
				return reading
			}
			return log
		}
		p.comes(0, 0)
		p.restarts(broken)
		p.late(byReading, func() { p.corrects(0, at(50, 1000)) })
		p.comes(1, at(900, 1001))
		p.corrects(1, at(950, 1002))
		p.passes(2000)
		p.releases()
	}, lateIf: map[string]int{"a window by the time of reading": 0}}
}

// between is a cut between the messages of somebody.
func between(x law) situation {
	return situation{values: 2, histories: [][]history{x.perhaps(2, false), x.perhaps(2, false)}, do: func(p *play, broken string) {
		byCut := broken == "a window closes by the cut"
		at := func(log int64) int64 {
			if byCut {
				return 0
			}
			return log
		}
		p.comes(0, 0)
		p.corrects(0, at(60))
		p.comes(1, at(80))
		if byCut {
			p.passes(1000)
		} else {
			p.passes(110)
		}
		p.releases()
		p.late(byCut, func() { p.corrects(1, 140) })
		p.passes(2000)
		p.releases()
	}, lateIf: map[string]int{"a window closes by the cut": 1}}
}

// unequal are people of whom one is observed for a shorter time than the other.
func unequal(x law) situation {
	return situation{values: 2, histories: [][]history{x.perhaps(2, false), x.perhaps(2, false)}, do: func(p *play, broken string) {
		p.comes(0, 0)
		p.corrects(0, 60)
		p.passes(150)
		if broken != "" {
			p.m.Window(span / 2)
		}
		p.comes(1, 200)
		p.late(broken != "", func() { p.corrects(1, 260) })
		p.passes(1000)
		p.releases()
	}, lateIf: map[string]int{"windows are unequal": 1}}
}

// waitings are people of whom the first waits for long, and is corrected meanwhile, or not.
func waitings(x law) situation {
	return situation{values: 2, histories: [][]history{certain(x).perhaps(2, true), unwatched(2)}, do: func(p *play, broken string) {
		p.comes(0, 0)
		p.passes(200)
		p.releases()
		if l := p.does(0); broken != "" && l.does {
			p.knowsWho()
			p.corrected = map[int]int{0: l.second}
			p.m.Correct(state.RecordID(slices.Index(p.taken, 0)), state.RecordID(2*l.second)) // the known have either value
		}
		p.corrects(0, 300)
		p.comes(1, 400)
		p.passes(1000)
		p.releases()
	}, reaches: []string{"second release"}}
}

// lateDeletes are those of people whose windows have ended, of whom the first waits for long. Nobody sees them.
func lateDeletes(x law) situation {
	var waits, fresh []history // does: while they wait; second: later
	for _, l := range x.maybe(2) {
		for _, late := range x.maybe(2) {
			if late.first == l.first {
				l, n := l, 0
				if late.does {
					n = 1
				}
				l.second, l.weight = n, l.weight*late.weight
				waits = append(waits, l)
			}
		}
		l.second = 0
		if l.does {
			l.second = 1
		}
		l.does = false
		fresh = append(fresh, l)
	}
	known := []history{{weight: 1}}
	other := []history{{first: 1, shown: 1, weight: 1}}
	histories := [][]history{waits, fresh, known, other}
	return situation{values: 2, histories: histories, known: []int{-1, -1, 0, 0}, do: func(p *play, broken string) {
		p.comes(0, 0)
		p.passes(200)
		p.releases()
		if p.does(0).does {
			p.tell(0, message{op: "d", at: 300, unseen: true})
			if broken == "a late delete removes who waits" {
				p.m.LapseOf(func(state.RecordID) bool { return true })
			}
		}
		p.comes(1, 400)
		p.passes(600)
		p.releases()
		for person := range 2 {
			if p.does(person).second == 1 {
				p.tell(person, message{op: "d", at: 700, unseen: true})
			}
		}
		p.comes(2, 800)
		p.comes(3, 801)
		p.passes(1000)
		p.releases()
		i := p.m.Releases().Latest()
		if i == nil {
			return
		}
		v, err := p.m.Releases().View(i.Release)
		p.must(err)
		p.note("stale", v.Stale)
		if len(v.Stale) > 0 {
			p.reached["stale"] = true
		}
		if broken == "who waited counts as stale" {
			p.note(p.does(0).does)
		}
	}, blindToCounts: true, reaches: []string{"stale", "second release"}}
}

// refused is a correction that is refused for its value, which everybody sees.
func refused(x law) situation {
	return situation{values: 2, histories: [][]history{x.corrected(2), x.maybe(2), x.corrected(2)}, do: func(p *play, broken string) {
		for person := range 2 {
			p.comes(person, int64(person))
		}
		p.corrects(0, 50)
		if p.does(1).does {
			if p.note("refused"); broken == "a refused record is visible in a stratum" {
				p.tell(1, message{op: "u", at: 51})
			} else {
				p.tell(1, message{op: "u", value: `{"code":"c"}`, at: 51})
				p.reached["beyond"] = true
			}
		}
		p.passes(300)
		p.releases()
		p.restarts(broken)
		p.tell(1, message{op: "c", at: 400})
		p.comes(2, 401)
		p.corrects(2, 450)
		p.passes(1000)
		p.releases()
	}, reaches: []string{"beyond"}}
}

// faults are first records that are refused for something that everybody knows.
func faults(x law) situation {
	histories := [][]history{x.still(2), x.corrected(2), x.still(2), x.corrected(2)}
	return situation{values: 2, histories: histories, do: func(p *play, broken string) {
		for person := range 4 {
			if person%2 == 0 {
				p.comes(person, int64(person))
			} else {
				p.tell(person, message{op: "c", at: int64(person), quasi: `"x"`})
			}
		}
		p.restarts(broken)
		for _, person := range []int{1, 3} {
			p.tell(person, message{op: "c", value: p.valueText(p.does(person).second), at: 50})
		}
		p.passes(1000)
		if broken == "kinds of messages are mixed" {
			p.m.Restratify(func(settle.Stratum) settle.Stratum { return settle.Plain })
		}
		p.releases()
	}, reaches: []string{"second release"}}
}

// judged is a pool that is quarantined if two people have the same value, one of whom corrects theirs then.
func judged(x law) situation {
	return situation{values: 2, histories: [][]history{tooLate(certain(x).corrected(2)), unwatched(2)}, do: func(p *play, broken string) {
		p.comes(0, 0)
		p.comes(1, 1)
		p.passes(300)
		p.releases()
		p.knowsWho()
		if l := p.does(0); broken != "" && p.m.Status().Pending.Quarantined > 0 { // the known have either value
			p.corrected = map[int]int{0: l.second}
			p.m.Correct(state.RecordID(slices.Index(p.taken, 0)), state.RecordID(2*l.second))
		}
		p.corrects(0, 400)
		p.passes(500)
		p.releases()
	}, reaches: []string{"quarantined", "second release"}}
}

// pastMax are people with a second record, of which nothing is published, and which may be invalid; and with messages behind the window
// that may be.
func pastMax(x law) situation {
	return situation{values: 2, histories: [][]history{unwatched(2), x.maybe(2), unwatched(2), x.maybe(2)}, do: func(p *play, broken string) {
		value := func(person int) string {
			if p.does(person).does {
				return `{"code":"c"}`
			}
			return `"b"`
		}
		for person := range 4 {
			p.comes(person, int64(person))
		}
		looked := broken == "validity past the first record is looked at"
		p.late(looked, func() { p.tell(1, message{op: "c", at: 50, value: value(1)}) })
		p.passes(300)
		if looked {
			p.knowsWho()
			p.m.LapseOf(func(r state.RecordID) bool { return p.taken[r] == 1 && p.does(1).does })
		}
		p.releases()
		p.tell(3, message{op: "c", at: 400, value: value(3)})
		p.tell(3, message{op: "u", at: 401, value: value(3)})
		p.tell(1, message{op: "u", at: 402, value: value(1)})
		p.passes(1000)
		p.releases()
	}}
}

// dropped is somebody who is deleted inside the window, and comes again with the second value.
func dropped(x law) situation {
	return situation{values: 2, histories: [][]history{x.corrected(2), unwatched(2), unwatched(2)}, do: func(p *play, broken string) {
		p.comes(0, 0)
		p.comes(1, 1)
		p.tell(0, message{op: "d", at: 50})
		p.passes(500)
		p.releases()
		if p.restarts(broken); broken == "who was dropped has a second start" {
			p.m.Unbar()
		}
		before := p.m.Status().Beyond
		p.tell(0, message{op: "c", at: 600, value: p.valueText(p.does(0).second)})
		if p.m.Status().Beyond > before {
			p.reached["beyond"] = true
		}
		p.comes(2, 601)
		p.passes(1000)
		p.releases()
	}}
}

// growths are people who come under several versions of the hierarchy of the value, two under each. ends: under which version the windows
// of those of each version end.
func growths(versions []string, comes, ends []int) situation {
	s := situation{values: 3, versions: versions, reaches: []string{"second release"}}
	for _, v := range comes {
		s.histories = append(s.histories, unwatched(len(versions[v])), unwatched(len(versions[v])))
	}
	s.do = func(p *play, broken string) {
		at := int64(0)
		for v := range versions {
			p.grows(v)
			for i := range comes {
				if comes[i] == v {
					p.comes(2*i, at)
					p.comes(2*i+1, at+1)
				}
			}
			if at += 10; slices.Contains(ends, v) {
				at += 1000
				p.passes(at)
			}
		}
		if broken == "who came under an earlier hierarchy in the pool of others" {
			p.m.Restratify(func(settle.Stratum) settle.Stratum { return settle.Plain })
		}
		p.releases()
	}
	return s
}

// lanes are two logs. The correction of the first record comes in the other one, of which nobody reads for long.
func lanes(x law) situation {
	return situation{values: 2, histories: [][]history{x.perhaps(2, true), x.perhaps(2, true)}, do: func(p *play, broken string) {
		other := state.Partition{Source: source.Source, ID: source.ID + 1}
		correct := func(person int, at int64) {
			if l := p.does(person); l.does {
				p.tell(person, message{op: "u", value: p.valueText(l.second), at: at, from: other, unseen: true})
			}
		}
		p.comes(0, 0)
		p.passes(300)
		correct(0, 50)
		p.comes(1, 400)
		correct(1, 450)
		p.passes(600)
		p.releases()
	}, blindToCounts: true}
}

// twoPools are six people of whom all is known, and six whose records are corrected to what nobody knows.
func twoPools(t testing.TB, key func(merge.Key) merge.Key, known ...int) *course {
	s := situation{values: 3, reaches: []string{"second release"}, do: func(p *play, _ string) {
		for person := range 12 {
			p.comes(person, int64(person))
		}
		for person := 6; person < 12; person++ {
			p.corrects(person, 50)
		}
		p.passes(1000)
		p.releases()
	}}
	for person := range 12 {
		var of []history
		for v := range 3 {
			of = append(of, history{first: v * (1 - person/6), second: v, shown: v, does: person > 5, weight: 1})
		}
		s.histories = append(s.histories, of)
	}
	s.known = known
	c := s.course(t, "")
	policy := c.policy
	c.policy = func(p *state.Policy) { policy(p); p.MaxPool = 6 }
	c.need, c.key = asksFor(6), key
	return c
}

// TestPoolsOfStrataHaveDrawsOfTheirOwn: with a key of their own for each pool posteriors are the shares, and with one key for both
// they are not.
func TestPoolsOfStrataHaveDrawsOfTheirOwn(t *testing.T) {
	tier.Heavy(t, "some 20,000 plays")
	t.Parallel()
	twoPools(t, nil, 0, 0, 1, 2, 1, 2, 0, 0).requireExact(t) // two more are known: fewer worlds
	requireTells(t, twoPools(t, func(k merge.Key) merge.Key {
		if k.Pool == 1 { // the first pool, of four
			return k
		}
		return onePool(k)
	}, 0, 0, 1, 2, 1, 2))
}

// TestSettlingTellsNothing: in every world of each of these streams, with any law of what follows a first value, the posterior of each
// value of each published person is the share in the bucket, exactly.
func TestSettlingTellsNothing(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(law) situation{"corrections": corrections, "outage": outage, "a cut between": between,
		"equal windows": unequal, "corrected while they wait": waitings, "late deletes": lateDeletes, "refused corrections": refused, "judged pools": judged, "faults": faults, "past max": pastMax,
		"dropped":        dropped,
		"several logs":   lanes,
		"growth":         func(law) situation { return growths([]string{"ab", "abc"}, []int{0, 1}, []int{1}) },
		"two growths":    func(law) situation { return growths([]string{"ab", "abc", "abcd"}, []int{0, 1}, []int{2}) },
		"growth by turn": func(law) situation { return growths([]string{"ab", "abc", "abcd"}, []int{0, 1}, []int{1, 2}) }} {
		for _, x := range laws[:tier.Of(t, 1, 2, len(laws))] {
			t.Run(name+", "+x.name, func(t *testing.T) { of(x).course(t, "").requireExact(t) })
		}
	}
}

// TestBrokenSettling: the same enumeration finds people of whom more is known.
func TestBrokenSettling(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]situation{
		"corrected people in the pool of others":                    corrections(drifting),
		"only real changes count":                                   corrections(drifting),
		"a window closes by the value":                              corrections(sticky).closing(0),
		"a window by the time of reading":                           outage(sticky),
		"a window closes by the cut":                                between(sticky),
		"windows are unequal":                                       unequal(sticky),
		"corrections while people wait":                             waitings(drifting),
		"a late delete removes who waits":                           lateDeletes(sticky),
		"who waited counts as stale":                                lateDeletes(sticky),
		"a refused record is visible in a stratum":                  refused(sticky),
		"kinds of messages are mixed":                               faults(drifting),
		"judged pools are judged again":                             judged(drifting),
		"validity past the first record is looked at":               pastMax(sticky),
		"who was dropped has a second start":                        dropped(chronic),
		"who came under an earlier hierarchy in the pool of others": growths([]string{"ab", "abc"}, []int{0, 1}, []int{1}),
	} {
		t.Run(name, func(t *testing.T) { requireTells(t, s.course(t, name)) })
	}
}

func requireTells(t *testing.T, c *course) (v verdict) {
	t.Helper()
	v = c.enumerate(t)
	t.Log(v)
	require.Positive(t, v.published)
	require.Less(t, v.exact[0], v.published)
	require.Positive(t, v.excess.Cmp(big.NewRat(1, 100)), "it tells: %s above the share", v.excess.RatString())
	return v
}
