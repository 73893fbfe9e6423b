package incremental_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental/state"
)

// flow is a stream in time at level L2: so many newcomers a slot of so many ticks.
type flow struct {
	*poolFeed
	w       world
	told    atomic.Int64 // how often a plan said how far it was
	now     int64
	counted int // see TestNewcomersOfAnyValue
}

// newFlow begins with a first pool.
func newFlow(t *testing.T, seed uint64, maxHold int64, change func(*state.Policy)) *flow {
	f := &flow{w: world{rng: rand.New(rand.NewPCG(seed, 5)), values: 8}}
	p := bucketPolicy(4, 2)
	p.HoldInCuts, p.MaxHold = false, maxHold
	if change != nil {
		change(&p)
	}
	f.poolFeed = newPoolFeed(t, newSchema(t, false), p, byte(seed))
	f.options.Progress = func(int, int) { f.told.Add(1) }
	f.open()
	f.come(400)
	require.NotNil(t, f.slot(0, state.Triggered))
	return f
}

func (f *flow) come(n int) {
	rows := make([]equivclass.Row, n)
	for i := range rows {
		rows[i] = f.w.row()
	}
	f.apply(rows)
}

// slot lets ticks pass and cuts.
func (f *flow) slot(ticks int64, by state.Occasion) *state.Intent {
	f.t.Helper()
	f.now += ticks
	f.m.Tick(f.now)
	f.told.Store(0)
	f.cuts++
	d, err := f.m.Decide(by)
	require.NoError(f.t, err)
	intent, err := f.m.Enact(d, f.cuts, [32]byte{})
	require.NoError(f.t, err)
	if intent != nil {
		require.NoError(f.t, f.m.Published(intent.Release, [32]byte{1}))
	}
	return intent
}

// TestACutThatPublishesNothingPlansNothing: whether it does follows from counts and ages, so it is known before; also where
// more wait than the mean waiting time asks for, and where somebody is overdue.
func TestACutThatPublishesNothingPlansNothing(t *testing.T) {
	skipped, published := 0, 0
	for seed := range uint64(12) {
		for _, hold := range []int64{0, 40, 900} {
			t.Run(fmt.Sprint(seed, hold), func(t *testing.T) {
				f := newFlow(t, seed, hold, func(p *state.Policy) { p.MinPool = 40 + 7*int(seed) })
				for slot := range 40 {
					if slot < 30 {
						f.come(1 + f.w.rng.IntN(40))
					}
					if intent := f.slot(1+f.w.rng.Int64N(12), state.Triggered); intent == nil {
						skipped++
						require.Zero(t, f.told.Load(), "slot %d planned for nothing", slot)
					} else {
						published++
						require.NotZero(t, f.told.Load())
					}
				}
			})
		}
	}
	require.Greater(t, skipped, 100)
	require.Greater(t, published, 100)
}

// steady is a stream of ten newcomers a tick of which keep is 1,786 people, more than 20 pools; it returns when they wait.
func steady(t *testing.T, seed uint64) *flow {
	f := newFlow(t, seed, 1000, nil)
	for range 240 {
		f.come(10)
		f.slot(1, state.Triggered)
	}
	return f
}

// newcomers is how many must have come: a twentieth of 10*1000/5.6.
const newcomers = 90

// TestAPoolIsPlannedOnceNewcomersHaveCome: a twentieth of those who stay behind. The status says how many are missing, and the
// trigger does not ask before.
func TestAPoolIsPlannedOnceNewcomersHaveCome(t *testing.T) {
	f := steady(t, 1)
	since, skipped, pools := 0, 0, 0
	for range 100 {
		f.come(10)
		f.m.Tick(f.now + 1)
		since += 10
		s, due := f.m.Status(), f.m.Trigger().UpdateDue()
		if f.slot(1, state.Triggered) == nil {
			skipped++
			require.Zero(t, f.told.Load())
			if pools > 0 {
				require.InDelta(t, newcomers-since, s.Pool.Missing, 3)
				require.False(t, due && s.Pool.Missing > 0)
			}
			continue
		}
		require.Zero(t, s.Pool.Missing)
		require.Greater(t, s.Pending.Waiting, 1786)
		if pools++; pools > 1 {
			require.GreaterOrEqual(t, since, newcomers, "a pool is planned too early")
		}
		since = 0
	}
	require.Greater(t, skipped, 80)
	require.Greater(t, pools, 8)
	require.Empty(t, f.m.CheckInvariants())
}

