package replay

import (
	"anond/incremental/plan"
	"anond/incremental/retire"
	"anond/incremental/state"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/settle"
)

// stream is a dataset at level L2 whose state is replayed.
type stream struct {
	days    int64 // of the public clock
	t       *testing.T
	options incremental.Options
	all     []incremental.Options // of all starts: what the state keeps of settings is their number here
	store   *memstore.Store
	m       engine
	rng     *rand.Rand
	next    int64
	clock   int64
	open    func(state.Store, incremental.Options) (engine, error)
}

// forget lets the state forget the person with the first record from one on.
func (f *stream) forget(from int) {
	f.t.Helper()
	m, err := incremental.Open(f.store, f.options)
	require.NoError(f.t, err)
	d, _ := m.Forgetting().DigestOf([]byte(strconv.Itoa(from)))
	e, err := m.Forget([]state.Digest{d})
	require.NoError(f.t, err)
	require.Positive(f.t, e.Published)
	f.store = f.store.Forget(e)
	f.start()
}

// TestReplayAfterForgetting: a replay makes the decisions of before the first record again that was
// forgotten, finds a fault in them, and says of the others that it cannot.
func TestReplayAfterForgetting(t *testing.T) {
	f := newStream(t, nil)
	for range 8 {
		f.feed(90, f.mixed)
		f.cut(state.Triggered)
	}
	releases := f.certified().Releases
	person := 400
	for f.m.(*incremental.Machine).Releases().Latest() != nil && !f.forgettable(person) {
		person++
	}
	f.forget(person)
	f.feed(90, f.mixed)
	f.cut(state.AtEnd)
	r := f.read()
	r.Renderer = rendered
	out, err := r.Run(2, nil)
	require.NoError(t, err)
	require.Nil(t, out.Difference)
	require.Len(t, out.Ownerless, 1)
	require.Len(t, out.Parts, out.Releases-1, "the parts without a row of the person are rendered")
	require.Equal(t, 2, out.Worlds)
	require.Contains(t, out.Obstacle, fmt.Sprintf("the cuts over more than %d records cannot be decided again: releases ", person))
	require.Contains(t, out.Obstacle, fmt.Sprintf(" to %d. Releases 1 to ", releases+1))

	wrong, err := f.altered(func(r *Recording) { r.rows[0][0], r.rows[70][0] = r.rows[70][0], r.rows[0][0] }).Run(0, nil)
	require.NoError(t, err)
	require.NotNil(t, wrong.Difference)

	f.forget(0)
	out, err = f.read().Run(2, nil)
	require.NoError(t, err)
	require.Nil(t, out.Difference)
	require.Contains(t, out.Obstacle, "cuts over more than 0 records cannot be decided again: releases 1 to ")
}

// forgettable reports whether a person's first record is the one of that number, and is published.
func (f *stream) forgettable(person int) bool {
	m, err := incremental.Open(f.store, f.options)
	require.NoError(f.t, err)
	d, _ := m.Forgetting().DigestOf([]byte(strconv.Itoa(person)))
	e, err := m.Forget([]state.Digest{d})
	require.NoError(f.t, err)
	return e.Published > 0
}

func newStream(t *testing.T, change func(*incremental.Options)) *stream {
	t.Helper()
	h, err := equivclass.ParseHierarchy("zone", strings.NewReader("a;x;*\nb;x;*\nc;x;*\nd;y;*\ne;y;*\n"))
	require.NoError(t, err)
	s, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "zone", Role: equivclass.Quasi, Type: equivclass.Categorical, Hierarchy: h},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "person", Role: equivclass.Subject},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	f := &stream{t: t, store: memstore.New(), rng: rand.New(rand.NewPCG(7, 8)), open: openMachine}
	f.options = incremental.Options{Schema: s, Seed: [32]byte{3}, Policy: state.Policy{
		Requirement: equivclass.Requirement{K: 3, L: 2}, Level: state.L2, Republication: state.Append,
		Threshold: 2, MaxHold: 3, HoldInCuts: true, Workers: 2, Neighbours: 8, Similar: 3, MinPool: 60, OnUpdate: true,
		OnRefusal: state.QuarantineRefused}}
	if change != nil {
		change(&f.options)
	}
	f.start()
	return f
}

