package incremental

// isRepeat reports whether a record may not be published on its own because an
// earlier record of its subject exists (rule S, one record of a subject): under `first` any earlier one,
// under `sticky` one with the same sensitive value, whose signature it must get.
func (c *columns) isRepeat(r RecordID) bool {
	if c.firsts == nil {
		return false
	}
	if c.firstWith != nil {
		_, ok := c.twin(r)
		return ok
	}
	return c.firsts[c.subject[r]] != r
}

// twin returns the earliest record of the same subject with the same value, if
// that is not r itself.
func (c *columns) twin(r RecordID) (RecordID, bool) {
	first := c.firstWith[subjectValue{c.subject[r], c.sa()[r]}]
	return first, first != r
}
