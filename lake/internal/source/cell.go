package source

import (
	"strconv"
	"strings"
	"time"

	"anond/equivclass"
)

// side says what of a cell a column has.
type side int

const (
	whole side = iota
	count      // a number of a class or bucket, or a count
	lower
	upper
)

func (s side) suffix() string {
	if s == lower {
		return "_lower"
	}
	return "_upper"
}

// reader takes a column's value out of a row.
type reader struct {
	field int // of the row; -1: the part
	as    side
	typ   equivclass.Type // of bounds
}

// value reads the value; false if the cell is not what the column holds.
func (r reader) value(part string, row []string) (Value, bool) {
	switch {
	case r.field < 0:
		return Value{Text: part}, true
	case r.as == whole:
		return Value{Text: row[r.field], Null: row[r.field] == equivclass.MissingText}, true
	case r.as == count:
		n, err := strconv.ParseInt(row[r.field], 10, 64)
		return Value{Int: n}, err == nil && n >= 0
	}
	lo, hi, none, ok := bounds(r.typ, row[r.field])
	switch {
	case !ok || none:
		return Value{Null: true}, ok
	case r.as == lower:
		return lo, true
	}
	return hi, true
}

// bounds reads a cell of numbers or dates: one, or a closed range, of people of whom some
// may have no value ([30,40]|?). Where nobody has one there are none. Texts that the format
// does not write are refused, so that the bounds say what the text says.
func bounds(typ equivclass.Type, cell string) (lo, hi Value, none, ok bool) {
	if cell == equivclass.MissingText {
		return lo, hi, true, true
	}
	cell, _ = strings.CutSuffix(cell, "|"+equivclass.MissingText)
	from, to := cell, cell
	if inner, ranged := strings.CutPrefix(cell, "["); ranged {
		if inner, ok = strings.CutSuffix(inner, "]"); !ok {
			return lo, hi, false, false
		}
		if from, to, ok = strings.Cut(inner, ","); !ok {
			return lo, hi, false, false
		}
	}
	lo, okLo := number(typ, from)
	hi, okHi := number(typ, to)
	return lo, hi, false, okLo && okHi && lo.Int <= hi.Int && lo.Float <= hi.Float
}

// number reads a number or date as a release writes it, and as nothing else.
func number(typ equivclass.Type, text string) (v Value, ok bool) {
	switch typ {
	case equivclass.Integer:
		n, err := strconv.ParseInt(text, 10, 64)
		return Value{Int: n}, err == nil && strconv.FormatInt(n, 10) == text
	case equivclass.Decimal:
		x, err := strconv.ParseFloat(text, 64)
		return Value{Float: x}, err == nil && strconv.FormatFloat(x, 'f', -1, 64) == text
	case equivclass.Date:
		day, err := time.Parse(time.DateOnly, text)
		return Value{Int: day.Unix() / 86400}, err == nil
	}
	return Value{}, false
}
