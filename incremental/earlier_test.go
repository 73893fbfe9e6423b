package incremental_test

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
	"anond/incremental"
	"anond/incremental/memstore"
)

var peopleKey = []byte{7, 31: 1}

// handed is what the state of a store hands over.
func handed(t testing.TB, store *memstore.Store, level incremental.Level, reread bool) (*incremental.Handover,
	[]incremental.EarlierPerson) {
	t.Helper()
	census := incremental.NewCensus()
	require.NoError(t, store.Load(census.Visitor()))
	h, people, err := census.Handover(incremental.Place{Of: 1}, level, reread)
	require.NoError(t, err)
	return h, people
}

// known are those of whom the next state is told.
func known(people []incremental.EarlierPerson) []incremental.EarlierPerson {
	return slices.DeleteFunc(slices.Clone(people), func(p incremental.EarlierPerson) bool { return p.Waiting })
}

// succession is two epochs at level L2 over the same records. Whoever has all releases of both has the
// transcript of the one and then that of the other.
type succession struct {
	name          string
	n, d          int
	first, second func(*play)
	never         bool // who waits is never published
	// what is broken
	again bool // people of a pool that was quarantined are read again
	grows bool // the second has a valid value more
	twice bool // nobody but one is known
}

// person gives each record a person.
func person(r int) equivclass.Row {
	x := positions[r]
	return equivclass.Row{{'0' + byte(x[0])}, {'0' + byte(x[1])}, nil, {'a' + byte(r)}}
}

func (u *succession) enumerate(t *testing.T) verdict {
	of := func(play func(*play), epoch uint64) *course {
		return &course{n: u.n, d: u.d, k: 2, l: 2, schema: withPeople(t), rows: person, policy: quarantines, play: play, key: shardOf(epoch)}
	}
	a, b := of(u.first, 0), of(u.second, 1)
	if u.grows {
		a.schema, b.schema = withPeopleOf(t, "ab"), withPeopleOf(t, "abc")
	}
	beliefs, out := map[string]*belief{}, verdict{worst: new(big.Rat), excess: new(big.Rat), reached: map[string]int{}}
	both := &pair{same: true}
	a.eachWorld(func(world []int) {
		eachDraw(func(draws *script) {
			first := a.start(t, world, draws)
			first.options.SubjectKey = peopleKey
			first.open()
			a.play(first)
			h, people := handed(t, first.store, incremental.L2, !u.never)
			require.True(t, h.Blind)
			carried := known(people)
			switch {
			case u.twice:
				carried = carried[:min(1, len(carried))]
			case u.again:
				was := subjectsOf(t, first.m)
				carried = slices.DeleteFunc(carried, func(p incremental.EarlierPerson) bool { return !was[p.Subject] })
			}
			second := b.start(t, world, draws)
			second.options.SubjectKey = peopleKey
			if second.store = memstore.New(); len(carried) > 0 {
				second.store = memstore.Begin(h.Epoch, carried)
			}
			second.open()
			b.play(second)
			out.runs++
			both.learn(a, world, first, second, beliefs, &out)
		})
	})
	for _, known := range beliefs {
		known.judge(a, &out)
	}
	return out
}

// subjectsOf are the subjects of the newest release.
func subjectsOf(t testing.TB, m *incremental.Machine) map[uint64]bool {
	out := map[uint64]bool{}
	if i := m.Latest(); i != nil {
		v, err := m.View(i.Release)
		require.NoError(t, err)
		for _, c := range v.Classes {
			for _, r := range c.Members {
				out[v.Subject[r]] = true
			}
		}
	}
	return out
}

func successions() []*succession {
	return []*succession{
		{name: "who waits is read again", n: 8, d: 2, first: batches(5), second: batches(8)},
		{name: "a pool of each epoch may be quarantined", n: 8, d: 2, first: batches(4, 6), second: batches(8)},
		{name: "who waits is never published", n: 8, d: 2, first: batches(5), second: batches(8), never: true},
		{name: "three values", n: 6, d: 3, first: batches(4), second: batches(6)},
	}
}

