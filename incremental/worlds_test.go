package incremental_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/merge"
	"anond/incremental"
	"anond/incremental/memstore"
)

// stream is a stream at level L2 that is small enough for all its worlds to be played. A
// world says which value each record has.
type course struct {
	name   string
	n, d   int   // records, and values
	valid  []int // by record: how many of the values are possible; nil: all
	k, l   int
	policy func(*incremental.Policy)
	schema *equivclass.Schema // of x0, x1, the value and maybe a person; nil: plane
	// schemas are those before and after the hierarchy of the value has grown.
	schemas [2]*equivclass.Schema
	rows    func(r int) equivclass.Row
	// need is what MinPool is in the place of merge.MinPool, which asks for hundreds.
	need    func(p *play, published merge.Bag) (int, bool)
	subPool int // least classes of a sub-pool; 0: merge.SubPoolClasses
	play    func(p *play)
	reaches []string // what some transcripts must have, see learn
	known   []int    // values that the adversary knows, by record; -1, or none: unknown
	// what is broken (broken_test.go)
	order      func(merge.Key, int) []int32 // in the place of uniform draws
	key        func(merge.Key) merge.Key    // in the place of the key of a draw
	drawsKnown bool
	byCode     bool // values are named in the order of first appearance
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
}

var positions = [][2]int{{1, 7}, {8, 2}, {2, 6}, {7, 1}, {4, 4}, {0, 8}, {5, 3}, {1, 6}, {8, 0}, {6, 6}, {1, 1}, {7, 7}}

func (s *course) start(t testing.TB, world []int, draws *script) *play {
	p := policy(s.k, s.l)
	p.Level, p.MaxHold = incremental.L2, 0
	if s.policy != nil {
		s.policy(&p)
	}
	x := &play{course: s, t: t, world: world, store: memstore.New(), draws: draws, names: map[int]byte{}, reached: map[string]bool{},
		options: incremental.Options{Schema: s.schema, Policy: p, Seeded: true}}
	if s.schemas[0] != nil {
		x.options.Schema, x.options.Settings, x.options.Hierarchies = s.schemas[0], settingsOf(1), map[string]int{illKey: 2}
		x.options.Encoding = encodingKey
	}
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
}

func (p *play) must(err error) {
	if err != nil {
		require.NoError(p.t, err)
	}
}

// drawn answers for Merge. Two keys that are equal share a draw.
func (p *play) drawn(k merge.Key, m int) []int32 {
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
		row[2] = []byte{p.name(p.world[p.at])}
		out, err := p.m.Apply(source, int64(p.at), row)
		p.must(err)
		if out.Reason != equivclass.Accepted {
			p.must(p.m.Refuse(incremental.DeadLetter{Partition: source, Offset: int64(p.at), Reason: out.Reason, Attribute: out.Attribute}))
			p.note("refused", p.at)
			p.reached["dead letter"] = true
		} else {
			p.taken = append(p.taken, int32(p.at))
		}
		p.note(p.m.UpdateDue(), p.m.CutDue())
	}
	p.must(p.m.Commit())
}

func (p *play) cut() *incremental.Intent { return p.saw(p.m.Cut(1, [32]byte{})) }

func (p *play) flush() *incremental.Intent { return p.saw(p.m.Flush(1, [32]byte{})) }

// saw notes everything that is known after a cut: whether it was refused and why, what the
// status says, who shares a class, which classes share a bucket, and the bags of buckets.
func (p *play) saw(intent *incremental.Intent, err error) *incremental.Intent {
	if err != nil {
		require.True(p.t, infeasible(err), "%v", err)
		p.note("|", err)
		p.reached["refused"] = true
	}
	status, err := json.Marshal(p.m.Status())
	p.must(err)
	p.note("|", string(status))
	if p.m.Status().Pending.Quarantined > 0 {
		p.reached["quarantined"] = true
	}
	if intent == nil {
		return nil
	}
	p.must(p.m.Published(intent.Release, [32]byte{1}))
	v, err := p.m.Change(intent.Release)
	p.must(err)
	for _, b := range p.buckets(v) {
		p.note(b.id, b.classes, p.bag(b.members))
	}
	p.note(v.References, v.Grown)
	if intent.Release > 1 {
		p.reached["second release"] = true
	}
	return intent
}

