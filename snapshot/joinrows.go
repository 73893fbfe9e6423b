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

// RowShift shifts the numbers of classes, buckets and pools in the rows of a data file. It keeps the bytes of all other fields.
type RowShift struct {
	numbering
	out []byte
}

// Shifting shifts the rows of a data file of a release.
func (m *Manifest) Shifting(file string) *RowShift { return &RowShift{numbering: m.numbering(file)} }

// Shifted is a record with its numbers shifted. It is valid until the next one.
func (j *RowShift) Shifted(record []byte, by Shift) (out []byte, err error) {
	out, err = j.shifted(record[:len(record)-1], by)
	j.out = out
	return out, err
}

// shifted is Shifted without the line break. Numbers are no quoted fields, and neither is any in front of the first ones or
// behind the last ones.
func (j *RowShift) shifted(body []byte, by Shift) (out []byte, err error) {
	out = j.out[:0]
	for _, of := range j.front {
		at := bytes.IndexByte(body, ',')
		if at < 0 {
			return nil, errNoNumber
		}
		if out, err = addTo(out, body[:at], by[of]); err != nil {
			return nil, err
		}
		out, body = append(out, ','), body[at+1:]
	}
	at := len(body)
	for range j.back {
		if at = bytes.LastIndexByte(body[:at], ','); at < 0 {
			return nil, errNoNumber
		}
	}
	out, body = append(out, body[:at]...), body[at:]
	for _, of := range j.back {
		text := body[1:]
		if end := bytes.IndexByte(text, ','); end >= 0 {
			text = text[:end]
		}
		if out, err = addTo(append(out, ','), text, by[of]); err != nil {
			return nil, err
		}
		body = body[1+len(text):]
	}
	return append(append(out, body...), '\n'), nil
}

var errNoNumber = fmt.Errorf("%w: a row has no number of a class, bucket or pool", ErrDamaged)

// addTo appends a number that is written in text, shifted.
func addTo(out, text []byte, by uint64) ([]byte, error) {
	n, err := strconv.ParseUint(string(text), 10, 32)
	if err != nil || n == 0 {
		return nil, errNoNumber
	}
	return strconv.AppendUint(out, n+by, 10), nil
}
