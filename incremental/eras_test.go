package incremental_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
	"anond/incremental"
	"anond/incremental/state"
)

// eras is what a host makes of the settings that a state keeps: here their number.
type eras struct{ all []incremental.Options }

// under are options with settings that the state keeps. They are taken in by a new era, if apply is set, and else by a start.
func (e *eras) under(o incremental.Options, apply bool) incremental.Options {
	n := len(e.all)
	o.Config, o.Apply, o.Later = func() []byte { return []byte(fmt.Sprint(n)) }, apply, map[string]state.Later{}
	for key := range o.Settings {
		switch {
		case key == "policy.l" || key == "policy.diversity":
			o.Later[key] = state.Cap
		case strings.HasPrefix(key, "policy.") && key != "policy.level" || strings.HasSuffix(key, "].role"):
			o.Later[key] = state.Blind
		case key == "schema.attributes" || key == "subject.settle" || strings.HasSuffix(key, "].range"):
			o.Later[key] = state.Newcomer
		}
	}
	e.all = append(e.all, o)
	o.Rebuild = func(config []byte) (incremental.Options, error) {
		var n int
		_, err := fmt.Sscan(string(config), &n)
		return e.all[n], err
	}
	return o
}

// change begins an era with another k and l, which everybody sees.
func (p *play) change(k, l int) {
	p.must(p.m.Commit())
	p.options.Policy.Requirement.K, p.options.Policy.Requirement.L = k, l
	p.options.Settings = map[string][32]byte{"policy.k": {byte(k)}, "policy.l": {byte(l)}}
	p.options = p.eras.under(p.options, true)
	p.open()
	p.must(p.m.Commit())
	p.note("era", k, l)
	p.reached[fmt.Sprint("l ", l)] = true
}

// turn begins an era in which the second quasi-identifier has a role, and which everybody sees.
func (p *play) turn(role equivclass.Role) {
	p.must(p.m.Commit())
	p.options.Schema = roleOf(p.t, p.options.Schema, 1, role)
	p.options.Settings = map[string][32]byte{"schema.attributes[x1].role": {role[0]}}
	p.options = p.eras.under(p.options, true)
	p.open()
	p.must(p.m.Commit())
	p.note("era", role)
	p.reached[string(role)] = true
}

// roleOf is a schema in which an attribute has another role.
func roleOf(t testing.TB, s *equivclass.Schema, attribute int, role equivclass.Role) *equivclass.Schema {
	attributes := slices.Clone(s.Attributes())
	attributes[attribute].Role = role
	out, err := equivclass.NewSchema(attributes, s.Missing())
	require.NoError(t, err)
	return out
}

// twiceK asks for two classes of the present k.
func twiceK(p *play, _ merge.Bag) (int, bool) { return 2 * p.options.Policy.Requirement.K, true }

// eraStreams are streams whose settings change between pools, by what Theorem C allows.
func eraStreams() []*course {
	return []*course{
		{name: "another k", n: 10, d: 2, k: 2, l: 2, need: twiceK, policy: quarantines, play: func(p *play) {
			p.feed(4)
			p.cut()
			p.feed(5)
			p.change(3, 2)
			p.cut()
			p.feed(10)
			p.cut()
			p.open()
			p.change(2, 2)
			p.cut()
		}, reaches: []string{"second release", "quarantined"}},
		{name: "a lower l after a pool is quarantined", n: 8, d: 2, k: 3, l: 3, need: twiceK, play: func(p *play) {
			p.feed(4)
			p.cut()
			p.change(2, 2)
			p.feed(8)
			p.cut()
		}, policy: func(p *state.Policy) { quarantines(p); p.MaxPool = 4 }, reaches: []string{"quarantined", "l 2"}},
		{name: "k by the bag of a pool that is judged", n: 8, d: 2, k: 2, l: 2, need: twiceK, policy: quarantines, play: func(p *play) {
			p.feed(4)
			k := 2
			if p.cut() == nil {
				k = 4
			}
			p.change(k, 2)
			p.feed(8)
			p.cut()
		}, reaches: []string{"quarantined", "l 2"}},
		{name: "a column goes, and comes back", n: 10, d: 2, k: 2, l: 2, need: twiceK, policy: quarantines, play: func(p *play) {
			p.feed(4)
			p.cut()
			p.feed(5)
			p.turn(equivclass.Kept)
			p.feed(9)
			p.cut()
			p.turn(equivclass.Quasi)
			p.feed(10)
			p.cut()
			p.open()
			p.cut()
		}, reaches: []string{"second release", "quarantined", "kept", "quasi"}},
	}
}