// bag counts values.
func (p *play) bag(records []int32) []uint32 {
	out := make([]uint32, p.d)
	for _, r := range records {
		out[p.world[r]]++
	}
	return out
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
	id      incremental.BucketID
	classes [][]incremental.RecordID
	members []int32
}

// buckets returns the buckets of a view in order of number.
func (p *play) buckets(v *incremental.View) (out []share) {
	at := map[incremental.BucketID]int{}
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

// belief is what is known after one transcript: for each prior the weight of all worlds
// that give it, and for each record and value the weight of those where the record has it.
type belief struct {
	all     [3]uint64
	record  [3][]uint64 // by record and value
	buckets []share
	counts  [][]uint32 // by bucket and value
}

// verdict compares the posteriors of all transcripts with the shares of the buckets.
type verdict struct {
	published int      // records in a bucket, summed over transcripts
	exact     [3]int   // those whose posteriors are their bucket's shares, by prior
	worst     *big.Rat // the highest posterior, in buckets where nobody is known
	excess    *big.Rat // by how much a posterior exceeds the share at most
	reached   map[string]int
	runs      int
}

func (v verdict) String() string {
	return fmt.Sprintf("%d runs, %v of %d exact (uniform, skewed, polya), highest posterior %s, above the share by %s, transcripts %v",
		v.runs, v.exact, v.published, v.worst.RatString(), v.excess.RatString(), v.reached)
}

// enumerate plays all worlds of a stream with all outcomes of its draws.
func (s *course) enumerate(t testing.TB) verdict {
	if s.schema == nil {
		s.schema = plane(t, 2)
	}
	beliefs, out := map[string]*belief{}, verdict{worst: new(big.Rat), excess: new(big.Rat), reached: map[string]int{}}
	s.eachWorld(func(world []int) {
		eachDraw(func(draws *script) {
			p := s.start(t, world, draws)
			s.play(p)
			out.runs++
			p.learn(beliefs, &out)
		})
	})
	for _, b := range beliefs {
		b.judge(s, &out)
	}
	return out
}

func (s *course) eachWorld(do func([]int)) {
	world := make([]int, s.n)
	for r := range world {
		world[r] = max(0, s.knows(r))
	}
	for {
		do(world)
		i := 0
		for ; i < s.n; i++ {
			values := s.d
			if s.knows(i) >= 0 {
				continue
			}
			if s.valid != nil {
				values = s.valid[i]
			}
			if world[i]++; world[i] < values {
				break
			}
			world[i] = 0
		}
		if i == s.n {
			return
		}
	}
}

// knows returns the value of a record that the adversary knows, or -1.
func (s *course) knows(r int) int {
	if r >= len(s.known) {
		return -1
	}
	return s.known[r]
}

// learn adds what a play shows to what is known after its transcript.
func (p *play) learn(beliefs map[string]*belief, out *verdict) {
	b := beliefs[string(p.seen)]
	if b == nil {
		b = &belief{}
		for i := range b.record {
			b.record[i] = make([]uint64, p.n*p.d)
		}
		if i := p.m.Latest(); i != nil {
			v, err := p.m.View(i.Release)
			p.must(err)
			b.buckets = p.buckets(v)
		}
		for _, x := range b.buckets {
			b.counts = append(b.counts, p.bag(x.members))
			if len(x.classes) > 1 && len(b.buckets) > 1 {
				p.reached["choice"] = true // classes share a bucket, and not all
			}
		}
		for what := range p.reached {
			out.reached[what]++
		}
		beliefs[string(p.seen)] = b
	}
	for i, weight := range priors {
		w := weight(p.world) * p.draws.probability()
		b.all[i] += w
		for r, v := range p.world {
			b.record[i][r*p.d+v] += w
		}
	}
}

// judge compares in rationals, but for the records whose values are known. What these have
// is taken out of their buckets.
func (b *belief) judge(s *course, out *verdict) {
	for i, bucket := range b.buckets {
		left, size := slices.Clone(b.counts[i]), len(bucket.members)
		for _, r := range bucket.members {
			if v := s.knows(int(r)); v >= 0 {
				left[v]--
				size--
			}
		}
		for _, r := range bucket.members {
			if s.knows(int(r)) >= 0 {
				continue
			}
			out.published++
			for p := range priors {
				exact := true
				for v, n := range left {
					share := big.NewRat(int64(n), int64(size))
					posterior := rational(b.record[p][int(r)*s.d+v], b.all[p])
					exact = exact && posterior.Cmp(share) == 0
					if over := new(big.Rat).Sub(posterior, share); over.Cmp(out.excess) > 0 {
						out.excess = over
					}
					if size == len(bucket.members) && posterior.Cmp(out.worst) > 0 {
						out.worst = posterior
					}
				}
				if exact {
					out.exact[p]++
				}
			}
		}
	}
}

func rational(a, b uint64) *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
}

