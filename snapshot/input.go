package snapshot

import (
	"anond/equivclass"
	"anond/incremental"
)

// Input is what one release shows: records in classes, as the daemon's state
// (Of) or a single table has them.
type Input struct {
	Release   uint32 // its number, from 1
	CreatedAt int64  // Unix seconds
	Seeded    bool   // random draws follow a seed that was given
	Level     incremental.Level
	FirstNeed int  // level L2: how many people release 1 had to have
	Grown     bool // the first pool grew after it was refused: level L2 is not promised
	Pending   int  // records that the release does not show
	Schema    *equivclass.Schema
	// Dictionaries by schema attribute, frozen; nil where nothing is published.
	Dictionaries []*equivclass.Dictionary
	QI           []equivclass.Column // by quasi-identifier, then record
	SA           equivclass.Column   // by record
	Scale        []equivclass.Range  // by quasi-identifier: what loss of numbers is measured by
	// References are the distributions of t-closeness, by attribute of the schema.
	References map[int]equivclass.Bag
	Classes    []Class // alive in this release
	// Dead are classes whose records other classes took over, in this release or
	// before: their rows stay in the parts of their birth.
	Dead []Class
	// Since says that Classes and Dead hold only what was born or died after this
	// release; 0: all there ever was. A Publisher that made the release before
	// needs no more than that.
	Since uint32

	// intent is what was committed, where it was: what is rendered must be that.
	intent *incremental.Intent
	// ids are the numbers of records in the state, where they have others here
	// (gather); nil: the same.
	ids []Record
}

// Record is the number of a record: its place in the columns of an Input.
type Record = incremental.RecordID

// Class is one class of an Input.
type Class struct {
	Born    uint32 // the release that showed it first
	Died    uint32 // the first release that shows it no more; 0 while it lives
	Bucket  uint32 // at level L2: the bucket that has its values, from 1 in order of birth; else 0
	Members []Record
}

// Of returns what a view of the state shows.
func Of(v *incremental.View) *Input {
	return &Input{Release: v.Intent.Release, CreatedAt: v.Intent.CreatedAt, Seeded: v.Seeded, Level: v.Level, Grown: v.Grown,
		FirstNeed: v.FirstNeed,
		Pending:   v.Intent.Pending.Total(), Schema: v.Schema, Dictionaries: v.Dictionaries, QI: v.QI, SA: v.SA, Scale: v.Scale,
		References: v.References, Classes: classesOf(v.Classes), Dead: classesOf(v.Dead), Since: v.Since, intent: &v.Intent}
}

func classesOf(views []incremental.ClassView) []Class {
	out := make([]Class, len(views))
	for i, c := range views {
		out[i] = Class{Born: c.Born, Died: c.Died, Bucket: uint32(c.Bucket), Members: c.Members}
	}
	return out
}

// before is the history that the release before this one had.
func (in *Input) before() *Input { return in.upTo(in.Release - 1) }

// upTo is the history that an earlier release had: its classes, dead and alive.
func (in *Input) upTo(release uint32) *Input {
	out := *in
	out.Release, out.Classes, out.Dead, out.intent = release, nil, nil, nil
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
