package incremental

// isBeyond reports whether an earlier record of the subject exists, so that this one is never published (rule S, one record of
// a subject). Safe: that follows from who sends when, and from no value.
func (c *columns) isBeyond(r RecordID) bool {
	return c.firsts != nil && c.firsts.first(c, r) != r
}
