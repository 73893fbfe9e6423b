package incremental_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// strataFeed is a feed of people who settle, of several strata.
type strataFeed struct {
	*settling
	at     int64
	person int
}

const window = 10

func newStrataFeed(t *testing.T, k, l int, change func(*state.Policy)) *strataFeed {
	p := bucketPolicy(k, l)
	p.Settle, p.InitialMin = settle.Rule{For: window}, 4*k*l
	if change != nil {
		change(&p)
	}
	return &strataFeed{settling: &settling{poolFeed: newPoolFeed(t, newSchema(t, true), p, 1)}}
}

// comes lets a person come, with a record that is refused for a public reason before, and an update behind, as the stratum has it.
func (f *strataFeed) comes(value string, s settle.Stratum) {
	row := f.of(f.person, value)
	f.person++
	f.at++
	f.observes(s.Faulty(), settle.Insert, settle.Public, row)
	require.NoError(f.t, f.m.Stamp(source, f.at))
	out, err := f.m.Apply(source, f.offset, row)
	require.NoError(f.t, err)
	require.Equal(f.t, incremental.Outcome{}, out)
	f.offset++
	f.observes(s.Updated(), settle.Update, settle.Sound, row)
}

// observes sends a message that the host refuses.
func (f *strataFeed) observes(is bool, kind settle.Kind, fault settle.Fault, row equivclass.Row) {
	if !is {
		return
	}
	require.NoError(f.t, f.m.Stamp(source, f.at))
	out, err := f.m.Observe(source, f.offset, kind, fault, row, f.m.SubjectOf(row))
	require.NoError(f.t, err)
	require.Equal(f.t, incremental.Outcome{}, out)
	require.NoError(f.t, f.m.Refuse(state.DeadLetter{Partition: source, Offset: f.offset, Reason: equivclass.ReasonNumber}))
	f.offset++
}

// settled ends all windows.
func (f *strataFeed) settled() {
	f.at += 2 * window
	require.NoError(f.t, f.m.Idle(source, f.at))
	require.Zero(f.t, f.m.Status().Pending.Settling)
}

// born is the stratum of those whom a release publishes first, and how many they are.
func (f *strataFeed) born(i *state.Intent) (settle.Stratum, int) {
	v, err := f.m.Releases().Change(i.Release)
	require.NoError(f.t, err)
	n, of := 0, v.Stratum[v.Classes[0].Members[0]]
	for _, c := range v.Classes {
		for _, r := range c.Members {
			require.Equal(f.t, of, v.Stratum[r], "release %d has people of two strata", i.Release)
		}
		n += len(c.Members)
	}
	require.Equal(f.t, i.Newcomers, n)
	return of, n
}

var (
	updated = settle.Plain | 1<<5
	faulty  = settle.Plain | 1<<4
)

// TestEachStratumHasPoolsOfItsOwn: in random feeds, opened anew after each cut, a release publishes people of one stratum, each as soon as
// it has as many as it needs; nobody waits in a stratum that has a pool once nothing more is due, and nobody changes stratum.
func TestEachStratumHasPoolsOfItsOwn(t *testing.T) {
	seen := map[settle.Stratum]int{}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 3))
		k, l := 2+int(seed%2), 2
		f := newStrataFeed(t, k, l, func(p *state.Policy) { p.OnUpdate = seed%2 == 0 })
		sent := map[settle.Stratum]int{}
		published := map[settle.Stratum]int{}
		for range 8 {
			for range 60 {
				s := []settle.Stratum{settle.Plain, settle.Plain, settle.Plain, updated, faulty, updated | faulty}[r.IntN(6)]
				sent[s]++
				f.comes("v"+strconv.Itoa(r.IntN(8)), s)
			}
			f.settled()
			for fixed := -1; f.m.Judged().Fixed > fixed; {
				fixed = f.m.Judged().Fixed
				if i := f.cut(); i != nil {
					of, n := f.born(i)
					published[of] += n
					seen[of] += n
				}
				f.next()
				if !f.m.Trigger().StrataDue() {
					break
				}
			}
			for _, of := range f.m.Status().Strata {
				if !f.m.Status().InitialEnd {
					break
				}
				require.Less(t, of.Waiting/k*k, of.Records, "%+v", of)
				require.Equal(t, of.Records-of.Waiting/k*k, of.Missing)
			}
		}
		s := f.m.Status()
		waiting := map[string]int{"plain": s.WaitingPlain()}
		for _, of := range f.m.Status().Strata {
			waiting[of.Stratum] = of.Waiting
		}
		quarantined := 0
		for s, n := range sent {
			quarantined += n - published[s] - waiting[s.String()]
		}
		require.Equal(t, f.m.Status().Pending.Quarantined, quarantined)
	}
	for _, s := range []settle.Stratum{settle.Plain, updated, faulty, updated | faulty} {
		require.Positive(t, seen[s], s.String())
	}
}

