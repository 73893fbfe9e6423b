package incremental

// Trigger says when a cut is due.
type Trigger struct {
	*state
	first   *firstLoad
	planner *planner
	pools   *nextPool
}

// Trigger returns what says when a cut is due.
func (m *Machine) Trigger() Trigger { return Trigger{&m.state, &m.first, &m.planner, &m.pools} }

// CutDue reports whether the records read so far end a release: the first
// load is complete, or trigger `records` has counted enough.
func (t Trigger) CutDue() bool {
	left, counted := t.UntilCut()
	return counted && left <= 0 && (t.head.InitialDone || t.first.growing || t.enoughRecords())
}

// UntilCut is how many records are still to be read before a cut is due by count, if one is due so. A record that
// is refused or left out takes its place like every other: otherwise what is invalid about one
// person would move others into another pool (rule B, buckets).
func (t Trigger) UntilCut() (left int, counted bool) {
	read := t.intake.counters.Read
	if !t.head.InitialDone && !t.first.growing {
		return t.policy.InitialMax - int(read), t.policy.InitialMax > 0
	}
	return t.policy.CutEvery - int(read-t.head.CutRead), t.policy.CutEvery > 0
}

// NewSinceCut returns the number of records accepted since the newest cut that was
// tried, with or without a release.
func (t Trigger) NewSinceCut() int { return t.newSinceCut() }

// MostNamed is how many records the classes of the next release name at most: those that
// wait, and in mode regroup those that are published.
func (t Trigger) MostNamed() int {
	if t.policy.Republication == Regroup {
		return int(t.records.len())
	}
	return t.pending.counts().Total()
}

// UpdateDue reports whether updates have gathered such that a release may have
// something new to publish (trigger `update`).
func (t Trigger) UpdateDue() bool {
	if !t.head.InitialDone {
		return t.first.growing && t.NewSinceCut() > 0 && len(t.pending.waiting) >= t.policy.Requirement.K
	}
	if t.policy.Level == L2 && (!t.pools.need.Possible || len(t.pending.waiting) < t.pools.need.Records) {
		return false
	}
	return t.planner.due(t.pending.waiting) || t.pending.overdue(&t.records, t.now, &t.policy)
}

// Set changes what makes a cut due, as a restart under that policy would: a number of
// records (0: none), and at level L2 updates in neighbourhoods. What a cut decides does not
// depend on it.
func (t Trigger) Set(cutEvery int, onUpdate bool) {
	t.policy.CutEvery, t.policy.OnUpdate = cutEvery, onUpdate
}
