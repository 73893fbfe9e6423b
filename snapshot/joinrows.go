package snapshot

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
)

// joiner copies records of CSV and shifts the numbers in them.
type joiner struct {
	RowShift
	from   *bufio.Reader
	to     *bufio.Writer
	hash   hash.Hash
	bytes  int64
	header []byte
	line   []byte
}

// append copies the records of one file; the header once.
func (j *joiner) append(by Shift, first bool) (rows int, err error) {
	header, err := j.record()
	if err != nil {
		return 0, err
	}
	if first {
		j.header = bytes.Clone(header)
		if err := j.put(header); err != nil {
			return 0, err
		}
	} else if !bytes.Equal(header, j.header) {
		return 0, fmt.Errorf("%w: the columns of the parts differ", ErrDamaged)
	}
	for {
		record, err := j.record()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		row, err := j.Shifted(record, by)
		if err != nil {
			return rows, err
		}
		if err := j.put(row); err != nil {
			return rows, err
		}
		rows++
	}
}

func (j *joiner) record() (record []byte, err error) {
	j.line, err = ReadRecord(j.from, j.line[:0])
	return j.line, err
}

func (j *joiner) put(text []byte) error {
	j.bytes += int64(len(text))
	_, err := j.to.Write(text)
	return err
}

// RowShift shifts the numbers of classes and buckets in the rows of a data file. It keeps the bytes of all other fields.
type RowShift struct {
	numbering
	out  []byte
	seen uint64 // greatest number of a bucket so far
}

// Shifting shifts the rows of a data file of a release.
func (m *Manifest) Shifting(file string) *RowShift { return &RowShift{numbering: m.numbering(file)} }

// Buckets is the greatest number of a bucket so far, in the file that numbers them.
func (j *RowShift) Buckets() uint64 { return j.seen }

// Shifted is a record with its numbers shifted. It is valid until the next one.
func (j *RowShift) Shifted(record []byte, by Shift) (out []byte, err error) {
	out, err = j.shifted(record[:len(record)-1], by)
	j.out = out
	return out, err
}

func (j *RowShift) shifted(body []byte, by Shift) ([]byte, error) {
	switch {
	case j.shared != noShared:
		return j.shiftedShared(body, by)
	case j.class == lastField:
		at := bytes.LastIndexByte(body, ',') + 1
		out := append(j.out[:0], body[:at]...)
		out, err := addTo(out, body[at:], by.Classes)
		return append(out, '\n'), err
	default:
		at := bytes.IndexByte(body, ',')
		if at < 0 {
			return nil, errNoNumber
		}
		out, err := addTo(j.out[:0], body[:at], by.Classes)
		return append(append(out, body[at:]...), '\n'), err
	}
}

// shiftedShared is shifted for records that name a bucket of level L2.
func (j *RowShift) shiftedShared(body []byte, by Shift) (out []byte, err error) {
	out = j.out[:0]
	if j.shared == firstShared {
		at := max(0, bytes.IndexByte(body, ','))
		out, err = j.addBucket(out, body[:at], by)
		return append(append(out, body[at:]...), '\n'), err
	}
	at := bytes.LastIndexByte(body, ',')
	if at < 0 {
		return nil, errNoNumber
	}
	from := 0
	if j.class == lastField {
		from = bytes.LastIndexByte(body[:at], ',') + 1
		if out, err = addTo(append(out, body[:from]...), body[from:at], by.Classes); err != nil {
			return nil, err
		}
		from = at
	}
	out, err = j.addBucket(append(out, body[from:at+1]...), body[at+1:], by)
	return append(out, '\n'), err
}

// addBucket appends the number of a bucket of level L2, shifted, and keeps the greatest.
func (j *RowShift) addBucket(out, text []byte, by Shift) ([]byte, error) {
	from := len(out)
	out, err := addTo(out, text, by.Buckets)
	if err == nil && j.counts() {
		n, _ := strconv.ParseUint(string(out[from:]), 10, 64)
		j.seen = max(j.seen, n)
	}
	return out, err
}

var errNoNumber = fmt.Errorf("%w: a row has no number of a class or bucket", ErrDamaged)

// addTo appends a number that is written in text, shifted.
func addTo(out, text []byte, by uint64) ([]byte, error) {
	n, err := strconv.ParseUint(string(text), 10, 32)
	if err != nil || n == 0 {
		return nil, errNoNumber
	}
	return strconv.AppendUint(out, n+by, 10), nil
}
