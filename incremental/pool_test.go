package incremental_test

import (
	"anond/incremental/plan"
	"anond/incremental/state"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
)

// bucketPolicy is a policy at level L2.
func bucketPolicy(k, l int) state.Policy {
	p := policy(k, l)
	p.Level, p.Workers = state.L2, 1
	return p
}

// poolFeed drives a machine at level L2 over rows, cut by cut, and returns what each cut
// made of the records: its intent, nil where nothing was published.
type poolFeed struct {
	t       *testing.T
	m       *incremental.Machine
	store   *memstore.Store
	options incremental.Options
	eras    eras
	offset  int64
	cuts    int64
}

func newPoolFeed(t *testing.T, s *equivclass.Schema, p state.Policy, seed byte) *poolFeed {
	f := &poolFeed{t: t, store: memstore.New(), options: incremental.Options{Schema: s, Policy: p, Seed: [32]byte{seed}, Seeded: true}}
	f.open()
	return f
}

// open opens the machine, again after a crash.
func (f *poolFeed) open() {
	m, err := incremental.Open(f.store, f.options)
	require.NoError(f.t, err)
	f.m = m
}

func (f *poolFeed) apply(rows []equivclass.Row) {
	f.t.Helper()
	for _, row := range rows {
		out, err := f.m.Apply(source, f.offset, row)
		require.NoError(f.t, err)
		require.Equal(f.t, incremental.Outcome{}, out)
		f.offset++
	}
	require.NoError(f.t, f.m.Commit())
}

func (f *poolFeed) cut() *state.Intent {
	f.t.Helper()
	f.cuts++
	intent, err := f.m.Cut(f.cuts, [32]byte{})
	require.NoError(f.t, err)
	require.Empty(f.t, f.m.CheckInvariants())
	if intent != nil {
		require.NoError(f.t, f.m.Published(intent.Release, [32]byte{1}))
	}
	return intent
}

// zoned makes a row whose quasi-identifiers follow from a number, with a value.
func zoned(n int, value string) equivclass.Row {
	return equivclass.Row{[]byte(strconv.Itoa(20 + n%60)), {byte('a' + n%5)}, []byte("w" + strconv.Itoa(n%4)), []byte(value)}
}

// TestMachineAtLevel2: streams with restarts keep the invariants, publish most people and
// come out the same without the restarts.
func TestMachineAtLevel2(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			run := func(restarts bool) string {
				w := world{rng: rand.New(rand.NewPCG(seed, 1)), values: 6 + int(seed%4), subjects: seed%2 == 0}
				crash := rand.New(rand.NewPCG(seed, 2))
				p := bucketPolicy(3+int(seed%3), 2)
				p.OnUpdate, p.MaxHold = seed%3 == 0, int64(seed%5)
				f := newPoolFeed(t, newSchema(t, w.subjects), p, byte(seed))
				for batch := range 12 {
					n := 40
					if batch == 0 {
						n = 300
					}
					rows := make([]equivclass.Row, n)
					for i := range rows {
						rows[i] = w.row()
					}
					f.apply(rows)
					f.cut()
					if restarts && crash.IntN(3) == 0 {
						f.open()
					}
				}
				return describe(t, f.m)
			}
			without := run(false)
			require.Equal(t, without, run(true))
			require.Contains(t, without, map[bool]string{true: "release 1 ", false: "release 4 "}[seed%2 == 0])
		})
	}
}

// describe lists all classes of the newest release with their buckets, and the status.
func describe(t *testing.T, m *incremental.Machine) string {
	out := ""
	for _, i := range m.Releases().Intents() {
		v, err := m.Releases().Change(i.Release)
		require.NoError(t, err)
		out += fmt.Sprintf("release %d of %d records at cut %d:", i.Release, i.Records, i.Cut)
		for _, c := range v.Classes {
			out += fmt.Sprintf(" %d%v", c.Bucket, c.Members)
		}
		out += "\n"
	}
	status, err := json.Marshal(m.Status())
	require.NoError(t, err)
	return out + string(status)
}

