package incremental_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// observedPerson is what a stream says of somebody so far, as the definition has it.
type observedPerson struct {
	from state.Partition
	ends int64
	held bool // a record that is shown
	out  bool // of whom nothing is shown
}

// twoFeeds are two machines whose feeds differ in sensitive values alone, and in whether what is not looked at is valid.
type twoFeeds struct {
	plays  [2]*play
	rng    *rand.Rand
	people map[int]*observedPerson
	times  map[state.Partition]int64
	next   int  // who has not come
	looked bool // what is not looked at counts if it is invalid
}

func newTwoFeeds(t *testing.T, seed uint64) *twoFeeds {
	f := &twoFeeds{rng: rand.New(rand.NewPCG(seed, 33)), people: map[int]*observedPerson{}, times: map[state.Partition]int64{}}
	c := &course{d: 8, k: 2, l: 2, schema: withPeople(t), need: asksFor(16), policy: func(p *state.Policy) {
		quarantines(p)
		p.Settle = settle.Rule{For: span, Updates: seed%3 > 0}
		p.MinPool, p.MaxWait = 16, 40
	}}
	c.order = func(_ merge.Key, m int) (in []int32) {
		for i := range m {
			in = append(in, int32(i))
		}
		return in
	}
	for i := range f.plays {
		f.plays[i] = c.start(t, nil, &script{known: map[merge.Key][]int32{}})
	}
	return f
}

// in carries out something in both.
func (f *twoFeeds) in(do func(p *play)) {
	for _, p := range f.plays {
		do(p)
	}
}

func (f *twoFeeds) message() {
	logs := []state.Partition{source, {Source: source.Source, ID: source.ID + 1}}
	person, from := f.next, logs[0]
	switch f.rng.IntN(3) {
	case 0:
		f.next++
	case 1:
		person -= f.rng.IntN(min(f.next+1, 9))
	default:
		person -= f.rng.IntN(f.next + 1)
	}
	if f.rng.IntN(4) == 0 {
		from = logs[1]
	}
	at := f.times[from] + f.rng.Int64N(12) - 3
	f.times[from] = max(f.times[from], at)
	x := message{op: []string{"c", "c", "u", "d"}[f.rng.IntN(4)], at: at, from: from}
	if x.op == "d" && f.rng.IntN(4) > 0 {
		x.op = "c"
	}
	fault := f.rng.IntN(12)
	if fault == 0 {
		x.quasi = `"x"`
	}
	w := f.people[person]
	if w == nil {
		w = &observedPerson{from: from, ends: f.times[from] + span}
		f.people[person] = w
	}
	inside := from == w.from && f.times[from] < w.ends && !w.out
	updates := f.plays[0].options.Policy.Settle.Updates
	looks := inside && (x.op == "c" && !w.held || x.op == "u" && w.held && updates)
	invalid := fault == 1
	switch {
	case inside && x.op == "d", looks && invalid && fault != 0:
		w.out = true
	case looks && x.op == "c" && fault != 0:
		w.held = true
	}
	for i, p := range f.plays {
		y := x
		if y.value = p.valueText(f.rng.IntN(8)); looks && invalid || !looks && i == 1 && f.rng.IntN(2) == 0 {
			y.value = `{"code":"c"}`
		}
		p.tell(person, y)
		if f.looked && !looks && y.value[0] == '{' {
			p.must(p.m.Bar(fmt.Append(nil, person)))
		}
	}
}

// step is something that happens in both.
func (f *twoFeeds) step() {
	switch n := f.rng.IntN(60); {
	case n == 0: // of which the other knows nothing
		f.in(func(p *play) { p.must(p.m.Commit()) })
		f.plays[0].open()
	case n == 8:
		for from := range f.times {
			f.times[from] += f.rng.Int64N(2 * span)
			f.in(func(p *play) { p.must(p.m.Idle(from, begins+f.times[from])) })
		}
	case n == 1:
		person := f.rng.IntN(f.next + 1)
		f.in(func(p *play) {
			p.must(p.m.Commit())
			d, _ := p.m.Forgetting().DigestOf(fmt.Append(nil, person))
			e, err := p.m.Forget([]state.Digest{d})
			if p.note(err); err != nil {
				return
			}
			if p.note(e.Published, e.Unpublished); e.Empty() {
				p.must(p.m.Forgot(e))
				return
			}
			p.store = p.store.Forget(e)
			p.open()
		})
	case n < 8:
		f.in(func(p *play) {
			p.must(p.m.Fix(state.Triggered))
			for _, r := range p.m.FixedPool() {
				p.note("fixed", p.m.Releases().All().Subject[r])
			}
			p.knowsWho()
			i, err := p.m.Cut(1, [32]byte{})
			p.must(err)
			if i == nil {
				return
			}
			p.must(p.m.Published(i.Release, [32]byte{1}))
			v, err := p.m.Releases().Change(i.Release)
			p.must(err)
			var classes []string
			for _, c := range v.Classes {
				var who []int
				for _, r := range c.Members {
					who = append(who, int(p.taken[r]))
				}
				slices.Sort(who)
				classes = append(classes, fmt.Sprint(who))
			}
			slices.Sort(classes)
			p.note(classes)
			p.reached[fmt.Sprint("a release of ", p.m.StratumOf(v.Classes[0].Members[0]))] = true
		})
	default:
		f.message()
	}
}

// differ plays a stream, and reports whether more than values differs.
func (f *twoFeeds) differ(steps int) bool {
	for range steps {
		f.step()
		for _, p := range f.plays {
			s := p.m.Status()
			require.Equal(p.t, s.Sent, s.Accounted())
			counts, err := json.Marshal(s)
			p.must(err)
			p.note(string(counts))
		}
		a, b := f.plays[0], f.plays[1]
		if string(a.seen) != string(b.seen) {
			a.t.Logf("%.300s\n%.300s", a.seen, b.seen)
			return true
		}
		a.seen, b.seen = nil, nil
	}
	return false
}

// TestSettlingIsBlind: of two feeds that differ in sensitive values, and in the validity of what is not looked at, everything but
// values stays the same: what becomes of each message, all counts, who is in which pool and class, and when; with restarts, people who
// are forgotten, several logs and stamps that fall.
func TestSettlingIsBlind(t *testing.T) {
	t.Parallel()
	reached := map[string]bool{}
	for seed := range uint64(tier.Of(t, 2, 6, 40)) {
		f := newTwoFeeds(t, seed)
		require.False(t, f.differ(1500), "seed %d", seed)
		f.in(func(p *play) { require.Empty(t, p.m.CheckInvariants()) })
		for what := range f.plays[0].reached {
			reached[what] = true
		}
	}
	require.Greater(t, len(reached), 1, "%v", reached)
}

// TestNotBlind: the comparison finds a machine that looks at what it must not.
func TestNotBlind(t *testing.T) {
	t.Parallel()
	f := newTwoFeeds(t, 1)
	f.looked = true
	require.True(t, f.differ(1500))
}
