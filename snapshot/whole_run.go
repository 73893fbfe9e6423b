package snapshot

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// wholePart is a part that is read as runs of classes in canonical order.
type wholePart struct {
	at     int // in the manifest
	entry  *PartEntry
	files  []readerAt
	header [][]byte // by file, LF included
	first  []bool   // by file: rows begin with the number of their class, else they end with it
	runs   []runStart
}

// runStart is where a run begins: its first class, and the bytes before it.
type runStart struct {
	class, last uint32
	offset      []int64 // by file
}

func (p *wholePart) close() (err error) {
	if p == nil {
		return nil
	}
	for _, f := range p.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// part opens a part, whose files must be what the manifest says, as one run.
func (w *WholeTable) part(at int) (*wholePart, error) {
	p := &wholePart{at: at, entry: &w.manifest.Parts[at]}
	whole := runStart{class: 1, last: uint32(p.entry.Classes)}
	for i, f := range p.entry.Files {
		name := partPath(p.entry, f)
		file, err := w.file(name, f)
		if err != nil {
			return p, err
		}
		p.files = append(p.files, file)
		header, err := recordOf(bufio.NewReader(io.NewSectionReader(file, 0, f.Bytes)), nil)
		if err != nil || i >= len(w.Names()) || w.Names()[i] != f.Name {
			return p, fmt.Errorf("%w: %s has no header, or is no file of the recoding", ErrDamaged, name)
		}
		p.header = append(p.header, header)
		p.first = append(p.first, groupNumbering(f.Name, valuesOf(w.manifest.Recoding)).class == 0)
		whole.offset = append(whole.offset, int64(len(header)))
	}
	if len(p.files) != len(w.Names()) {
		return p, fmt.Errorf("%w: %s lacks a file of the recoding", ErrDamaged, p.entry.Dir())
	}
	p.runs = []runStart{whole}
	return p, nil
}

// valuesOf is the file that has the values of groups apart from their rows.
func valuesOf(recoding string) string {
	switch recoding {
	case NameAnatomy:
		return "st.csv"
	case NamePermutation:
		return "pst.csv"
	}
	return ""
}

// findRuns finds where the classes of a compacted part begin anew.
func (w *WholeTable) findRuns(p *wholePart) error {
	if len(p.entry.Replaces) == 0 {
		return nil
	}
	r := newRunReader(p, p.runs[0], 1<<18)
	var before key
	for {
		at := r.offsets()
		more, err := r.next()
		if err != nil || !more {
			return err
		}
		if err := w.key(r); err != nil {
			return err
		}
		if r.number > 1 && w.compareKeys(&before, &r.key) > 0 {
			last := len(p.runs) - 1
			p.runs[last].last = r.number - 1
			p.runs = append(p.runs, runStart{class: r.number, last: uint32(p.entry.Classes), offset: at})
		}
		before, r.key = r.key, key{}
	}
}

// runReader reads a run class by class.
type runReader struct {
	part         *wholePart
	number, last uint32 // of the class at hand, of the last of the run
	files        []*fileReader
	key          key
}

func newRunReader(p *wholePart, from runStart, buffer int) *runReader {
	r := &runReader{part: p, number: from.class - 1, last: from.last}
	for i, f := range p.files {
		text := io.NewSectionReader(f, from.offset[i], p.entry.Files[i].Bytes-from.offset[i])
		r.files = append(r.files, &fileReader{from: bufio.NewReaderSize(text, buffer), offset: from.offset[i], first: p.first[i]})
	}
	return r
}

// next puts the reader at the next class. Each file must have rows of it.
func (r *runReader) next() (more bool, err error) {
	if r.number == r.last {
		return false, r.ended()
	}
	r.number++
	for i, f := range r.files {
		if err := f.class(r.number); err != nil {
			return false, fmt.Errorf("%w: %s", err, partPath(r.part.entry, r.part.entry.Files[i]))
		}
	}
	return true, nil
}

// ended demands that nothing stands behind the last class of a part.
func (r *runReader) ended() error {
	for i, f := range r.files {
		if r.last == uint32(r.part.entry.Classes) && len(f.ahead) > 0 {
			return fmt.Errorf("%w: %s has more classes than its manifest says", ErrDamaged, partPath(r.part.entry, r.part.entry.Files[i]))
		}
	}
	return nil
}

// dead reports that the records of the class at hand are in other classes.
func (r *runReader) dead() bool {
	_, dead := slices.BinarySearch(r.part.entry.Dead, r.number)
	return dead
}

// offsets are where the next class begins.
func (r *runReader) offsets() []int64 {
	out := make([]int64, len(r.files))
	for i, f := range r.files {
		out[i] = f.offset
	}
	return out
}

// fileReader reads the rows of classes from one file.
type fileReader struct {
	from   *bufio.Reader
	first  bool  // as in wholePart
	offset int64 // of the first record that is not of the class at hand
	rows   []byte
	ends   []int  // of the records in rows
	ahead  []byte // the record at offset, once it was read
}

// class reads the rows of a class, which must be the next.
func (f *fileReader) class(number uint32) error {
	f.rows, f.ends = f.rows[:0], f.ends[:0]
	for {
		if len(f.ahead) == 0 {
			var err error
			f.ahead, err = recordOf(f.from, f.ahead[:0])
			if errors.Is(err, io.EOF) && len(f.ends) > 0 {
				return nil
			}
			if err != nil {
				return errors.Join(ErrDamaged, err)
			}
		}
		lo, hi := f.numberAt(f.ahead)
		n, err := strconv.ParseUint(string(f.ahead[lo:hi]), 10, 32)
		if err != nil {
			return errNoNumber
		}
		if uint32(n) != number {
			if len(f.ends) == 0 || uint32(n) != number+1 {
				return fmt.Errorf("%w: classes are not numbered through", ErrDamaged)
			}
			return nil
		}
		f.rows = append(f.rows, f.ahead...)
		f.ends = append(f.ends, len(f.rows))
		f.offset += int64(len(f.ahead))
		f.ahead = f.ahead[:0]
	}
}

// numberAt is where the number of its class stands in a record.
func (f *fileReader) numberAt(record []byte) (lo, hi int) {
	if f.first {
		return 0, max(0, bytes.IndexByte(record, ','))
	}
	return bytes.LastIndexByte(record, ',') + 1, len(record) - 1
}

// recordOf reads up to the line break that ends a record: one outside of quotes.
func recordOf(from *bufio.Reader, record []byte) ([]byte, error) {
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
