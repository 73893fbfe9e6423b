package equivclass

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tableSchema has every role and every kind of value.
func tableSchema(t testing.TB, missing Missing) *Schema {
	t.Helper()
	tree, err := ParseHierarchy("tree", strings.NewReader("1010;10*;*\n1020;10*;*\n2010;20*;*\n"))
	require.NoError(t, err)
	s, err := NewSchema([]Attribute{
		{Name: "disease", Role: Sensitive, Type: Categorical},
		{Name: "name", Role: Identifier},
		{Name: "zip", Role: Quasi, Type: Categorical, Hierarchy: tree},
		{Name: "pay", Role: Quasi, Type: Integer},
		{Name: "remark 2", Role: Drop},
		{Name: "age", Role: Quasi, Type: Integer},
		{Name: "job", Role: Quasi, Type: Categorical},
		{Name: "person", Role: Subject},
		{Name: "weight", Role: Quasi, Type: Decimal, Digits: 4},
		{Name: "faith", Role: Quasi, Type: Categorical},
		{Name: "left", Role: Quasi, Type: Date},
		{Name: "remark 3", Role: Drop},
		{Name: "remark", Role: Drop},
	}, missing)
	require.NoError(t, err)
	return s
}

// texts of each attribute of tableSchema, good ones and bad ones; empty: missing.
var tableTexts = [][]string{
	{"flu", " flu ", "cold", "a\u0301", "\u00e1", "[flu", "a\tb", "\xff", "{x}", ""},
	{"Ann", ""},
	{"1010", "1020 ", "2010", "3010", "10*", ""},
	{"1200", "1200.0", "900", "90.5", "x", ""},
	{"yes", "0", "T", "maybe", ""},
	{"30", "030", "31", "1e1", "-5", "NaN", "9007199254740993", ""},
	{"clerk", "miner", "clerk ", "clerk\u200b", "  ", ""},
	{"p1", "p2", "p3", ""},
	{"75.5", "75.50", "-0", "0", "1e400", ""},
	{"none", "some", "some ", strings.Repeat("x", DefaultMaxLength+1), ""},
	{"2022-01-08", "1970-01-01", "2022-01-08 ", "2022-13-01", ""},
	{"n", "y", "N", " y", ""},
	{"", "noise"},
}

// drawRow draws a row that is mostly good: the first texts of an attribute are.
func drawRow(rng *rand.Rand) Row {
	row := make(Row, len(tableTexts))
	for i, texts := range tableTexts {
		n := min(3, len(texts))
		if rng.IntN(12) == 0 {
			n = len(texts)
		}
		switch text := texts[rng.IntN(n)]; {
		case text != "":
			row[i] = []byte(text)
		case rng.IntN(2) == 0:
			row[i] = []byte{}
		}
		if i == 0 && rng.IntN(3) == 0 {
			row[i] = fmt.Appendf(nil, "illness %d", rng.IntN(500))
		}
		if i == 5 && rng.IntN(3) == 0 {
			row[i] = fmt.Append(nil, rng.IntN(120))
		}
	}
	return row
}

// twoPasses is a table as it was before Append: a row is checked whole, in a
// given order, and then looked up again to be encoded.
type twoPasses struct {
	schema *Schema
	order  []int
	dicts  []*Dictionary
	codes  [][]Code
}

func newTwoPasses(s *Schema, order []int) *twoPasses {
	n := len(s.Attributes())
	t := &twoPasses{schema: s, order: order, dicts: make([]*Dictionary, n), codes: make([][]Code, n)}
	for _, i := range slices.Concat(s.Quasi(), []int{s.SensitiveIndex()}) {
		t.dicts[i] = NewDictionary(s.Attributes()[i])
	}
	return t
}

func (t *twoPasses) append(row Row) (Reason, string) {
	for _, i := range t.order {
		if why := t.check(i, row[i]); why != Accepted {
			return why, t.schema.Attributes()[i].Name
		}
	}
	for i, d := range t.dicts {
		if d == nil {
			continue
		}
		c, found, _ := d.Find(row[i])
		if !found {
			c, _ = d.Encode(row[i])
		}
		t.codes[i] = append(t.codes[i], c)
	}
	return Accepted, ""
}

func (t *twoPasses) check(i int, raw []byte) Reason {
	a := t.schema.Attributes()[i]
	switch a.Role {
	case Subject:
		if len(raw) == 0 {
			return ReasonMissing
		}
	case Quasi, Sensitive:
		if raw == nil && !a.Optional {
			return ReasonMissing
		}
		_, _, why := t.dicts[i].Find(raw)
		return why
	}
	return Accepted
}

