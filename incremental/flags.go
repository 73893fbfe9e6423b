package incremental

import (
	"errors"
	"fmt"

	"anond/equivclass"
)

// flagSet says which semi-sensitive values of a record are sensitive to its
// person: bit j is that of semi-sensitive attribute j.
type flagSet = uint64

// maxSemi is the number of semi-sensitive attributes that a flagSet holds.
const maxSemi = 64

func hasFlag(f flagSet, j int) bool { return f>>j&1 == 1 }

// flagColumns holds the flags of all records. A flag may serve several
// attributes; an attribute without one is always sensitive.
type flagColumns struct {
	attributes []int     // of role flag, in schema order
	serves     []flagSet // by flag: the attributes that it flags
	always     flagSet
	of         []flagSet // by record; nil without semi-sensitive attributes
}

func newFlagColumns(s *equivclass.Schema) flagColumns {
	var c flagColumns
	for i, a := range s.Attributes() {
		if a.Role == equivclass.Flag {
			c.attributes = append(c.attributes, i)
		}
	}
	c.serves = make([]flagSet, len(c.attributes))
	for j, i := range s.Semi() {
		flag := s.FlagIndex(i)
		if flag < 0 {
			c.always |= 1 << j
		}
		for k, attribute := range c.attributes {
			if attribute == flag {
				c.serves[k] |= 1 << j
			}
		}
	}
	return c
}

// checkSemi tells whether a policy can keep the promises of the semi-sensitive
// attributes.
func checkSemi(s *equivclass.Schema, p Policy) error {
	switch n := len(s.Semi()); {
	case n > maxSemi:
		return fmt.Errorf("%d semi-sensitive attributes, at most %d", n, maxSemi)
	case n > 0 && !p.Bucketized:
		return errors.New("a semi-sensitive attribute needs the recoding lgb")
	}
	return nil
}

// check tells whether the flags of a row can be read.
func (c *flagColumns) check(row equivclass.Row) (bad int, ok bool) {
	for _, i := range c.attributes {
		if _, ok := equivclass.ParseFlag(row[i]); !ok {
			return i, false
		}
	}
	return 0, true
}

// accept takes in the flags of a checked row.
func (c *flagColumns) accept(row equivclass.Row) {
	set := c.always
	for k, i := range c.attributes {
		if sensitive, _ := equivclass.ParseFlag(row[i]); sensitive {
			set |= c.serves[k]
		}
	}
	c.add(set)
}

func (c *flagColumns) add(set flagSet) {
	if c.always != 0 || len(c.attributes) > 0 {
		c.of = append(c.of, set)
	}
}

// append takes in the stored columns of n records.
func (c *flagColumns) append(columns [][]equivclass.Code, n int) {
	for i := range n {
		set := c.always
		for k, column := range columns {
			if column[i] == 1 {
				set |= c.serves[k]
			}
		}
		c.add(set)
	}
}

// block returns the flags of the records from first on as columns to be stored.
func (c *flagColumns) block(first RecordID) [][]equivclass.Code {
	out := make([][]equivclass.Code, len(c.attributes))
	for k := range out {
		out[k] = make([]equivclass.Code, 0, len(c.of)-int(first))
		for _, set := range c.of[first:] {
			bit := equivclass.Code(0)
			if set&c.serves[k] != 0 {
				bit = 1
			}
			out[k] = append(out[k], bit)
		}
	}
	return out
}

// flagged returns the flags of a record.
func (c *columns) flagged(r RecordID) flagSet {
	if c.flags.of == nil {
		return 0
	}
	return c.flags.of[r]
}
