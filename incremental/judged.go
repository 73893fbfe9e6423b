package incremental

// Judged counts what was decided about pools at level L2 and is in no release: the values of
// these people were looked at, and everybody may know what came of it. It never decreases.
//
// Rule B (buckets): a pool that was quarantined is never mixed with other records, and the
// first pool, once refused, stays what it is. A copy of a state that is older than such a
// decision would cut again, at another moment and so with other people: what the earlier
// decision told would be about some of them. No release shows that a copy is that old. So
// these counts are kept outside of the state, too (snapshot.Publisher.KeepJudged).
type Judged struct {
	Quarantined int  // pools
	Refused     bool // the first pool was
}

// Ahead reports whether something was decided here that was not decided there.
func (j Judged) Ahead(o Judged) bool { return j.Quarantined > o.Quarantined || j.Refused && !o.Refused }

// Judged returns these counts.
func (m *Machine) Judged() Judged {
	return Judged{Quarantined: m.pending.pools, Refused: m.head.Pools.Refused}
}
