package render

import (
	"strconv"

	"anond/snapshot"
)

type generalization struct{ plain }

// Generalization writes data.csv: the tight cells of the class in each of its
// rows, the sensitive value of the row, the class.
func Generalization() Recoding { return generalization{} }

func (generalization) Name() string { return snapshot.NameGeneralization }
func (generalization) K1() string   { return "rows" }

func (generalization) layouts(t *table) []layout {
	return []layout{{
		name:   snapshot.DataName,
		header: append(t.names(), t.sa[0].name, "class"),
		append: func(s *scratch, buf []byte, number int, c *class) ([]byte, int) {
			s.prefix = s.prefix[:0]
			for j := range t.cols {
				s.prefix = append(t.cols[j].appendCell(s.prefix, &c.cells[j]), ',')
			}
			for _, v := range c.bag {
				buf = append(buf, s.prefix...)
				buf = append(append(buf, t.sa[0].quoted[v]...), ',')
				buf = append(strconv.AppendInt(buf, int64(number), 10), '\n')
			}
			return buf, len(c.bag)
		},
	}}
}