// TestRuleB: who shares a class and when it is published does not depend on values: with
// the values permuted inside each pool, every class and every release stays as it is.
func TestRuleB(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			var plain, permuted *poolFeed
			for _, f := range []**poolFeed{&plain, &permuted} {
				p := bucketPolicy(4, 2)
				p.OnUpdate, p.MaxHold = seed%2 == 0, int64(seed%3)
				*f = newPoolFeed(t, newSchema(t, false), p, byte(seed))
			}
			w := world{rng: rand.New(rand.NewPCG(seed, 3)), values: 8}
			shuffle := rand.New(rand.NewPCG(seed, 4))
			for batch := range 8 {
				rows := make([]equivclass.Row, map[bool]int{true: 240, false: 48}[batch == 0])
				for i := range rows {
					rows[i] = w.row()
				}
				plain.apply(rows)
				values := shuffle.Perm(len(rows))
				moved := make([]equivclass.Row, len(rows))
				for i, row := range rows {
					moved[i] = append(append(equivclass.Row{}, row[:3]...), rows[values[i]][3])
				}
				permuted.apply(moved)
				a, b := plain.cut(), permuted.cut()
				require.Equal(t, a == nil, b == nil, "batch %d", batch)
				if a != nil {
					require.Equal(t, membersOf(t, plain.m, a.Release), membersOf(t, permuted.m, b.Release))
				}
				require.Equal(t, plain.m.Status().Pending, permuted.m.Status().Pending)
				require.Equal(t, plain.m.Trigger().UpdateDue(), permuted.m.Trigger().UpdateDue())
			}
		})
	}
}

// classesOf returns who shares a class in a release, buckets apart.
func membersOf(t *testing.T, m *incremental.Machine, release uint32) map[string]bool {
	v, err := m.Releases().View(release)
	require.NoError(t, err)
	out := map[string]bool{}
	for _, c := range v.Classes {
		out[fmt.Sprint(c.Members)] = true
	}
	return out
}

// skewed returns rows of which the first so many have one value and the others differ.
func skewed(from, n, same int) (rows []equivclass.Row) {
	for i := range n {
		value := "same"
		if i >= same {
			value = fmt.Sprint("v", i%7)
		}
		rows = append(rows, zoned(from+i, value))
	}
	return rows
}

// TestFirstPoolIsFixed: refused, it stays what it is, across restarts and whatever comes
// after it. A lower l takes the same records.
func TestFirstPoolIsFixed(t *testing.T) {
	p := bucketPolicy(4, 3)
	f := newPoolFeed(t, newSchema(t, false), p, 1)
	f.apply(skewed(0, 80, 30)) // 38 %
	for range 2 {
		_, err := f.m.Cut(1, [32]byte{})
		var refused *plan.InfeasibleError
		require.ErrorAs(t, err, &refused)
		require.True(t, refused.Fixed)
		require.Equal(t, 80, refused.Records)
		require.Equal(t, 2, refused.Reachable)
		f.open() // the refusal is stored
		f.apply(skewed(80, 300, 0))
	}
	require.Equal(t, 680, int(f.offset))
	require.True(t, f.m.Status().FirstLoad.Refused)

	f.options.Policy.Requirement.L = 2
	f.open()
	intent := f.cut()
	require.NotNil(t, intent)
	require.Equal(t, 80, intent.Records, "the pool is the one that was refused")
	v, err := f.m.Releases().View(1)
	require.NoError(t, err)
	require.False(t, v.Grown)
	require.NotNil(t, f.cut(), "and the others follow")
}

