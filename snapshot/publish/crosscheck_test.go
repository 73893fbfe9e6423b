package publish_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// auditGate puts the auditor before the rename, as the daemon does.
type auditGate struct{ *gate.Gate }

func (g auditGate) Check(dir string, placed []render.Placement) error {
	violations, err := g.Gate.Check(dir, given(placed))
	if err == nil && len(violations) > 0 {
		err = publish.Refuse(fmt.Errorf("%d violations, the first: %+v", len(violations), violations[0]))
	}
	return err
}

// given are placements as the auditor takes them.
func given(placed []render.Placement) []gate.Placement {
	out := make([]gate.Placement, len(placed))
	for i, p := range placed {
		out[i] = gate.Placement{Part: p.Part, Records: p.Records, Classes: p.Classes}
	}
	return out
}

// chain grows classes by the rules: frozen ones (A), pure ones (P), and from the
// second release on a regrouping of the pure ones inside their signature.
type chain struct {
	r       *rand.Rand
	persons []person
	arrived []int // by person: release
	classes []testClass
	dead    []deadClass
}

func (c *chain) person(release int, value string) state.RecordID {
	pick := func(values ...string) string { return values[c.r.IntN(len(values))] }
	lacking := func(text string) string { return pick(text, text, text, text, text, "") }
	number := func(n int) string { return lacking(strconv.Itoa(c.r.IntN(n) - n/4)) }
	c.persons = append(c.persons, person{number(90), lacking(strconv.FormatFloat(float64(c.r.IntN(2000))/8, 'f', -1, 64)),
		lacking(fmt.Sprintf("19%02d-0%d-1%d", c.r.IntN(100), 1+c.r.IntN(9), c.r.IntN(10))), pick("1011", "1012", "1021", "2011"),
		pick("ward-e", "ward-w", `ward "x", new`, "", "É"), number(500), value})
	c.arrived = append(c.arrived, release)
	return state.RecordID(len(c.persons) - 1)
}

func (c *chain) grow(release int, frozen bool) {
	for range 2 + c.r.IntN(4) {
		class := testClass{Regime: state.Pure, Born: uint32(release)}
		values := []string{"flu", "cold", "gout"}
		if frozen && c.r.IntN(2) == 0 {
			class.Regime = state.Frozen
			values = []string{"flu", "cold", "gout", "flu", "asthma"}
		}
		for _, v := range values {
			class.Members = append(class.Members, c.person(release, v))
		}
		c.classes = append(c.classes, class)
	}
	for range c.r.IntN(3) {
		c.person(release, "ulcer") // waits
	}
}

// regroup assigns each value's records anew over the pure classes of before.
func (c *chain) regroup(release int) { c.regroupFrom(release, 0) }

// regroupFrom leaves the first pure classes out.
func (c *chain) regroupFrom(release, skip int) {
	var pure []int
	for i, class := range c.classes {
		if class.Regime == state.Pure && class.Born < uint32(release) {
			pure = append(pure, i)
		}
	}
	if len(pure) < skip+2 {
		return
	}
	pure = pure[skip:]
	a, b := &c.classes[pure[0]], &c.classes[pure[1]]
	x := testClass{Regime: state.Pure, Born: uint32(release), Members: []state.RecordID{a.Members[0], b.Members[1], a.Members[2]}}
	y := testClass{Regime: state.Pure, Born: uint32(release), Members: []state.RecordID{b.Members[0], a.Members[1], b.Members[2]}}
	c.dead = append(c.dead, deadClass{Class: *a, Died: uint32(release)}, deadClass{Class: *b, Died: uint32(release)})
	*a, *b = x, y
}

// everybody is who is in which class of a release.
func everybody(t *testing.T, v *incremental.View, s *render.Settings) []render.Placement {
	placed, err := render.NewMembership(publish.Of(v), s).Of(v.Intent.Release)
	require.NoError(t, err)
	return placed
}

