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
	Pending   int    // records that the release does not show
	Schema    *equivclass.Schema
	// Dictionaries by schema attribute, frozen; nil where nothing is published.
	Dictionaries []*equivclass.Dictionary
	QI           [][]equivclass.Code // by quasi-identifier, then record
	SA           []equivclass.Code   // by record
	// References are the distributions of t-closeness, by attribute of the schema.
	References map[int]equivclass.Bag
	Classes    []Class
	// Local are the bucketed attributes under LGB: the semi-sensitive ones in schema
	// order, then the sensitive one. nil for all other recodings.
	Local []Local

	// intent is what was committed, where it was: what is rendered must be that.
	intent *incremental.Intent
}

// Record is the number of a record: its place in the columns of an Input.
type Record = incremental.RecordID

// Class is one class of an Input.
type Class struct {
	Born    uint32 // the release that showed it first
	Members []Record
}

// Local is an attribute whose sensitive values are published in local buckets. A
// record that is in no bucket has a quasi-identifier's value there; all members
// of a class agree in which it is.
type Local struct {
	Attribute int               // in the schema
	Codes     []equivclass.Code // by record
	Buckets   [][]Record
}

// Of returns what a view of the state shows.
func Of(v *incremental.View) *Input {
	in := &Input{Release: v.Intent.Release, CreatedAt: v.Intent.CreatedAt, Seeded: v.Seeded, Pending: v.Intent.Pending.Total(),
		Schema: v.Schema, Dictionaries: v.Dictionaries, QI: v.QI, SA: v.SA, References: v.References,
		Classes: make([]Class, len(v.Classes)), intent: &v.Intent}
	for i := range v.Classes {
		in.Classes[i] = Class{Born: v.Classes[i].Born, Members: v.Classes[i].Members}
	}
	for _, l := range v.Local {
		in.Local = append(in.Local, Local(l))
	}
	return in
}

// records counts the records that are shown.
func (in *Input) records() (n int) {
	for i := range in.Classes {
		n += len(in.Classes[i].Members)
	}
	return n
}
