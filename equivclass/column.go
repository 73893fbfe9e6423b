package equivclass

import "slices"

// RecordID is the number of a record: its place in columns.
type RecordID uint32

// Column holds the codes of one attribute by record, in one, two or four bytes each: as
// few as the largest code needs. It grows at its end only, and becomes wider when a code
// asks for it; a copy keeps what it had, so it may be read while the original grows.
type Column struct {
	one  []uint8
	two  []uint16
	four []Code
	// Invariant: one of them at most is not nil.
}

// ColumnOf returns the column of codes that lie in memory already, which it shares.
func ColumnOf(codes []Code) Column { return Column{four: codes} }

// ColumnsOf is ColumnOf for each of several.
func ColumnsOf(columns [][]Code) (out []Column) {
	for _, codes := range columns {
		out = append(out, ColumnOf(codes))
	}
	return out
}

// Len returns the number of records.
func (c *Column) Len() int { return len(c.one) + len(c.two) + len(c.four) }

// At returns the code of a record.
func (c *Column) At(r int) Code {
	if c.one != nil {
		return Code(c.one[r])
	}
	if c.two != nil {
		return Code(c.two[r])
	}
	return c.four[r]
}

// Append adds the code of one more record.
func (c *Column) Append(code Code) {
	if c.one != nil && code <= 0xff {
		c.one = append(c.one, uint8(code))
		return
	}
	c.fit(code, 1)
	switch {
	case c.one != nil:
		c.one = append(c.one, uint8(code))
	case c.two != nil:
		c.two = append(c.two, uint16(code))
	default:
		c.four = append(c.four, code)
	}
}

// extend adds the codes of further records. room: how many there will be at the end, 0 if that is not known.
func (c *Column) extend(codes []Code, room int) {
	if len(codes) == 0 {
		return
	}
	c.fit(slices.Max(codes), max(len(codes), room-c.Len()))
	switch {
	case c.one != nil:
		c.one = grow(c.one, codes)
	case c.two != nil:
		c.two = grow(c.two, codes)
	default:
		c.four = append(c.four, codes...)
	}
}

func grow[T uint8 | uint16](to []T, codes []Code) []T {
	n := len(to)
	to = slices.Grow(to, len(codes))[:n+len(codes)]
	for i, code := range codes {
		to[n+i] = T(code)
	}
	return to
}

// fit makes the column wide enough for a code, with room for so many more records.
func (c *Column) fit(code Code, more int) {
	switch {
	case c.four != nil || c.two != nil && code <= 0xffff || c.one != nil && code <= 0xff:
	case c.Len() == 0 && code <= 0xff:
		c.one, c.two = make([]uint8, 0, more), nil
	case code <= 0xffff:
		two := make([]uint16, len(c.one), len(c.one)+more)
		for i, v := range c.one {
			two[i] = uint16(v)
		}
		c.one, c.two = nil, two
	default:
		four := make([]Code, 0, c.Len()+more)
		c.one, c.two, c.four = nil, nil, c.AppendTo(four, 0)
	}
}

// AppendTo appends the codes of the records from first on.
func (c *Column) AppendTo(to []Code, first int) []Code {
	switch {
	case c.one != nil:
		for _, v := range c.one[first:] {
			to = append(to, Code(v))
		}
	case c.two != nil:
		for _, v := range c.two[first:] {
			to = append(to, Code(v))
		}
	default:
		to = append(to, c.four[first:]...)
	}
	return to
}

// Codes returns the codes of all records: the column's own memory if they lie there as
// they are.
func (c *Column) Codes() []Code {
	if c.one == nil && c.two == nil {
		return c.four
	}
	return c.AppendTo(make([]Code, 0, c.Len()), 0)
}

// Prefix returns the column of the first n records.
func (c *Column) Prefix(n int) Column {
	switch {
	case c.one != nil:
		return Column{one: c.one[:n:n]}
	case c.two != nil:
		return Column{two: c.two[:n:n]}
	}
	return Column{four: c.four[:n:n]}
}

// Tally adds the codes of some records to the counts by code.
func Tally[R ~int32 | ~uint32](c *Column, records []R, counts []int) {
	switch {
	case c.one != nil:
		tally(c.one, records, counts)
	case c.two != nil:
		tally(c.two, records, counts)
	default:
		tally(c.four, records, counts)
	}
}

func tally[C uint8 | uint16 | Code, R ~int32 | ~uint32](column []C, records []R, counts []int) {
	for _, r := range records {
		counts[column[r]]++
	}
}

// Pick returns the column of the given records, in their order, up to the first one that
// the column does not have.
func Pick[R ~int32 | ~uint32](c *Column, records []R) Column {
	switch {
	case c.one != nil:
		return Column{one: pick(c.one, records)}
	case c.two != nil:
		return Column{two: pick(c.two, records)}
	}
	return Column{four: pick(c.four, records)}
}

func pick[T uint8 | uint16 | Code, R ~int32 | ~uint32](of []T, records []R) []T {
	out := make([]T, 0, len(records))
	for _, r := range records {
		if int(r) >= len(of) {
			break
		}
		out = append(out, of[r])
	}
	return out
}

// Most returns the largest code of the first n records, false if there are none.
func (c *Column) Most(n int) (code Code, any bool) {
	switch {
	case n == 0:
		return 0, false
	case c.one != nil:
		return Code(slices.Max(c.one[:n])), true
	case c.two != nil:
		return Code(slices.Max(c.two[:n])), true
	}
	return slices.Max(c.four[:n]), true
}
