package snapshot

// NumberColumns are the columns of a data file that hold numbers of classes,
// groups and buckets, and counts: from the front or, negative, from the end. All
// others are cells.
func (m *Manifest) NumberColumns(file string) []int {
	switch {
	case !m.Shared():
	case file == "buckets.csv":
		return []int{0, -1}
	case m.Values == "":
		return []int{-2, -1} // class and bucket
	}
	switch file {
	case "st.csv":
		return []int{0, -1}
	case "pst.csv":
		return []int{0}
	}
	return []int{-1}
}