// TestNewcomersOfAnyValue: where newcomers are missing, classes and releases stay as they are with values permuted. A rule that counts
// newcomers by value is told by that.
func TestNewcomersOfAnyValue(t *testing.T) {
	byMachine := func(*flow, []equivclass.Row) state.Occasion { return state.Triggered }
	byValue := func(f *flow, rows []equivclass.Row) state.Occasion {
		for _, row := range rows {
			if string(row[3]) == "i1" {
				f.counted++
			}
		}
		if f.counted*f.w.values < newcomers {
			return state.Triggered
		}
		f.counted = 0
		return state.Asked
	}
	run := func(rule func(*flow, []equivclass.Row) state.Occasion, permute bool) (releases []string, skipped int) {
		f := newFlow(t, 4, 1000, func(p *state.Policy) { p.MinPool, p.OnUpdate = 80, true })
		all := make([]equivclass.Row, 2800)
		for i := range all {
			all[i] = f.w.row()
		}
		if permute {
			plain := slices.Clone(all)
			for i, j := range rand.New(rand.NewPCG(4, 6)).Perm(len(all)) {
				all[i] = append(append(equivclass.Row{}, plain[i][:3]...), plain[j][3])
			}
		}
		for rows := range slices.Chunk(all, 10) {
			f.apply(rows)
			f.m.Tick(f.now + 1)
			missing, due := f.m.Status().Pool.Missing, f.m.Trigger().UpdateDue()
			releases = append(releases, fmt.Sprint(missing, due))
			if i := f.slot(1, rule(f, rows)); i != nil {
				releases = append(releases, fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, membersOf(t, f.m, i.Release)))))
			} else if len(f.m.Releases().Intents()) > 2 {
				skipped++
			}
		}
		return releases, skipped
	}
	plain, skipped := run(byMachine, false)
	permuted, _ := run(byMachine, true)
	require.Greater(t, skipped, 60)
	require.Equal(t, plain, permuted)

	plain, _ = run(byValue, false)
	permuted, _ = run(byValue, true)
	require.False(t, slices.Equal(plain, permuted), "nobody would notice a rule that counts by value")
}

// rested is a stream a slot after a pool, so that newcomers are missing for the next.
func rested(t *testing.T) *flow {
	f := steady(t, 2)
	for pool := false; !pool; {
		f.come(10)
		pool = f.slot(1, state.Triggered) != nil
	}
	for range newcomers/10 - 2 { // enough for a pool but for that
		f.come(10)
		require.Nil(t, f.slot(1, state.Triggered))
	}
	f.come(1)
	require.Positive(t, f.m.Status().Pool.Missing)
	return f
}

// TestWhoDoesNotWaitForNewcomers: an operator who asks, the end of the source, a slot to which nobody comes, and somebody who is
// overdue by a twentieth of max_hold; not one who has waited max_hold.
func TestWhoDoesNotWaitForNewcomers(t *testing.T) {
	f := rested(t)
	for _, by := range []state.Occasion{state.Asked, state.AtEnd, state.Triggered} {
		again := &flow{w: f.w, poolFeed: &poolFeed{t: t, store: f.store.Clone(), options: f.options}, now: f.now}
		again.open()
		require.Equal(t, by != state.Triggered, again.slot(0, by) != nil)
		if by == state.Triggered {
			require.NotNil(t, again.slot(0, by), "nobody came")
		}
	}

	f = newFlow(t, 3, 300, nil)
	for range 3 { // far from everybody, so they are in no pool before they are overdue
		f.apply([]equivclass.Row{{[]byte("5000"), []byte("a"), []byte("w1"), []byte("i1")}})
	}
	oldest := func() int64 { s := f.m.Status(); return s.Now - s.OldestTick }
	for pool := false; oldest() < 290 || !pool; {
		f.come(30)
		pool = f.slot(1, state.Triggered) != nil
	}
	require.Less(t, oldest(), int64(300))
	for {
		f.come(1)
		f.m.Tick(f.now + 1)
		due, missing := f.m.Trigger().UpdateDue(), f.m.Status().Pool.Missing
		published := f.slot(1, state.Triggered) != nil
		require.Equal(t, oldest() > 315 || published, due, "%d ticks", oldest())
		require.Equal(t, due, missing == 0)
		if published {
			break
		}
	}
	require.Equal(t, int64(316), f.now)
}
