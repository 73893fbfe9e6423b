package audit

import (
	"slices"
	"strings"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// microdataCheck compares a release with the records export.
type microdataCheck struct {
	s       *format.Schema
	recs    *chain.Records
	rel     *chain.Release
	f       *format.Faults
	scratch format.TightScratch
	values  []uint32
	bag     []uint32
	seen    map[uint32]int // subject -> class last met in, index + 1
}

// checkMicrodata tests, for every class that changed in this release, that its
// cells are the tightest over its members, that its bag is theirs, and that no
// subject is in it twice (rule S, subjects). Classes that reappear unchanged were tested
// when they were born.
func checkMicrodata(s *format.Schema, recs *chain.Records, rel *chain.Release, classOf []uint32, fates []chain.Fate, f *format.Faults) {
	m := &microdataCheck{s: s, recs: recs, rel: rel, f: f, seen: map[uint32]int{}}
	members := table.NewRoster(classOf, rel.Tab.M)
	for c := range rel.Tab.M {
		who := members.Of(c)
		if fates[c] == chain.FateUnchanged || len(who) != rel.Tab.Size(c) || !m.known(c, who) {
			continue
		}
		if rel.Tab.OwnBags() {
			m.bagOf(c, who)
		}
		m.subjects(c, who)
		switch {
		case !rel.Tab.Exact():
			m.boxOf(c, who)
		case rel.Man.Recoding == "anatomy":
			m.rowsOf(c, who)
		default:
			m.columnsOf(c, who)
		}
	}
	if rel.Tab.Shared != nil {
		m.bucketsOf(&members, fates)
		m.strata(&members, fates)
	}
}

func (m *microdataCheck) known(c int, who []uint32) bool {
	missing, lacking := 0, 0
	for _, r := range who {
		if int(r) >= m.recs.N || !m.recs.Known[r] {
			missing++
		} else if m.recs.Lacks(r) {
			lacking++
		} else if a := m.recs.Arrived[r]; a == 0 || int(a) > m.rel.Num {
			m.f.Add("microdata", format.KindBeforeArrival, m.rel.Num, c+1, "", "a record is published before the release whose cut covers it")
		}
	}
	m.f.AddN("microdata", format.KindMembersMismatch, m.rel.Num, c+1, "record", "a member is not in the records export", missing)
	m.f.AddN("U", format.KindColumnLacking, m.rel.Num, c+1, "record", "a member has not all attributes that its part shows", lacking)
	return missing+lacking == 0
}

// observedAlike tests that everybody was observed for the time that the manifest says (rule U, units), by the exports: a window begins with
// the first message, so with the first record of whom nothing else came; records that are published came inside it, in the order of the
// history unless one was replaced; and in each log people are taken in in the order in which their windows ended.
func observedAlike(recs *chain.Records, man *format.Manifest, f *format.Faults) {
	span := man.Observed()
	if span == 0 || recs == nil {
		return
	}
	counted := strings.HasSuffix(man.Privacy.Settle, " records") // all partitions share one count
	newest := map[uint32]int64{}
	length, outside, order, ended := 0, 0, 0, 0
	for _, r := range recs.Rows {
		until := recs.Until[r]
		if until == 0 {
			continue
		}
		came := recs.Came[r]
		if format.Silent(recs.Stratum[r]) && came[0]+span != until {
			length++
		}
		if slices.ContainsFunc(came, func(at int64) bool { return at < until-span || at >= until }) {
			outside++
		}
		if !strings.Contains(recs.Stratum[r], "updated") && !slices.IsSorted(came) {
			order++
		}
		lane := recs.Lane[r]
		if counted {
			lane = 0
		}
		if before, seen := newest[lane]; seen && until < before {
			ended++
		}
		newest[lane] = until
	}
	tell := func(n int, attribute, what string) {
		f.AddN("U", format.KindObservation, man.Release, 0, attribute, what, n)
	}
	tell(length, "observed_until", "somebody was observed for another time than privacy.settle says")
	tell(outside, "came", "a record that is published came when its person was not observed")
	tell(order, "came", "a history has another order than its records")
	tell(ended, "record", "somebody was taken in before a person whose window had ended earlier")
}

// strata tests that the people of each new class are of the stratum that its bucket shows (rule U, units).
func (m *microdataCheck) strata(members *table.Roster, fates []chain.Fate) {
	t, b := m.rel.Tab, m.rel.Tab.Shared
	for c := range t.M {
		if b.Stratum == nil || fates[c] == chain.FateUnchanged {
			continue
		}
		of, wrong := b.Stratum[b.Rows(t, c)[0]-1], 0
		for _, r := range members.Of(c) {
			if int(r) < m.recs.N && m.recs.Known[r] && !m.recs.Forgotten[r] && m.recs.Stratum[r] != of {
				wrong++
			}
		}
		m.f.AddN("U", format.KindStratumMismatch, m.rel.Num, c+1, "", "a member is of another stratum than its bucket shows", wrong)
	}
}

func (m *microdataCheck) bagOf(c int, who []uint32) {
	m.bag = m.bag[:0]
	for _, r := range who {
		m.bag = append(m.bag, m.recs.Sa[r])
	}
	slices.Sort(m.bag)
	if !slices.Equal(m.bag, m.rel.Tab.Bag(c)) {
		m.f.Add("microdata", format.KindBagMismatch, m.rel.Num, c+1, m.s.Sa.Name, "the sensitive values of a class are not its members'")
	}
}

func (m *microdataCheck) subjects(c int, who []uint32) {
	if m.recs.Subject == nil {
		return
	}
	for _, r := range who {
		subject := m.recs.Subject[r]
		if m.seen[subject] == c+1 {
			m.f.Add("S", format.KindSubjectRepeated, m.rel.Num, c+1, "", "a subject has two records in one class")
		}
		m.seen[subject] = c + 1
	}
}

func (m *microdataCheck) column(who []uint32, a int) []uint32 {
	m.values = m.values[:0]
	for _, r := range who {
		m.values = append(m.values, m.recs.Qi[int(r)*len(m.s.Qi)+a])
	}
	return m.values
}

func (m *microdataCheck) boxOf(c int, who []uint32) {
	for a, attr := range m.s.Qi {
		values, box := m.column(who, a), m.rel.Tab.Cells(c)[a]
		if attr.Tight(values, &m.scratch) == box {
			continue
		}
		outside := 0
		for _, v := range values {
			if !attr.Contains(box, v) {
				outside++
			}
		}
		m.f.AddN("microdata", format.KindMemberOutside, m.rel.Num, c+1, attr.Name, "a member's value does not lie in its class's cell", outside)
		if outside == 0 && !m.s.Loose {
			m.f.Add("microdata", format.KindCellNotTight, m.rel.Num, c+1, attr.Name, "a cell is wider than its members")
		}
	}
}

func (m *microdataCheck) rowsOf(c int, who []uint32) {
	d := len(m.s.Qi)
	rows := slices.Clone(who)
	row := func(r uint32) []uint32 { return m.recs.Qi[int(r)*d:][:d] }
	slices.SortFunc(rows, func(x, y uint32) int { return slices.Compare(row(x), row(y)) })
	published := make([]uint32, len(who))
	for i := range published {
		published[i] = m.rel.Tab.Start[c] + uint32(i)
	}
	slices.SortFunc(published, func(x, y uint32) int { return slices.Compare(m.rel.Tab.Row(x), m.rel.Tab.Row(y)) })
	for i := range rows {
		if !slices.Equal(row(rows[i]), m.rel.Tab.Row(published[i])) {
			m.f.Add("microdata", format.KindRowsNotMembers, m.rel.Num, c+1, "", "the rows of a group are not its members'")
			return
		}
	}
}

func (m *microdataCheck) columnsOf(c int, who []uint32) {
	for a, attr := range m.s.Qi {
		values := m.column(who, a)
		var published []uint32
		rows := m.rel.Tab.RowsQI(c)
		for i := a; i < len(rows); i += m.rel.Tab.D {
			published = append(published, rows[i])
		}
		slices.Sort(values)
		slices.Sort(published)
		if !slices.Equal(values, published) {
			m.f.Add("microdata", format.KindRowsNotMembers, m.rel.Num, c+1, attr.Name, "the values of a group's column are not its members'")
		}
	}
}
