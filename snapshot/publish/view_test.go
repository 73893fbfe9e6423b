package publish_test

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/render"
)

// person is one record as text: quasi-identifiers, then the sensitive value.
type person []string

// testClass is a published class as indexes of persons.
type testClass struct {
	regime  state.Regime
	born    uint32
	members []state.RecordID
}

// testView makes the view of a release of persons under attributes, which are
// quasi-identifiers but for the last. Persons in no class are pending.
func testView(t testing.TB, release uint32, attributes []equivclass.Attribute, persons []person, classes []testClass) *incremental.View {
	t.Helper()
	schema, err := equivclass.NewSchema(attributes, equivclass.MissingValue)
	require.NoError(t, err)
	v := &incremental.View{Schema: schema, Intent: state.Intent{Release: release, CreatedAt: 1_700_000_000 + int64(release),
		Cut: state.RecordID(len(persons)), Classes: len(classes)}}
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
	v.QI, v.SA = equivclass.ColumnsOf(codes[:len(codes)-1]), equivclass.ColumnOf(codes[len(codes)-1])
	for _, i := range schema.Quasi() {
		v.Scale = append(v.Scale, map[equivclass.Type]equivclass.Range{equivclass.Integer: {Hi: 100}, equivclass.Decimal: {Hi: 1000000},
			equivclass.Date: {Lo: -3650, Hi: 16590}}[attributes[i].Type])
	}
	for _, c := range classes {
		v.Classes = append(v.Classes, state.ClassView{Regime: c.regime, Born: c.born, Members: c.members})
		v.Intent.Records += len(c.members)
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

const postcodes = "1011;101*;10**;*\n1012;101*;10**;*\n1021;102*;10**;*\n2011;201*;20**;*\n"

func tree(t testing.TB, text string) *equivclass.Hierarchy {
	t.Helper()
	h, err := equivclass.ParseHierarchy("postcode.csv", strings.NewReader(text))
	require.NoError(t, err)
	return h
}

// hospital has one attribute of each kind: a number, a decimal, a date, a tree, a
// set, and a number with steps.
func hospital(t testing.TB) []equivclass.Attribute {
	return []equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "weight", Role: equivclass.Quasi, Type: equivclass.Decimal, Digits: 4},
		{Name: "born", Role: equivclass.Quasi, Type: equivclass.Date},
		{Name: "postcode", Role: equivclass.Quasi, Type: equivclass.Categorical, Hierarchy: tree(t, postcodes)},
		{Name: "ward", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "income", Role: equivclass.Quasi, Type: equivclass.Integer, Steps: []int64{10, 100}},
		{Name: "diagnosis", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}
}

var patients = []person{
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

func hospitalClasses() []testClass {
	return []testClass{
		{state.Frozen, 1, []state.RecordID{0, 1, 2, 3}},
		{state.Pure, 1, []state.RecordID{4, 5, 6}},
		{state.Pure, 1, []state.RecordID{8, 9, 10}},
	}
}

func hospitalView(t testing.TB) *incremental.View {
	return testView(t, 1, hospital(t), patients, hospitalClasses())
}

var testSeed = [32]byte{1, 2, 3}

// fanIn is that of all settings of these tests; 0: the program's.
var fanIn int

// joinParts makes settings join so many parts, until it is undone.
func joinParts(parts int) (undo func()) {
	fanIn = parts
	return func() { fanIn = 0 }
}

func settings(recoding render.Recoding) *render.Settings {
	return &render.Settings{
		Dataset: "hospital",
		Policy: snapshot.Policy{K: 3, L: 2, Republication: "regroup", MaxRegroups: 2, SubjectRepeat: "first",
			Diversity: render.DiversityOf([]equivclass.Principle{equivclass.DistinctL{L: 3}, equivclass.RecursiveL{C: 2.5, L: 2}})},
		Recoding:    recoding,
		FanIn:       fanIn,
		Hierarchies: []render.HierarchyFile{{Attribute: "postcode", File: "config/postcode.csv", Content: []byte(postcodes)}},
	}
}

// buried adds classes that have died to a view.
func buried(v *incremental.View, dead ...deadClass) *incremental.View {
	for _, c := range dead {
		v.Dead = append(v.Dead, state.ClassView{Regime: c.regime, Born: c.born, Died: c.died, Members: c.members})
	}
	return v
}

// deadClass is a class whose records were regrouped.
type deadClass struct {
	testClass
	died uint32
}

// memory is a rendering kept in memory.
type memory map[string]*bytes.Buffer

type closer struct{ *bytes.Buffer }

func (closer) Close() error { return nil }

// diskFiles is a rendering of a first release in a directory.
type diskFiles struct {
	render.Files
	dir string
}

func (d diskFiles) Create(name string) (io.WriteCloser, error) {
	path := filepath.Join(d.dir, name)
	if err := snapshot.OS().MkdirAll(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return snapshot.OS().Create(path)
}
