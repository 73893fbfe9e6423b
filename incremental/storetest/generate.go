package storetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"anond/equivclass"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// A Generator makes a history of deltas as a machine could commit them. The
// same seed gives the same history.
type generator struct {
	random  *rand.Rand
	columns int
	further int // columns that later settings have added
	// partitions of the topic, in some of the histories: they are those of a shard
	partitions int
	guard      state.Guard
	free       []state.RecordID // not in a living class
	members    map[state.ClassID][]state.RecordID
	offset     []int64
	tick       int64
	letter     uint64
	release    uint32
	intent     *state.Intent
	sent       uint64
	settling   []uint64 // histories that are open
	histories  uint64   // that ever were
}

// NewGenerator returns the generator of a history with some quasi-identifiers.
func NewGenerator(seed uint64, columns int) *generator {
	g := &generator{random: rand.New(rand.NewPCG(seed, 2)), columns: columns, members: map[state.ClassID][]state.RecordID{}}
	if seed%10 == 1 {
		g.partitions = 12
	}
	return g
}

func (g *generator) chance(p float64) bool { return g.random.Float64() < p }

// Next returns the next delta. It is never empty.
func (g *generator) Next() *state.Delta {
	d := &state.Delta{}
	if g.chance(0.1) || g.sent == 0 {
		d.Meta = g.meta()
	}
	for range g.random.IntN(3) {
		d.Dictionary = append(d.Dictionary, state.DictionaryEntry{Attribute: g.random.IntN(9),
			Text: fmt.Sprint("value", g.random.Uint32())})
	}
	for range g.random.IntN(3) {
		g.addBlock(d)
	}
	g.addPositions(d)
	g.addHistories(d)
	if g.chance(0.3) {
		g.addLetters(d)
	}
	if g.chance(0.3) {
		d.Delivered = g.random.Uint64N(g.letter + 1)
	}
	if g.intent == nil && g.chance(0.5) {
		g.addRelease(d)
	} else if g.intent != nil && g.chance(0.5) {
		published := *g.intent
		published.Published, published.Manifest = true, g.digest()
		d.Intent, g.intent = &published, nil
	}
	if n := uint32(g.sent); n%3 == 0 {
		d.Attempt = &state.Attempt{Number: g.guard.Attempt + 1, Records: g.guard.Records, First: g.tick, Last: g.tick + 5,
			Cuts: 1 + n<<8, Occasion: state.Occasion(n % 3), Outcome: state.CutOutcome(n / 3 % 5), Algorithm: n % 3,
			Need: int(n)}
		if d.Attempt.Number > 1 && n%4 == 1 {
			d.Attempt.Number--
		}
	}
	g.sent++
	d.Counters = &state.Counters{Sent: g.sent, Read: 2 * g.sent, Refused: map[equivclass.Reason]uint64{equivclass.ReasonDate: g.sent}}
	if g.sent%2 == 0 {
		d.Counters.Replayed = map[equivclass.Reason]uint64{equivclass.ReasonHierarchy: g.sent}
	}
	g.guard.Apply(d)
	return d
}

func (g *generator) digest() (out [32]byte) {
	for i := range out {
		out[i] = byte(g.random.Uint32())
	}
	return out
}

func (g *generator) meta() *state.Meta {
	m := &state.Meta{Settings: map[string][32]byte{"policy": g.digest(), "schema": g.digest()}, Seed: g.digest(),
		Seeded: g.chance(0.5), InitialDone: g.chance(0.5), Tick: g.tick, Partitions: g.partitions, Removed: g.release, Epoch: g.release % 5,
		Scale: []equivclass.Range{{Lo: -g.tick, Hi: 1}, {}}}
	for range g.random.IntN(3) {
		m.Eras = append(m.Eras, state.Era{Release: g.release + 1, Attempt: g.guard.Attempt, Records: g.guard.Records,
			Grown: g.chance(0.5), Arrival: g.chance(0.5),
			Ends: map[state.Partition]int64{g.partition(1): g.tick}, Scale: []equivclass.Range{{Lo: 1, Hi: g.tick}},
			Config: []byte(fmt.Sprint(`{"policy":`, g.tick, `}`))})
	}
	if g.chance(0.5) {
		m.InitialEnds = map[state.Partition]int64{g.partition(0): 4, g.partition(1): -1}
		m.Ends, m.CutRead = map[state.Partition]int64{g.partition(0): g.tick}, g.sent
	}
	if g.chance(0.5) {
		m.References = map[int][]equivclass.Count{g.random.IntN(9): {{Code: 0, N: 1 + g.random.IntN(1000)},
			{Code: equivclass.Code(g.random.Uint32()), N: 1}}}
	}
	if g.chance(0.5) {
		m.Read = map[state.Partition]int64{g.partition(2): g.tick, g.partition(4): 0}
	}
	if g.chance(0.5) {
		m.Hierarchies = map[int][]state.HierarchyVersion{g.random.IntN(9): {{SHA256: g.digest(), Leaves: 7},
			{SHA256: g.digest(), Leaves: g.random.Uint32(), Records: 5, Release: 2}}}
	}
	if g.chance(0.5) {
		m.Pools = state.Pools{Fixed: g.sent, First: int(g.guard.Records), Turn: settle.Stratum(g.random.IntN(256)),
			Refused: g.chance(0.5), Grown: g.chance(0.5)}
		if g.chance(0.5) {
			m.Pools.Open = &state.Pool{SubPools: g.random.IntN(40),
				Members: []state.RecordID{7, 3, state.RecordID(g.random.IntN(1000))}}
		}
	}
	return m
}