// TestErasKeepTheoremE: in every world of streams whose settings change between pools, the posterior of each value of each published
// record is its share in the record's bucket, exactly (Theorem C).
func TestErasKeepTheoremE(t *testing.T) {
	tier.NotShort(t, "it enumerates worlds")
	t.Parallel()
	for _, s := range eraStreams() {
		t.Run(s.name, func(t *testing.T) { s.requireExact(t) })
	}
}

// TestBrokenEras: what the same enumeration says of changes that no era allows. The highest posterior of the true machine is 1/2.
//
//	what is broken                                          highest posterior
//	l follows from the values of two who wait               1
//	a pool that is fixed is planned anew under the change   3/5
//	who was quarantined is judged again under another k     1
//	a column follows from the values of two who wait        1
func TestBrokenEras(t *testing.T) {
	tier.NotShort(t, "it enumerates worlds")
	t.Parallel()
	for _, s := range []*course{
		{name: "a cap by the values of some who wait", n: 8, d: 3, k: 2, l: 2, known: abbc, need: asksFor(4), policy: quarantines,
			play: func(p *play) {
				p.feed(4)
				p.cut()
				p.feed(8)
				if p.world[4] == p.world[5] {
					p.change(4, 2)
				} else {
					p.change(4, 4)
				}
				p.cut()
			}},
		{name: "a column by the values of some who wait", n: 8, d: 3, k: 2, l: 2, known: abbc, need: asksFor(4), policy: quarantines,
			play: func(p *play) {
				p.feed(4)
				p.cut()
				p.feed(8)
				if p.world[4] == p.world[5] {
					p.turn(equivclass.Kept)
				}
				p.cut()
			}},
		{name: "a pool that is fixed is planned anew under the change", n: 8, d: 3, k: 2, l: 2, known: abbc, need: asksFor(2),
			play: func(p *play) {
				p.feed(4)
				p.cut()
				p.feed(6)
				p.stopsInMerge()
				if p.m.Trigger().PoolFixed() > 0 {
					p.m.Unfix()
				}
				p.change(4, 2)
				p.feed(8)
				p.cut()
			}},
		{name: "who was quarantined is judged again under another k", n: 8, d: 3, k: 2, l: 2, known: abbc, need: asksFor(2),
			play: func(p *play) {
				for _, end := range []int{4, 6, 8} {
					p.feed(end)
					if p.cut() == nil {
						p.m.CarryOver()
						p.options.Policy.Requirement.K = 4
					}
				}
			}},
	} {
		t.Run(s.name, func(t *testing.T) {
			v := s.enumerate(t)
			t.Log(v)
			require.Positive(t, v.excess.Sign())
			require.Positive(t, v.worst.Cmp(big.NewRat(1, int64(s.l))))
		})
	}
}

