package incremental_test

import (
	"anond/incremental/state"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/ingest/decode"
)

// course is a stream at level L2 that is small enough for all its worlds to be played. A
// world says which value each record has.
type course struct {
	name   string
	n, d   int   // records, and values
	valid  []int // by record: how many of the values are possible; nil: all
	k, l   int
	policy func(*state.Policy)
	schema *equivclass.Schema // of x0, x1, the value and maybe a person; nil: plane
	// schemas are those before and after the hierarchy of the value has grown.
	schemas [2]*equivclass.Schema
	rows    func(r int) equivclass.Row
	// need is what MinPool is in the place of merge.MinPool, which asks for hundreds.
	need    func(p *play, published merge.Bag) (int, bool)
	subPool int // least classes of a sub-pool; 0: merge.SubPoolClasses
	share   int // pools.Sizes.Newcomers; 0: the usual one
	play    func(p *play)
	reaches []string // what some transcripts must have, see learn
	known   []int    // values that the adversary knows, by record; -1, or none: unknown
	// apart leaves out buckets with people who are known: where sub-pools are joined, Theorem F
	// exchanges whole sub-pools, which it cannot if the values of one are known.
	apart bool
	// what is broken (broken_test.go)
	order      func(merge.Key, int) []int32 // in the place of uniform draws
	key        func(merge.Key) merge.Key    // in the place of the key of a draw
	drawsKnown bool
	byCode     bool // values are named in the order of first appearance
	// fill writes the sensitive attributes of a record, and shows notes what is published of a bucket (tuples_test.go).
	// nil: there is one attribute, and its bag is published.
	fill  func(p *play, v int) equivclass.Row
	shows func(p *play, b share)
	// histories are, by person, what they may send; a world says which of these they do (settle_worlds_test.go). nil: a world says values.
	histories     [][]history
	versions      []*equivclass.Schema   // of the hierarchy of the value
	blindToCounts bool                   // adversaries see releases only
	also          func(value int) string // of a message, as JSON
}

// play is a machine in one world with one outcome of the draws, and what is seen of it.
type play struct {
	*course
	t       testing.TB
	world   []int
	at      int     // next record
	taken   []int32 // records in the order of their numbers: those that were not refused
	m       *incremental.Machine
	store   *memstore.Store
	options incremental.Options
	draws   *script
	names   map[int]byte
	seen    []byte
	reached map[string]bool
	gone    []share // buckets that have left the releases
	weight  uint64  // of what people do by chance, besides the world and the draws; 0: nothing
	decoder decode.Decoder
	persons map[uint64]int32 // by digest
	// corrected are values by person that a broken machine has put into the place of others.
	corrected map[int]int
	// looksAway: what comes is not seen.
	looksAway bool
	// stops asks for a stop as soon as Merge draws; stopping is that it has begun.
	stops, stopping bool
}

// positions are quasi-identifiers by record.
var positions = [][2]int{{1, 7}, {8, 2}, {2, 6}, {7, 1}, {4, 4}, {0, 8}, {5, 3}, {1, 6}, {8, 0}, {6, 6}, {1, 1}, {7, 7}}

// start opens a fresh state.
func (s *course) start(t testing.TB, world []int, draws *script) *play {
	p := policy(s.k, s.l)
	p.Level, p.MaxHold = state.L2, 0
	if s.policy != nil {
		s.policy(&p)
	}
	x := &play{course: s, t: t, world: world, store: memstore.New(), draws: draws, names: map[int]byte{}, reached: map[string]bool{},
		options: incremental.Options{Schema: s.schema, Policy: p, Seeded: true}}
	if s.schemas[0] != nil {
		x.options.Schema, x.options.Settings, x.options.Hierarchies = s.schemas[0], settingsOf(1), map[string]int{illKey: 2}
		x.options.Encoding = encodingKey
	}
	x.options.Interrupted = func() bool { return x.stopping }
	x.open()
	return x
}

// settingsOf are those under a version of the hierarchy of the value.
func settingsOf(version byte) map[string][32]byte {
	return map[string][32]byte{illKey: {version}, encodingKey: {}, "policy.level": {}}
}

// open opens the machine, again after a crash.
func (p *play) open() {
	m, err := incremental.Open(p.store, p.options)
	p.must(err)
	sub := p.subPool
	if sub == 0 {
		sub = merge.SubPoolClasses
	}
	need := func(published merge.Bag, _ int) (int, bool) {
		if p.need == nil {
			return p.k, true
		}
		return p.need(p, published)
	}
	p.m = m
	m.Small(func(k merge.Key) merge.Draws { return merge.AllDraws(k, p.drawn) }, need, sub)
	if p.share > 0 {
		m.NewcomerShare(p.share)
	}
}

func (p *play) must(err error) {
	if err != nil {
		require.NoError(p.t, err)
	}
}

