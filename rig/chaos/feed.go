package chaos

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// sourceName is the name of the source in state, exports and dead letters.
const sourceName = "chaos"

// canary is part of every value of a person, and so of nothing that is logged.
const canary = "qanary"

// message is a record as it was sent. The harness knows what it is, and asks nobody.
type message struct {
	value   []byte
	key     []byte
	refused bool // no schema accepts it, for a value that is no sensitive one
	nothing bool // it has no sensitive value
	deletes bool // it says that the person is to be forgotten
	person  int
	ill     string
	more    []string // values of the other sensitive attributes
	visit   int      // where updates are applied: which record it is; one that has come before is an update
	at      int64    // its time stamp, in milliseconds
}

// otherAttributes are those that a setting may have besides ill.
var otherAttributes = []string{"job", "pay"}

// values are the sensitive ones, as releases show them.
func (m *message) values() []string {
	out := []string{"ill=" + m.ill}
	for i, v := range m.more {
		out = append(out, otherAttributes[i]+"="+v)
	}
	return out
}

// feed is all that was sent, by partition and offset.
type feed struct {
	random  *rand.Rand
	parts   [][]message
	persons int
	spells  int
	others  int          // sensitive attributes besides the first
	deletes bool         // some of it are deletes
	gone    map[int]bool // people who are to be forgotten
	keyed   bool         // each message has its person's subject as its key, which leads to its partition

	settle  int64        // people are observed for so many records, or milliseconds; 0: they are not
	timed   bool         // milliseconds
	updates bool         // in a message whose record was there before
	history int          // so many records of a person are published
	visits  map[int]int  // the newest record of each person
	records int          // of all
	now     int64        // time stamp of the newest message
	claims  bool         // some people belong to another dataset
	foreign map[int]bool // who
	claimed int          // of so many people that dataset has claimed its own
	named   int          // so many people were ever named

	whole     *feed // of a shard: that of all shards
	index, of int   // of a shard
	strays    bool  // a planted bug: it reads a partition of another shard, too
}

func newFeed(random *rand.Rand, partitions int) *feed {
	return &feed{random: random, parts: make([][]message, partitions), gone: map[int]bool{}, foreign: map[int]bool{}, visits: map[int]int{},
		now: epoch.Add(-365 * 24 * time.Hour).UnixMilli()}
}

// more sends n records: mostly of new people, some of people who were sent before,
// some that are refused.
func (f *feed) more(n int) (added map[int][]message) { return f.add(n, f.next) }

// flood sends n records of a producer that has changed its format: all are refused.
func (f *feed) flood(n int) (added map[int][]message) {
	if f.whole != nil {
		defer f.refresh()
		return f.whole.floodOf(n, f.mine(f.whole.persons))
	}
	return f.floodOf(n, f.persons)
}

func (f *feed) floodOf(n, person int) map[int][]message {
	return f.add(n, func() message { return f.record(message{person: person, refused: true}) })
}

// spell sends n records of new people who all have a value that nobody else has: at level L2 a pool of them is
// ineligible.
func (f *feed) spell(n int) {
	f.spells++
	f.add(n, func() message {
		f.persons++
		return f.record(message{person: f.persons - 1, ill: canary + "-ill-spell"})
	})
}

// spelled says that there was such a spell.
func (f *feed) spelled() bool { return f.spells > 0 || f.whole != nil && f.whole.spells > 0 }

func (f *feed) add(n int, next func() message) (added map[int][]message) {
	added = map[int][]message{}
	for range n {
		p := f.random.IntN(len(f.parts))
		m := next()
		if f.keyed {
			p = f.place(m.person)
		}
		f.parts[p] = append(f.parts[p], m)
		added[p] = append(added[p], m)
	}
	return added
}

func (f *feed) next() message {
	if f.settle > 0 && f.persons > 0 && f.random.IntN(3) == 0 {
		return f.again()
	}
	m := message{person: f.persons, ill: f.illness()}
	if f.claims && m.person >= f.named && f.random.IntN(8) == 0 {
		f.foreign[m.person] = true
	}
	switch kind := f.random.IntN(20); {
	case kind == 0:
		m.refused = true
	case kind == 1 && f.persons > 0:
		m.person = f.random.IntN(f.persons)
	case kind == 2 && f.persons > 0 && f.deletes:
		m.person = f.random.IntN(f.persons)
		f.gone[m.person] = true
		return message{person: m.person, deletes: true, key: []byte(subjectOf(m.person))}
	default:
		f.persons++
	}
	return f.record(m)
}

func (f *feed) illness() string { return fmt.Sprintf("%s-ill-%d", canary, f.random.IntN(7)) }

// subjectOf is how records name a person.
func subjectOf(person int) string { return fmt.Sprintf("%s-%d", canary, person) }

// forgotten reports whether a message is, or was, of somebody who is to be forgotten.
func (f *feed) forgotten(m message) bool { return m.deletes || f.gone[m.person] && !m.refused }

// forgottenValues counts the values of people who are to be forgotten. published are those who settle.
func (f *feed) forgottenValues(published map[int][]message) map[string]int {
	out := map[string]int{}
	if f.settle > 0 {
		for person, records := range published {
			for _, v := range sequences(records) {
				if f.gone[person] {
					out[v]++
				}
			}
		}
		return out
	}
	for _, part := range f.parts {
		for _, m := range part {
			if f.forgotten(m) && !m.deletes {
				for _, v := range m.values() {
					out[v]++
				}
			}
		}
	}
	return out
}

// record writes the text of a message.
func (f *feed) record(m message) message {
	f.named = max(f.named, m.person+1)
	age := fmt.Sprint(20 + f.random.IntN(60))
	if m.refused {
		age = `"` + canary + `"`
	}
	if f.keyed {
		m.key = []byte(subjectOf(m.person))
	}
	m.value = fmt.Appendf(nil, `{"id":%q,"age":%s,"city":"%s-city-%d"`, subjectOf(m.person), age, canary, f.random.IntN(5))
	if !m.nothing {
		m.value = fmt.Appendf(m.value, `,"ill":%q`, m.ill)
	}
	if f.settle > 0 {
		f.now += f.random.Int64N(time.Hour.Milliseconds())
		m.at = f.now
	}
	if f.updates {
		if m.visit == 0 {
			f.records++
			m.visit, f.visits[m.person] = f.records, f.records
		}
		m.value = fmt.Appendf(m.value, `,"visit":"%s-visit-%d"`, canary, m.visit)
	}
	for _, name := range otherAttributes[:f.others] {
		m.more = append(m.more, fmt.Sprintf("%s-%s-%d", canary, name, f.random.IntN(7)))
		m.value = fmt.Appendf(m.value, `,%q:%q`, name, m.more[len(m.more)-1])
	}
	m.value = append(m.value, '}')
	return m
}

// sent is how many records there are.
func (f *feed) sent() (n int) {
	for _, p := range f.parts {
		n += len(p)
	}
	return n
}

// errSource is how an injected source fails.
var errSource = errors.New("the injected source has failed")
