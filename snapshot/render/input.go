package render

import (
	"slices"

	"anond/equivclass"
)

// Input is what one release shows: records in classes, as the daemon's state
// (Of) or a single table has them.
type Input struct {
	Release   uint32 // its number, from 1
	CreatedAt int64  // Unix seconds
	Seeded    bool   // random draws follow a seed that was given
	Shared    bool   // classes share buckets: level L2
	FirstNeed int    // level L2: how many people release 1 had to have
	Grown     bool   // the first pool grew after it was refused: level L2 is not promised
	Pending   int    // records that the release does not show
	Columns          // of the newest era
	// Former are the eras before it, oldest first: what was born in them is shown in their columns, under their settings.
	Former  []Era
	Classes []Class // alive in this release
	// Dead are classes whose records other classes took over, in this release or
	// before: their rows stay in the parts of their birth.
	Dead []Class
	// Stale is how many people of a bucket have sent an update or a delete since they were published.
	Stale map[uint32]int
	// Since says that Classes and Dead hold only what was born or died after this
	// release; 0: all there ever was. A Publisher that made the release before
	// needs no more than that.
	Since uint32

	// Expired is the watermark: what was born in releases up to it is not shown any more (rule W, what may leave).
	Expired uint32
	// Past is what was decided of earlier releases; nil: each has births, and nothing leaves.
	Past func(release uint32) Past
	// Committed is what was decided of the release, if it was: what is rendered must be that.
	Committed *Committed
	// ids are the numbers of records in the state, where they have others here
	// (gather); nil: the same.
	ids []equivclass.RecordID
}

// Columns are what is published of records in an era.
type Columns struct {
	Schema *equivclass.Schema
	// Dictionaries by schema attribute, frozen; nil where nothing is published.
	Dictionaries []*equivclass.Dictionary
	QI           []equivclass.Column // by quasi-identifier, then record
	SA           []equivclass.Column // by sensitive attribute, then record
	Scale        []equivclass.Range  // by quasi-identifier: what loss of numbers is measured by
	// References are the distributions of t-closeness, by attribute of the schema.
	References map[int]equivclass.Bag
}

// Era is a former stretch of a chain under the same settings: what was born in releases up to Until, and after the era before. The era
// behind it begins with a release that has births; until there is one, Until is math.MaxUint32.
type Era struct {
	Until    uint32
	Settings *Settings
	Columns
}

// eraOf is the place of the era of a release among the former ones, or behind them.
func (in *Input) eraOf(release uint32) (i int) {
	for i < len(in.Former) && release > in.Former[i].Until {
		i++
	}
	return i
}

// InEra is the input as one of the era of its release, and the settings of that era, if s are those of the newest one: no later era is
// there. Whatever takes an input and settings begins with it.
func (in *Input) InEra(s *Settings) (*Input, *Settings) {
	era := in.eraOf(in.Release)
	if era == len(in.Former) {
		return in, s
	}
	out := *in
	out.Columns, out.Former = in.Former[era].Columns, in.Former[:era]
	return &out, in.Former[era].Settings
}

// settings are those of an era, if s are those of the newest one.
func (in *Input) settings(era int, s *Settings) *Settings {
	if era < len(in.Former) {
		return in.Former[era].Settings
	}
	return s
}

// only has the columns of an era and the classes that were born in it.
func (in *Input) only(era int) *Input {
	if len(in.Former) == 0 {
		return in
	}
	out := *in
	if out.Former = nil; era < len(in.Former) {
		out.Columns = in.Former[era].Columns
	}
	other := func(c Class) bool { return in.eraOf(c.Born) != era }
	out.Classes, out.Dead = slices.DeleteFunc(slices.Clone(in.Classes), other), slices.DeleteFunc(slices.Clone(in.Dead), other)
	return &out
}

// Past is what the parts of a release depend on: its time, its watermark, and whether anybody was published in it first.
type Past struct {
	CreatedAt int64
	Expired   uint32
	Births    bool
}

// past is what was decided of a release up to this one.
func (in *Input) past(release uint32) Past {
	switch {
	case in.Past != nil:
		return in.Past(release)
	case release == in.Release:
		return Past{in.CreatedAt, in.Expired, true}
	}
	return Past{Births: true}
}

// Committed is what a state has decided of a release before it is rendered.
type Committed struct {
	Cut              equivclass.RecordID // the first record that had not arrived
	Records, Classes int
	// Algorithm and Digests are what the ledger says of the state.
	Algorithm uint32
	Digests   int
}

// records is how many there are.
func (in *Input) records() int { return in.SA[0].Len() }

// Class is one class of an Input.
type Class struct {
	Born    uint32 // the release that showed it first
	Died    uint32 // the first release that shows it no more; 0 while it lives. At level L2 whole buckets leave
	Bucket  uint32 // at level L2: the bucket that has its values, from 1 in order of birth; else 0
	Stratum string // where people settle: that of its people (rule U, units)
	Members []equivclass.RecordID
}

// Before is the history that the release before this one had.
func (in *Input) Before() *Input { return in.upTo(in.Release - 1) }

// upTo is the history that an earlier release had: its classes, dead and alive.
func (in *Input) upTo(release uint32) *Input {
	out := *in
	out.Release, out.Classes, out.Dead, out.Committed, out.Stale = release, nil, nil, nil, nil
	if release > 0 {
		out.Expired = in.past(release).Expired
	}
	for _, c := range in.Classes {
		if c.Born <= release {
			out.Classes = append(out.Classes, c)
		}
	}
	for _, c := range in.Dead {
		switch {
		case c.Born > release:
		case c.Died > release:
			c.Died = 0
			out.Classes = append(out.Classes, c)
		default:
			out.Dead = append(out.Dead, c)
		}
	}
	return &out
}

// changed are the classes that are born in this release, and those that die.
func (in *Input) changed() (births, deaths []Class) {
	for _, c := range in.Classes {
		if c.Born == in.Release {
			births = append(births, c)
		}
	}
	for _, c := range in.Dead {
		if c.Died == in.Release {
			deaths = append(deaths, c)
		}
	}
	return births, deaths
}

// gather numbers the records of an input's classes anew, side by side in the
// order of the classes, and copies their values: what follows reads memory in
// order and holds nothing by record of a whole state. ids are their numbers in the
// state, which draws, placements and the last tie between classes go by.
//
// A column that is too short stays so, and is refused. A record of a dead class and of a newer one gets two numbers. Cost: n d for n
// records of d attributes, one attribute a worker.
func (in *Input) gather(workers int) *Input {
	g := *in
	g.Committed = nil // its cut counts records of the state
	g.Classes, g.Dead = g.renumber(in.Classes), g.renumber(in.Dead)
	lists := slices.Concat(in.SA, in.QI)
	each(workers, len(lists), func(_, from, to int) {
		for i := from; i < to; i++ {
			lists[i] = equivclass.Pick(&lists[i], g.ids)
		}
	})
	g.SA, g.QI = lists[:len(in.SA)], lists[len(in.SA):]
	return &g
}

// renumber gives the members of classes the next numbers.
func (in *Input) renumber(classes []Class) []Class {
	out := slices.Clone(classes)
	records := 0
	for i := range classes {
		records += len(classes[i].Members)
	}
	numbers := make([]equivclass.RecordID, records)
	in.ids = slices.Grow(in.ids, records)
	for i := range out {
		n := len(out[i].Members)
		for k := range n {
			numbers[k] = equivclass.RecordID(len(in.ids) + k)
		}
		in.ids = append(in.ids, out[i].Members...)
		out[i].Members, numbers = numbers[:n:n], numbers[n:]
	}
	return out
}