// priors are weights of worlds that are the same for all orders of the values: uniform;
// each value drawn alone, some more often; Polya's urn, where a value that was drawn
// becomes more likely, so that what one pool shows changes what is believed of another.
var priors = []func(world []int) uint64{
	func([]int) uint64 { return 1 },
	func(world []int) uint64 {
		w := uint64(1)
		for _, v := range world {
			w *= []uint64{5, 2, 1, 1}[v]
		}
		return w
	},
	func(world []int) uint64 {
		w, seen := uint64(1), [4]uint64{2, 1, 1, 1}
		for _, v := range world {
			w *= seen[v]
			seen[v]++
		}
		return w
	},
}

// script answers each key with one of its orders, and the same key with the same one.
type script struct {
	choices, outcomes []int
	used              int
	known             map[merge.Key][]int32
}

// scale is a multiple of the number of outcomes that a run's draws have.
const scale = 1 << 10 * 81

// eachDraw calls do with every outcome of the draws that it makes.
func eachDraw(do func(s *script)) {
	s := &script{}
	for more := true; more; more = s.next() {
		s.used, s.known = 0, map[merge.Key][]int32{}
		do(s)
	}
}

// next goes on to the next outcome of the last draw that has one left.
func (s *script) next() bool {
	for i := s.used - 1; i >= 0; i-- {
		if s.choices[i]++; s.choices[i] < s.outcomes[i] {
			s.choices, s.outcomes = s.choices[:i+1], s.outcomes[:i+1]
			return true
		}
	}
	return false
}

func (s *script) order(k merge.Key, m int) []int32 {
	o, known := s.known[k]
	switch {
	case known && len(o) != m:
		panic("one key for lists of different length")
	case known:
		return o
	}
	if s.used == len(s.choices) {
		s.choices, s.outcomes = append(s.choices, 0), append(s.outcomes, len(orders[m]))
	}
	o = orders[m][s.choices[s.used]]
	s.used++
	s.known[k] = o
	return o
}

// probability is that of the outcomes of a run, times scale.
func (s *script) probability() uint64 {
	all := 1
	for _, n := range s.outcomes[:s.used] {
		all *= n
	}
	if scale%all != 0 {
		panic("scale is too course for these draws")
	}
	return uint64(scale / all)
}

// orders of 0..m-1, by m.
var orders = func() (out [6][][]int32) {
	for m := range out {
		equivtest.EachPermutation(m, func(p []int) {
			order := make([]int32, m)
			for i, x := range p {
				order[i] = int32(x)
			}
			out[m] = append(out[m], order)
		})
	}
	return out
}()