// TestSettingsOfARefusedPool: what is asked of its bag may be another thing, by a new era and by no start. Who is in it was decided
// under the rest.
func TestSettingsOfARefusedPool(t *testing.T) {
	f := newPoolFeed(t, newSchema(t, false), bucketPolicy(4, 3), 1)
	under := func(k, l byte, apply bool) error {
		f.options.Policy.Requirement.K, f.options.Policy.Requirement.L = int(k), int(l)
		f.options.Settings = map[string][32]byte{"policy.l": {l}, "policy.k": {k}, "schema.missing": {}}
		m, err := incremental.Open(f.store, f.eras.under(f.options, apply))
		if err == nil {
			f.m = m
			err = m.Commit()
		}
		return err
	}
	require.NoError(t, under(4, 3, false))
	f.apply(skewed(0, 80, 28))
	_, err := f.m.Cut(1, [32]byte{})
	require.Error(t, err)
	var changed *incremental.SettingsError
	require.ErrorAs(t, under(5, 3, false), &changed)
	require.Equal(t, incremental.SettingsError{Keys: []string{"policy.k"}, Released: true, Later: true}, *changed)
	require.ErrorAs(t, under(4, 2, false), &changed)
	require.ErrorContains(t, under(5, 2, true), "who is in it was decided under another [policy.k]")
	require.NoError(t, under(4, 2, true))
	require.Equal(t, 80, f.cut().Records)
	require.Empty(t, f.m.CheckInvariants())
	require.NoError(t, under(5, 2, true), "the pools after it have another k")
	f.apply(skewed(80, 3000, 0))
	require.NotNil(t, f.cut())
	require.Empty(t, f.m.CheckInvariants())
	v, err := f.m.Releases().View(2)
	require.NoError(t, err)
	require.Len(t, v.Former, 1, "in the era of the refusal nothing was published")
	require.Equal(t, uint32(1), v.Former[0].Until)
	for _, c := range v.Classes {
		require.Len(t, c.Members, 3+int(c.Born))
	}
}

// TestFirstLoadCountsPeople: what the status says of the first load is what decides when it
// ends. At level L2 a subject's later records cannot be in the first pool.
func TestFirstLoadCountsPeople(t *testing.T) {
	for level, want := range map[state.Level]incremental.FirstLoad{
		state.L2: {Records: 7, Wanted: 12}, // k*l
		state.L1: {Records: 10, Wanted: 12},
	} {
		p := bucketPolicy(4, 3)
		if p.Level = level; level == state.L1 {
			p = policy(4, 3)
			p.InitialMin = 12
		}
		f := newPoolFeed(t, newSchema(t, true), p, 1)
		f.m.InitialLoad().SetEnds(map[state.Partition]int64{source: 0})
		for i := range 10 {
			_, err := f.m.Apply(source, int64(i), append(zoned(i, fmt.Sprint("v", i%5)), fmt.Append(nil, "p", i%7)))
			require.NoError(t, err)
		}
		require.Equal(t, want, *f.m.Status().FirstLoad, level)
		require.False(t, f.m.InitialLoad().Reached(), level)
	}
}

// TestRefusedPoolIsAskedForLess: until a requirement holds for it. One that is stricter is only refused again.
func TestRefusedPoolIsAskedForLess(t *testing.T) {
	f := newPoolFeed(t, newSchema(t, false), bucketPolicy(6, 4), 1)
	set := func(l byte) {
		f.options.Settings, f.options.Policy.Requirement.L = map[string][32]byte{"policy.l": {l}, "schema.missing": {}}, int(l)
		f.options = f.eras.under(f.options, true)
		f.open()
	}
	refuse := func() {
		_, err := f.m.Cut(1, [32]byte{})
		require.ErrorAs(t, err, new(*plan.InfeasibleError))
	}
	set(4)
	f.apply(skewed(0, 80, 30)) // 38 %
	for _, l := range []byte{4, 5, 3} {
		set(l)
		refuse()
	}
	set(2)
	require.NotNil(t, f.cut())
	require.Empty(t, f.m.CheckInvariants())
}

// TestRefusedPoolIsQuarantinedWhole: none of its records is ever published.
func TestRefusedPoolIsQuarantinedWhole(t *testing.T) {
	p := bucketPolicy(4, 3)
	p.OnRefusal = state.QuarantineRefused
	f := newPoolFeed(t, newSchema(t, false), p, 1)
	f.apply(skewed(0, 82, 40))
	require.Nil(t, f.cut())
	require.Equal(t, state.Pending{Waiting: 2, Quarantined: 80}, f.m.Status().Pending, "the rest of the division by k waits")
	f.open()
	require.Equal(t, 80, f.m.Status().Pending.Quarantined)
	f.apply(skewed(82, 70, 0))
	require.Nil(t, f.cut(), "without published values a pool has as many records as the first")
	f.apply(skewed(200, 30, 0))
	intent := f.cut()
	require.NotNil(t, intent)
	require.EqualValues(t, 1, intent.Release)
	require.Equal(t, 80, intent.Pending.Quarantined)
	v, err := f.m.Releases().View(1)
	require.NoError(t, err)
	for _, c := range v.Classes {
		for _, r := range c.Members {
			require.GreaterOrEqual(t, int(r), 80)
		}
	}
}