// TestEveryWorldOfTwoEpochs: Corollary V. Of whoever has all releases of both epochs, the belief in each value
// of each published person is its share in the person's bucket, exactly.
func TestEveryWorldOfTwoEpochs(t *testing.T) {
	t.Parallel()
	for _, u := range successions()[:tier.Of(t, 2, 4, 4)] {
		t.Run(u.name, func(t *testing.T) {
			v := u.enumerate(t)
			t.Log(v)
			assert.Positive(t, v.published)
			assert.Positive(t, v.reached["earlier"])
			for i := range priors {
				assert.Equal(t, v.published, v.exact[i], "prior %d", i)
			}
		})
	}
}

// TestEveryWorldFindsWhatBreaksEpochs: the same enumeration finds people of a quarantined pool who are read again,
// people who are published in both, and a value that is valid in the second epoch alone.
func TestEveryWorldFindsWhatBreaksEpochs(t *testing.T) {
	t.Parallel()
	tier.NotShort(t, "it enumerates for a second")
	for _, u := range []*succession{
		{name: "people of a quarantined pool are read again", n: 6, d: 3, first: batches(4), second: batches(6), again: true},
		{name: "whoever was refused for a value is read again when it is valid", n: 6, d: 3, first: batches(4), second: batches(6), grows: true},
		{name: "people are published in both", n: 5, d: 3, first: batches(4), second: batches(5), twice: true},
	} {
		t.Run(u.name, func(t *testing.T) {
			v := u.enumerate(t)
			t.Log(v)
			assert.Less(t, v.exact[0], v.published)
		})
	}
}

// TestEpochsPublishEverybodyOnce: random streams with repeats through three epochs, at both levels and with erasures. Nobody is
// published twice, whoever was forgotten in one epoch comes in none, and whoever waits is read again or never.
func TestEpochsPublishEverybodyOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(tier.Of(t, 20, 60, 400)) {
		rng := rand.New(rand.NewPCG(seed, 9))
		level := []incremental.Level{incremental.L1, incremental.L2}[rng.IntN(2)]
		reread := rng.IntN(2) == 0
		people := 20 + rng.IntN(60)
		var stream []int
		for range people * 2 {
			stream = append(stream, rng.IntN(people))
		}
		store, gone := memstore.New(), map[int]bool{}
		in, closed := map[uint64]int{}, map[uint64]bool{} // epoch that published a subject; who is never published
		for epoch := 1; epoch <= 3; epoch++ {
			p := policy(2, 2)
			p.Level, p.MaxHold, p.OnRefusal = level, 0, incremental.QuarantineRefused
			o := incremental.Options{Schema: withPeople(t), Policy: p, SubjectKey: peopleKey, Seed: [32]byte{byte(epoch), byte(seed)}}
			m, err := incremental.Open(store, o)
			require.NoError(t, err)
			require.Equal(t, epoch, m.EpochNumber())
			m.Small(func(k merge.Key) merge.Draws { return merge.NewDraws(o.Seed, k) }, func(merge.Bag, int) (int, bool) { return 4, true },
				merge.SubPoolClasses)
			taken := 0
			for i, who := range stream[:len(stream)*epoch/3] {
				row := equivclass.Row{fmt.Append(nil, who%9), fmt.Append(nil, who%7), {'a' + byte(rng.IntN(4))}, fmt.Append(nil, "p", who)}
				out, err := m.Apply(source, int64(i), row)
				require.NoError(t, err)
				if !out.Earlier && !out.Forgotten {
					taken++
				}
				require.False(t, gone[who] && !out.Forgotten && !out.Earlier, "a person who was forgotten is taken in")
				if rng.IntN(25) == 0 {
					cutAny(t, m)
				}
			}
			cutAny(t, m)
			s := m.Status()
			require.Equal(t, s.Sent, uint64(s.Published)+uint64(s.Pending.Total())+s.DeadLetter+s.Forgotten)
			require.Equal(t, uint64(len(stream)*epoch/3), s.Sent+s.Ignored[incremental.ReasonEarlier])
			require.Equal(t, taken, m.Arrived())
			for subject := range subjectsOf(t, m) {
				require.Zero(t, in[subject], "published in epoch %d and in epoch %d", in[subject], epoch)
				require.False(t, closed[subject], "a person was published who never should be")
				in[subject] = epoch
			}
			if who := rng.IntN(people); level == incremental.L2 {
				d, _ := m.SuppressedAs(fmt.Append(nil, "p", who))
				if e, err := m.Forget([]incremental.Digest{d}); err == nil {
					store, gone[who] = store.Forget(e), true
				}
			}
			h, handed := handed(t, store, level, reread)
			require.Equal(t, epoch+1, h.Number)
			require.Len(t, h.Chains, epoch)
			for _, x := range handed {
				if n := in[x.Subject]; n > 0 {
					require.False(t, x.Waiting)
					require.Equal(t, n, h.Chains[x.Home].Epoch, "a person's home is where the person was published")
				} else if !x.Waiting {
					closed[x.Subject] = true
				}
			}
			require.Equal(t, h.People, uint64(len(known(handed))))
			store = memstore.Begin(h.Epoch, known(handed))
		}
	}
}

