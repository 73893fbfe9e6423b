package incremental

// isRepeat reports whether a record may not be published on its own because an
// earlier record of its subject exists (rule S): under `first` any earlier one,
// under `sticky` one with the same sensitive value, whose signature it must get.
func (m *Machine) isRepeat(r RecordID) bool {
	c := &m.records
	if c.firsts == nil {
		return false
	}
	if m.policy.Repeat == RepeatSticky {
		_, ok := m.twin(r)
		return ok
	}
	return c.firsts[c.subject[r]] != r
}

// twin returns the earliest record of the same subject with the same value, if
// that is not r itself.
func (m *Machine) twin(r RecordID) (RecordID, bool) {
	c := &m.records
	first := c.firstWith[subjectValue{c.subject[r], c.sa()[r]}]
	return first, first != r
}
