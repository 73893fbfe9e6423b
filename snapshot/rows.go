package snapshot

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"anond/equivclass"
)

// ClassColumn is the name of the column of classes, of those that may die: rows of a file
// whose number in that column is dead are skipped.
func (m *Manifest) ClassColumn() string {
	switch m.Recoding {
	case NameAnatomy, NamePermutation:
		if !m.Shared() {
			return "group"
		}
	}
	return "class"
}

// numbered is what rows of data files name by numbers that begin anew in each part.
type numbered int

const (
	classes numbered = iota // of anatomy and permutation at level L1: groups
	buckets
	pools
	kinds
)

// numbering tells which fields of a data file hold numbers: the first ones, or the last ones.
type numbering struct {
	front, back []numbered
	counts      []int // fields with counts, from the front or, negative, from the end
}

// numbering tells where the rows of a data file have numbers, as its recoding does.
func (m *Manifest) numbering(file string) numbering {
	if !m.Shared() {
		if file == valuesOf(m.Recoding) { // groups stand first in the file of sensitive values
			return numbering{front: []numbered{classes}, counts: counted[file == "st.csv"]}
		}
		return numbering{back: []numbered{classes}}
	}
	switch file {
	case ValuesName:
		return numbering{front: []numbered{buckets}, counts: counted[true]}
	case PoolsName, TablesName:
		return numbering{front: []numbered{pools}, counts: counted[true]}
	case BucketsName:
		n := numbering{front: []numbered{buckets, pools}, counts: []int{2}}
		if m.most() > 0 {
			n.counts = append(n.counts, 4)
		}
		return n
	}
	return numbering{back: []numbered{classes, buckets}}
}

// NumberColumns are the columns of a data file that hold numbers of classes, groups, buckets and
// pools, and counts: from the front or, negative, from the end. All others are cells and values.
func (m *Manifest) NumberColumns(file string) (out []int) {
	n := m.numbering(file)
	for i := range n.front {
		out = append(out, i)
	}
	for i := range n.back {
		out = append(out, i-len(n.back))
	}
	return append(out, n.counts...)
}

// counted are the counts of a file whose last field is one.
var counted = map[bool][]int{true: {-1}}

// BucketsColumns are the columns of buckets.csv.
func (m *Manifest) BucketsColumns() []string {
	out := []string{"bucket", "pool", "people"}
	if slices.ContainsFunc(m.ByEra(), func(of *Manifest) bool { return of.Privacy.Settle != "" }) {
		out = append(out, "stratum")
	}
	if m.most() > 0 {
		out = append(out, "records")
	}
	return out
}

// most is how many records a history has at most, in any era; 0: there are none.
func (m *Manifest) most() (n int) {
	for _, of := range m.ByEra() {
		n = max(n, of.Privacy.MaxRecords)
	}
	return n
}

// BagColumns are the columns of values.csv, of "bucket", or of pools.csv, of "pool". A history has a column for each record, which is
// empty where it has fewer.
func (m *Manifest) BagColumns(of string) []string {
	out := []string{of, "attribute", "value"}
	for n := 2; n <= m.most(); n++ {
		out = append(out, "value_"+strconv.Itoa(n))
	}
	return append(out, "count")
}

// Sequence is the text (equivclass.Joined) of what a row of values.csv or pools.csv has in its columns of values. It is false of a row in
// which a record is missing before another.
func Sequence(fields []string) (text string, ok bool) {
	n := len(fields)
	for n > 0 && fields[n-1] == "" {
		n--
	}
	return equivclass.Joined(fields[:n]), n > 0 && !slices.Contains(fields[:n], "")
}

// RunColumns are the columns of a data file that say which rows belong together and stand together:
// those of a class, a group, a bucket or a pool. They are given as by NumberColumns.
func (m *Manifest) RunColumns(file string) []int {
	n := m.numbering(file)
	if len(n.front) > 0 {
		return []int{len(n.front) - 1}
	}
	return []int{-len(n.back)}
}

// ByAttribute reports that the rows of a data file name an attribute and a value of it: their columns
// are no attributes of the schema.
func (m *Manifest) ByAttribute(file string) bool { return m.Shared() && file != DataName }

// ReadRecord reads up to the line break that ends a record: one outside of quotes.
func ReadRecord(from *bufio.Reader, record []byte) ([]byte, error) {
	for quotes := 0; ; {
		line, err := from.ReadSlice('\n')
		record = append(record, line...)
		quotes += bytes.Count(line, []byte{'"'})
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(record) == 0:
			return record, io.EOF
		case errors.Is(err, io.EOF):
			return record, fmt.Errorf("%w: a record is cut off", ErrDamaged)
		case err != nil:
			return record, err
		case quotes%2 == 0:
			return record, nil
		}
	}
}