func cutAny(t *testing.T, m *incremental.Machine) {
	t.Helper()
	i, err := m.Cut(1, [32]byte{})
	if err != nil {
		require.True(t, infeasible(err), "%v", err)
	}
	if i != nil {
		require.NoError(t, m.Published(i.Release, [32]byte{byte(i.Release)}))
	}
	require.NoError(t, m.Commit())
}

// TestMergeOfPeople: streams in order are joined into one in order, with everybody once; who is
// published somewhere counts as that. An error ends it.
func TestMergeOfPeople(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		var all []incremental.EarlierPerson
		streams := make([]iter.Seq2[incremental.EarlierPerson, error], 1+rng.IntN(5))
		for i := range streams {
			var list []incremental.EarlierPerson
			for range rng.IntN(40) {
				list = append(list, incremental.EarlierPerson{Subject: 1 + rng.Uint64N(60), Home: uint16(i), Waiting: rng.IntN(3) == 0})
			}
			all = append(all, list...)
			list = incremental.Distinct(list)
			streams[i] = func(yield func(incremental.EarlierPerson, error) bool) {
				for _, p := range list {
					if !yield(p, nil) {
						return
					}
				}
			}
		}
		var have []incremental.EarlierPerson
		for p, err := range incremental.MergeEarlier(streams) {
			require.NoError(t, err)
			have = append(have, p)
		}
		require.Equal(t, incremental.Distinct(all), append([]incremental.EarlierPerson{}, have...))
	}
	failing := func(yield func(incremental.EarlierPerson, error) bool) {
		_ = yield(incremental.EarlierPerson{Subject: 1}, nil) && yield(incremental.EarlierPerson{}, incremental.ErrCorrupt)
	}
	var last error
	for _, err := range incremental.MergeEarlier([]iter.Seq2[incremental.EarlierPerson, error]{failing}) {
		last = err
	}
	require.ErrorIs(t, last, incremental.ErrCorrupt)
}

// TestPeopleOfAnEpochNeedTheirKey: under another subject key, or another attribute of people, nobody would
// be known.
func TestPeopleOfAnEpochNeedTheirKey(t *testing.T) {
	e := incremental.Epoch{Number: 2, Chains: []incremental.Chain{{Epoch: 1, Of: 1}},
		Settings: map[string][32]byte{"subject.key": {1}, "schema.attributes[person].text": {}}}
	open := func(settings map[string][32]byte) error {
		_, err := incremental.Open(memstore.Begin(e, []incremental.EarlierPerson{{Subject: 5}}), incremental.Options{Schema: withPeople(t),
			Policy: policy(2, 2), Settings: settings, SubjectKey: peopleKey})
		return err
	}
	require.NoError(t, open(map[string][32]byte{"subject.key": {1}, "policy.k": {3}}))
	var changed *incremental.SettingsError
	require.ErrorAs(t, open(map[string][32]byte{"subject.key": {2}}), &changed)
	require.Equal(t, []string{"subject.key"}, changed.Keys)
	require.ErrorAs(t, open(map[string][32]byte{}), &changed)
	require.ErrorAs(t, open(map[string][32]byte{"subject.key": {1}, "schema.attributes[person].text": {4}}), &changed)
}

