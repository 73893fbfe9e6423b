package format

// CheckStale tests what the parts of a release say of people with a later update or delete: only of buckets that are there, of
// no more people than these have, ascending, at level L2 alone; and that no number of a bucket that stays is less than in the release
// before, nil: there is none. people is by bucket, through all parts; 0: it has left. The lineage must be whole.
func CheckStale(before, man *Manifest, people []uint32, f *Faults) {
	told, _ := stale(before)
	now, malformed := stale(man)
	many, fell := 0, 0
	for bucket, n := range now {
		if bucket >= len(people) || n > int(people[bucket]) {
			many++
		}
	}
	for bucket, n := range told {
		left := bucket < len(people) && people[bucket] == 0 // with what was said of it
		if now[bucket] < n && !left {
			fell++
		}
	}
	add := func(detail string, n int) { f.AddN("N", KindStale, man.Release, 0, "stale", detail, n) }
	add("the list of stale buckets is not ascending, names buckets that are not there, or is of another level than L2", malformed)
	add("more people of a bucket are stale than it has", many)
	add("fewer people of a bucket are stale than in the release before", fell)
}

// stale gives the numbers by bucket, counted from 0 through all parts, and how many entries are malformed.
func stale(man *Manifest) (out map[int]int, malformed int) {
	if man == nil {
		return nil, 0
	}
	out = map[int]int{}
	from := 0
	for i := range man.Parts {
		p := &man.Parts[i]
		last := 0
		for _, s := range p.Stale {
			if !man.AtL2() || s[0] <= last || s[0] > p.Buckets || s[1] < 1 {
				malformed++
				continue
			}
			last = s[0]
			out[from+s[0]-1] = s[1]
		}
		from += p.Buckets
	}
	return out, malformed
}