// start opens the state, again after a crash.
func (f *stream) start() {
	n := len(f.all)
	f.options.Config = func() []byte { return strconv.AppendInt(nil, int64(n), 10) }
	f.options.Rebuild = func(kept []byte) (incremental.Options, error) {
		i, err := strconv.Atoi(string(kept))
		if err != nil {
			return incremental.Options{}, err
		}
		return f.all[i], nil
	}
	f.all = append(f.all, f.options)
	var err error
	f.m, err = f.open(f.store, f.options)
	require.NoError(f.t, err)
}

// feed applies records; value names the value of record i.
func (f *stream) feed(n int, value func(i int) string) {
	f.t.Helper()
	for i := range n {
		if f.clock += int64(f.rng.IntN(2)); !f.options.Policy.HoldInCuts {
			f.m.Tick(f.clock)
		}
		person := f.next
		if f.rng.IntN(9) == 0 {
			person = f.rng.Int64N(f.next + 1)
		}
		row := equivclass.Row{[]byte(strconv.Itoa(20 + f.rng.IntN(60))),
			{byte('a' + f.rng.IntN(5))}, []byte(value(i)), []byte(strconv.FormatInt(person, 10))}
		for range f.options.Schema.Attributes()[len(row):] {
			row = append(row, []byte{"pqrs"[(int(row[illness][1])+f.rng.IntN(2)*f.rng.IntN(4))%4]}) // it goes with the illness
		}
		out, err := f.m.Accept(state.Partition{Source: "s"}, f.next, row, settle.Plain)
		require.NoError(f.t, err)
		require.Empty(f.t, out.Reason)
		f.next++
	}
	require.NoError(f.t, f.m.Commit())
}

func (f *stream) mixed(int) string { return fmt.Sprint("i", min(f.rng.IntN(7), f.rng.IntN(9))) }

func same(int) string { return "i1" }

func (f *stream) cut(by state.Occasion) *state.Intent {
	f.t.Helper()
	d, err := f.m.Decide(by)
	require.NoError(f.t, err)
	intent, err := f.m.Enact(d, 1700000000+f.days*86400, [32]byte{9})
	require.NoError(f.t, err)
	if intent != nil {
		require.NoError(f.t, f.m.Published(intent.Release, [32]byte{1}))
	}
	return intent
}

// whole feeds several releases with skipped cuts, a quarantined pool and a restart.
func (f *stream) whole() *stream {
	f.t.Helper()
	f.feed(150, f.mixed)
	require.NotNil(f.t, f.cut(state.Triggered))
	f.feed(8, f.mixed)
	for range 3 {
		f.clock += 2
		f.m.Tick(f.clock)
		require.Nil(f.t, f.cut(state.Triggered), "too few for a pool")
	}
	f.start()
	for range 12 {
		f.feed(90, f.mixed)
		f.cut(state.Triggered)
	}
	f.feed(900, same)
	f.cut(state.Triggered)
	f.start()
	for range 12 {
		f.feed(90, f.mixed)
		f.cut(state.Triggered)
	}
	f.cut(state.AtEnd)
	f.feed(11, f.mixed)
	return f
}

// slots is a stream of which 2,850 people stay behind, so that newcomers are missing in most slots. An operator asks once.
func slots(t *testing.T, change func(*stream)) *stream {
	t.Helper()
	f := newStream(t, func(o *incremental.Options) { o.Policy.HoldInCuts, o.Policy.MaxHold = false, 8000 })
	if change != nil {
		change(f)
		f.start()
	}
	f.feed(150, f.mixed)
	require.NotNil(t, f.cut(state.Triggered))
	for slot, since, asked := 0, 0, false; slot < 120; slot++ {
		f.feed(40, f.mixed)
		f.m.Tick(f.clock)
		by := state.Triggered
		if since++; since > 2 && slot > 100 && !asked {
			by = state.Asked
		}
		if f.cut(by) != nil {
			since, asked = 0, asked || by == state.Asked
		}
	}
	return f
}

