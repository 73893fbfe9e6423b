package audit

import "slices"

// sliced groups the rows of sliced.csv. Every slice of a group was shuffled on
// its own, the sensitive attribute being one: what stands in a row is there by
// chance, but must be there in every release (rule A, frozen classes: a
// frozen group is never rendered differently).
func (r *tableReader) sliced(file string, raw *rawTable) (*table, error) {
	order, start, number, sorted, dense := raw.group()
	t := &table{d: raw.d, start: start, slices: r.s.slices, qi: make([]uint32, 0, len(raw.qi)), sa: make([]uint32, len(order))}
	disorder := 0
	for i, row := range order {
		t.qi = append(t.qi, raw.qi[int(row)*raw.d:][:raw.d]...)
		t.sa[i] = raw.sa[row]
		if i > 0 && raw.cls[order[i-1]] == raw.cls[row] {
			if o := r.compareRows(t, i-1, i); o > 0 || o == 0 && r.s.sa.compare(t.sa[i-1], t.sa[i]) > 0 {
				disorder++
			}
		}
	}
	t.pairs = slices.Clone(t.sa)
	return r.exactTable(file, t, disorder, number, sorted, dense)
}

// checkSlices tests the declaration: every quasi-identifier in one slice, the
// sensitive attribute alone in its own. A slice that joins it with others shows
// whose it is; a release that has one must say that it promises nothing.
func checkSlices(m *Manifest, f *faults) {
	if m.Recoding != recodingSlicing {
		if m.Slices != nil {
			f.add("claim", kindSliceShape, m.Release, 0, "slices", "slices are declared, but the recoding has none")
		}
		return
	}
	times := map[string]int{}
	for _, names := range m.Slices {
		for _, name := range names {
			times[name]++
		}
	}
	unknown := len(times)
	wrong := 0
	for _, c := range m.Schema {
		if c.Role != "quasi" && c.Role != "sensitive" {
			continue
		}
		if times[c.Name] > 0 {
			unknown--
		}
		if times[c.Name] > 1 || times[c.Name] == 0 && c.Role == "quasi" {
			wrong++
		}
	}
	f.addN("claim", kindSliceShape, m.Release, 0, "slices", "an attribute is not in exactly one slice", wrong+unknown)
	if m.mixedSlice() && m.Across != acrossNone {
		f.add("claim", kindSliceMixed, m.Release, 0, "slices",

			"a slice joins the sensitive attribute with others, and the manifest does not say that nothing is promised across releases")
	}
}

// counted groups rows of which nothing but their number and their class is
// checked; see Manifest.loose.
func (r *tableReader) counted(raw *rawTable) *table {
	order, start, number, sorted, dense := raw.group()
	t := &table{d: raw.d, start: start, sa: make([]uint32, len(order))}
	for i, row := range order {
		t.sa[i] = raw.sa[row]
	}
	r.finish(t, number, sorted, dense)
	return t
}

// slicesOf compares, slice by slice, the tuples of a group with its members'.
func (m *microdataCheck) slicesOf(c int, who []uint32) {
	for _, columns := range m.rel.tab.slices {
		mine, shown := [][]uint32{}, [][]uint32{}
		for i, rec := range who {
			mine = append(mine, pick(m.recs.qi[int(rec)*len(m.s.qi):][:len(m.s.qi)], columns))
			shown = append(shown, pick(m.rel.tab.row(m.rel.tab.start[c]+uint32(i)), columns))
		}
		slices.SortFunc(mine, slices.Compare[[]uint32])
		slices.SortFunc(shown, slices.Compare[[]uint32])
		if !slices.EqualFunc(mine, shown, slices.Equal[[]uint32]) {
			m.f.add("microdata", kindRowsNotMembers, m.rel.num, c+1, m.s.qi[columns[0]].name, "the tuples of a group's slice are not its members'")
		}
	}
}

func pick(row []uint32, columns []int) []uint32 {
	out := make([]uint32, len(columns))
	for i, c := range columns {
		out[i] = row[c]
	}
	return out
}
