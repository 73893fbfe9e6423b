package incremental_test

import (
	"anond/incremental/state"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// grove is a chain whose place and illness have hierarchies that grow.
type grove struct {
	*chain
	rng   *rand.Rand
	lines [2][]string // of the two files
	texts []string    // of each accepted record: place/illness
	sent  int
}

const (
	placeKey, illKey = "schema.attributes[place].hierarchy", "schema.attributes[ill].hierarchy"
	encodingKey      = "schema.encoding"
)

func (g *grove) file(i int) []byte { return []byte(strings.Join(g.lines[i], "\n") + "\n") }

func (g *grove) options() incremental.Options {
	return incremental.Options{Schema: g.schema, Policy: g.policy, Seed: g.seed, Seeded: true,
		Settings:    map[string][32]byte{placeKey: sha256.Sum256(g.file(0)), illKey: sha256.Sum256(g.file(1)), encodingKey: {}},
		Hierarchies: map[string]int{placeKey: 1, illKey: 2}}
}

// replant makes schema and settings of the present files.
func (g *grove) replant() {
	trees := make([]*equivclass.Hierarchy, 2)
	for i := range trees {
		var err error
		trees[i], err = equivclass.ParseHierarchy("tree", strings.NewReader(string(g.file(i))))
		require.NoError(g.t, err)
	}
	var err error
	g.schema, err = equivclass.NewSchema([]equivclass.Attribute{{Name: "x", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "place", Role: equivclass.Quasi, Type: equivclass.Categorical, Hierarchy: trees[0]},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical, Hierarchy: trees[1]},
		{Name: "who", Role: equivclass.Subject}}, equivclass.RefuseMissing)
	require.NoError(g.t, err)
}

// start opens the state again, as a process does that finds the present files.
func (g *grove) start() error {
	if g.m != nil {
		g.store = g.store.Crash()
	}
	m, err := incremental.Open(g.store, g.options())
	if err != nil {
		return err
	}
	g.m = m
	g.settings.Hierarchies = nil
	for i, name := range []string{"place", "ill"} {
		v := m.Hierarchies()[i+1]
		first := slices.IndexFunc(v, func(v state.HierarchyVersion) bool { return v.Release > 0 })
		g.settings.Hierarchies = append(g.settings.Hierarchies, render.HierarchyFile{Attribute: name, File: name + ".csv",
			Content: g.file(i), Grown: first > 0})
	}
	g.gate = g.newGate()
	if i := m.Releases().Latest(); i != nil {
		v, err := m.Releases().View(i.Release)
		require.NoError(g.t, err)
		placed, err := g.out.Resume(publish.Of(v), g.settings)
		require.NoError(g.t, err)
		dir := filepath.Join(g.out.Dir, fmt.Sprintf("%06d", i.Release))
		violations, err := g.gate.Resume(dir, placements(placed), m.Releases().Regroups(i.Release))
		require.NoError(g.t, err)
		require.Empty(g.t, violations)
	}
	all := m.Releases().All()
	for r, want := range g.texts {
		have := all.Dictionaries[1].Text(all.QI[1].At(int(r))) + "/" + all.Dictionaries[2].Text(all.SA[0].At(int(r)))
		require.Equal(g.t, want, have, "record %d", r)
	}
	return m.Commit()
}

func newGrove(t *testing.T, seed uint64, regroup bool) *grove {
	p := policy(4, 2)
	p.Local = extract.Extract{}
	if regroup {
		p.Republication = state.Regroup
	}
	g := &grove{rng: rand.New(rand.NewPCG(seed, 5))}
	for i := range 6 {
		g.lines[0] = append(g.lines[0], fmt.Sprintf("p%d;q%d;*", i, i/2))
		g.lines[1] = append(g.lines[1], fmt.Sprintf("i%d;j%d;*", i, i/3))
	}
	trial := &grove{lines: g.lines, chain: &chain{releaseDir: &releaseDir{t: t}}}
	trial.replant()
	g.chain = newChain(t, trial.schema, p, render.Generalization())
	g.store, g.m = g.store.Crash(), nil
	g.replant()
	require.NoError(t, g.start())
	return g
}

