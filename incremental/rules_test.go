package incremental_test

import (
	"anond/incremental/plan"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/cuts"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/extract"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/state"
	"anond/internal/fault"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// Each test of this file checks one rule of the privacy contract. Its comment names
// mutations of the code under which it was seen to fail.

// lived is a chain in mode regroup with everything in it: pure classes that grow
// and are cut anew, frozen ones, records that wait.
func lived(t *testing.T, seed uint64, releases int) *chain {
	p := policy(4, 2)
	p.Republication, p.MaxHold, p.MaxRegroups = state.Regroup, 1, 3
	p.Initial, p.Local = extract.Extract{}, extract.Extract{}
	c := newChain(t, plane(t, 1), p, render.Generalization())
	rng := rand.New(rand.NewPCG(seed, 8))
	for i := range 60 + 9*releases {
		v := i % 3
		if i >= 60 {
			v = rng.IntN(3)
		}
		c.put(rng.IntN(200), v)
		if i >= 60 && i%9 == 8 {
			c.cut()
		}
	}
	require.GreaterOrEqual(t, len(c.m.Releases().Intents()), releases/3)
	return c
}

// put applies a record of schema plane(1): a place and a value.
func (c *chain) put(x, value int) {
	c.t.Helper()
	next, _ := c.m.Intake().Next(source)
	require.Equal(c.t, equivclass.Accepted, c.apply(source, next, equivclass.Row{fmt.Append(nil, x), {'a' + byte(value)}}).Reason)
}

// shown is one release, by record: which class it is in, 0 = none.
type shown struct {
	view  *incremental.View
	class []int // by record: index in view.Classes + 1
}

func (c *chain) releases() (out []shown) {
	for _, i := range c.m.Releases().Intents() {
		v, err := c.m.Releases().View(i.Release)
		require.NoError(c.t, err)
		s := shown{v, make([]int, c.m.Releases().All().Len())}
		for n, class := range v.Classes {
			for _, r := range class.Members {
				require.Zero(c.t, s.class[r], "a record is in two classes")
				s.class[r] = n + 1
			}
		}
		out = append(out, s)
	}
	return out
}

// of returns the class of a record, nil if it has none.
func (s *shown) of(r int) *state.ClassView {
	if r >= len(s.class) || s.class[r] == 0 {
		return nil
	}
	return &s.view.Classes[s.class[r]-1]
}

// bag counts the values of records.
func bag(v *incremental.View, members []state.RecordID) map[equivclass.Code]int {
	out := map[equivclass.Code]int{}
	for _, r := range members {
		out[v.SA[0].At(int(r))]++
	}
	return out
}

func top(b map[equivclass.Code]int) (n int) {
	for _, c := range b {
		n = max(n, c)
	}
	return n
}

// TestRuleD: what one release adds to the one before is eligible by itself.
// Mutations: planning.update publishes one record that is in no plan; flatSets
// takes as many as the most frequent value has.
func TestRuleD(t *testing.T) {
	grown := 0
	for seed := range uint64(8) {
		c := lived(t, seed, 12)
		all := c.releases()
		for i := range all {
			var added []state.RecordID
			joined := map[int]bool{}
			for r := range all[i].class {
				if all[i].of(r) != nil && (i == 0 || all[i-1].of(r) == nil) {
					added = append(added, state.RecordID(r))
					joined[all[i].class[r]] = true
				}
			}
			require.GreaterOrEqual(t, len(added), 2, "a lone record was published")
			require.LessOrEqual(t, 2*top(bag(all[i].view, added)), len(added))
			require.Equal(t, len(added), c.m.Releases().Intents()[i].Newcomers)
			for n := range joined { // and what a single class has gained
				var mine []state.RecordID
				for _, r := range added {
					if all[i].class[r] == n {
						mine = append(mine, r)
					}
				}
				if len(mine) < len(all[i].view.Classes[n-1].Members) {
					grown++
				}
			}
		}
		c.certify()
	}
	require.Positive(t, grown, "no class has grown")
}

// TestRuleA: a frozen class has at least k records, none of them published
// before, no value above 1/l, and is the same in every later release.
// Mutations: bySignature takes frozen classes too; births keeps three members of
// each plan.
func TestRuleA(t *testing.T) {
	frozen := 0
	for seed := range uint64(8) {
		c := lived(t, seed, 12)
		all := c.releases()
		for i, s := range all {
			for _, class := range s.view.Classes {
				if class.Regime != state.Frozen {
					continue
				}
				frozen++
				require.GreaterOrEqual(t, len(class.Members), 4)
				require.LessOrEqual(t, 2*top(bag(s.view, class.Members)), len(class.Members))
				for _, r := range class.Members {
					for later := int(class.Born) - 1; later < len(all); later++ {
						require.Equal(t, class, *all[later].of(int(r)))
					}
					if i > 0 && int(class.Born) == i+1 {
						require.Nil(t, all[i-1].of(int(r)), "a birth takes over a published record")
					}
				}
			}
		}
	}
	require.Greater(t, frozen, 100)
}

// TestRuleP: every class that ever holds a pure record has the record's
// signature, every value equally often, and at least k records.
// Mutations: births declares every class pure; RankCut cuts its lists at ranks
// that differ by one.
func TestRuleP(t *testing.T) {
	regrouped := 0
	for seed := range uint64(8) {
		c := lived(t, seed, 12)
		signature := map[state.RecordID]string{}
		for _, s := range c.releases() {
			for _, class := range s.view.Classes {
				if class.Regime != state.Pure {
					continue
				}
				b := bag(s.view, class.Members)
				require.GreaterOrEqual(t, len(class.Members), 4)
				require.GreaterOrEqual(t, len(b), 2)
				var values []int
				for v, n := range b {
					require.Equal(t, top(b), n, "not flat")
					values = append(values, int(v))
				}
				slices.Sort(values)
				for _, r := range class.Members {
					if was, ok := signature[r]; ok {
						require.Equal(t, was, fmt.Sprint(values), "the signature changed")
					}
					signature[r] = fmt.Sprint(values)
				}
			}
		}
		for _, n := range c.m.Releases().Regroups(c.m.Releases().Latest().Release) {
			regrouped += int(n)
		}
	}
	require.Greater(t, regrouped, 50)
}

// TestRuleC: frozen and pure classes stand side by side, and a record stays in
// its regime permanently (none is declared pure later). Mutation: apply gives the
// classes of a regrouping the regime Frozen.
func TestRuleC(t *testing.T) {
	both := false
	for seed := range uint64(8) {
		c := lived(t, seed, 12)
		regime := map[state.RecordID]state.Regime{}
		kinds := map[state.Regime]bool{}
		for _, s := range c.releases() {
			for _, class := range s.view.Classes {
				kinds[class.Regime] = true
				for _, r := range class.Members {
					if was, ok := regime[r]; ok {
						require.Equal(t, was, class.Regime)
					}
					regime[r] = class.Regime
				}
			}
		}
		both = both || len(kinds) == 2
		c.certify()
	}
	require.True(t, both, "the regimes never coexist")
}

// TestRuleF: what is forbidden does not happen. No row ever leaves; no number of
// a class shows where it came from; rows are in canonical order, whatever the
// order of arrival; a release has one rendering, another one is refused.
// Mutations: View leaves a class out of one release; table.order does nothing;
// render compares neither with the ledger nor with what has its name already.
func TestRuleF(t *testing.T) {
	c := lived(t, 3, 8)
	all := c.releases()
	for i := 1; i < len(all); i++ {
		for r := range all[i].class {
			if all[i-1].of(r) != nil {
				require.NotNil(t, all[i].of(r), "a row has left")
			}
		}
	}
	for i := range all {
		living := 0
		for _, p := range c.manifest(i + 1).Parts {
			living += c.canonicalRows(i+1, &p)
		}
		require.Equal(t, c.m.Releases().Intents()[i].Records, living)
	}
	v, err := c.m.Releases().View(uint32(len(all)))
	require.NoError(t, err)
	slices.SortStableFunc(v.Classes, func(a, b state.ClassView) int { return cmp.Compare(b.Born, a.Born) })
	first, last := &v.Classes[0], &v.Classes[1] // two persons of the newest part change places
	require.Equal(t, []uint32{uint32(len(all)), uint32(len(all))}, []uint32{first.Born, last.Born})
	first.Members, last.Members = slices.Clone(first.Members), slices.Clone(last.Members)
	first.Members[0], last.Members[0] = last.Members[0], first.Members[0]
	_, err = c.out.Publish(publish.Of(v), c.settings)
	require.ErrorIs(t, err, publish.ErrDifferent, "a second rendering of a release")
	c.certify()
}

// canonicalRows counts the rows of the living classes of a part, all of which are
// in canonical order.
func (c *chain) canonicalRows(release int, p *snapshot.PartEntry) (living int) {
	last := [3]int{-1 << 30, 0, 0}
	for _, row := range strings.Split(strings.TrimSpace(c.read(release, p.Part, "data.csv")), "\n")[1:] {
		cells := strings.Split(strings.ReplaceAll(row, `"`, ""), ",")
		var lo, hi int
		if _, err := fmt.Sscanf(strings.Join(cells[:len(cells)-2], ","), "[%d,%d]", &lo, &hi); err != nil {
			_, err = fmt.Sscan(cells[0], &lo)
			require.NoError(c.t, err)
			hi = lo
		}
		var number int
		_, err := fmt.Sscan(cells[len(cells)-1], &number)
		require.NoError(c.t, err)
		if slices.ContainsFunc(p.Replaces, func(r snapshot.ReplacedPart) bool { return r.FirstClass == uint32(number) }) && number != last[2] {
			last[0] = -1 << 30 // what was a part of its own is in order by itself
		}
		require.LessOrEqual(c.t, slices.Compare(last[:2], []int{lo, hi}), 0, "rows are not in canonical order")
		require.True(c.t, number == last[2] || number == last[2]+1, "classes are not numbered in canonical order")
		last = [3]int{lo, hi, number}
		if !slices.Contains(p.Dead, uint32(number)) {
			living++
		}
	}
	return living
}

func (c *chain) manifest(release int) *snapshot.Manifest {
	m, err := snapshot.Show(snapshot.OS(), c.out.Dir, uint32(release))
	require.NoError(c.t, err)
	return m
}

func (c *chain) read(release int, part, name string) string {
	data, err := os.ReadFile(filepath.Join(c.out.Dir, fmt.Sprintf("%06d", release), part, name))
	require.NoError(c.t, err)
	return string(data)
}

// file is a file of every part of a release, one after another, or the manifest.
func (c *chain) file(release int, name string) (all []byte) {
	if name == "manifest.json" {
		return []byte(c.read(release, "", name))
	}
	for _, p := range c.manifest(release).Parts {
		all = append(all, c.read(release, p.Part, name)...)
	}
	return all
}

// TestRuleE: a neighbourhood that would be regrouped at every release is closed
// once a member's budget is spent; growth counts as a regrouping.
// Mutations: exhausted is always false; Regroups of a birth is not counted up.
func TestRuleE(t *testing.T) {
	most := map[int]int{}
	for _, budget := range []int{0, 1, 2, -1} {
		p := policy(4, 2)
		p.Republication, p.MaxHold, p.MaxRegroups = state.Regroup, 1, budget
		c := newChain(t, plane(t, 1), p, render.Generalization())
		for i := range 8 {
			c.put(i%4+100*(i/4), i%2)
		}
		c.cut()
		for i := range 40 { // two records are too few for a class of their own
			c.put(i%4, 0)
			c.put((i+1)%4, 1)
			c.cut()
		}
		for _, n := range c.m.Releases().Regroups(c.m.Releases().Latest().Release) {
			most[budget] = max(most[budget], int(n))
		}
		c.certify()
	}
	assert.Zero(t, most[0])
	assert.Equal(t, 1, most[1])
	assert.LessOrEqual(t, most[2], 2)
	assert.Greater(t, most[2], 1)
	assert.Greater(t, most[-1], 2)
}

// TestRuleI: a first load that no partition can satisfy is refused with its
// share and the reachable l, never the value. Later, overdue records that break
// 1/l make admission all or nothing, until what waits is eligible again.
// Mutations: feasible always nil; passOver never infeasible; planning.update
// publishes the plans although a rest remains.
func TestRuleI(t *testing.T) {
	p := policy(4, 3)
	p.MaxHold = 2
	refused := newChain(t, plane(t, 1), p, render.Generalization())
	for i := range 20 {
		refused.put(i, max(0, i-11)%5) // 12 or more of 20 are the same
	}
	_, err := refused.m.Cut(1, [32]byte{})
	var e *plan.InfeasibleError
	require.ErrorAs(t, err, &e)
	assert.InDelta(t, 13./20, e.Share, 1e-9)
	assert.Equal(t, 3, e.L)
	assert.Equal(t, 1, e.Reachable)
	assert.Equal(t, "value", e.Attribute)
	assert.NotContains(t, err.Error(), "\"a\"")
	assert.Contains(t, fault.Hint(e), "divide the most frequent value")
	require.Empty(t, refused.m.Releases().Intents())
	require.False(t, refused.m.InitialLoad().Done(), "the refused load is still the first load")
	c := infeasibleStream(t)
	require.True(t, c.m.Status().Infeasible)
	require.Positive(t, c.m.Status().Pending.Infeasible)
	before := len(c.m.Releases().Intents())
	for i := range 6 { // eligible by themselves, but not with all that waits
		c.put(10*i, 1+i%3)
	}
	require.Nil(t, c.cut(), "all or nothing")
	c.crash()
	require.True(t, c.m.Status().Infeasible, "a restart forgot it")
	for i := range 60 { // now what waits is eligible
		c.put(i, 1+i%4)
	}
	intent := c.cut()
	require.NotNil(t, intent)
	require.Equal(t, before+1, len(c.m.Releases().Intents()))
	require.False(t, c.m.Status().Infeasible)
	require.Zero(t, c.m.Status().Pending.Total(), "all of it was published")
	c.certify()
}

// infeasibleStream has published once, and then let a surplus of one value wait
// for longer than max_hold.
func infeasibleStream(t *testing.T) *chain {
	p := policy(4, 3)
	p.MaxHold, p.Republication = 2, state.Regroup
	p.Local = extract.Extract{}
	c := newChain(t, plane(t, 1), p, render.Generalization())
	for i := range 24 {
		c.put(i, i%4)
	}
	require.NotNil(t, c.cut())
	for i := range 9 {
		c.put(i, 0)
	}
	for range 4 {
		require.Nil(t, c.cut())
	}
	return c
}

// people is a schema with a subject.
func people(t testing.TB) *equivclass.Schema {
	s, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "person", Role: equivclass.Subject},
		{Name: "x", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "value", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	return s
}

// TestRuleS: a class holds one record of a subject at most, only the
// subject's first record is ever published, and the rest counts as beyond, never as pending.
// Mutations: isBeyond always false; DistinctSubjects always true.
func TestRuleS(t *testing.T) {
	for seed := range uint64(tier.Of(t, 4, 4, 10)) {
		p := policy(4, 2)
		p.Republication, p.MaxHold, p.MaxRegroups = state.Regroup, 1, -1
		p.Local = extract.Extract{}
		c := newChain(t, people(t), p, render.Generalization())
		rng := rand.New(rand.NewPCG(seed, 4))
		var person []int
		for i := range 240 {
			who := i // the first load is balanced
			if i >= 60 {
				who = rng.IntN(120)
			}
			person = append(person, who)
			c.apply(source, int64(i), equivclass.Row{fmt.Append(nil, "p", who), fmt.Append(nil, 2*who+rng.IntN(2)),
				{'a' + byte((who+i/60*rng.IntN(6)/5)%2)}})
			if i >= 59 && i%5 == 4 {
				c.cut()
			}
		}
		checkSubjects(t, c, person)
		c.certify()
	}
}

func checkSubjects(t *testing.T, c *chain, person []int) {
	first := map[int]int{}
	for r, who := range person {
		if _, ok := first[who]; !ok {
			first[who] = r
		}
	}
	for _, s := range c.releases() {
		for _, class := range s.view.Classes {
			in := map[int]bool{}
			for _, r := range class.Members {
				require.False(t, in[person[r]], "a subject is twice in a class")
				in[person[r]] = true
			}
		}
	}
	all := c.releases()
	last := all[len(all)-1]
	for r, who := range person {
		if last.of(r) != nil {
			require.Equal(t, first[who], r, "a later record was published")
		}
	}
	s := c.m.Status()
	require.Equal(t, len(person)-len(first), s.Beyond)
	require.Equal(t, len(first), s.Published+s.Pending.Total())
}

// TestRuleR: the seed shows nowhere; each draw depends on seed, release and
// purpose; the same seed gives the same bytes, another seed other classes; the
// manifest says that the seed was given.
// Mutations: draw forgets the release, or the purpose, or the seed; Status
// carries the seed; the manifest's seeded stays false.
func TestRuleR(t *testing.T) {
	run := func(seed [32]byte) *chain {
		p := policy(4, 2)
		p.Initial, p.Republication, p.MaxHold = cuts.Drawn{}, state.Regroup, 0
		c := newChain(t, plane(t, 2), p, render.Permutation(seed))
		c.seed = seed
		c.open() // the store is still fresh
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range 400 {
			c.apply(source, int64(i), equivclass.Row{fmt.Append(nil, rng.IntN(50)), fmt.Append(nil, rng.IntN(50)),
				fmt.Append(nil, "v", rng.IntN(12))})
			if i%200 == 199 {
				require.NotNil(t, c.cut())
			}
		}
		c.certify()
		return c
	}
	seed := [32]byte([]byte("SEEDSEEDseedseed0123456789abcdef"))
	a, b, other := run(seed), run(seed), run([32]byte{1})
	for _, release := range []int{1, 2} {
		for _, name := range []string{"manifest.json", "pqt.csv", "pst.csv"} {
			require.Equal(t, a.file(release, name), b.file(release, name), "the same seed gives other bytes")
		}
		require.NotEqual(t, a.file(release, "pqt.csv"), other.file(release, "pqt.csv"), "the seed has no effect")
		require.Contains(t, string(a.file(release, "manifest.json")), `"seeded": true`)
	}
	a.showsNothing([]string{"SEEDSEED", "seedseed", fmt.Sprintf("%x", seed[:4]), fmt.Sprint(seed[:4])[1:12]})

	draws := map[uint64]bool{}
	for release := range uint32(3) {
		for _, purpose := range []string{"first load", "other"} {
			draws[a.m.Draw(release, purpose)] = true
			draws[other.m.Draw(release, purpose)] = true
			require.Equal(t, a.m.Draw(release, purpose), b.m.Draw(release, purpose), "a retry draws anew")
		}
	}
	require.Len(t, draws, 12, "two draws are the same")
}

// showsNothing looks for texts in everything that a person other than the owner
// of the state may see: status, what prints of it, manifests.
func (c *chain) showsNothing(secrets []string) {
	c.t.Helper()
	status, err := json.Marshal(c.m.Status())
	require.NoError(c.t, err)
	texts := []string{string(status), fmt.Sprintf("%v %+v %#v", c.m.Status(), c.m.Status(), c.m.Status())}
	for _, i := range c.m.Releases().Intents() {
		texts = append(texts, fmt.Sprintf("%v %+v %#v", i, i, i), string(c.file(int(i.Release), "manifest.json")))
	}
	for _, text := range texts {
		for _, s := range secrets {
			require.NotContains(c.t, text, s)
		}
	}
}

// TestRuleH: what the machine shows of records that are held are counts over
// the whole dataset and points in time: no list, no record, no value.
// Mutation: Status gets the waiting records as a field.
func TestRuleH(t *testing.T) {
	counts := func(v reflect.Type) bool {
		switch v.Kind() {
		case reflect.Int, reflect.Int64, reflect.Uint32, reflect.Uint64, reflect.Bool:
			return true
		case reflect.Map: // counts by reason code
			return v.Key() == reflect.TypeFor[equivclass.Reason]() && v.Elem().Kind() == reflect.Uint64
		default:
			return v == reflect.TypeFor[state.Pending]() ||
				v == reflect.TypeFor[*plan.PoolNeed]() ||
				v == reflect.TypeFor[[]incremental.Stratum]() || // by what kinds of messages came
				v == reflect.TypeFor[*incremental.FirstLoad]() // by attribute: counts and a share over the dataset
		}
	}
	for _, v := range []reflect.Type{reflect.TypeFor[incremental.Status](), reflect.TypeFor[state.Pending]()} {
		for i := range v.NumField() {
			require.True(t, counts(v.Field(i).Type), "%s.%s is no count", v, v.Field(i).Name)
		}
	}
	// It is not visible who holds the surplus: exchanging it between persons leaves
	// the status as it is.
	statusOf := func(shift int) incremental.Status {
		c := newChain(t, plane(t, 1), policy(4, 3), render.Generalization())
		for i := range 24 {
			c.put(i, i%4)
		}
		require.NotNil(t, c.cut())
		for i := range 12 {
			c.put(i, []int{0, 0, 0, 1}[(i+shift)%4])
		}
		for range 6 {
			c.cut()
		}
		return c.m.Status()
	}
	require.True(t, statusOf(0).Infeasible)
	require.Equal(t, statusOf(0), statusOf(1))
}

// TestRuleV: no value of a record, good or bad, is in an error, a status, a
// manifest or anything that prints. Every value is a canary that is looked for.
// Mutations: InfeasibleError names the value; DeadLetter prints its payload; Row
// prints its values.
func TestRuleV(t *testing.T) {
	tree, err := equivclass.ParseHierarchy("tree", strings.NewReader("canary-leaf-1;l;*\ncanary-leaf-2;l;*\n"))
	require.NoError(t, err)
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "person", Role: equivclass.Subject}, {Name: "name", Role: equivclass.Identifier},
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "tree", Role: equivclass.Quasi, Type: equivclass.Categorical, Hierarchy: tree},
		{Name: "city", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	const age = 987654321
	row := func(i, v int) equivclass.Row {
		return equivclass.Row{fmt.Append(nil, "canary-person-", i), fmt.Append(nil, "canary-name-", i), fmt.Append(nil, age+i),
			fmt.Append(nil, "canary-leaf-", 1+i%2),
			fmt.Append(nil, "canary-city-", i%3), fmt.Append(nil, "canary-illness-", v)}
	}
	var said []string
	say := func(vs ...any) {
		for _, v := range vs {
			said = append(said, fmt.Sprintf("%v|%+v|%#v|%s", v, v, v, v))
			if j, err := json.Marshal(v); err == nil {
				said = append(said, string(j))
			}
		}
	}
	c := newChain(t, schema, policy(4, 2), render.Generalization(),
		render.HierarchyFile{Attribute: "tree", File: "tree.csv", Content: []byte("canary-leaf-1;l;*\ncanary-leaf-2;l;*\n")})
	for i := range 10 {
		out := c.apply(source, int64(i), row(i, 0))
		say(out, row(i, 0))
	}
	_, err = c.m.Cut(1, [32]byte{}) // infeasible
	require.Error(t, err)
	say(err, fault.Hint(err))
	bad := 0
	for i := range 6 {
		r := row(100+i, i)
		switch i {
		case 0:
			r[2] = []byte("canary-no-number")
		case 1:
			r[3] = []byte("canary-no-leaf")
		case 2:
			r[4] = []byte("[canary-city")
		case 3:
			r[5] = nil
		case 4:
			r[0] = nil
		case 5:
			r[5] = []byte("canary\xff")
		}
		out := c.apply(source, int64(10+i), r)
		require.NotEqual(t, equivclass.Accepted, out.Reason)
		say(out, r)
		bad++
	}
	require.NoError(t, c.m.Refuse(state.DeadLetter{Partition: source, Offset: 16, Reason: "malformed_json",
		Payload: []byte("canary-payload")}))
	for i := range 30 {
		say(c.apply(source, int64(17+i), row(200+i, 1+i%3)))
	}
	require.NoError(t, c.m.Commit())
	letters, err := c.store.Outbox(0, 100, 1<<30)
	require.NoError(t, err)
	require.Len(t, letters, bad+1)
	for _, l := range letters {
		said = append(said, fmt.Sprintf("%v|%+v|%#v|%s", l, l, l, l), fmt.Sprint(l.LogValue()))
	}
	intent := c.cut()
	require.NotNil(t, intent)
	say(*intent, c.m.Status(), c.m.CheckInvariants())
	said = append(said, string(c.file(1, "manifest.json")))
	_, err = incremental.Open(c.store, incremental.Options{Schema: schema, Policy: c.policy, Settings: map[string][32]byte{"policy": {1}}})
	require.Error(t, err)
	say(err)
	c.store.FailAt(1, memstore.ErrClosed)
	c.apply(source, 100, row(300, 2))
	err = c.m.Commit()
	require.Error(t, err)
	say(err)
	_, err = c.m.Cut(1, [32]byte{})
	say(err)
	for _, text := range said {
		require.NotContains(t, text, "canary")
		require.NotContains(t, text, "98765432")
		require.NotContains(t, text, "99 97 110 97 114 121", "bytes of a canary")
		require.NotContains(t, text, "0x63, 0x61, 0x6e", "bytes of a canary")
	}
}
