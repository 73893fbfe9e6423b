package state

import (
	"fmt"

	"anond/equivclass"
	"anond/incremental/settle"
)

// Born is the bag of the people whom one release publishes first, at level L2. The state keeps it for good, so that what depends
// on published values (what the next pool needs, package pools) asks no record of theirs: they may have left since.
//
// Rule W (what may leave): such a bag is the sum of what pools.csv of the release showed at birth; whoever keeps all releases has it.
type Born struct {
	Release uint32
	Stratum settle.Stratum // of all of them: a release has births of one pool
	People  int
	Counts  [][]equivclass.Count // by sensitive attribute, ascending by code as the state numbers them
}

// Group is what all people of a pool have in common.
type Group struct {
	Stratum   settle.Stratum
	Sensitive int // how many sensitive attributes they have: the first ones of the schema
}

// Values counts the values of everybody of a group who was ever published at level L2, by sensitive attribute and code.
type Values struct {
	People int
	Counts [][]int
}

// Born is the bag of classes that a release publishes first. Cost: their records.
func (c *Records) Born(release uint32, classes []*Class) *Born {
	var members []RecordID
	for _, class := range classes {
		members = append(members, class.Members...)
	}
	out := &Born{Release: release, Stratum: c.StratumOf(members[0]), People: len(members)}
	for _, attribute := range c.Schema.Sensitive()[:c.Has(c.Schema.Sensitive(), members[0])] {
		counts := c.BagOf(attribute, members).Counts
		if l := c.Leaves[attribute]; l != nil {
			counts = Renumber(map[int][]equivclass.Count{0: counts}, map[int]*Leaves{0: l},
				func(l *Leaves, code equivclass.Code) equivclass.Code { return l.Stored[code] })[0]
		}
		out.Counts = append(out.Counts, counts)
	}
	return out
}

// AddBorn adds what a release published first.
func (s *State) AddBorn(b *Born) error {
	sensitive := s.Schema.Sensitive()
	if len(b.Counts) == 0 || len(b.Counts) > len(sensitive) || b.Release <= s.History.Born {
		return fmt.Errorf("%w: the bag of release %d follows that of release %d, or has other attributes", ErrCorrupt, b.Release, s.History.Born)
	}
	s.Records.BindLeaves()
	sensitive = sensitive[:len(b.Counts)]
	v := s.History.valuesOf(Group{b.Stratum, len(sensitive)})
	if v.Counts == nil {
		v.Counts = make([][]int, len(sensitive))
	}
	for i, attribute := range sensitive {
		l, known := s.Records.Leaves[attribute], s.Records.storedCodes(attribute)
		for _, n := range b.Counts[i] {
			code := n.Code
			if code >= known {
				return fmt.Errorf("%w: the bag of release %d has a code beyond its dictionary", ErrCorrupt, b.Release)
			}
			if l != nil {
				code = l.Now[code]
			}
			if more := int(code) + 1 - len(v.Counts[i]); more > 0 {
				v.Counts[i] = append(v.Counts[i], make([]int, more)...)
			}
			v.Counts[i][code] += n.N
		}
	}
	v.People += b.People
	if n := b.Stratum.Inserts(); n > 1 {
		if s.History.lengths == nil {
			s.History.lengths = map[uint32]int{}
		}
		s.History.lengths[b.Release] = n
	}
	s.History.Born = b.Release
	return nil
}