func (f *stream) read() *Recording {
	f.t.Helper()
	m, err := incremental.Open(f.store, f.options)
	require.NoError(f.t, err)
	r, err := Read(f.store, m, f.options)
	require.NoError(f.t, err)
	r.open = f.open
	return r
}

func (f *stream) certified() *Result {
	f.t.Helper()
	out, err := f.read().Run(3, nil)
	require.NoError(f.t, err)
	require.Empty(f.t, out.Obstacle)
	require.Nil(f.t, out.Difference)
	require.Equal(f.t, 3, out.Worlds)
	return out
}

// TestReplayWithAWindow: releases without births, and what left with which, follow from public times; the same records make the same
// decisions again as long as the state has their values.
func TestReplayWithAWindow(t *testing.T) {
	f := newStream(t, func(o *incremental.Options) { o.Policy.Window, _ = retire.Parse("2d") })
	alone := 0
	for i := range 8 {
		if i%2 == 0 {
			f.feed(150, f.mixed)
		}
		f.days++
		if intent := f.cut(state.Triggered); intent != nil && intent.Newcomers == 0 {
			alone++
		}
	}
	require.Positive(t, alone)
	require.Positive(t, f.m.(*incremental.Machine).Status().Expired)
	f.certified()
	f.adopted()
}

// TestReplayOfStrata: people settle, and of some an update comes; pools of both strata are made again, in every world, and a pool with
// people of two would not be.
func TestReplayOfStrata(t *testing.T) {
	f := newStream(t, func(o *incremental.Options) {
		o.Policy.MinPool, o.Policy.MaxPool, o.Policy.Settle = 30, 60, settle.Rule{Records: 25}
		visit := equivclass.Attribute{Name: "visit", Role: equivclass.RecordKey}
		s, err := equivclass.NewSchema(append(slices.Clone(o.Schema.Attributes()), visit), equivclass.RefuseMissing)
		require.NoError(t, err)
		o.Schema = s
	})
	m, from := f.m.(*incremental.Machine), state.Partition{Source: "s"}
	for range 6 {
		for i := range 200 {
			require.NoError(t, m.Stamp(from, 0))
			if person := strconv.FormatInt(f.next-1, 10); i%4 == 3 {
				row := equivclass.Row{nil, nil, nil, []byte(person), []byte(person)}
				_, err := m.Observe(from, f.next, settle.Update, settle.Sound, row, m.SubjectOf(row))
				require.NoError(t, err)
				require.NoError(t, m.Intake().Ignore(from, f.next, "unsupported_operation"))
				f.next++
				continue
			}
			out, err := m.Apply(from, f.next, equivclass.Row{[]byte(strconv.Itoa(20 + f.rng.IntN(60))), {byte('a' + f.rng.IntN(5))},
				[]byte(f.mixed(0)), []byte(strconv.FormatInt(f.next, 10)), []byte(strconv.FormatInt(f.next, 10))})
			require.NoError(t, err)
			require.Empty(t, out.Reason)
			f.next++
		}
		require.NoError(t, m.Commit())
		f.cut(state.Triggered)
		f.cut(state.Triggered)
	}
	of, made := map[settle.Stratum]int{}, f.read()
	for _, c := range made.classes {
		of[made.strata[c.Members[0]]]++
	}
	require.Len(t, of, 2, "%v", of)
	f.certified()
	mixed, err := f.altered(func(r *Recording) {
		for i := range r.strata {
			r.strata[i] = settle.Plain
		}
	}).Run(0, nil)
	require.NoError(t, err)
	require.NotNil(t, mixed.Difference)
}

