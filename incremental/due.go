package incremental

// CutDue reports whether the records read so far end a release: the first
// load is complete, or trigger `records` has counted enough.
func (m *Machine) CutDue() bool {
	left, counted := m.UntilCut()
	return counted && left <= 0 && (m.head.InitialDone || m.first.growing || m.EnoughRecords())
}

// UntilCut is how many records are still to be read before a cut is due by count, if one is due so. A record that
// is refused or left out takes its place like every other: otherwise what is invalid about one
// person would move others into another pool (rule B, buckets).
func (m *Machine) UntilCut() (left int, counted bool) {
	read := m.intake.counters.Read
	if !m.head.InitialDone && !m.first.growing {
		return m.policy.InitialMax - int(read), m.policy.InitialMax > 0
	}
	return m.policy.CutEvery - int(read-m.head.CutRead), m.policy.CutEvery > 0
}

// NewSinceCut returns the number of records accepted since the newest cut that was
// tried, with or without a release.
func (m *Machine) NewSinceCut() int { return int(m.records.len() - m.head.LastCut) }

// MostNamed is how many records the classes of the next release name at most: those that
// wait, and in mode regroup those that are published.
func (m *Machine) MostNamed() int {
	if m.policy.Republication == Regroup {
		return int(m.records.len())
	}
	return m.pending.counts().Total()
}

// UpdateDue reports whether updates have gathered such that a release may have
// something new to publish (trigger `update`).
func (m *Machine) UpdateDue() bool {
	if !m.head.InitialDone {
		return m.first.growing && m.NewSinceCut() > 0 && len(m.pending.waiting) >= m.policy.Requirement.K
	}
	if m.policy.Level == L2 && (!m.need.Possible || len(m.pending.waiting) < m.need.Records) {
		return false
	}
	return m.planner.due(m.pending.waiting) || m.pending.overdue(&m.records, m.now, &m.policy)
}

// Retrigger changes what makes a cut due, as a restart under that policy would: a number of
// records (0: none), and at level L2 updates in neighbourhoods. What a cut decides does not
// depend on it.
func (m *Machine) Retrigger(cutEvery int, onUpdate bool) {
	m.policy.CutEvery, m.policy.OnUpdate = cutEvery, onUpdate
}