// TestWhatAnEraWaitsFor: a release that is decided and a pool that is fixed keep their settings, and what cannot be compared, or is
// fixed, never changes. What is refused leaves the state as it is.
func TestWhatAnEraWaitsFor(t *testing.T) {
	f := newPoolFeed(t, newSchema(t, false), bucketPolicy(4, 2), 1)
	under := func(change func(*state.Policy), keys ...string) error {
		o := f.options
		change(&o.Policy)
		o.Settings = map[string][32]byte{"policy.k": {}, "policy.max_hold": {}, "policy.diversity": {}, "dataset": {}, "schema.missing": {}}
		for _, key := range keys {
			o.Settings[key] = [32]byte{1}
		}
		m, err := incremental.Open(f.store, f.eras.under(o, true))
		if err == nil {
			f.m, f.options = m, o
			err = m.Commit()
		}
		return err
	}
	same, other := func(*state.Policy) {}, func(p *state.Policy) { p.Requirement.K = 5 }
	require.NoError(t, under(same))
	f.apply(skewed(0, 80, 20))
	require.ErrorContains(t, under(other, "policy.k", "schema.missing"), "by which its records were taken in")
	_, err := f.m.Cut(1, [32]byte{})
	require.NoError(t, err)
	require.ErrorContains(t, under(other, "policy.k"), "release 1 is decided and not published")
	require.NoError(t, f.m.Published(1, [32]byte{}))
	var never *incremental.SettingsError
	for key, change := range map[string]func(*state.Policy){
		"dataset":         same,
		"policy.max_hold": func(p *state.Policy) { p.HoldInCuts = !p.HoldInCuts },
		"policy.diversity": func(p *state.Policy) {
			p.Requirement.Extra = []equivclass.Principle{equivclass.TClose{T: .3, Ground: equivclass.EqualGround{}}}
		},
	} {
		require.ErrorAs(t, under(change, key, "policy.k"), &never, key)
		require.Equal(t, incremental.SettingsError{Keys: []string{key}, Released: true}, *never)
	}
	f.apply(skewed(80, 2000, 0))
	f.store.FailAt(2, errors.New("the disk is full"))
	_, err = f.m.Cut(1, [32]byte{})
	require.Error(t, err)
	f.store = f.store.Crash()
	require.ErrorContains(t, under(other, "policy.k"), "a pool is fixed and not decided")
	require.NoError(t, under(same))
	f.cut()
	require.Zero(t, f.m.Trigger().PoolFixed())
	require.NoError(t, under(other, "policy.k"))
	require.Empty(t, f.m.CheckInvariants())
}

// TestKeptColumns: a quasi-identifier changes its role between quasi and kept, and no other attribute does. Somebody who is forgotten
// leaves the cells of a class as they were shown, and no value of a column that the class never showed.
func TestKeptColumns(t *testing.T) {
	under := func(f *poolFeed, role equivclass.Role) error {
		o := f.options
		o.Schema = roleOf(t, o.Schema, 0, role)
		o.Settings = map[string][32]byte{"policy.level": {}, "schema.attributes[age].role": {role[0]}}
		o = f.eras.under(o, true)
		m, err := incremental.Open(f.store, o)
		if err == nil {
			f.m, f.options = m, o
			err = m.Commit()
		}
		return err
	}
	publish := func(f *poolFeed, from int) {
		rows := skewed(from, 300, 0)
		for i := range rows { // nobody else has this age
			rows[i][0] = fmt.Append(nil, 1000+from+i)
			rows[i] = append(rows[i], fmt.Append(nil, "p", from+i))
		}
		f.apply(rows)
		require.NotNil(t, f.cut())
	}
	f := newPoolFeed(t, newSchema(t, true), bucketPolicy(4, 2), 1)
	for from, role := range []equivclass.Role{equivclass.Quasi, equivclass.Kept, equivclass.Quasi} {
		require.NoError(t, under(f, role))
		publish(f, 300*from)
	}
	var asked []state.Digest
	var cells [3]string // the least age of a class of each release, which is that of the first to come
	for i := range cells {
		v, err := f.m.Releases().Change(uint32(i + 1))
		require.NoError(t, err)
		first := v.Classes[0].Members[0]
		cells[i] = fmt.Sprint(1000 + first)
		d, _ := f.m.Forgetting().DigestOf(fmt.Append(nil, "p", first))
		asked = append(asked, d)
	}
	e, err := f.m.Forget(asked)
	require.NoError(t, err)
	require.Equal(t, []int{3, 2}, []int{e.Published, e.Bounds})
	f.store = f.store.Forget(e)
	f.open()
	require.Empty(t, f.m.CheckInvariants())
	v := f.m.Releases().All()
	var ages []string
	for code := range v.Dictionaries[0].Len() {
		ages = append(ages, v.Dictionaries[0].Text(equivclass.Code(code)))
	}
	require.Subset(t, ages, []string{cells[0], cells[2]})
	require.NotContains(t, ages, cells[1])

	f = newPoolFeed(t, newSchema(t, true), bucketPolicy(4, 2), 1)
	require.NoError(t, under(f, equivclass.Drop))
	publish(f, 0)
	require.ErrorContains(t, under(f, equivclass.Quasi), "schema.attributes[age].role")
	require.ErrorContains(t, under(f, equivclass.Kept), "schema.attributes[age].role")
}