// TestReplayOfHistories: what is published of a person is what came of them while they settled; all decisions on histories are made again,
// in every world, and histories in which another value comes second are other ones.
func TestReplayOfHistories(t *testing.T) {
	f := newStream(t, func(o *incremental.Options) {
		o.Policy.MinPool, o.Policy.MaxPool, o.Policy.Settle = 30, 60, settle.Rule{Records: 25, Max: 2}
	})
	m, from := f.m.(*incremental.Machine), state.Partition{Source: "s"}
	for range 6 {
		for i := range 200 {
			require.NoError(t, m.Stamp(from, 0))
			person := f.next
			if i%3 == 2 { // the one before comes again
				person--
			}
			_, err := m.Apply(from, f.next, equivclass.Row{[]byte(strconv.Itoa(20 + f.rng.IntN(60))), {byte('a' + f.rng.IntN(5))},
				[]byte(f.mixed(0)), []byte(strconv.FormatInt(person, 10))})
			require.NoError(t, err)
			f.next++
		}
		require.NoError(t, m.Commit())
		f.cut(state.Triggered)
		f.cut(state.Triggered)
	}
	lengths, made := map[int]int{}, f.read()
	for _, c := range made.classes {
		for _, r := range c.Members {
			n := len(equivclass.Parts(string(made.rows[r][2])))
			require.Equal(t, made.strata[r].Inserts(), n)
			lengths[n]++
		}
	}
	require.Len(t, lengths, 2, "%v", lengths)
	f.certified()
	other, err := f.altered(func(r *Recording) {
		for i, row := range r.rows {
			if parts := equivclass.Parts(string(row[2])); len(parts) == 2 {
				r.rows[i] = append(equivclass.Row{}, row...)
				r.rows[i][2] = []byte(equivclass.Joined([]string{parts[0], parts[0]}))
			}
		}
	}).Run(0, nil)
	require.NoError(t, err)
	require.NotNil(t, other.Difference)
}

// TestReplay: what the program decides, it decides again, in every world.
func TestReplay(t *testing.T) {
	for name, change := range map[string]func(*incremental.Options){
		"hold in cuts": nil,
		"hold in time": func(o *incremental.Options) { o.Policy.HoldInCuts, o.Policy.MaxHold = false, 90 },
		"by count":     func(o *incremental.Options) { o.Policy.OnUpdate, o.Policy.CutEvery = false, 90 },
		"diversity": func(o *incremental.Options) {
			o.Policy.Requirement.Extra = []equivclass.Principle{equivclass.DistinctL{L: 3}, equivclass.EntropyL{L: 2}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "by count" || name == "hold in time" {
				tier.Heavy(t, "it is one of four like it")
			}
			out := newStream(t, change).whole().certified()
			require.Greater(t, out.Releases, 3)
			require.GreaterOrEqual(t, out.Skipped, 3)
			require.NotZero(t, out.Quarantined)
		})
	}
}

// TestReplayOfSlots: a slot in which newcomers are missing, and a release that an operator asked for then.
func TestReplayOfSlots(t *testing.T) {
	tier.NotShort(t, "5,000 people in four worlds")
	f := slots(t, nil)
	require.Greater(t, f.certified().Releases, 5)
	asked := func(a state.Attempt) bool { return a.Occasion == state.Asked && a.Outcome == state.Released }
	require.True(t, slices.ContainsFunc(f.read().attempts, asked))
	out, err := f.altered(func(r *Recording) {
		r.attempts[slices.IndexFunc(r.attempts, asked)].Occasion = state.Triggered
	}).Run(0, nil)
	require.NoError(t, err)
	require.NotNil(t, out.Difference, "without the operator newcomers were missing")
}

