package render

import (
	"cmp"
	"fmt"
	"hash"
	"math/rand/v2"
	"slices"
	"strconv"

	"anond/snapshot"
)

// Recoding is how classes are written. The recodings are Generalization, Anatomy and
// Permutation, and for level L2 Buckets, BucketAnatomy and DrawnValues; what they write is
// fixed by the format, so the interface is closed.
type Recoding interface {
	// Name is how configuration and manifest write the recoding.
	Name() string
	// K1 says which rows K1 holds for: "rows", or "sensitive-only" where exact
	// cells disclose presence.
	K1() string
	// Shared says that it writes classes of level L2, which share buckets.
	Shared() bool

	// exact reports that quasi-identifiers are written as single values.
	exact() bool
	// check holds what the recoding adds to the classes of a table against them.
	check(t *table) error
	// order puts the classes in canonical order.
	order(t *table)
	// rows appends the cells of a class's rows as ranks, row by row, in the
	// order of the file. For exact recodings only.
	rows(t *table, s *scratch, dst []uint32, c *class) []uint32
	// layouts are the data files, in the manifest's order.
	layouts(t *table) []layout
	// mark adds what the manifest says of this recoding alone.
	mark(m *snapshot.Manifest)
}

// plain is a recoding that writes a cell for a class and column. Other recodings say
// what differs.
type plain struct{}

func (plain) Shared() bool                                     { return false }
func (plain) exact() bool                                      { return false }
func (plain) check(*table) error                               { return nil }
func (plain) order(t *table)                                   { t.order() }
func (plain) rows(*table, *scratch, []uint32, *class) []uint32 { return nil }
func (plain) mark(*snapshot.Manifest)                          {}

// single is a recoding that writes quasi-identifiers as single values.
type single struct{ plain }

func (single) K1() string  { return "sensitive-only" }
func (single) exact() bool { return true }

// layout is one data file: its header and how a class is appended to it, or what
// the whole file holds where it does not go by class.
type layout struct {
	name   string
	header []string
	append func(s *scratch, buf []byte, number int, c *class) (out []byte, rows int)
	whole  func(*wholeFile)
	// written is told how many classes are in the file; may be nil.
	written func(classes int)
}

// scratch is what one worker reuses from class to class.
type scratch struct {
	prefix  []byte
	ranks   []uint32
	columns []uint32
	index   []int32
	sorted  []uint32
	text    []byte
	mac     hash.Hash // see draws
	key     [32]byte
	drawn   rand.ChaCha8
}

// RecodingOptions is what some recodings need in addition to their name.
type RecodingOptions struct {
	Seed   [32]byte // rule R (randomness): keys what permutation draws
	Shared bool     // the classes are of level L2
}

// ParseRecoding returns the recoding of a name, of those that a chain of
// releases of a level may have.
func ParseRecoding(name string, o RecodingOptions) (Recoding, error) {
	if o.Shared {
		return parseShared(name, o.Seed)
	}
	switch name {
	case snapshot.NameGeneralization:
		return Generalization(), nil
	case snapshot.NameAnatomy:
		return Anatomy(), nil
	case snapshot.NamePermutation:
		return Permutation(o.Seed), nil
	default:
		return nil, fmt.Errorf("recoding %q is none of %s, %s, %s", name,
			snapshot.NameGeneralization, snapshot.NameAnatomy, snapshot.NamePermutation)
	}
}

// parseShared is ParseRecoding for level L2.
func parseShared(name string, seed [32]byte) (Recoding, error) {
	switch name {
	case snapshot.NameBuckets:
		return Buckets(), nil
	case snapshot.NameAnatomy:
		return BucketAnatomy(), nil
	case snapshot.NamePermutation:
		return DrawnValues(seed), nil
	default:
		return nil, fmt.Errorf("recoding %q is none of level L2: %s, %s, %s", name,
			snapshot.NameBuckets, snapshot.NameAnatomy, snapshot.NamePermutation)
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
	slices.SortFunc(s.index, func(a, b int32) int {
		x, y := row(a), row(b)
		for k, v := range x {
			if w := y[k]; v != w {
				return cmp.Compare(v, w)
			}
		}
		return 0
	})
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
func (s *source) names() []string {
	out := make([]string, len(s.cols), len(s.cols)+2)
	for j := range s.cols {
		out[j] = s.cols[j].name
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
