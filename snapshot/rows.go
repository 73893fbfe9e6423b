package snapshot

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// RunColumns are the columns of a data file that say which rows belong together and stand
// together: those of a class, a group or a bucket. They are given as by NumberColumns.
func (m *Manifest) RunColumns(file string) []int {
	n := m.numbering(file)
	switch {
	case n.class == 0, n.shared == firstShared:
		return []int{0}
	case n.class == lastField && n.shared == lastShared:
		return []int{-2}
	}
	return []int{-1}
}

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

// numbering tells where the rows of a data file have numbers, as its recoding does.
func (m *Manifest) numbering(file string) numbering {
	switch {
	case m.Shared() && m.Values == ValuesDrawn: // rows name the bucket alone
		return numbering{class: noField, shared: lastShared}
	case m.Shared() && file == BucketsName:
		return numbering{class: noField, shared: firstShared}
	case m.Shared():
		return numbering{class: lastField, shared: lastShared}
	case file == valuesOf(m.Recoding): // groups stand first in the file of sensitive values
		return numbering{class: 0}
	}
	return numbering{class: lastField}
}

// counts reports that the file is the one that numbers the buckets.
func (n *numbering) counts() bool { return n.class == noField }

// NumbersBuckets reports that a data file is the one that numbers the buckets.
func (m *Manifest) NumbersBuckets(file string) bool {
	n := m.numbering(file)
	return n.counts()
}

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

// NumberColumns are the columns of a data file that hold numbers of classes,
// groups and buckets, and counts: from the front or, negative, from the end. All
// others are cells.
func (m *Manifest) NumberColumns(file string) []int {
	switch {
	case !m.Shared():
	case file == "buckets.csv":
		return []int{0, -1}
	case m.Values == "":
		return []int{-2, -1} // class and bucket
	}
	switch file {
	case "st.csv":
		return []int{0, -1}
	case "pst.csv":
		return []int{0}
	}
	return []int{-1}
}
