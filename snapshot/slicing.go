package snapshot

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
)

// slicing holds the seed, which must not be printed (rule R, randomness).
type slicing struct {
	single
	seed   [32]byte
	slices [][]string
}

// Slicing (Li, Li, Zhang and Molloy, TKDE 2012) writes sliced.csv: exact values, a
// row a record, in which the parts of a group's records in each slice are
// shuffled against those in the other slices. What stands in one slice is true.
// slices name each quasi-identifier once; the sensitive attribute is alone in a
// slice of its own unless one of them names it.
//
// Guarantee: with the sensitive attribute alone, a row tells nothing about its
// sensitive value beyond the bag of its group (rules A, frozen classes,
// and P, pure classes, hold as under anatomy). In a slice with others, exact pairs are published: someone who
// knows those others finds the value, so such a release promises nothing (AcrossNone).
//
// Method: the tuples of each slice are sorted, then shuffled by a generator that
// is keyed as that of Permutation is: by seed, birth and content. So nothing
// depends on how tuples were joined, and a frozen group is never written
// differently (rules R and A).
func Slicing(seed [32]byte, slices [][]string) Recoding {
	return &slicing{seed: seed, slices: slices}
}

func (*slicing) Name() string { return NameSlicing }

// String and GoString keep the seed out of texts.
func (*slicing) String() string   { return NameSlicing }
func (*slicing) GoString() string { return NameSlicing }

// alone: the sensitive attribute is in a slice with others.
func (*slicing) alone(t *table) bool { return len(t.sensitiveSlice()) > 1 }

// Lacks implements Recoding.
func (*slicing) Lacks(m *Manifest) string {
	if m.AcrossReleases == "" {
		return ""
	}
	return fmt.Sprintf("a slice joins the sensitive attribute with others, and among rows of a class that agree in those "+
		"one value has up to %.0f %%", 100*m.Privacy.MaxFrequency)
}

// sensitiveSlice is the slice that the sensitive attribute is in.
func (t *table) sensitiveSlice() []int {
	return t.slices[slices.IndexFunc(t.slices, func(s []int) bool { return slices.Contains(s, len(t.cols)) })]
}

func (r *slicing) mark(t *table, m *Manifest) {
	for _, slice := range t.slices {
		names := make([]string, len(slice))
		for i, j := range slice {
			names[i] = t.columnAt(j).name
		}
		m.Slices = append(m.Slices, names)
	}
}

// bind finds the columns of the slices; one for the sensitive attribute is added
// where none names it.
func (r *slicing) bind(s *source, _ *Input) error {
	named := r.slices
	if !slices.ContainsFunc(named, func(names []string) bool { return slices.Contains(names, s.sa.name) }) {
		named = append(slices.Clone(named), []string{s.sa.name})
	}
	times := make([]int, len(s.cols)+1)
	for _, names := range named {
		if len(names) == 0 {
			return fmt.Errorf("%w: slicing: a slice is empty", ErrView)
		}
		slice := make([]int, len(names))
		for i, name := range names {
			slice[i] = slices.IndexFunc(s.cols, func(c column) bool { return c.name == name })
			if name == s.sa.name {
				slice[i] = len(s.cols)
			}
			if slice[i] < 0 {
				return fmt.Errorf("%w: slicing: no quasi-identifier is named %q", ErrView, name)
			}
			times[slice[i]]++
		}
		s.slices = append(s.slices, slice)
	}
	for j, n := range times {
		if n != 1 {
			return fmt.Errorf("%w: slicing: attribute %q is in %d slices, it must be in one", ErrView, s.columnAt(j).name, n)
		}
	}
	return nil
}

// value returns the rank of a record's value in a column, len(cols) meaning the
// sensitive attribute.
func (s *source) value(j, m int) uint32 {
	c := s.columnAt(j)
	return c.rank[c.codes.At(int(m))]
}

func (s *source) columnAt(j int) *column {
	if j == len(s.cols) {
		return &s.sa
	}
	return &s.cols[j]
}

func (r *slicing) rows(t *table, s *scratch, dst []uint32, c *class) []uint32 {
	n, d := len(c.members), len(t.cols)+1
	parts := make([][]uint32, len(t.slices)) // by slice: its tuples, sorted
	for i, slice := range t.slices {
		s.ranks = s.ranks[:0]
		for _, m := range c.members {
			for _, j := range slice {
				s.ranks = append(s.ranks, t.value(j, int(m)))
			}
		}
		parts[i] = t.sortRows(s, nil, len(slice))
	}
	draws := s.draws(r.seed, r.key(t, s, c.born, parts))
	s.ranks = slices.Grow(s.ranks[:0], n*d)[:n*d]
	places := make([]uint32, n)
	for i, slice := range t.slices {
		for row := range places {
			places[row] = uint32(row)
		}
		shuffle(draws, places)
		for row, from := range places {
			for k, j := range slice {
				s.ranks[row*d+j] = parts[i][int(from)*len(slice)+k]
			}
		}
	}
	return t.sortRows(s, dst, d)
}

// key names a group by its content: what is published of it but for the order.
func (r *slicing) key(t *table, s *scratch, born uint32, parts [][]uint32) []byte {
	s.text = append(s.text[:0], "anond slicing 1\x00"...)
	s.text = binary.BigEndian.AppendUint32(s.text, born)
	for i, slice := range t.slices {
		s.text = binary.AppendUvarint(s.text, uint64(len(slice)))
		for k, v := range parts[i] {
			text := t.columnAt(slice[k%len(slice)]).quoted[v]
			s.text = binary.AppendUvarint(s.text, uint64(len(text)))
			s.text = append(s.text, text...)
		}
	}
	return s.text
}

func (r *slicing) layouts(t *table) []layout { return []layout{t.joinedLayout("sliced.csv")} }

// joinedLayout is a file of exact rows with their sensitive value and group.
func (t *table) joinedLayout(name string) layout {
	return layout{
		name:   name,
		header: append(t.names(), t.sa.name, "group"),
		append: func(s *scratch, buf []byte, number int, c *class) ([]byte, int) {
			rows := c.rows
			if rows == nil {
				s.sorted = t.recoding.rows(t, s, s.sorted[:0], c)
				rows = s.sorted
			}
			for row := range slices.Chunk(rows, len(t.cols)+1) {
				for j, v := range row {
					buf = append(append(buf, t.columnAt(j).quoted[v]...), ',')
				}
				buf = append(strconv.AppendInt(buf, int64(number), 10), '\n')
			}
			return buf, len(c.members)
		},
	}
}

// risk of mixed slices is the largest share of one value among the rows of a
// group that agree in what stands alongside it.
func (r *slicing) risk(t *table) (most float64) {
	for _, c := range t.classes {
		alongside, with := map[string]int{}, map[string]int{}
		for _, m := range c.members {
			var key []byte
			for _, j := range t.sensitiveSlice() {
				if j != len(t.cols) {
					key = binary.BigEndian.AppendUint32(key, t.value(j, int(m)))
				}
			}
			alongside[string(key)]++
			with[string(binary.BigEndian.AppendUint32(key, t.value(len(t.cols), int(m))))]++
		}
		for key, n := range with {
			most = max(most, float64(n)/float64(alongside[key[:len(key)-4]]))
		}
	}
	return most
}
