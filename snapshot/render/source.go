package render

import (
	"fmt"
	"runtime"

	"anond/equivclass"
	"anond/equivclass/promise"
	"anond/snapshot"
)

// source is the records of an input as tables are made of them: columns whose
// values are in canonical order.
type source struct {
	recoding Recoding
	cols     []column // quasi-identifiers, in schema order
	sa       []column // sensitive attributes, in schema order
	workers  int
	k        int
	promises []*promise.Promise    // of the sensitive attributes, at level L2
	pairs    [][2]int              // of sensitive attributes, of which pair tables are written
	claim    snapshot.Privacy      // what no class has a say in: level and growth
	seed     [32]byte              // of the draws between classes that look alike (rule R, randomness)
	ids      []equivclass.RecordID // by record: its number in the state; nil: the same
}

// newSource binds the columns. It ranks the values of the
// records in classes that a rendering of the input looks at: all, or those that
// were born or died since the release before.
func newSource(in *Input, s *Settings) (*source, error) {
	if in.Shared != s.Recoding.Shared() {
		return nil, fmt.Errorf("%w: recoding %s does not write classes of its level", ErrView, s.Recoding.Name())
	}
	out := &source{recoding: s.Recoding, workers: s.workers(), k: s.Policy.K, promises: s.promises(in.Schema),
		claim: claimOf(in, s), seed: s.Seed, ids: in.ids}
	if err := out.columns(in); err != nil {
		return nil, err
	}
	out.rank(in)
	out.pairs = s.pairs(out.sa)
	return out, nil
}

// sources are those of the eras of an input, each made when it is asked for.
type sources struct {
	in   *Input
	s    *Settings
	made map[int]*source
}

// at is that of the classes that were born in a release.
func (x *sources) at(release uint32) (out *source, err error) {
	era := x.in.eraOf(release)
	if out = x.made[era]; out == nil {
		if out, err = newSource(x.in.only(era), x.in.settings(era, x.s)); err == nil {
			x.made[era] = out
		}
	}
	return out, err
}

func newSources(in *Input, s *Settings) *sources { return &sources{in, s, map[int]*source{}} }

// workers is how many goroutines render side by side.
func (s *Settings) workers() int {
	if s.Workers < 1 {
		return runtime.GOMAXPROCS(0)
	}
	return s.Workers
}

// id is the number of a record in the state.
func (s *source) id(r equivclass.RecordID) equivclass.RecordID {
	if s.ids == nil {
		return r
	}
	return s.ids[r]
}

// least is the smallest number that a record of a class or bucket has in the state.
func (s *source) least(members []equivclass.RecordID) equivclass.RecordID {
	out := s.id(members[0])
	for _, m := range members[1:] {
		out = min(out, s.id(m))
	}
	return out
}

// columns binds the columns to the input's dictionaries.
func (s *source) columns(in *Input) error {
	attributes := in.Schema.Attributes()
	bind := func(i int, codes equivclass.Column) (column, error) {
		if i >= len(in.Dictionaries) || in.Dictionaries[i] == nil || codes.Len() < in.records() {
			return column{}, fmt.Errorf("%w: attribute %q has no values", ErrView, attributes[i].Name)
		}
		return newColumn(attributes[i], in.Dictionaries[i], codes), nil
	}
	for a, i := range in.Schema.Sensitive() {
		c, err := bind(i, in.SA[a])
		if err != nil {
			return err
		}
		s.sa = append(s.sa, c)
	}
	for j, i := range in.Schema.Quasi() {
		c, err := bind(i, in.QI[j])
		if err != nil {
			return err
		}
		if in.Scale != nil {
			c.scale = float64(in.Scale[j].Hi - in.Scale[j].Lo)
		}
		s.cols = append(s.cols, c)
	}
	return nil
}

// rank orders the values of the columns of which the recoding shows single ones.
func (s *source) rank(in *Input) {
	var ranked []*column
	for a := range s.sa {
		ranked = append(ranked, &s.sa[a])
	}
	for j := range s.cols {
		if s.recoding.exact() || s.cols[j].kind == equivclass.Set {
			ranked = append(ranked, &s.cols[j])
		}
	}
	s.each(len(ranked), func(_, lo, hi int) {
		for _, c := range ranked[lo:hi] {
			c.rankCodes(in.Classes, in.Dead)
		}
	})
}

// checkClasses demands each record at most once, in living classes that are not
// empty, below the cut of a state.
func checkClasses(in *Input) error {
	seen := make([]bool, in.records())
	for i := range in.Classes {
		members := in.Classes[i].Members
		if len(members) == 0 {
			return fmt.Errorf("%w: class %d of the view is empty", ErrView, i)
		}
		if !in.holds(members) {
			return fmt.Errorf("%w: class %d of the view holds a record behind the cut", ErrView, i)
		}
		for _, m := range members {
			if seen[m] {
				return fmt.Errorf("%w: class %d of the view holds a record of another class", ErrView, i)
			}
			seen[m] = true
		}
	}
	for i := range in.Dead {
		if len(in.Dead[i].Members) == 0 || !in.holds(in.Dead[i].Members) || in.Dead[i].Died <= in.Dead[i].Born {
			return fmt.Errorf("%w: dead class %d of the view is empty, never lived, or holds a record behind the cut", ErrView, i)
		}
	}
	return nil
}

// holds reports whether records are there, and had arrived.
func (in *Input) holds(members []equivclass.RecordID) bool {
	for _, m := range members {
		if int(m) >= in.records() || in.Committed != nil && m >= in.Committed.Cut {
			return false
		}
	}
	return true
}