// TestFirstPoolIsOfThePlainStratum: people of others do not count for initial.min_pool, and wait until the first pool is decided; theirs
// then need 2*k*l and not initial.min_pool.
func TestFirstPoolIsOfThePlainStratum(t *testing.T) {
	f := newStrataFeed(t, 2, 2, nil) // initial.min_pool is 16
	for i := range 40 {
		f.comes("v"+strconv.Itoa(i%4), updated)
	}
	for i := range 15 {
		f.comes("v"+strconv.Itoa(i%4), settle.Plain)
	}
	f.settled()
	require.False(t, f.m.InitialLoad().Enough())
	require.Nil(t, f.cut())
	require.Zero(t, f.m.Judged().Fixed)
	require.Equal(t, []incremental.Stratum{{Stratum: "updated", Waiting: 40, PoolNeed: *f.m.NeedOf(updated)}}, f.m.Status().Strata)
	require.Equal(t, 8, f.m.NeedOf(updated).Records)
	f.comes("v3", settle.Plain)
	f.settled()
	require.True(t, f.m.InitialLoad().Enough())
	for _, want := range []settle.Stratum{settle.Plain, updated} {
		i := f.cut()
		require.NotNil(t, i)
		of, _ := f.born(i)
		require.Equal(t, want, of)
		f.next()
	}
}

// TestStrataTakeTurns: those that have pools are asked one after the other, whatever the numbers of those who wait, and a turn is kept with
// the pool that is fixed.
func TestStrataTakeTurns(t *testing.T) {
	f := newStrataFeed(t, 2, 2, func(p *state.Policy) { p.MaxHold = 0 })
	var order []string
	for round := range 6 {
		for i := range 120 {
			f.comes("v"+strconv.Itoa(i/3%20), []settle.Stratum{settle.Plain, updated, faulty}[i%3])
		}
		f.settled()
		out, err := f.m.Outlook(state.Triggered)
		require.NoError(t, err)
		require.NoError(t, f.m.Fix(state.Triggered)) // a process ends here
		f.next()
		i := f.cut()
		require.NotNil(t, i, "round %d", round)
		of, n := f.born(i)
		require.Equal(t, []any{of.String(), n}, []any{out.Stratum, out.Newcomers})
		order = append(order, of.String())
		f.next()
	}
	require.Equal(t, []string{"plain", "fault", "updated", "plain", "fault", "updated"}, order)
}

// TestAStratumThatFailsIsQuarantinedWhole: also its first pool, and the others go on; the run does not stop, whatever is configured for
// the first pool of all.
func TestAStratumThatFailsIsQuarantinedWhole(t *testing.T) {
	f := newStrataFeed(t, 2, 2, func(p *state.Policy) { p.MaxHold = 0 })
	for i := range 40 {
		f.comes("v"+strconv.Itoa(i%4), settle.Plain)
	}
	for range 9 {
		f.comes("v1", updated)
	}
	f.settled()
	i := f.cut()
	require.NotNil(t, i)
	f.next()
	require.True(t, f.m.Trigger().StrataDue())
	require.Nil(t, f.cut())
	f.next()
	require.Equal(t, 8, f.m.Status().Pending.Quarantined)
	require.Equal(t, []incremental.Stratum{{Stratum: "updated", Waiting: 1, PoolNeed: *f.m.NeedOf(updated)}}, f.m.Status().Strata)
	for i := range 160 {
		f.comes("v"+strconv.Itoa(i%4), settle.Plain)
	}
	f.settled()
	i = f.cut()
	require.NotNil(t, i)
	of, _ := f.born(i)
	require.Equal(t, settle.Plain, of)
	require.Equal(t, 8, f.m.Status().Pending.Quarantined)
}

// TestANeedFollowsFromTheStratum: what the next pool of a stratum needs follows from the values that were published of it, and of no other.
func TestANeedFollowsFromTheStratum(t *testing.T) {
	f := newStrataFeed(t, 3, 3, nil)
	for i := range 120 {
		f.comes("v"+strconv.Itoa(i%12), settle.Plain)
	}
	for i := range 24 {
		f.comes("v"+strconv.Itoa(i%4), updated)
	}
	f.settled()
	before := *f.m.NeedOf(settle.Plain)
	require.NotNil(t, f.cut())
	plain := *f.m.NeedOf(settle.Plain)
	require.NotEqual(t, before, plain)
	require.Equal(t, 18, f.m.NeedOf(updated).Records)
	i := f.cut()
	require.NotNil(t, i)
	of, _ := f.born(i)
	require.Equal(t, updated, of)
	require.Equal(t, plain, *f.m.NeedOf(settle.Plain))
	require.Greater(t, f.m.NeedOf(updated).Records, plain.Records, "a quarter has the same value, of the others a twelfth")
	require.Equal(t, 18, f.m.NeedOf(faulty).Records)
	kept := fmt.Sprint(*f.m.NeedOf(updated), plain)
	f.next()
	require.Equal(t, kept, fmt.Sprint(*f.m.NeedOf(updated), *f.m.NeedOf(settle.Plain)))
}

// TestWaitingCountsFromTheEndOfTheWindow: people of every stratum lapse max_wait after it.
func TestWaitingCountsFromTheEndOfTheWindow(t *testing.T) {
	f := newStrataFeed(t, 2, 2, func(p *state.Policy) { p.HoldInCuts, p.MaxWait, p.MaxHold = false, 100, 50 })
	f.m.Tick(1000)
	for i := range 16 {
		f.comes("v"+strconv.Itoa(i%4), settle.Plain)
	}
	f.comes("v1", updated)
	f.comes("v2", faulty)
	f.m.Tick(2000)
	f.settled()
	require.NotNil(t, f.cut())
	f.m.Tick(2100)
	require.Nil(t, f.cut())
	require.Zero(t, f.m.Status().Lapsed)
	f.m.Tick(2101)
	require.Nil(t, f.cut())
	require.Equal(t, 2, f.m.Status().Lapsed)
	require.Equal(t, 2, f.m.Status().Beyond)
	f.next()
	require.Empty(t, f.m.Status().Strata)
}