// grow puts new leaves at random places of a file.
func (g *grove) grow(i, n int) {
	for range n {
		leaf := len(g.lines[i])
		line := fmt.Sprintf("%c%d;%c%d;*", "pi"[i], leaf, "qj"[i], g.rng.IntN(4+leaf/3))
		g.lines[i] = slices.Insert(g.lines[i], g.rng.IntN(leaf+1), line)
	}
	g.replant()
}

func (g *grove) people(n int) {
	leaf := func(i int) string {
		text, _, _ := strings.Cut(g.lines[i][g.rng.IntN(len(g.lines[i]))], ";")
		return text
	}
	for range n {
		place, ill := leaf(0), leaf(1)
		require.Equal(g.t, equivclass.Accepted, g.apply(source, int64(g.sent),
			equivclass.Row{fmt.Append(nil, g.rng.IntN(50)), []byte(place), []byte(ill), fmt.Append(nil, g.sent)}).Reason)
		g.sent++
		g.texts = append(g.texts, place+"/"+ill)
	}
}

// TestGrowingHierarchies: whatever leaves come where, and however often the
// process starts again, every record keeps its values, every release passes the
// gate, no class shows who cannot have a value, and the chain is certified.
// Mutations: toStored returns codes as they are; epochs returns all records as
// one pool; eligible without mayHave.
func TestGrowingHierarchies(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g := newGrove(t, seed, seed%2 == 0)
			for step := range 10 {
				g.people(3 + g.rng.IntN(30))
				if step == 0 {
					g.people(40)
				}
				g.cut()
				g.people(g.rng.IntN(6))
				require.NoError(t, g.m.Commit())
				if g.rng.IntN(2) == 0 {
					g.grow(g.rng.IntN(2), 1+g.rng.IntN(3))
				}
				require.NoError(t, g.start())
			}
			g.cut()
			require.Greater(t, len(g.m.Releases().Intents()), 5)
			g.noEarlyRecordWithALateValue()
			g.certify()
		})
	}
}

// noEarlyRecordWithALateValue looks at the classes of every release with what
// the adversary knows: when each record arrived and when each value became valid.
func (g *grove) noEarlyRecordWithALateValue() {
	since := func(r state.RecordID) state.RecordID {
		_, ill, _ := strings.Cut(g.texts[r], "/")
		i := slices.IndexFunc(g.m.Hierarchies()[2], func(v state.HierarchyVersion) bool { return int(v.Leaves) > leafNumber(ill) })
		return g.m.Hierarchies()[2][i].Records
	}
	for _, s := range g.releases() {
		for _, c := range s.view.Classes {
			for _, r := range c.Members {
				require.LessOrEqual(g.t, since(r), c.Members[0], "release %d", s.view.Intent.Release)
			}
		}
	}
}

// leafNumber is the number of a leaf in the order in which state got to know it.
func leafNumber(leaf string) (n int) {
	fmt.Sscanf(leaf[1:], "%d", &n)
	return n
}