// drawn answers for Merge. Two keys that are equal share a draw.
func (p *play) drawn(k merge.Key, m int) []int32 {
	if p.stops {
		p.stopping = true
		return orders[m][0] // nothing comes of it
	}
	if p.order != nil {
		return p.order(k, m)
	}
	if p.key != nil {
		k = p.key(k)
	}
	o := p.draws.order(k, m)
	if p.drawsKnown {
		p.note("draws", o)
	}
	return o
}

func (p *play) note(what ...any) { p.seen = fmt.Append(p.seen, what...) }

// name is what a value is called in the records.
func (p *play) name(v int) byte {
	if !p.byCode {
		return 'a' + byte(v)
	}
	if _, known := p.names[v]; !known {
		p.names[v] = 'a' + byte(len(p.names))
	}
	return p.names[v]
}

// feed applies the records up to one, and notes after each what the machine asks for.
func (p *play) feed(to int) {
	for ; p.at < to; p.at++ {
		var row equivclass.Row
		if p.rows != nil {
			row = p.rows(p.at)
		} else {
			row = equivclass.Row{[]byte{'0' + byte(positions[p.at][0])}, []byte{'0' + byte(positions[p.at][1])}, nil}
		}
		if p.fill != nil {
			row = append(row[:2:2], p.fill(p, p.world[p.at])...)
		} else {
			row[2] = []byte{p.name(p.world[p.at])}
		}
		out, err := p.m.Apply(source, int64(p.at), row)
		p.must(err)
		if out.Forgotten {
			p.note("blocked", p.at)
			p.reached["blocked"] = true
		} else if out.Reason != equivclass.Accepted {
			p.must(p.m.Refuse(state.DeadLetter{Partition: source, Offset: int64(p.at), Reason: out.Reason, Attribute: out.Attribute}))
			p.note("refused", p.at)
			p.reached["dead letter"] = true
		} else {
			p.taken = append(p.taken, int32(p.at))
		}
		p.note(p.m.Trigger().UpdateDue(), p.m.Trigger().CutDue())
	}
	p.must(p.m.Commit())
}

func (p *play) cut() *state.Intent { return p.saw(p.m.Cut(1, [32]byte{})) }

func (p *play) flush() *state.Intent { return p.saw(p.m.Flush(1, [32]byte{})) }

// saw notes everything that is known after a cut: whether it was refused and why, what the
// status says, who shares a class, which classes share a bucket, and the bags of buckets.
func (p *play) saw(intent *state.Intent, err error) *state.Intent {
	if err != nil {
		require.True(p.t, infeasible(err), "%v", err)
		p.note("|", err)
		p.reached["refused"] = true
	}
	status, err := json.Marshal(p.m.Status())
	p.must(err)
	if p.note("|"); !p.blindToCounts {
		p.note(string(status))
	}
	if p.m.Status().Pending.Quarantined > 0 {
		p.reached["quarantined"] = true
	}
	if intent == nil {
		return nil
	}
	p.must(p.m.Published(intent.Release, [32]byte{1}))
	v, err := p.m.Releases().Change(intent.Release)
	p.must(err)
	for _, b := range p.buckets(v) {
		if p.note(b.id, b.classes); p.shows != nil {
			p.shows(p, b)
		} else {
			p.note(p.bag(b.members))
		}
	}
	p.note(v.References, v.Grown, v.Scale)
	if intent.Release > 1 {
		p.reached["second release"] = true
	}
	return intent
}

// bag counts values.
func (p *play) bag(records []int32) []uint32 {
	out := make([]uint32, p.d)
	for _, r := range records {
		out[p.shown(int(r))]++
	}
	return out
}

// has is the value that is published of a record, or person, if anything is.
func (s *course) has(r, w int) int {
	if s.histories == nil {
		return w
	}
	return s.histories[r][w].shown
}

// shown is what is published of a record, or person, in this play.
func (p *play) shown(r int) int {
	if v, later := p.corrected[r]; later {
		return v
	}
	return p.has(r, p.world[r])
}

// eligible reports what the test of a bag says.
func (p *play) eligible(records []int32) bool {
	for _, n := range p.bag(records) {
		if int(n)*p.l > len(records) {
			return false
		}
	}
	return len(records) > 0
}

type share struct {
	id      state.BucketID
	classes [][]state.RecordID
	members []int32
}

// buckets returns the buckets of a view in order of number.
func (p *play) buckets(v *incremental.View) (out []share) {
	at := map[state.BucketID]int{}
	for _, c := range v.Classes {
		i, known := at[c.Bucket]
		if !known {
			i, at[c.Bucket] = len(out), len(out)
			out = append(out, share{id: c.Bucket})
		}
		out[i].classes = append(out[i].classes, c.Members)
		for _, r := range c.Members {
			out[i].members = append(out[i].members, p.taken[r])
		}
	}
	return out
}