// TestReplayOfAFirstPool: one that is quarantined, and one that is refused and then
// published under a lower l.
func TestReplayOfAFirstPool(t *testing.T) {
	f := newStream(t, nil)
	f.feed(150, same)
	require.Nil(t, f.cut(state.Triggered))
	f.feed(300, f.mixed)
	require.NotNil(t, f.cut(state.AtEnd))
	require.Equal(t, 1, f.certified().Quarantined)
	f.adopted()

	f = newStream(t, func(o *incremental.Options) {
		o.Policy.OnRefusal, o.Policy.Requirement.L = state.StopRefused, 3
		o.Settings = map[string][32]byte{"policy.level": {}, "policy.l": {3}}
	})
	f.feed(150, func(i int) string { return fmt.Sprint("i", max(0, i%5-1)) }) // 2/5 have one value
	_, err := f.m.Decide(state.Triggered)
	var refused *plan.InfeasibleError
	require.ErrorAs(t, err, &refused)
	f.options.Policy.Requirement.L, f.options.Apply, f.options.Later = 2, true, map[string]state.Later{"policy.l": state.Cap}
	f.options.Settings = map[string][32]byte{"policy.level": {}, "policy.l": {2}}
	f.start()
	f.feed(40, f.mixed)
	require.NotNil(t, f.cut(state.Triggered))
	require.Equal(t, 1, f.certified().Releases)
	f.adopted()
}

// stops lets a pool be fixed, and the process end before it decides.
func (f *stream) stops() {
	f.t.Helper()
	f.store.FailAt(2, errors.New("killed"))
	d, err := f.m.Decide(state.Triggered)
	if err == nil {
		_, err = f.m.Enact(d, 1, [32]byte{})
	}
	require.Error(f.t, err)
	f.store = f.store.Crash()
	f.start()
}

// TestReplayOfPoolsThatWereStopped: who is in a pool follows from the cut that fixed it, not from the one that decided.
func TestReplayOfPoolsThatWereStopped(t *testing.T) {
	f := newStream(t, func(o *incremental.Options) { o.Policy.OnRefusal, o.Policy.MaxHold = state.StopRefused, 0 })
	f.feed(150, f.mixed)
	f.stops()
	f.feed(40, f.mixed)
	require.NotNil(t, f.cut(state.Triggered))
	for range 3 {
		f.feed(400, f.mixed)
		f.stops()
		f.feed(100, f.mixed)
		require.NotNil(t, f.cut(state.Triggered))
	}
	require.Equal(t, 4, f.certified().Releases)
	f.adopted()

	fixed := func(a state.Attempt) bool { return a.Outcome == state.Fixed }
	out, err := f.altered(func(r *Recording) {
		r.attempts = slices.DeleteFunc(r.attempts, fixed)
		for i := range r.attempts {
			r.attempts[i].Number = uint32(i + 1)
		}
	}).Run(1, nil)
	require.NoError(t, err)
	require.NotNil(t, out.Difference)
}

// TestReplayOfRefusals: each is made again under what was asked then; one under a diversity that nobody knows is not.
func TestReplayOfRefusals(t *testing.T) {
	f := newStream(t, func(o *incremental.Options) { o.Policy.OnRefusal, o.Policy.Requirement.K = state.StopRefused, 5 })
	f.feed(150, func(i int) string { return fmt.Sprint("i", max(0, i%5-1)) }) // 2/5 have one value
	f.options.Later, f.options.Apply = map[string]state.Later{"policy.l": state.Cap, "policy.k": state.Blind}, true
	for l := 5; l > 2; l-- {
		f.options.Policy.Requirement.L = l
		f.options.Settings = map[string][32]byte{"policy.level": {}, "policy.l": {byte(l)}}
		f.start()
		for range l {
			_, err := f.m.Decide(state.Triggered)
			require.ErrorAs(t, err, new(*plan.InfeasibleError))
		}
		f.feed(40, f.mixed)
	}
	f.certified() // the pool is refused, and its values may be exchanged among its people alone
	f.options.Policy.OnRefusal = state.QuarantineRefused
	f.start()
	require.Nil(t, f.cut(state.Triggered))
	f.feed(400, f.mixed)
	require.NotNil(t, f.cut(state.Triggered))
	require.Equal(t, 1, f.certified().Quarantined)
	f.adopted()

	f.all[1].Policy.Requirement.L = 2
	out, err := f.read().Run(1, nil)
	require.NoError(t, err)
	require.NotNil(t, out.Difference, "the first pool would not have been refused")
}

