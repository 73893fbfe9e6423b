package chaos

import (
	"fmt"
	"math/rand/v2"
)

// sourceName is the name of the source in state, exports and dead letters.
const sourceName = "chaos"

// canary is part of every value of a person, and so of nothing that is logged.
const canary = "qanary"

// message is a record as it was sent. The harness knows what it is, and asks nobody.
type message struct {
	value   []byte
	refused bool // no schema accepts it
	person  int
	ill     string
}

// feed is all that was sent, by partition and offset.
type feed struct {
	random  *rand.Rand
	parts   [][]message
	persons int
}

func newFeed(random *rand.Rand, partitions int) *feed {
	return &feed{random: random, parts: make([][]message, partitions)}
}

// more sends n records: mostly of new people, some of people who were sent before,
// some that are refused.
func (f *feed) more(n int) (added map[int][]message) {
	added = map[int][]message{}
	for range n {
		p := f.random.IntN(len(f.parts))
		m := f.next()
		f.parts[p] = append(f.parts[p], m)
		added[p] = append(added[p], m)
	}
	return added
}

func (f *feed) next() message {
	m := message{person: f.persons, ill: fmt.Sprintf("%s-ill-%d", canary, f.random.IntN(7))}
	switch kind := f.random.IntN(20); {
	case kind == 0:
		m.refused = true
	case kind == 1 && f.persons > 0:
		m.person = f.random.IntN(f.persons)
	default:
		f.persons++
	}
	age := fmt.Sprint(20 + f.random.IntN(60))
	if m.refused {
		age = `"` + canary + `"`
	}
	m.value = fmt.Appendf(nil, `{"id":"%s-%d","age":%s,"city":"%s-city-%d","ill":%q}`, canary, m.person, age, canary,
		f.random.IntN(5), m.ill)
	return m
}

// sent is how many records there are.
func (f *feed) sent() (n int) {
	for _, p := range f.parts {
		n += len(p)
	}
	return n
}
