package snapshot

import (
	"cmp"
	"slices"
	"strconv"
)

// rings holds, by record, the records of its ring that its row covers.
type rings struct {
	plain
	covers [][]Record
}

// Rings is non-homogeneous generalization (method ng: Wong, Mamoulis and Cheung,
// SIGMOD 2010): data.csv as under Generalization, but each row has cells of its
// own, tight over the records that it covers. covers names them, by the record
// at whose place in its ring the row stands; the input's classes are the rings,
// and its sensitive values those that the rows show (bucketize.RingShift).
//
// It promises nothing at level L0, where a ring's assignments are not equally
// likely, and nothing alongside another release (AcrossNone).
func Rings(covers [][]Record) Recoding { return &rings{covers: covers} }

func (*rings) Name() string               { return NameGeneralization }
func (*rings) K1() string                 { return "none" }
func (*rings) alone(*table) bool          { return true }
func (*rings) mark(_ *table, m *Manifest) { m.Method = MethodRings }

// Lacks implements Recoding.
func (*rings) Lacks(*Manifest) string {
	return "each row covers l neighbours, but someone who holds all assignments of a ring equally likely " +
		"finds some of them likelier than 1/l, and one known value opens its whole ring"
}

// line is a row with cells of its own.
type line struct {
	cells []cell
	value uint32
}

func (t *table) compareLines(a, b line) int {
	for j := range t.cols {
		if c := compareCells(t.cols[j].number(), &a.cells[j], &b.cells[j]); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.value, b.value)
}

// fill adds the rows of a ring in the order of the file, which tells nothing of
// the order in the ring.
func (r *rings) fill(t *table, b *boxer, c *class) {
	out := make([]line, len(c.members))
	here := make(map[Record]Record, len(c.members)) // by number in the state
	for _, m := range c.members {
		here[t.id(m)] = m
	}
	var covers []Record
	for i, m := range c.members {
		covers = covers[:0]
		for _, id := range r.covers[t.id(m)] {
			covers = append(covers, here[id])
		}
		out[i] = line{cells: make([]cell, len(t.cols)), value: t.value(len(t.cols), int(m))}
		for j := range t.cols {
			out[i].cells[j] = b.cell(&t.cols[j], covers)
		}
	}
	slices.SortFunc(out, t.compareLines)
	c.lines = out
}

func (*rings) layouts(t *table) []layout {
	return []layout{{
		name:   dataName,
		header: append(t.names(), t.sa.name, "class"),
		append: func(_ *scratch, buf []byte, number int, c *class) ([]byte, int) {
			for _, x := range c.lines {
				for j := range t.cols {
					buf = append(t.cols[j].appendCell(buf, &x.cells[j]), ',')
				}
				buf = append(append(buf, t.sa.quoted[x.value]...), ',')
				buf = append(strconv.AppendInt(buf, int64(number), 10), '\n')
			}
			return buf, len(c.lines)
		},
	}}
}

// risk is the probability, over the shift that was drawn, that a row's value is a
// given one of the records it covers.
func (r *rings) risk(t *table) (most float64) {
	for _, c := range t.classes {
		for _, m := range c.members {
			most = max(most, 1/float64(len(r.covers[t.id(m)])))
		}
	}
	return most
}

// ncp is of rows that have cells of their own.
func (*rings) ncp(t *table, _, cells float64) float64 {
	sum, alone := 0.0, newSums(len(t.cols))
	alone.add(t)
	for j := range t.cols {
		domain := alone.domain(t, j)
		if domain == 0 {
			continue
		}
		for _, c := range t.classes {
			for _, x := range c.lines {
				sum += t.width(j, &x.cells[j]) / domain
			}
		}
	}
	return round6(sum / cells)
}