// Append says and keeps what checking a row whole and then encoding it does, in
// whatever order the attributes are judged and whatever is wrong with the row.
func TestAppendIsCheckThenEncode(t *testing.T) {
	for seed := range uint64(6) {
		missing := []Missing{RefuseMissing, MissingValue}[seed%2]
		rng, s := rand.New(rand.NewPCG(seed, 1)), tableSchema(t, missing)
		order := rng.Perm(len(s.Attributes()))
		table, twin := NewTable(s.Attributes(), order...), newTwoPasses(s, order)
		reasons := map[Reason]int{}
		for range 3000 {
			row := drawRow(rng)
			lengths := dictLengths(table)
			checked, _ := table.Check(row)
			require.Equal(t, lengths, dictLengths(table), "Check takes nothing in")
			why, attribute := table.Append(row)
			wantWhy, wantAttribute := twin.append(row)
			require.Equal(t, wantWhy, why)
			require.Equal(t, wantAttribute, attribute)
			require.Equal(t, wantWhy, checked)
			reasons[why]++
			grown := grownSince(lengths, dictLengths(table))
			if why == Accepted {
				require.ElementsMatch(t, grown, table.Grown())
			} else {
				require.Empty(t, grown, "nothing of a refused row is kept")
			}
		}
		require.Greater(t, len(reasons), 8, "the rows were not bad in enough ways: %v", reasons)
		require.Greater(t, reasons[Accepted], 500)
		require.Equal(t, reasons[Accepted], table.Len())
		requireSameRecords(t, twin, table)
	}
}

func dictLengths(t *Table) []int {
	out := make([]int, len(t.Dicts))
	for i, d := range t.Dicts {
		if d != nil {
			out[i] = d.Len()
		}
	}
	return out
}

func grownSince(before, after []int) (out []int) {
	for i := range after {
		if after[i] > before[i] {
			out = append(out, i)
		}
	}
	return out
}

func requireSameRecords(t *testing.T, want *twoPasses, got *Table) {
	t.Helper()
	require.Equal(t, want.codes, got.Codes)
	for i, d := range want.dicts {
		if d == nil {
			require.Nil(t, got.Dicts[i])
			continue
		}
		require.Equal(t, d.Len(), got.Dicts[i].Len())
		for c := range Code(d.Len()) {
			require.Equal(t, d.Text(c), got.Dicts[i].Text(c))
		}
	}
}

// A packed table takes the same rows, and holds the same of them, as an open one. What
// it tells of its records, another one of the same attributes and dictionaries takes in.
func TestPackedIsATable(t *testing.T) {
	rng, s := rand.New(rand.NewPCG(1, 2)), tableSchema(t, RefuseMissing)
	open, table := NewTable(s.Attributes()), NewPacked(s.Attributes())
	for table.Len() < 3000 {
		row := drawRow(rng)
		want, attribute := open.Append(row)
		why, at := table.Append(row)
		require.Equal(t, want, why)
		require.Equal(t, attribute, at)
		if why == Accepted {
			require.Equal(t, open.Grown(), table.Grown())
		}
	}
	requirePacked(t, open, table)
	twin := NewPacked(s.Attributes())
	for _, cut := range [][2]int{{0, 1}, {1, 60}, {60, 3000}} {
		columns := make([][]Code, len(s.Attributes()))
		for i, column := range open.Codes {
			if column != nil {
				columns[i] = column[cut[0]:cut[1]]
			}
		}
		twin.Extend(columns)
	}
	requirePacked(t, open, twin)
}

func requirePacked(t *testing.T, want *Table, got *Packed) {
	t.Helper()
	require.Equal(t, want.Len(), got.Len())
	for i, column := range want.Codes {
		require.True(t, slices.Equal(column, got.Columns[i].Codes()))
	}
}

// BenchmarkAppend is one row of known values, taken in by one look-up a value, and
// by two, as it was.
func BenchmarkAppend(b *testing.B) {
	s := tableSchema(b, RefuseMissing)
	rng := rand.New(rand.NewPCG(1, 3))
	probe := NewTable(s.Attributes())
	var rows []Row
	for len(rows) < 1000 {
		row := drawRow(rng)
		if why, _ := probe.Append(row); why == Accepted {
			rows = append(rows, row)
		}
	}
	order := rng.Perm(len(s.Attributes()))
	table, twin := NewTable(s.Attributes(), order...), newTwoPasses(s, order)
	for _, c := range []struct {
		name   string
		append func(Row) (Reason, string)
	}{{"once", table.Append}, {"twice", twin.append}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if why, _ := c.append(rows[i%len(rows)]); why != Accepted {
					b.Fatal(why)
				}
			}
		})
	}
}