// memberExport is `anond state members` of placements by release.
func memberExport(members [][]render.Placement) string {
	var m strings.Builder
	m.WriteString("release,record,part,class\n")
	for i, placed := range members {
		for _, p := range placed {
			for j, record := range p.Records {
				fmt.Fprintf(&m, "%d,s:0:%d,%s,%d\n", i+1, record, p.Part, p.Classes[j])
			}
		}
	}
	return m.String()
}

func (c *chain) exports(t *testing.T, dir string, members [][]render.Placement) audit.Options {
	var r strings.Builder
	m := memberExport(members)
	r.WriteString("record,arrived_in_release,age,weight,born,postcode,ward,income,diagnosis\n")
	for i, p := range c.persons {
		fmt.Fprintf(&r, "s:0:%d,%d", i, c.arrived[i])
		for _, v := range p {
			v = cmp.Or(v, equivclass.MissingText)
			r.WriteString(`,"` + strings.ReplaceAll(v, `"`, `""`) + `"`)
		}
		r.WriteString("\n")
	}
	o := audit.Options{Members: filepath.Join(dir, "members.csv"), Records: filepath.Join(dir, "records.csv")}
	require.NoError(t, os.WriteFile(o.Members, []byte(m), 0o600))
	require.NoError(t, os.WriteFile(o.Records, []byte(r.String()), 0o600))
	return o
}

// TestAuditorAgrees publishes random chains and has the auditor, which shares no
// code with this package, read them: tightness, canonical order, bags, hashes,
// chain, certificate and ledger must come out the same on both sides.
func TestAuditorAgrees(t *testing.T) {
	tier.NotShort(t, "it renders many chains")
	certificates := map[string]bool{}
	for trial := range tier.Of(t, 6, 8, 24) {
		for _, recoding := range recodings() {
			c := &chain{r: rand.New(rand.NewPCG(uint64(trial), 3))}
			root := t.TempDir()
			s := settings(recoding)
			s.Policy.Diversity, s.Policy.SubjectRepeat = nil, ""
			p := publisher(newRecorder(root), root)
			p.Gate = auditGate{gate.New(format.Policy{K: 3, L: 2, Republication: "regroup", MaxRegroups: &s.Policy.MaxRegroups})}
			require.NoError(t, p.Open())
			var members [][]render.Placement
			for release := 1; release <= 3; release++ {
				c.grow(release, trial%2 == 0)
				if release > 1 && trial%3 != 0 {
					c.regroup(release)
				}
				v := buried(testView(t, uint32(release), hospital(t), c.persons, c.classes), c.dead...)
				out, err := p.Publish(publish.Of(v), s)
				require.NoError(t, err, "trial %d %s", trial, recoding.Name())
				p.Gate.(auditGate).Commit()
				certificates[out.Manifest.Privacy.Certificate] = true
				members = append(members, everybody(t, v, s))
			}
			o := c.exports(t, root, members)
			o.Releases, o.Ledger = p.Dir, p.Ledger
			report, err := audit.Dir(o)
			require.NoError(t, err)
			require.Empty(t, report.Violations, "trial %d %s", trial, recoding.Name())
			require.Equal(t, "certified", string(report.Verdict))
		}
	}
	assert.Len(t, certificates, 3)
}

// TestAuditorRefuses: the gate in front of the rename is the auditor's.
func TestAuditorRefuses(t *testing.T) {
	root := t.TempDir()
	p := publisher(snapshot.OS(), root)
	k := 2
	p.Gate = auditGate{gate.New(format.Policy{K: 3, L: 2, Republication: "regroup", MaxRegroups: &k})}
	require.NoError(t, p.Open())
	s := settings(render.Generalization())
	v := testView(t, 1, hospital(t), patients, []testClass{{Regime: state.Frozen, Born: 1, Members: []state.RecordID{0, 2, 6}}})
	_, err := p.Publish(publish.Of(v), s)
	require.ErrorIs(t, err, publish.ErrRefused)
	var failure *publish.ReleaseError
	require.True(t, errors.As(err, &failure))
	require.Equal(t, publish.StepGate, failure.Step)
	noValues(t, err.Error())
}