func (g *generator) partition(n int) state.Partition {
	return state.Partition{Source: fmt.Sprint("kafka:topic", n/3), ID: int32(n%3) - 1}
}

// addBlock adds a block whose size and spread vary from small to large.
func (g *generator) addBlock(d *state.Delta) {
	n := 1 + g.random.IntN([]int{2, 50, 300, 3000}[g.random.IntN(4)])
	g.tick += int64(g.random.IntN(2))
	if g.chance(0.05) {
		g.further++
	}
	b := &state.RecordBlock{First: g.guard.Records, Tick: g.tick, Columns: make([][]equivclass.Code, g.columns+1+g.further)}
	for _, prior := range d.Records {
		b.First += state.RecordID(prior.Len())
	}
	spread := func() uint32 { return []uint32{1, 2, 100, 70_000, math.MaxUint32}[g.random.IntN(5)] }
	for i := range b.Columns {
		b.Columns[i] = g.codes(n, spread())
	}
	if g.columns%2 == 0 {
		b.Stratum = make([]settle.Stratum, n)
		for i := range b.Stratum {
			b.Stratum[i] = settle.Stratum(1+g.random.IntN(3)) | settle.Stratum(g.random.IntN(8))<<4
			w := settle.Unknown(b.Stratum[i])
			w.Until = g.random.Int64() - 1<<62
			for k := range w.At {
				w.At[k] = w.Until - int64(g.random.Uint32())
			}
			b.Window = append(b.Window, w)
		}
	}
	b.Subject, b.Origin, b.Offset = make([]uint64, n), make([]uint16, n), make([]int64, n)
	for i := range n {
		o := g.random.IntN(1 + min(4, len(g.offset)))
		if o == len(g.offset) {
			g.offset = append(g.offset, g.random.Int64()>>2)
		}
		if g.offset[o]++; g.chance(0.01) {
			g.offset[o] += int64(g.random.Uint32())
		}
		b.Subject[i], b.Origin[i], b.Offset[i] = g.random.Uint64(), uint16(o), g.offset[o]
		g.free = append(g.free, b.First+state.RecordID(i))
	}
	d.Records = append(d.Records, b)
}

func (g *generator) codes(n int, spread uint32) []equivclass.Code {
	out := make([]equivclass.Code, n)
	for i := range out {
		out[i] = equivclass.Code(g.random.Uint32N(spread))
	}
	return out
}

// addHistories opens histories, changes one and ends one.
func (g *generator) addHistories(d *state.Delta) {
	if n := len(g.settling); n > 2 {
		d.Settling = append(d.Settling, settle.Change{Number: g.settling[0]}, settle.Change{Number: g.settling[1], Bytes: g.history()})
		g.settling = g.settling[1:]
	}
	for range g.random.IntN(4) {
		d.Settling = append(d.Settling, settle.Change{Number: g.histories, Bytes: g.history()})
		g.settling = append(g.settling, g.histories)
		g.histories += 1 + g.random.Uint64N(2)
	}
}

