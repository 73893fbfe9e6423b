// Package publishtest has the releases of a small hospital, for tests of those who publish.
package publishtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// Person is one record as text: quasi-identifiers, then the sensitive value.
type Person []string

// Class is a published class as indexes of persons.
type Class struct {
	Regime  state.Regime
	Born    uint32
	Members []state.RecordID
}

// View makes the view of a release of persons under attributes, which are
// quasi-identifiers but for the last. Persons in no class are pending.
func View(t testing.TB, release uint32, attributes []equivclass.Attribute, persons []Person, classes []Class) *incremental.View {
	t.Helper()
	schema, err := equivclass.NewSchema(attributes, equivclass.MissingValue)
	require.NoError(t, err)
	v := &incremental.View{Schema: schema, Intent: state.Intent{Release: release, CreatedAt: 1_700_000_000 + int64(release),
		Cut: state.RecordID(len(persons)), Classes: len(classes), Algorithm: 3, Digests: 9 + int(release)}}
	codes := make([][]equivclass.Code, len(attributes))
	for i, a := range schema.Attributes() {
		d := equivclass.NewDictionary(a)
		codes[i] = make([]equivclass.Code, len(persons))
		for r, p := range persons {
			code, why := d.Encode(text(p[i]))
			require.Equal(t, equivclass.Accepted, why)
			codes[i][r] = code
		}
		v.Dictionaries = append(v.Dictionaries, d.Frozen())
	}
	v.QI, v.SA = equivclass.ColumnsOf(codes[:len(codes)-1]), equivclass.ColumnsOf(codes[len(codes)-1:])
	for _, i := range schema.Quasi() {
		v.Scale = append(v.Scale, map[equivclass.Type]equivclass.Range{equivclass.Integer: {Hi: 100}, equivclass.Decimal: {Hi: 1000000},
			equivclass.Date: {Lo: -3650, Hi: 16590}}[attributes[i].Type])
	}
	for _, c := range classes {
		v.Classes = append(v.Classes, state.ClassView{Regime: c.Regime, Born: c.Born, Members: c.Members})
		v.Intent.Records += len(c.Members)
	}
	v.Intent.Pending.Waiting = len(persons) - v.Intent.Records
	return v
}

// text is nil for a missing value.
func text(value string) []byte {
	if value == "" {
		return nil
	}
	return []byte(value)
}

const Postcodes = "1011;101*;10**;*\n1012;101*;10**;*\n1021;102*;10**;*\n2011;201*;20**;*\n"

func Tree(t testing.TB, text string) *equivclass.Hierarchy {
	t.Helper()
	h, err := equivclass.ParseHierarchy("postcode.csv", strings.NewReader(text))
	require.NoError(t, err)
	return h
}

// Hospital has one attribute of each kind: a number, a decimal, a date, a Tree, a
// set, and a number with steps.
func Hospital(t testing.TB) []equivclass.Attribute {
	return []equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "weight", Role: equivclass.Quasi, Type: equivclass.Decimal, Digits: 4},
		{Name: "born", Role: equivclass.Quasi, Type: equivclass.Date},
		{Name: "postcode", Role: equivclass.Quasi, Type: equivclass.Categorical, Hierarchy: Tree(t, Postcodes)},
		{Name: "ward", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "income", Role: equivclass.Quasi, Type: equivclass.Integer, Steps: []int64{10, 100}},
		{Name: "diagnosis", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}
}

var Patients = []Person{
	{"34", "70.5", "1990-01-31", "1011", "ward-e", "1234", "flu"},
	{"39", "70.5", "1985-12-01", "1012", "ward-w", "1239", `ulcer, "acute"`},
	{"36", "81", "1988-02-29", "1011", "ward-e", "1230", "flu"},
	{"36", "64.25", "1988-02-29", "1012", "ward-n", "1231", "cold"},
	{"9", "30", "2015-06-01", "2011", "ward-e", "0", "cold"},
	{"10", "30.5", "2014-06-01", "1021", "ward-e", "250", "asthma"},
	{"9", "30", "2015-06-01", "2011", "ward-e", "7", "flu"},
	{"50", "90", "1970-01-01", "1021", "south, new", "-5", "gout"}, // pending
	{"60", "90", "1960-01-01", "1021", "ward-e", "99", "asthma"},
	{"60", "90", "1960-01-01", "1021", "ward-e", "99", "gout"},
	{"60", "90", "1960-01-01", "1021", "ward-e", "99", "flu"},
}

func Classes() []Class {
	return []Class{
		{state.Frozen, 1, []state.RecordID{0, 1, 2, 3}},
		{state.Pure, 1, []state.RecordID{4, 5, 6}},
		{state.Pure, 1, []state.RecordID{8, 9, 10}},
	}
}

func HospitalView(t testing.TB) *incremental.View {
	return View(t, 1, Hospital(t), Patients, Classes())
}

// fanIn is that of all Settings of these tests; 0: the program's.
var fanIn int

// JoinParts makes Settings join so many parts, until it is undone.
func JoinParts(parts int) (undo func()) {
	fanIn = parts
	return func() { fanIn = 0 }
}

func Settings(recoding render.Recoding) *render.Settings {
	return &render.Settings{
		Dataset: "hospital",
		Policy: snapshot.Policy{K: 3, L: 2, Republication: "regroup", MaxRegroups: 2, SubjectRepeat: "first",
			Diversity: render.DiversityOf([]equivclass.Principle{equivclass.DistinctL{L: 3}, equivclass.RecursiveL{C: 2.5, L: 2}})},
		Recoding:    recoding,
		FanIn:       fanIn,
		Hierarchies: []render.HierarchyFile{{Attribute: "postcode", File: "config/postcode.csv", Content: []byte(Postcodes)}},
	}
}

// Buried adds classes that have died to a view.
func Buried(v *incremental.View, dead ...Dead) *incremental.View {
	for _, c := range dead {
		v.Dead = append(v.Dead, state.ClassView{Regime: c.Regime, Born: c.Born, Died: c.Died, Members: c.Members})
	}
	return v
}

// Dead is a class whose records were regrouped.
type Dead struct {
	Class
	Died uint32
}

// LongerViews are three releases: the second adds a class, the third regroups one,
// and where two parts are joined at once (snapshot.Keep), joins those before it.
func LongerViews(t testing.TB) []*incremental.View {
	all := Classes()
	all[2].Born = 2
	old := all[1]
	young := Class{state.Pure, 3, old.Members}
	return []*incremental.View{
		View(t, 1, Hospital(t), Patients, all[:2]),
		View(t, 2, Hospital(t), Patients, all),
		Buried(View(t, 3, Hospital(t), Patients, []Class{all[0], all[2], young}), Dead{old, 3}),
	}
}

func PublishBy(t testing.TB, p *publish.Publisher, intents *[]state.Intent, views func(testing.TB) []*incremental.View,
	s *render.Settings) error {
	if err := p.Open(); err != nil {
		return err
	}
	if err := publish.Reconcile(p.FS, p.Dir, p.Ledger, *intents, 1000); err != nil {
		return err
	}
	for i, v := range views(t) {
		if i == len(*intents) {
			*intents = append(*intents, v.Intent) // the intent is committed first
		}
		if (*intents)[i].Published {
			continue
		}
		out, err := p.Publish(publish.Of(v), s)
		if err != nil {
			return err
		}
		(*intents)[i].Published, (*intents)[i].Manifest = true, out.SHA256
	}
	return nil
}

// OpenGate lets everything pass.
type OpenGate struct{}

// Check implements publish.Gate.
func (OpenGate) Check(string, []render.Placement) error { return nil }
