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

// checkSemi reports whether a policy can keep the promises of the semi-sensitive
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

// flagged returns the flags of a record.
func (c *columns) flagged(r RecordID) flagSet {
	if c.Private == nil {
		return 0
	}
	return c.Private[r]
}
