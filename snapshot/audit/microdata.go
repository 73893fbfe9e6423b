package audit

import "slices"

// microdataCheck compares a release with the records export.
type microdataCheck struct {
	s       *schema
	recs    *records
	rel     *release
	f       *faults
	scratch tightScratch
	values  []uint32
	bag     []uint32
	seen    map[uint32]int // subject -> class last met in, index + 1
}

// checkMicrodata tests, for every class that changed in this release, that its
// cells are the tightest over its members, that its bag is theirs, and that no
// subject is in it twice (rule S, subjects). Classes that reappear unchanged were tested
// when they were born.
func checkMicrodata(s *schema, recs *records, rel *release, classOf []uint32, fates []fate, f *faults) {
	m := &microdataCheck{s: s, recs: recs, rel: rel, f: f, seen: map[uint32]int{}}
	members := newRoster(classOf, rel.tab.m)
	for c := range rel.tab.m {
		who := members.of(c)
		if fates[c] == fateUnchanged || len(who) != rel.tab.size(c) || !m.known(c, who) {
			continue
		}
		if rel.tab.ownBags() {
			m.bagOf(c, who)
		}
		m.subjects(c, who)
		switch {
		case !rel.tab.exact():
			m.boxOf(c, who)
		case rel.man.Recoding == "anatomy":
			m.rowsOf(c, who)
		default:
			m.columnsOf(c, who)
		}
	}
	if rel.tab.shared != nil {
		m.bucketsOf(&members, fates)
	}
}

func (m *microdataCheck) known(c int, who []uint32) bool {
	missing := 0
	for _, r := range who {
		if int(r) >= m.recs.n || !m.recs.known[r] {
			missing++
		} else if a := m.recs.arrived[r]; a == 0 || int(a) > m.rel.num {
			m.f.add("microdata", kindBeforeArrival, m.rel.num, c+1, "", "a record is published before the release whose cut covers it")
		}
	}
	m.f.addN("microdata", kindMembersMismatch, m.rel.num, c+1, "record", "a member is not in the records export", missing)
	return missing == 0
}

func (m *microdataCheck) bagOf(c int, who []uint32) {
	m.bag = m.bag[:0]
	for _, r := range who {
		m.bag = append(m.bag, m.recs.sa[r])
	}
	slices.Sort(m.bag)
	if !slices.Equal(m.bag, m.rel.tab.bag(c)) {
		m.f.add("microdata", kindBagMismatch, m.rel.num, c+1, m.s.sa.name, "the sensitive values of a class are not its members'")
	}
}

func (m *microdataCheck) subjects(c int, who []uint32) {
	if m.recs.subject == nil {
		return
	}
	for _, r := range who {
		subject := m.recs.subject[r]
		if m.seen[subject] == c+1 {
			m.f.add("S", kindSubjectRepeated, m.rel.num, c+1, "", "a subject has two records in one class")
		}
		m.seen[subject] = c + 1
	}
}

func (m *microdataCheck) column(who []uint32, a int) []uint32 {
	m.values = m.values[:0]
	for _, r := range who {
		m.values = append(m.values, m.recs.qi[int(r)*len(m.s.qi)+a])
	}
	return m.values
}

func (m *microdataCheck) boxOf(c int, who []uint32) {
	for a, attr := range m.s.qi {
		values, box := m.column(who, a), m.rel.tab.cells(c)[a]
		if attr.tight(values, &m.scratch) == box {
			continue
		}
		outside := 0
		for _, v := range values {
			if !attr.contains(box, v) {
				outside++
			}
		}
		m.f.addN("microdata", kindMemberOutside, m.rel.num, c+1, attr.name, "a member's value does not lie in its class's cell", outside)
		if outside == 0 && !m.s.loose {
			m.f.add("microdata", kindCellNotTight, m.rel.num, c+1, attr.name, "a cell is wider than its members")
		}
	}
}

func (m *microdataCheck) rowsOf(c int, who []uint32) {
	d := len(m.s.qi)
	rows := slices.Clone(who)
	row := func(r uint32) []uint32 { return m.recs.qi[int(r)*d:][:d] }
	slices.SortFunc(rows, func(x, y uint32) int { return slices.Compare(row(x), row(y)) })
	published := make([]uint32, len(who))
	for i := range published {
		published[i] = m.rel.tab.start[c] + uint32(i)
	}
	slices.SortFunc(published, func(x, y uint32) int { return slices.Compare(m.rel.tab.row(x), m.rel.tab.row(y)) })
	for i := range rows {
		if !slices.Equal(row(rows[i]), m.rel.tab.row(published[i])) {
			m.f.add("microdata", kindRowsNotMembers, m.rel.num, c+1, "", "the rows of a group are not its members'")
			return
		}
	}
}

func (m *microdataCheck) columnsOf(c int, who []uint32) {
	for a, attr := range m.s.qi {
		values := m.column(who, a)
		var published []uint32
		rows := m.rel.tab.rowsQI(c)
		for i := a; i < len(rows); i += m.rel.tab.d {
			published = append(published, rows[i])
		}
		slices.Sort(values)
		slices.Sort(published)
		if !slices.Equal(values, published) {
			m.f.add("microdata", kindRowsNotMembers, m.rel.num, c+1, attr.name, "the values of a group's column are not its members'")
		}
	}
}