// TestRefusedPoolThatGrows publishes in the end, and says that it has grown.
func TestRefusedPoolThatGrows(t *testing.T) {
	p := bucketPolicy(4, 3)
	p.OnRefusal = state.GrowRefused
	f := newPoolFeed(t, newSchema(t, false), p, 1)
	f.apply(skewed(0, 80, 40))
	_, err := f.m.Cut(1, [32]byte{})
	var refused *plan.InfeasibleError
	require.ErrorAs(t, err, &refused)
	require.False(t, refused.Fixed, "the run goes on")
	f.open()
	f.apply(skewed(80, 80, 0))
	intent := f.cut()
	require.NotNil(t, intent)
	require.Equal(t, 160, intent.Records)
	v, err := f.m.Releases().View(1)
	require.NoError(t, err)
	require.True(t, v.Grown)
}

// TestResetAfterARefusal: a state that starts over after a refusal grows, under any
// settings, and says so.
func TestResetAfterARefusal(t *testing.T) {
	f := newPoolFeed(t, newSchema(t, false), bucketPolicy(4, 3), 1)
	f.store = memstore.New()
	require.NoError(t, f.store.Commit(&state.Delta{Meta: &state.Meta{Pools: state.Pools{Refused: true, Grown: true}}}))
	f.options.Settings = map[string][32]byte{"policy.k": {1}}
	f.open()
	f.apply(skewed(0, 80, 40))
	_, err := f.m.Cut(1, [32]byte{})
	var refused *plan.InfeasibleError
	require.ErrorAs(t, err, &refused)
	require.False(t, refused.Fixed)
	f.apply(skewed(80, 80, 0))
	require.NotNil(t, f.cut())
	v, err := f.m.Releases().View(1)
	require.NoError(t, err)
	require.True(t, v.Grown)
}

// TestIneligiblePoolIsQuarantinedWhole: a later pool, and nobody of it is in the next.
func TestIneligiblePoolIsQuarantinedWhole(t *testing.T) {
	p := bucketPolicy(4, 2)
	p.MaxHold = 0
	f := newPoolFeed(t, newSchema(t, false), p, 1)
	f.apply(skewed(0, 384, 0)) // three sub-pools, none waits
	require.NotNil(t, f.cut())
	need := f.m.Status().Pool.Records
	require.Greater(t, need, 8)
	f.apply(skewed(400, need/4*4+4, need)) // nearly all of one value
	require.Nil(t, f.cut())
	require.Equal(t, need/4*4+4, f.m.Status().Pending.Quarantined)
	f.apply(skewed(1000, need/4*4+4, 0))
	intent := f.cut()
	require.NotNil(t, intent)
	require.Equal(t, need/4*4+4, intent.Newcomers)
}

// TestPoolNeedsManyRecords: what the published values ask for, which policy.min_pool may
// only raise; and no pool is possible once one value has 1/l of what is published.
func TestPoolNeedsManyRecords(t *testing.T) {
	f := newPoolFeed(t, newSchema(t, false), bucketPolicy(4, 2), 1)
	f.apply(skewed(0, 400, 0))
	require.NotNil(t, f.cut())
	need := f.m.Status().Pool.Records
	f.options.Policy.MinPool = need + 100
	f.open()
	require.Equal(t, need+100, f.m.Status().Pool.Records)

	half := newPoolFeed(t, newSchema(t, false), bucketPolicy(4, 2), 1)
	half.apply(skewed(0, 80, 40))
	require.NotNil(t, half.cut())
	require.False(t, half.m.Status().Pool.Possible)
	half.apply(skewed(80, 800, 0))
	require.Nil(t, half.cut())
}

