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
	Semi         [][]equivclass.Code // by semi-sensitive attribute, then record
	Flags        []uint64            // by record: bit j is that of semi-sensitive attribute j; nil without such
	SA           []equivclass.Code   // by record
	Subject      []uint64            // by record; nil without subject
	// References are the distributions of t-closeness, by attribute of the schema:
	// the same in every release.
	References map[int]equivclass.Bag
	Classes    []ClassView // alive in this release, in order of ID
	// Dead are the classes that had died by this release, in order of ID.
	Dead []ClassView
	// Since: Classes, Dead and Local hold only what was born or died after this
	// release (Machine.Change); 0: everything.
	Since uint32
	// Local are the bucketed attributes of a release by local generalization and
	// bucketization: the semi-sensitive ones in schema order, then the sensitive
	// one. nil for every other recoding.
	Local []LocalView
}

// LocalView is an attribute whose sensitive values are published in local
// buckets. A published record that is in no bucket has a QI value there, which is
// generalized over its class; all members of a class agree in which it is.
type LocalView struct {
	Attribute int               // in the schema
	Codes     []equivclass.Code // by record
	Buckets   [][]RecordID      // frozen from birth, as classes are (rule A)
}

// ClassView is one class of a view.
type ClassView struct {
	Regime  Regime
	Born    uint32
	Died    uint32 // the first release without it; 0 in a release in which it lives
	Members []RecordID
}
