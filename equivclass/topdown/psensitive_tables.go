package topdown

import (
	"slices"

	"anond/equivclass"
)

// NSSRow is a row of the non-sensitive table of Sun et al. (tables VI and VII):
// the exact quasi-identifiers of a record and its group, 1 and up.
type NSSRow struct {
	Row   int32
	Group int
}

// SSRow is a row of the sensitive table (tables VIII and IX): one for every
// record of a group, in ascending order of code, so that the order tells nothing.
type SSRow struct {
	Group int
	SA    equivclass.Code
}

// JoinRow is a row of the lossy join of both tables by group (table X).
type JoinRow struct {
	Row   int32
	SA    equivclass.Code
	Group int
}

// NSSTable separates the groups of a partition into the two tables.
func NSSTable(p *equivclass.Pool, groups [][]int32) (nss []NSSRow, ss []SSRow) {
	for i, g := range groups {
		codes := make([]equivclass.Code, len(g))
		for k, r := range g {
			nss = append(nss, NSSRow{r, i + 1})
			codes[k] = p.SA[r]
		}
		slices.Sort(codes)
		for _, c := range codes {
			ss = append(ss, SSRow{i + 1, c})
		}
	}
	return nss, ss
}

// JoinNSS joins the tables, as an adversary would: group by group, sensitive
// value by sensitive value. A group of a records gives a^2 rows (the proof of
// theorem 1 prints p^2, which is a^2 only for groups of p). Cost: the result.
func JoinNSS(nss []NSSRow, ss []SSRow) (out []JoinRow) {
	members := map[int][]int32{}
	for _, n := range nss {
		members[n.Group] = append(members[n.Group], n.Row)
	}
	for _, s := range ss {
		for _, r := range members[s.Group] {
			out = append(out, JoinRow{r, s.SA, s.Group})
		}
	}
	return out
}