// TestReplayOfEras: each pool is made again under the settings of its time: another k, and another hierarchy of a quasi-identifier.
func TestReplayOfEras(t *testing.T) {
	f := newStream(t, nil)
	f.options.Later = map[string]state.Later{"policy.k": state.Blind, "zones": state.Blind}
	f.grown(firstZones, illnesses(7))
	values := func(int) string { return fmt.Sprint("i", f.rng.IntN(7)) }
	batches := func(n int) {
		for range n {
			f.feed(90, values)
			f.cut(state.Triggered)
		}
	}
	batches(5)
	f.feed(20, values)
	f.options.Apply, f.options.Policy.Requirement.K = true, 5
	f.grown(firstZones, illnesses(7))
	f.cut(state.Triggered)
	batches(5)
	f.grown("e;w;*\nd;w;*\nb;v;*\na;v;*\nc;v;*\n", illnesses(7))
	f.options.Apply = false
	batches(5)
	m := f.m.(*incremental.Machine)
	require.Empty(t, m.CheckInvariants())
	v, err := m.Releases().View(m.Releases().Latest().Release)
	require.NoError(t, err)
	require.Len(t, v.Former, 2)
	sizes := map[int]bool{}
	for _, c := range v.Classes {
		sizes[len(c.Members)] = true
		era := 0
		for era < 2 && c.Born > v.Former[era].Until {
			era++
		}
		require.Len(t, c.Members, []int{3, 5, 5}[era])
	}
	require.Len(t, sizes, 2)
	for r := range v.Former[0].QI[1].Len() { // the same values, in the leaves of that time
		before, now := v.Former[0], v.Dictionaries[1].Text(v.QI[1].At(r))
		require.Equal(t, now, before.Dictionaries[1].Text(before.QI[1].At(r)))
	}
	require.Greater(t, f.certified().Releases, 5)

	f.all[1].Policy.Requirement.K = 4
	out, err := f.read().Run(0, nil)
	require.NoError(t, err)
	require.NotNil(t, out.Difference, "the classes follow from k")
}

// TestReplayOfSubPools: where Merge divides a pool.
func TestReplayOfSubPools(t *testing.T) {
	f := newStream(t, func(o *incremental.Options) { o.Policy.OnUpdate = false })
	f.feed(8000, f.mixed)
	require.NotNil(t, f.cut(state.Triggered))
	r := f.read()
	out, err := r.Run(2, nil)
	require.NoError(t, err)
	require.Nil(t, out.Difference)
	require.Equal(t, 2, out.Worlds)
}

// TestAlteredStates: a state that the program would not have made is found out.
func TestAlteredStates(t *testing.T) {
	f := newStream(t, nil).whole()
	for name, alter := range map[string]func(r *Recording){
		"two records exchange their classes": func(r *Recording) {
			a, b := r.classes[0].Members, r.classes[1].Members
			a[0], b[0] = b[0], a[0]
		},
		"a class in another bucket": func(r *Recording) {
			for i, c := range r.classes[1:] {
				if c.Born == r.classes[i].Born && c.Bucket != r.classes[i].Bucket {
					c.Bucket, r.classes[i].Bucket = r.classes[i].Bucket, c.Bucket
					return
				}
			}
		},
		"a class in a later release": func(r *Recording) { r.births(1)[len(r.births(1))-1].Born = 2 },
		"a record later":             func(r *Recording) { r.ticks[200]++ },
		"a value of a published record": func(r *Recording) {
			for i := range 60 {
				r.rows[i][r.options.Schema.SensitiveIndex()] = []byte("i0")
			}
		},
		"a quasi-identifier":        func(r *Recording) { r.rows[3][0] = []byte("99") },
		"another seed":              func(r *Recording) { r.meta.Seed[5]++ },
		"a skipped cut is left out": func(r *Recording) { r.attempts = append(r.attempts[:1], r.attempts[2:]...); r.meta.Tick -= 3 },
		"a skip instead of a pool":  func(r *Recording) { r.attempts[0].Outcome = state.Skipped },
		"nobody is quarantined":     func(r *Recording) { r.pools = nil },
		"a release is cut off":      func(r *Recording) { r.intents = r.intents[:len(r.intents)-1] },
		"the first pool needs more": func(r *Recording) { r.attempts[0].Need = 1000 },
	} {
		t.Run(name, func(t *testing.T) {
			r := f.read()
			alter(r)
			out, err := r.Run(1, nil)
			require.NoError(t, err)
			require.Empty(t, out.Obstacle)
			require.NotNil(t, out.Difference, "not found")
			require.Zero(t, out.Difference.World)
			require.NotEmpty(t, out.Difference.What)
		})
	}
}

