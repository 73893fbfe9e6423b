package source

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

func TestBounds(t *testing.T) {
	for _, x := range []struct {
		typ    equivclass.Type
		cell   string
		lo, hi Value
	}{
		{equivclass.Integer, "42", Value{Int: 42}, Value{Int: 42}},
		{equivclass.Integer, "[-7,9007199254740992]", Value{Int: -7}, Value{Int: 9007199254740992}},
		{equivclass.Decimal, "[-0.5,2]", Value{Float: -0.5}, Value{Float: 2}},
		{equivclass.Integer, "[30,40]|?", Value{Int: 30}, Value{Int: 40}},
		{equivclass.Decimal, "-0.5|?", Value{Float: -0.5}, Value{Float: -0.5}},
		{equivclass.Date, "1969-12-31", Value{Int: -1}, Value{Int: -1}},
		{equivclass.Date, "[1970-01-01,1970-02-01]", Value{}, Value{Int: 31}},
	} {
		lo, hi, none, ok := bounds(x.typ, x.cell)
		assert.True(t, ok && !none, x.cell)
		assert.Equal(t, []Value{x.lo, x.hi}, []Value{lo, hi}, x.cell)
	}
	_, _, none, ok := bounds(equivclass.Integer, "?")
	assert.True(t, ok && none)
	missing, ok := reader{as: whole}.value("", []string{"?"})
	assert.Equal(t, []any{Value{Null: true, Text: "?"}, true}, []any{missing, ok})
	for _, cell := range []string{"", "[", "[]", "[1]", "[1,2", "1,2", "[2,1]", "+1", "01", "1.0", "[1, 2]",
		"[1,2,3]", "flu", "*", "*7", "-0", "|?", "??", "?|?", "[1,2]|", "[1,2]|?|?"} {
		_, _, _, ok := bounds(equivclass.Integer, cell)
		assert.False(t, ok, cell)
	}
	for _, cell := range []string{"NaN", "Inf", "1e3", "0x1", "1_0", "1.50"} {
		_, _, _, ok := bounds(equivclass.Decimal, cell)
		assert.False(t, ok, cell)
	}
}

// FuzzBounds holds the reader of cells against a regular expression: both accept the same
// cells, and the bounds written as a release writes them are the cell.
func FuzzBounds(f *testing.F) {
	for _, cell := range []string{"42", "[1,2]", "[-1.5,2]", "2024-02-29", "[2024-01-01,2024-02-01]", "?", "3|?", "[1,2]|?",
		"[2,1]", "1e9", "-0"} {
		for typ := range byte(3) {
			f.Add(typ, cell)
		}
	}
	forms := map[equivclass.Type]string{equivclass.Integer: `-?\d{1,18}`, equivclass.Decimal: `-?\d+(?:\.\d+)?`,
		equivclass.Date: `\d{4}-\d\d-\d\d`}
	f.Fuzz(func(t *testing.T, which byte, cell string) {
		typ := []equivclass.Type{equivclass.Integer, equivclass.Decimal, equivclass.Date}[which%3]
		lo, hi, none, ok := bounds(typ, cell)
		form := regexp.MustCompile(`^(?:\?|(?:` + forms[typ] + `|\[` + forms[typ] + `,` + forms[typ] + `\])(?:\|\?)?)$`)
		if !ok || len(cell) > 40 {
			return
		}
		require.True(t, form.MatchString(cell) || typ == equivclass.Integer && len(cell) > 18, "%q is no cell", cell)
		if none {
			return
		}
		cell = strings.TrimSuffix(cell, "|?")
		a, b := written(typ, lo), written(typ, hi)
		if !strings.HasPrefix(cell, "[") {
			require.Equal(t, cell, a)
			require.Equal(t, lo, hi)
			return
		}
		require.Equal(t, cell, fmt.Sprintf("[%s,%s]", a, b))
		require.False(t, math.IsNaN(lo.Float) || lo.Int > hi.Int || lo.Float > hi.Float)
	})
}

func written(typ equivclass.Type, v Value) string {
	switch typ {
	case equivclass.Integer:
		return strconv.FormatInt(v.Int, 10)
	case equivclass.Date:
		return time.Unix(v.Int*86400, 0).UTC().Format(time.DateOnly)
	}
	return strconv.FormatFloat(v.Float, 'f', -1, 64)
}

// TestNamesOfColumns: names differ also for engines that do not look at case.
func TestNamesOfColumns(t *testing.T) {
	n := nameSet{}
	assert.Equal(t, []string{"part", "Part_", "PART__", "age", "AGE_"},
		[]string{n.free("part"), n.free("Part"), n.free("PART"), n.free("age"), n.free("AGE")})
}
