package render

import (
	"slices"
	"strconv"

	"anond/snapshot"
)

type anatomy struct{ single }

// Anatomy (Xiao and Tao 2006) writes exact quasi-identifiers with their group
// into qit.csv and each group's counts of sensitive values into st.csv.
func Anatomy() Recoding { return anatomy{} }

func (anatomy) Name() string { return snapshot.NameAnatomy }

func (anatomy) rows(t *table, s *scratch, dst []uint32, c *class) []uint32 {
	return t.exactRows(s, dst, c)
}

// exactRows appends the rows of a class, sorted.
func (t *table) exactRows(s *scratch, dst []uint32, c *class) []uint32 {
	s.ranks = s.ranks[:0]
	for _, m := range c.members {
		for j := range t.cols {
			s.ranks = append(s.ranks, t.cols[j].rank[t.cols[j].codes.At(int(m))])
		}
	}
	return t.sortRows(s, dst, len(t.cols))
}

func (a anatomy) layouts(t *table) []layout {
	st := layout{
		name:   "st.csv",
		header: []string{"group", t.sa[0].name, "count"},
		append: func(_ *scratch, buf []byte, number int, c *class) ([]byte, int) {
			values := 0
			for v, n := range runs(c.bag) {
				buf = append(strconv.AppendInt(buf, int64(number), 10), ',')
				buf = append(append(buf, t.sa[0].quoted[v]...), ',')
				buf = append(strconv.AppendInt(buf, int64(n), 10), '\n')
				values++
			}
			return buf, values
		},
	}
	return []layout{t.exactLayout("qit.csv"), st}
}

// exactLayout is the file of exact quasi-identifiers with their group.
func (t *table) exactLayout(name string) layout {
	return layout{
		name:   name,
		header: append(t.names(), "group"),
		append: func(s *scratch, buf []byte, number int, c *class) ([]byte, int) {
			rows := c.rows
			if rows == nil {
				s.sorted = t.recoding.rows(t, s, s.sorted[:0], c)
				rows = s.sorted
			}
			for row := range slices.Chunk(rows, len(t.cols)) {
				for j, r := range row {
					buf = append(append(buf, t.cols[j].quoted[r]...), ',')
				}
				buf = append(strconv.AppendInt(buf, int64(number), 10), '\n')
			}
			return buf, len(c.members)
		},
	}
}
