package audit

// otherBuckets counts the records whose bucket, as an export names it in its part,
// is not the one in which the release shows their class.
func (rel *release) otherBuckets(classOf, named []uint32) (other int) {
	number := rel.bucketNumbers()
	for rec, c := range classOf {
		if c > 0 && (rec >= len(named) || named[rec] != number[c-1]) {
			other++
		}
	}
	return other
}

// bucketNumbers gives, by class, the number of its bucket in its part.
func (rel *release) bucketNumbers() []uint32 {
	t, p := rel.tab, rel.parts
	first := make([]uint32, len(p.buckets)) // by part: buckets before it
	for i := 1; i < len(first); i++ {
		first[i] = first[i-1] + uint32(p.buckets[i-1])
	}
	out := make([]uint32, t.m)
	for c := range out {
		out[c] = t.shared.rows(t, c)[0] - first[p.lay.part(p.ids[c])]
	}
	return out
}
