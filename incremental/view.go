package incremental

import "anond/equivclass"

// View is what one release shows: the classes that its intent names and the
// records in them. It is a read-only snapshot that stays valid, and may be read
// by another goroutine, while the machine goes on.
type View struct {
	Intent Intent
	Seeded bool
	Schema *equivclass.Schema
	// Dictionaries by schema attribute, frozen; nil where nothing is stored.
	Dictionaries []*equivclass.Dictionary
	QI           [][]equivclass.Code // by quasi-identifier, then record
	SA           []equivclass.Code   // by record
	Subject      []uint64            // by record; nil without subject
	Classes      []ClassView         // alive in this release, in order of ID
}

// ClassView is one class of a view.
type ClassView struct {
	Regime  Regime
	Born    uint32
	Members []RecordID
}