// TestWhatAHierarchyMayNot: refused are a leaf that is removed or moved, a change while
// a release is decided and not published, and changes under tests that a new value
// would break.
func TestWhatAHierarchyMayNot(t *testing.T) {
	g := newGrove(t, 3, false)
	g.people(30)
	require.NotNil(t, g.cut())
	lines, plain := g.lines, g.policy
	refused := func(why string) {
		t.Helper()
		g.replant()
		var e *incremental.GrowthError
		require.ErrorAs(t, g.start(), &e)
		assert.Contains(t, e.Error(), why)
		g.lines, g.policy = lines, plain
		g.replant()
		require.NoError(t, g.start())
	}
	g.lines[0] = lines[0][1:]
	refused("0 have another path and 1 are gone")
	g.lines[0] = append([]string{"p0;q9;*"}, lines[0][1:]...)
	refused("1 have another path and 0 are gone")

	g.policy.Requirement.Extra = []equivclass.Principle{equivclass.TClose{T: 0.9,
		Ground: equivclass.TreeGround{Tree: g.schema.Attributes()[2].Hierarchy}}}
	g.lines[1] = append(slices.Clone(lines[1]), "i6;j0;*")
	refused("hierarchical distance")

	g.people(30)
	intent, err := g.m.Flush(5, [32]byte{1})
	require.NoError(t, err)
	require.NotNil(t, intent)
	g.store, g.m = g.store.Crash(), nil
	g.lines[0] = append(slices.Clone(lines[0]), "p6;q0;*")
	g.replant()
	_, err = incremental.Open(g.store, g.options())
	require.ErrorContains(t, err, "release 2 is decided under the earlier file")
}

// TestAnEarlyRecordJoinsNoLateSignature: a record that waits since before a value
// was valid does not join the classes that have it, however much that would gain.
// Mutation: eligible without mayHave.
func TestAnEarlyRecordJoinsNoLateSignature(t *testing.T) {
	g := newGrove(t, 1, true)
	g.policy.MaxRegroups, g.settings.Policy.MaxRegroups = 100, 100
	require.NoError(t, g.start())
	put := func(x int, ill string) {
		require.Equal(t, equivclass.Accepted, g.apply(source, int64(g.sent),
			equivclass.Row{fmt.Append(nil, x), []byte("p0"), []byte(ill), fmt.Append(nil, g.sent)}).Reason)
		g.sent++
		g.texts = append(g.texts, "p0/"+ill)
	}
	for x := range 8 {
		put(90+x, []string{"i1", "i2"}[x%2])
	}
	require.NotNil(t, g.cut())
	for range 4 {
		put(10, "i0") // they find no partner
	}
	require.Nil(t, g.cut())
	g.lines[1] = append(g.lines[1], "i6;j0;*")
	g.replant()
	require.NoError(t, g.start())
	for x := range 8 {
		put(5+2*x, []string{"i6", "i0"}[x/4]) // late ones far from each other
	}
	for range 8 {
		_, err := g.m.Cut(9, [32]byte{1})
		require.NoError(t, err)
		if i := g.m.Releases().Latest(); !i.Published {
			g.publish(i)
		}
		put(10, "i6")
	}
	g.noEarlyRecordWithALateValue()
	assert.Positive(t, g.m.Status().Pending.Total())
	require.Empty(t, g.m.CheckInvariants())
}

// TestAGrownHierarchyNeedsPeople: without a subject nobody knows whose record was refused, so the hierarchy of the
// sensitive attribute stays as it was once a record has arrived, also one that was refused.
func TestAGrownHierarchyNeedsPeople(t *testing.T) {
	open := func(store *memstore.Store, values string, people bool) (*incremental.Machine, error) {
		s := withTree(t, values)
		if people {
			s = withPeopleOf(t, values)
		}
		p := policy(4, 2)
		p.Level, p.MaxHold = state.L2, 0
		return incremental.Open(store, incremental.Options{Schema: s, Policy: p, Settings: settingsOf(byte(len(values))),
			Hierarchies: map[string]int{illKey: 2}, Seeded: true})
	}
	for _, people := range []bool{false, true} {
		store := memstore.New()
		m, err := open(store, "ab", people)
		require.NoError(t, err)
		require.NoError(t, m.Commit())
		m, err = open(store, "abc", people)
		require.NoError(t, err, "nothing has arrived")
		require.NoError(t, m.Refuse(state.DeadLetter{Partition: source, Reason: equivclass.ReasonHierarchy, Attribute: "value"}))
		require.NoError(t, m.Commit())
		_, err = open(store, "abcd", people)
		var grown *incremental.GrowthError
		require.Equal(t, !people, errors.As(err, &grown), "%v", err)
		_, err = open(store, "cba", people)
		require.NoError(t, err, "only the order of lines")
	}
}