// TestObstacles: a state that cannot be replayed has no verdict.
func TestObstacles(t *testing.T) {
	f := newStream(t, nil)
	f.feed(150, f.mixed)
	require.NotNil(t, f.cut(state.Triggered))
	for want, alter := range map[string]func(r *Recording){
		"grew":            func(r *Recording) { r.meta.Pools.Grown = true },
		"0 of the 1 cuts": func(r *Recording) { r.attempts = nil },
		"the settings of era 1 cannot be read": func(r *Recording) {
			r.meta.Eras = append([]state.Era{{Config: []byte("x")}}, r.meta.Eras...)
		},
	} {
		r := f.read()
		alter(r)
		out, err := r.Run(1, nil)
		require.NoError(t, err)
		require.Contains(t, out.Obstacle, want)
	}
}

// TestStopped: a replay ends when it is told to, with an error.
func TestStopped(t *testing.T) {
	f := newStream(t, nil).whole()
	r := f.read()
	r.options.Interrupted = func() bool { return true }
	_, err := r.Run(1, nil)
	require.ErrorIs(t, err, state.ErrInterrupted)
}

// TestReplayWithStalePeople: who sent an update or a delete after publication decides nothing, and is not replayed.
func TestReplayWithStalePeople(t *testing.T) {
	f := newStream(t, nil)
	stale := 0
	for range 8 {
		f.feed(90, f.mixed)
		if i := f.cut(state.Triggered); i != nil {
			stale = i.Stale
		}
		for person := range 20 {
			f.m.(*incremental.Machine).Outdate([]byte(strconv.Itoa(person)))
		}
	}
	require.Positive(t, stale)
	f.certified()
}

// TestReplayRepeatsLapses: who has lapsed follows from arrivals and the ticks of cuts, so a replay comes to the same pools; one without
// the setting does not.
func TestReplayRepeatsLapses(t *testing.T) {
	for _, inCuts := range []bool{true, false} {
		f := newStream(t, func(o *incremental.Options) {
			o.Policy.MaxWait, o.Policy.HoldInCuts = 4, inCuts
			if !inCuts {
				o.Policy.MaxHold, o.Policy.MaxWait = 60, 75
			}
		})
		f.feed(400, f.mixed)
		require.NotNil(t, f.cut(state.Triggered))
		for i := range 24 {
			n := 10
			if i%8 == 7 {
				n = 150
			}
			f.feed(n, f.mixed)
			f.cut(state.Triggered)
			if i == 12 {
				f.start()
			}
		}
		lapsed := f.m.(*incremental.Machine).Status().Lapsed
		require.Positive(t, lapsed)
		require.Greater(t, f.m.(*incremental.Machine).Releases().Latest().Release, uint32(2))
		f.certified()
		wrong, err := f.altered(func(r *Recording) { r.options.Policy.MaxWait = 0 }).Run(0, nil)
		require.NoError(t, err)
		require.NotNil(t, wrong.Difference)
	}
}