// TestShortSourceWaitsByCount: with fewer records than k*l, or than min_pool, the first
// pool is not fixed.
func TestShortSourceWaitsByCount(t *testing.T) {
	p := bucketPolicy(4, 3)
	p.MinPool = 50
	f := newPoolFeed(t, newSchema(t, false), p, 1)
	f.m.InitialLoad().SetEnds(map[state.Partition]int64{source: 20})
	f.apply(skewed(0, 20, 0))
	require.False(t, f.m.InitialLoad().Reached())
	f.apply(skewed(20, 29, 0))
	require.False(t, f.m.InitialLoad().Reached())
	f.apply(skewed(49, 1, 0))
	require.True(t, f.m.InitialLoad().Reached())
	require.NotNil(t, f.cut())
}

// TestTheFirstPoolIsMadeOfAsManyAsItNeeds: where no more people wait than the first pool needs, it is made of them: also where the
// numbers of sub-pools that leave the fewest classes leave some. What is said to be missing until then is what is missing.
func TestTheFirstPoolIsMadeOfAsManyAsItNeeds(t *testing.T) {
	for _, people := range []int{4 * 71, 4*71 + 3, 4 * 1500} {
		p := bucketPolicy(4, 2)
		p.InitialMin = people
		f := newPoolFeed(t, newSchema(t, false), p, 1)
		f.m.InitialLoad().SetEnds(map[state.Partition]int64{source: int64(people)})
		f.apply(skewed(0, people-1, 0))
		require.Equal(t, 1, f.m.Status().Pool.Missing)
		require.Nil(t, f.cut())
		f.apply(skewed(people-1, 1, 0))
		require.Equal(t, 0, f.m.Status().Pool.Missing)
		intent := f.cut()
		require.NotNil(t, intent, "%d people", people)
		require.Equal(t, people/4*4, intent.Newcomers)
	}
}

// TestRepeatsFixNoPool: a subject's later records are in no pool, so as many records as a
// first pool needs may be too few. It is not fixed then, and takes in what follows.
func TestRepeatsFixNoPool(t *testing.T) {
	f := newPoolFeed(t, newSchema(t, true), bucketPolicy(4, 2), 1)
	f.m.InitialLoad().SetEnds(map[state.Partition]int64{source: 10})
	person := func(rows []equivclass.Row, name func(i int) string) []equivclass.Row {
		for i := range rows {
			rows[i] = append(rows[i], []byte(name(i)))
		}
		return rows
	}
	f.apply(person(skewed(0, 10, 0), func(i int) string { return fmt.Sprint("p", i/5) }))
	require.False(t, f.m.InitialLoad().Reached())
	require.Nil(t, f.cut())
	f.open()
	f.apply(person(skewed(10, 10, 0), func(i int) string { return fmt.Sprint("q", i) }))
	require.True(t, f.m.InitialLoad().Reached())
	intent := f.cut()
	require.NotNil(t, intent)
	require.Equal(t, 12, intent.Records)
}

// TestOutdatedRecordsAreCounted: who arrived before a hierarchy grew and is too few for a
// pool waits on, and the status says how many.
func TestOutdatedRecordsAreCounted(t *testing.T) {
	f := newPoolFeed(t, withPeopleOf(t, "abcde"), bucketPolicy(4, 2), 1)
	grow := func(values string) {
		f.options.Schema = withPeopleOf(t, values)
		f.options.Settings = map[string][32]byte{"tree": {byte(len(values))}}
		f.options.Hierarchies = map[string]int{"tree": f.options.Schema.SensitiveIndex()}
		f.open()
	}
	apply := func(n int) {
		var rows []equivclass.Row
		for i := range n {
			rows = append(rows, equivclass.Row{[]byte(strconv.Itoa(i % 50)), []byte("7"), {"abcde"[i%5]}, fmt.Append(nil, int(f.offset)+i)})
		}
		f.apply(rows)
	}
	f.store = memstore.New()
	grow("abcde")
	apply(200)
	require.NotNil(t, f.cut())
	apply(6)
	require.Nil(t, f.cut())
	require.Zero(t, f.m.Status().Outdated, "others may join them")
	waiting := f.m.Status().Pending.Waiting
	grow("abcdef")
	require.Equal(t, waiting, f.m.Status().Outdated, "who arrives from now on is of the new version")
	apply(200)
	require.NotNil(t, f.cut())
	require.Equal(t, waiting, f.m.Status().Outdated)
	require.GreaterOrEqual(t, f.m.Status().Pending.Waiting, waiting)
}
