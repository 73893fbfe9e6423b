package snapshot

import (
	"fmt"
	"slices"
	"strconv"

	"anond/incremental"
)

// Recoding is how classes are written. The recodings are Generalization,
// Anatomy, Permutation, Slicing and LGB, and for single releases Randomization and
// Rings; what they write is fixed by the format, so the interface is closed.
type Recoding interface {
	// Name is how configuration and manifest write the recoding.
	Name() string
	// K1 says which rows K1 holds for: "rows", or "sensitive-only" where exact
	// cells disclose presence.
	K1() string

	// exact reports that quasi-identifiers are written as single values.
	exact() bool
	// rows appends the cells of a class's rows as ranks, row by row, in the
	// order of the file. For exact recodings only.
	rows(t *table, s *scratch, dst []uint32, c *class) []uint32
	// layouts are the data files, in the manifest's order.
	layouts(t *table) []layout
	// mark adds what the manifest says of this recoding alone.
	mark(t *table, m *Manifest)
	// bind fits the recoding to the columns of a table.
	bind(t *table, v *incremental.View) error
}

// plain is a recoding that needs no more than its name.
type plain struct{}

func (plain) mark(*table, *Manifest)               {}
func (plain) bind(*table, *incremental.View) error { return nil }

// layout is one data file: its header and how a class is appended to it, or what
// the whole file holds where it does not go by class.
type layout struct {
	name   string
	header []string
	append func(s *scratch, buf []byte, number int, c *class) (out []byte, rows int)
	whole  func() (text []byte, rows int)
}

// scratch is what one worker reuses from class to class.
type scratch struct {
	prefix  []byte
	ranks   []uint32
	columns []uint32
	index   []int32
	sorted  []uint32
	text    []byte
}

// Names of the recodings, as the format has them.
const (
	NameGeneralization = "generalization"
	NameAnatomy        = "anatomy"
	NamePermutation    = "permutation"
	NameSlicing        = "slicing"
	NameLGB            = "lgb"
	NameRandomization  = "randomization"
)

// RecodingOptions is what some recodings need besides their name.
type RecodingOptions struct {
	Seed   [32]byte   // rule R: of what permutation, slicing and lgb draw
	Slices [][]string // slicing: the attributes that stay together
}

// ParseRecoding returns the recoding of a name, of those that a chain of
// releases may have.
func ParseRecoding(name string, o RecodingOptions) (Recoding, error) {
	switch name {
	case NameGeneralization:
		return Generalization(), nil
	case NameAnatomy:
		return Anatomy(), nil
	case NamePermutation:
		return Permutation(o.Seed), nil
	case NameSlicing:
		return Slicing(o.Seed, o.Slices), nil
	case NameLGB:
		return LGB(o.Seed), nil
	default:
		return nil, fmt.Errorf("recoding %q is none of %s, %s, %s, %s, %s", name, NameGeneralization, NameAnatomy, NamePermutation, NameSlicing, NameLGB)
	}
}

type generalization struct{ plain }

// Generalization writes data.csv: the tight cells of the class in each of its
// rows, the sensitive value of the row, the class.
func Generalization() Recoding { return generalization{} }

func (generalization) Name() string { return NameGeneralization }
func (generalization) K1() string   { return "rows" }
func (generalization) exact() bool  { return false }

func (generalization) rows(*table, *scratch, []uint32, *class) []uint32 { return nil }

func (generalization) layouts(t *table) []layout {
	return []layout{{
		name:   "data.csv",
		header: append(t.names(), t.sa.name, "class"),
		append: func(s *scratch, buf []byte, number int, c *class) ([]byte, int) {
			s.prefix = s.prefix[:0]
			for j := range t.cols {
				s.prefix = append(t.cols[j].appendCell(s.prefix, &c.cells[j]), ',')
			}
			for _, v := range c.bag {
				buf = append(buf, s.prefix...)
				buf = append(append(buf, t.sa.quoted[v]...), ',')
				buf = append(strconv.AppendInt(buf, int64(number), 10), '\n')
			}
			return buf, len(c.bag)
		},
	}}
}

type anatomy struct{ plain }

// Anatomy (Xiao and Tao 2006) writes exact quasi-identifiers with their group
// into qit.csv and each group's counts of sensitive values into st.csv.
func Anatomy() Recoding { return anatomy{} }

func (anatomy) Name() string { return NameAnatomy }
func (anatomy) K1() string   { return "sensitive-only" }
func (anatomy) exact() bool  { return true }

func (anatomy) rows(t *table, s *scratch, dst []uint32, c *class) []uint32 {
	s.ranks = s.ranks[:0]
	for _, m := range c.members {
		for j := range t.cols {
			s.ranks = append(s.ranks, t.cols[j].rank[t.cols[j].codes[m]])
		}
	}
	return t.sortRows(s, dst, len(t.cols))
}

func (a anatomy) layouts(t *table) []layout {
	st := layout{
		name:   "st.csv",
		header: []string{"group", t.sa.name, "count"},
		append: func(_ *scratch, buf []byte, number int, c *class) ([]byte, int) {
			values := 0
			for v, n := range runs(c.bag) {
				buf = append(strconv.AppendInt(buf, int64(number), 10), ',')
				buf = append(append(buf, t.sa.quoted[v]...), ',')
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
			for i, r := range rows {
				j := i % len(t.cols)
				buf = append(append(buf, t.cols[j].quoted[r]...), ',')
				if j == len(t.cols)-1 {
					buf = append(strconv.AppendInt(buf, int64(number), 10), '\n')
				}
			}
			return buf, len(c.members)
		},
	}
}

// sortRows appends the rows of s.ranks, d ranks each, in ascending order: as ranks
// order values canonically, that is the order of the file.
func (t *table) sortRows(s *scratch, dst []uint32, d int) []uint32 {
	s.index = s.index[:0]
	for i := range len(s.ranks) / d {
		s.index = append(s.index, int32(i))
	}
	row := func(i int32) []uint32 { return s.ranks[int(i)*d : (int(i)+1)*d] }
	slices.SortFunc(s.index, func(a, b int32) int { return slices.Compare(row(a), row(b)) })
	for _, i := range s.index {
		dst = append(dst, row(i)...)
	}
	return dst
}

// tieRows returns the rows of a class whose box and bag equal another's, and
// keeps them: such classes may be many, and a sort compares each often.
func (t *table) tieRows(c *class) []uint32 {
	if c.rows == nil {
		c.rows = t.recoding.rows(t, &scratch{}, nil, c)
	}
	return c.rows
}

// names returns the names of the columns but the sensitive one, with room for more columns.
func (t *table) names() []string {
	out := make([]string, len(t.cols), len(t.cols)+2)
	for j := range t.cols {
		out[j] = t.cols[j].name
	}
	return out
}

// runs yields each value of a sorted bag with its count.
func runs(bag []uint32) func(yield func(value uint32, n int) bool) {
	return func(yield func(uint32, int) bool) {
		for i := 0; i < len(bag); {
			j := i + 1
			for j < len(bag) && bag[j] == bag[i] {
				j++
			}
			if !yield(bag[i], j-i) {
				return
			}
			i = j
		}
	}
}
