package incremental_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/snapshot"
)

// shape is what the records of a script look like.
type shape struct {
	quasi   []string // kinds
	semi    []semiShape
	subject bool
}

// semiShape is a semi-sensitive attribute: kind/l/2/flag, or kind/t/0.3/distance/flag.
// The flag may be empty: the attribute is always sensitive. declared gives t-closeness
// a reference over the words w0, w1 and w2.
type semiShape struct {
	name, kind, flag string
	promise          equivclass.SemiPromise
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
	case "pay_l":
		pay := semiShape{name: "pay", kind: "word", flag: "secret"}
		arg.Scan(t, 0, &pay.promise.L)
		s.semi = append(s.semi, pay)
	case "semi":
		for i, text := range arg.Vals {
			s.semi = append(s.semi, readSemi(t, fmt.Sprintf("s%d", i), text))
		}
	default:
		return false
	}
	return true
}

func readSemi(t testing.TB, name, text string) (out semiShape) {
	f := strings.Split(text, "/")
	require.GreaterOrEqual(t, len(f), 4, text)
	out = semiShape{name: name, kind: f[0], flag: f[len(f)-1]}
	if f[1] == "l" {
		_, err := fmt.Sscan(f[2], &out.promise.L)
		require.NoError(t, err, text)
		return out
	}
	_, err := fmt.Sscan(f[2], &out.promise.T)
	require.NoError(t, err, text)
	if out.promise.Distance = f[3]; f[3] == "declared" {
		out.promise.Distance = "equal"
		out.promise.Reference = []equivclass.ValueCount{{Value: "w0", Count: 1}, {Value: "w1", Count: 1}, {Value: "w2", Count: 1}}
	}
	return out
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
	for _, x := range s.semi {
		a := attribute(t, x.name, x.kind)
		a.Role, a.Flag, a.Promise = equivclass.Semi, x.flag, &x.promise
		as = append(as, a)
	}
	as = append(as, equivclass.Attribute{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical})
	for _, flag := range s.flags() {
		as = append(as, equivclass.Attribute{Name: flag, Role: equivclass.Flag})
	}
	out, err := equivclass.NewSchema(as, equivclass.RefuseMissing)
	require.NoError(t, err)
	return out
}

func quasiName(j int) string { return string(rune('x'+j%3)) + strings.Repeat("'", j/3) }

// flags are the flags in order of first use.
func (s *shape) flags() (out []string) {
	seen := map[string]bool{"": true}
	for _, x := range s.semi {
		if !seen[x.flag] {
			seen[x.flag] = true
			out = append(out, x.flag)
		}
	}
	return out
}

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
func (s *shape) files() (out []snapshot.HierarchyFile) {
	add := func(name, kind string) {
		if kind == "zone" {
			out = append(out, snapshot.HierarchyFile{Attribute: name, File: zoneName(name), Content: []byte(zones)})
		}
	}
	for j, kind := range s.quasi {
		add(quasiName(j), kind)
	}
	for _, x := range s.semi {
		add(x.name, x.kind)
	}
	return out
}

// recoding is that of a name. Slices are pairs of quasi-identifiers.
func (s *shape) recoding(t testing.TB, name string, level incremental.Level) snapshot.Recoding {
	o := snapshot.RecodingOptions{Seed: [32]byte{9}, Level: level}
	for j := range max(1, len(s.quasi)) {
		if j%2 == 0 {
			o.Slices = append(o.Slices, nil)
		}
		last := &o.Slices[len(o.Slices)-1]
		*last = append(*last, quasiName(j))
	}
	out, err := snapshot.ParseRecoding(name, o)
	require.NoError(t, err)
	return out
}