// TestWhatAStateHandsOver: a release that is not published, or people to forget, come first; a state that never
// refused a pool says so.
func TestWhatAStateHandsOver(t *testing.T) {
	store := memstore.New()
	m, err := incremental.Open(store, incremental.Options{Schema: withPeople(t), Policy: policy(2, 2), SubjectKey: peopleKey})
	require.NoError(t, err)
	for i := range 5 {
		row := person(i)
		row[2] = []byte{'a' + byte(i%3)}
		_, err := m.Apply(source, int64(i), row)
		require.NoError(t, err)
	}
	require.NoError(t, m.Commit())
	count := func() (*incremental.Census, error) {
		c := incremental.NewCensus()
		require.NoError(t, store.Load(c.Visitor()))
		_, _, err := c.Handover(incremental.Place{Of: 1}, incremental.L1, true)
		return c, err
	}
	c, err := count()
	require.NoError(t, err)
	require.Equal(t, 5, c.Unsettled())
	i, err := m.Cut(1, [32]byte{})
	require.NoError(t, err)
	_, err = count()
	require.ErrorIs(t, err, incremental.ErrUndecided)
	require.NoError(t, m.Published(i.Release, [32]byte{9}))
	c, err = count()
	require.NoError(t, err)
	require.Equal(t, 5-i.Records, c.Unsettled())
	_, err = m.Delete(source, 5, []byte("a"))
	require.NoError(t, err)
	require.NoError(t, m.Commit())
	_, err = count()
	require.ErrorIs(t, err, incremental.ErrUndecided)
}

// TestEpochKeepsItsPartitions: a state that was told of its own people alone keeps the number by which they were chosen,
// whatever number somebody finds before the source is asked.
func TestEpochKeepsItsPartitions(t *testing.T) {
	e := incremental.Epoch{Number: 2, Chains: []incremental.Chain{{Epoch: 1, Of: 2}}, Partitions: 6, Settings: map[string][32]byte{}}
	store := memstore.Begin(e, []incremental.EarlierPerson{{Subject: 5}})
	m, err := incremental.Open(store, incremental.Options{Schema: withPeople(t), Policy: policy(2, 2), SubjectKey: peopleKey})
	require.NoError(t, err)
	m.SetPartitions(4)
	require.Equal(t, 6, m.Partitions())
	m.SetPartitions(6)
	require.Equal(t, 6, m.Partitions())
}

// TestEpochBoundToL1: who is read again because of a value may be read at level L1 alone, and that goes on to later epochs.
func TestEpochBoundToL1(t *testing.T) {
	e := incremental.Epoch{Number: 2, Chains: []incremental.Chain{{Epoch: 1, Of: 1}}, Settings: map[string][32]byte{}}
	e.BindToL1()
	store := memstore.Begin(e, []incremental.EarlierPerson{{Subject: 5}})
	open := func(settings map[string][32]byte) error {
		_, err := incremental.Open(store, incremental.Options{Schema: withPeople(t), Policy: policy(2, 2), Settings: settings,
			SubjectKey: peopleKey})
		return err
	}
	var changed *incremental.SettingsError
	require.ErrorAs(t, open(map[string][32]byte{"policy.level": {7}}), &changed)
	require.Equal(t, []string{"policy.level"}, changed.Keys)
	require.NoError(t, open(map[string][32]byte{}))
	h, _ := handed(t, store, incremental.L1, false)
	require.True(t, h.Owed)
	store = memstore.Begin(incremental.Epoch{Number: 2, Chains: e.Chains, Settings: map[string][32]byte{}}, nil)
	h, _ = handed(t, store, incremental.L1, false)
	require.False(t, h.Owed)
}
