package incremental_test

import (
	"anond/incremental/state"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/snapshot/render"
)

// shape is what the records of a script look like.
type shape struct {
	quasi   []string // kinds
	subject bool
}

func (s *shape) read(t testing.TB, arg datadriven.CmdArg) bool {
	switch arg.Key {
	case "dims":
		n := 0
		arg.Scan(t, 0, &n)
		for range n {
			s.quasi = append(s.quasi, "int")
		}
	case "q":
		s.quasi = arg.Vals
	case "subject":
		s.subject = true
	default:
		return false
	}
	return true
}

func (s *shape) schema(t testing.TB) *equivclass.Schema {
	var as []equivclass.Attribute
	if s.subject {
		as = append(as, equivclass.Attribute{Name: "person", Role: equivclass.Subject})
	}
	if s.quasi == nil {
		s.quasi = []string{"int"}
	}
	for j, kind := range s.quasi {
		as = append(as, attribute(t, quasiName(j), kind))
	}
	as = append(as, equivclass.Attribute{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical})
	out, err := equivclass.NewSchema(as, equivclass.RefuseMissing)
	require.NoError(t, err)
	return out
}

func quasiName(j int) string { return string(rune('x'+j%3)) + strings.Repeat("'", j/3) }

// attribute makes a quasi-identifier of a kind:
//
//	int, decimal, date   as they are
//	steps                whole numbers, shown in steps of 5 and 20
//	zone                 the leaves of a hierarchy
//	word                 any word
func attribute(t testing.TB, name, kind string) equivclass.Attribute {
	a := equivclass.Attribute{Name: name, Role: equivclass.Quasi, Type: equivclass.Categorical}
	switch kind {
	case "int":
		a.Type = equivclass.Integer
	case "steps":
		a.Type, a.Steps = equivclass.Integer, []int64{5, 20}
	case "decimal":
		a.Type, a.Digits = equivclass.Decimal, 4
	case "date":
		a.Type = equivclass.Date
	case "zone":
		h, err := equivclass.ParseHierarchy(zoneName(name), strings.NewReader(zones))
		require.NoError(t, err)
		a.Hierarchy = h
	default:
		require.Equal(t, "word", kind, "there is no kind of attribute %q", kind)
	}
	return a
}

// zones is a hierarchy of 12 leaves in two levels below the root.
const zones = "a1;a;*\na2;a;*\na3;a;*\nb1;b;*\nb2;b;*\nc1;c;*\nc2;c;*\nc3;c;*\nc4;c;*\nd1;d;*\nd2;d;*\nd3;d;*\n"

func zoneName(attribute string) string { return strings.ReplaceAll(attribute, "'", "_") + ".csv" }

// files are the hierarchies of the attributes of kind zone.
func (s *shape) files() (out []render.HierarchyFile) {
	add := func(name, kind string) {
		if kind == "zone" {
			out = append(out, render.HierarchyFile{Attribute: name, File: zoneName(name), Content: []byte(zones)})
		}
	}
	for j, kind := range s.quasi {
		add(quasiName(j), kind)
	}
	return out
}

// recoding is that of a name.
func (s *shape) recoding(t testing.TB, name string, level state.Level) render.Recoding {
	out, err := render.ParseRecoding(name, render.RecodingOptions{Seed: [32]byte{9}, Shared: level == state.L2})
	require.NoError(t, err)
	return out
}
