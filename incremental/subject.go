package incremental

// isRepeat reports whether a record may not be published on its own because an
// earlier record of its subject exists (rule S, one record of a subject): under `first`
// any earlier one, under `sticky` one with the same sensitive value, whose signature it
// must get.
func (c *columns) isRepeat(r RecordID) bool {
	return c.firsts != nil && c.firsts.first(c, r) != r
}