func (g *generator) history() []byte {
	h := settle.History{Person: 1 + g.random.Uint64N(1<<60), Lane: uint16(g.random.IntN(3)), End: g.tick, Updated: g.chance(0.3),
		Faulty: g.chance(0.1)}
	if g.chance(0.8) {
		h.Records = []settle.Record{{Key: g.random.Uint64N(2), Offset: g.random.Int64N(1 << 40), Row: fmt.Append(nil, "row", g.random.Uint32())}}
	}
	return h.Encode()
}

func (g *generator) addPositions(d *state.Delta) {
	for o, offset := range g.offset {
		if _, known := g.guard.Partitions[uint16(o)]; known && g.chance(0.5) {
			continue
		}
		p := state.Position{Number: uint16(o), Next: offset + 1, Last: offset, Time: 3 * offset}
		copy(p.Digest[:], fmt.Sprint(offset))
		d.Positions = append(d.Positions, state.PartitionPosition{Partition: g.partition(o), Position: p})
	}
	g.random.Shuffle(len(d.Positions), func(i, j int) { d.Positions[i], d.Positions[j] = d.Positions[j], d.Positions[i] })
}

func (g *generator) addLetters(d *state.Delta) {
	for range 1 + g.random.IntN(5) {
		g.letter++
		l := state.DeadLetter{Seq: g.letter, Partition: g.partition(1), Offset: g.random.Int64(), Reason: equivclass.ReasonNumber,
			Attribute: "age"}
		if g.chance(0.5) {
			l.Payload = []byte(fmt.Sprint(g.random.Uint32()))
		}
		d.DeadLetters = append(d.DeadLetters, l)
	}
}

// addRelease publishes classes of free records, regroups pure ones and declares
// frozen ones pure.
func (g *generator) addRelease(d *state.Delta) {
	g.release++
	for id, kind := range g.guard.Kinds {
		id := state.ClassID(id)
		switch {
		case kind == state.KindShared && g.chance(0.02): // its people come back in no other
			d.Deaths = append(d.Deaths, state.Death{ID: id, Release: g.release})
			delete(g.members, id)
		case kind == state.KindFrozen && g.chance(0.05):
			d.DeclaredPure = append(d.DeclaredPure, id)
			if g.chance(0.5) {
				continue
			}
			fallthrough
		case kind == state.KindPure && g.chance(0.2):
			d.Deaths = append(d.Deaths, state.Death{ID: id, Release: g.release})
			g.free = append(g.free, g.members[id]...)
			delete(g.members, id)
		}
	}
	g.random.Shuffle(len(g.free), func(i, j int) { g.free[i], g.free[j] = g.free[j], g.free[i] })
	for len(g.free) > 20 && g.chance(0.99) {
		k := 2 + g.random.IntN(8)
		c := &state.Class{ID: state.ClassID(len(g.guard.Kinds) + len(d.Births)), Regime: state.Regime(g.random.IntN(2)),
			Born:     g.release,
			Regroups: uint16(g.random.IntN(3)), Members: slices.Sorted(slices.Values(g.free[:k]))}
		if g.release%3 == 0 { // a release of level L2
			c.Regime, c.Bucket = state.Frozen, g.guard.Bucket+state.BucketID(1+len(d.Births)/3)
		}
		g.free, g.members[c.ID] = g.free[k:], c.Members
		d.Births = append(d.Births, c)
	}
	if len(g.free) > 3 && g.chance(0.3) {
		d.Quarantined = slices.Sorted(slices.Values(g.free[:3]))
		d.Known = []state.Known{state.Know(state.Person{byte(g.random.Uint64()), 3: byte(g.random.Uint64())}, state.Barred),
			state.Know(state.Person{7}, state.Forgotten)}
		d.Stale = []state.RecordID{g.free[1], g.free[0]}
		g.free = g.free[3:]
	}
	g.intent = &state.Intent{Release: g.release, Cut: g.guard.Records, CreatedAt: int64(g.release) * 60, Policy: g.digest(),
		Records: int(g.guard.Records), Algorithm: g.release % 3, Digests: int(g.guard.Records) + int(g.release), Stale: int(g.release) % 4,
		Expired: g.release / 2, Pending: state.Pending{Waiting: len(g.free)}}
	intent := *g.intent
	d.Intent = &intent
	if n := len(d.Births); g.release%3 == 0 && n > 0 {
		d.Born = &state.Born{Release: g.release, Stratum: settle.Stratum(g.release % 3), People: n,
			Counts: [][]equivclass.Count{{{Code: 3, N: n}, {Code: 70_000, N: 1}}, {{Code: 0, N: n}}}}
	}
}
