package topdown

import (
	"slices"

	"anond/equivclass"
)

// nssRow is a row of the non-sensitive table of Sun et al. (tables VI and VII):
// the exact quasi-identifiers of a record and its group, 1 and up.
type nssRow struct {
	Row   int32
	Group int
}

// ssRow is a row of the sensitive table (tables VIII and IX): one for every
// record of a group, in ascending order of code, so that the order tells nothing.
type ssRow struct {
	Group int
	SA    equivclass.Code
}

// joinRow is a row of the lossy join of both tables by group (table X).
type joinRow struct {
	Row   int32
	SA    equivclass.Code
	Group int
}

// nssTable separates the groups of a partition into the two tables.
func nssTable(p *equivclass.Pool, groups [][]int32) (nss []nssRow, ss []ssRow) {
	for i, g := range groups {
		codes := make([]equivclass.Code, len(g))
		for k, r := range g {
			nss = append(nss, nssRow{r, i + 1})
			codes[k] = p.SA[r]
		}
		slices.Sort(codes)
		for _, c := range codes {
			ss = append(ss, ssRow{i + 1, c})
		}
	}
	return nss, ss
}

// joinNSS joins the tables, as an adversary would: group by group, sensitive
// value by sensitive value. A group of a records gives a^2 rows (the proof of
// theorem 1 prints p^2, which is a^2 only for groups of p). Cost: the result.
func joinNSS(nss []nssRow, ss []ssRow) (out []joinRow) {
	members := map[int][]int32{}
	for _, n := range nss {
		members[n.Group] = append(members[n.Group], n.Row)
	}
	for _, s := range ss {
		for _, r := range members[s.Group] {
			out = append(out, joinRow{r, s.SA, s.Group})
		}
	}
	return out
}
