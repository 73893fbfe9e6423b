package audit

import "slices"

// valuePairs is st.csv or pst.csv: sensitive values per group.
type valuePairs struct {
	lines int
	cls   []uint32 // one entry per record, counts expanded
	sa    []uint32
}

func (r *tableReader) readPairs(file string, data []byte, counted bool) (*valuePairs, error) {
	csv, header, err := r.csv(file, data)
	if err != nil {
		return nil, err
	}
	want := []string{"group", r.s.sa.name}
	if counted {
		want = append(want, "count")
	}
	at, err := r.columns(file, header, want)
	if err != nil {
		return nil, err
	}
	p := &valuePairs{}
	var lastGroup, lastSA uint32
	disorder := 0
	for {
		ok, err := csv.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			r.f.addN("order", kindRowOrder, r.release, 0, r.s.sa.name,
				"sensitive values of a group are not sorted; their order may follow insertion", disorder)
			return p, nil
		}
		group, n, err := pairNumbers(csv, at, maxRows-len(p.cls))
		if err != nil {
			return nil, err
		}
		sa, err := r.s.sa.read(csv, csv.fields[at[1]])
		if err != nil {
			return nil, err
		}
		if p.lines > 0 && (group < lastGroup || group == lastGroup && r.outOfOrder(lastSA, sa, counted)) {
			disorder++
		}
		lastGroup, lastSA = group, sa
		p.lines++
		for range n {
			p.cls, p.sa = append(p.cls, group), append(p.sa, sa)
		}
	}
}

// pairNumbers reads the group and the count (1 without a count column).
func pairNumbers(csv *csvReader, at []int, most int) (group, n uint32, err error) {
	group, ok := parseCount(csv.fields[at[0]])
	if !ok || group == 0 {
		return 0, 0, csv.fail("group is not a positive number")
	}
	n = 1
	if len(at) > 2 {
		if n, ok = parseCount(csv.fields[at[2]]); !ok || n == 0 || int(n) > most {
			return 0, 0, csv.fail("count is not a positive number in range")
		}
	}
	return group, n, nil
}

// maxRows bounds what a count field may expand to.
const maxRows = 1 << 28

// outOfOrder: a counted table has each value once, the other may repeat it.
func (r *tableReader) outOfOrder(last, next uint32, counted bool) bool {
	o := r.s.sa.compare(last, next)
	return o > 0 || counted && o == 0
}

// bucketized joins the exact rows with the bags of their groups.
func (r *tableReader) bucketized(file string, raw *rawTable, pairs *valuePairs) (*table, error) {
	order, start, number, sorted, dense := raw.group()
	bags := &rawTable{cls: pairs.cls}
	bagOf, bagStart, bagNumber, _, _ := bags.group()
	if !slices.Equal(number, bagNumber) || !slices.Equal(start, bagStart) {
		return nil, unreadable(file, 0, "groups or their sizes differ from the other table")
	}
	t := &table{d: raw.d, start: start, qi: make([]uint32, 0, len(raw.qi)), sa: make([]uint32, len(order))}
	disorder := 0
	for i, row := range order {
		t.qi = append(t.qi, raw.qi[int(row)*raw.d:][:raw.d]...)
		t.sa[i] = pairs.sa[bagOf[i]]
		if i > 0 && raw.cls[order[i-1]] == raw.cls[row] && r.compareRows(t, i-1, i) > 0 {
			disorder++
		}
	}
	return r.exactTable(file, t, disorder, number, sorted, dense)
}

// exactTable finishes a table of exact cells, disorder of whose rows are not in
// order within their group.
func (r *tableReader) exactTable(file string, t *table, disorder int, number []uint32, sorted, dense bool) (*table, error) {
	r.f.addN("order", kindRowOrder, r.release, 0, "", "rows of a group are not sorted; their order may follow insertion", disorder)
	t.m = len(number)
	if err := r.onlyValues(file, t); err != nil {
		return nil, err
	}
	r.finish(t, number, sorted, dense)
	return t, nil
}

// onlyValues refuses generalized cells where the recoding promises exact ones.
func (r *tableReader) onlyValues(file string, t *table) error {
	for i, id := range t.qi {
		if a := r.s.qi[i%t.d]; !a.isValue(&a.cells[id]) {
			return unreadable(file, 0, "attribute %s: a cell of an exact table is generalized", a.name)
		}
	}
	return nil
}

func (r *tableReader) compareRows(t *table, x, y int) int {
	for a, attr := range r.s.qi {
		if o := attr.compare(t.qi[x*t.d+a], t.qi[y*t.d+a]); o != 0 {
			return o
		}
	}
	return 0
}
