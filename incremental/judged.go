package incremental

// Judged counts what was decided about people and is in no release: their values were looked at, and everybody may know
// what came of it. It decreases only by a reset.
//
// Rule B (buckets): a pool that was quarantined is never mixed with other records, and the
// first pool, once refused, stays what it is. A copy of a state that is older than such a
// decision would cut again, at another moment and so with other people: what the earlier
// decision told would be about some of them. So would one that is older than a pool that was fixed: that it was lost
// meanwhile may tell that the pool was eligible. Rule S (subjects): a copy that does not know who is barred would take these
// people in once their values are valid. No release shows that a copy is that old. So
// these counts are kept outside of the state, too (publish.Publisher.KeepJudged).
type Judged struct {
	Fixed       int  // pools whose people were committed
	Quarantined int  // pools
	Refused     bool // the first pool was
	People      int  // of the quarantined pools
	Barred      int  // people (barred.go)
}

// Ahead reports whether something was decided here that was not decided there.
func (j Judged) Ahead(o Judged) bool {
	return j.Fixed > o.Fixed || j.Quarantined > o.Quarantined || j.Refused && !o.Refused || j.People > o.People || j.Barred > o.Barred
}

// Judged returns these counts.
func (m *Machine) Judged() Judged {
	return Judged{Fixed: int(m.s.Head.Pools.Fixed), Quarantined: m.s.Pending.Pools,
		Refused: m.s.Head.Pools.Refused, People: m.s.Pending.Judged, Barred: m.barred.from}
}
