package snapshot

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"strconv"
)

// numbering tells where the rows of a data file name classes and local buckets.
type numbering struct {
	class int // field of the class; lastField, noField
	// lgb: fields that may hold *n, bucket n of an attribute, by its name as CSV
	// writes it; and in the file of buckets the fields of attribute and number.
	local             map[int]string
	attribute, bucket int
}

// Fields of a numbering that are not counted from the front.
const (
	lastField = -1
	noField   = -2
)

// compact joins parts of the release before: their bytes one after another, the
// numbers of classes and buckets shifted by those of the parts before. State is
// not asked: what is published stays what it was.
func (r *rendering) compact(parts []PartEntry, of span) (PartEntry, error) {
	entry := PartEntry{Part: of.name(), Release: r.in.Release, Mode: partModeText}
	shifts := make([]shift, len(parts))
	for i, p := range parts {
		shifts[i].class = uint64(entry.Classes)
		entry.Replaces = append(entry.Replaces, ReplacedPart{Part: p.Part, FirstClass: uint32(entry.Classes) + 1, Classes: p.Classes})
		for _, n := range p.Dead {
			entry.Dead = append(entry.Dead, uint32(entry.Classes)+n)
		}
		entry.Classes += p.Classes
		entry.Rows += p.Rows
		if len(p.Files) != len(parts[0].Files) {
			return entry, fmt.Errorf("%w: %s of release %d has other files than %s", ErrDamaged, p.Part, r.in.Release-1, parts[0].Part)
		}
	}
	entry.Files = make([]FileEntry, len(parts[0].Files))
	for at := len(entry.Files) - 1; at >= 0; at-- { // the file of buckets is last, and counts them
		var err error
		if entry.Files[at], err = r.joinFile(parts, at, entry.Part, shifts); err != nil {
			return entry, fmt.Errorf("join %s: %w", path.Join(entry.Part, parts[0].Files[at].Name), err)
		}
	}
	return entry, nil
}

// shift is what is added to the numbers of a part.
type shift struct {
	class   uint64
	buckets map[string]uint64 // by attribute
}

// joinFile joins one file of parts.
func (r *rendering) joinFile(parts []PartEntry, at int, to string, shifts []shift) (entry FileEntry, err error) {
	name := parts[0].Files[at].Name
	w, err := r.files.Create(path.Join(to, name))
	if err != nil {
		return entry, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	j := &joiner{numbering: r.recoding.numbering(r.source, name), hash: sha256.New(), seen: map[string]uint64{}}
	j.to = bufio.NewWriterSize(io.MultiWriter(w, j.hash), 1<<18)
	entry.Name = name
	for i, p := range parts {
		if p.Files[at].Name != name {
			return entry, fmt.Errorf("%w: %s has another file there", ErrDamaged, p.Part)
		}
		if j.counts() {
			shifts[i].buckets = clone(j.seen)
		}
		if err := r.joinPart(j, p, p.Files[at], shifts[i], i == 0); err != nil {
			return entry, err
		}
		entry.Rows += p.Files[at].Rows
	}
	if err := j.to.Flush(); err != nil {
		return entry, err
	}
	entry.Bytes, entry.SHA256 = j.bytes, hex.EncodeToString(j.hash.Sum(nil))
	return entry, nil
}

func clone(m map[string]uint64) map[string]uint64 {
	out := make(map[string]uint64, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// joinPart appends the file of one part, which must be what its manifest says.
func (r *rendering) joinPart(j *joiner, p PartEntry, f FileEntry, by shift, first bool) error {
	in, err := r.files.Open(path.Join(p.Part, f.Name))
	if err != nil {
		return err
	}
	defer in.Close()
	read := sha256.New()
	j.from = bufio.NewReaderSize(io.TeeReader(in, read), 1<<18)
	rows, err := j.append(by, first)
	if err != nil {
		return err
	}
	if rows != f.Rows || hex.EncodeToString(read.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("%w: %s of release %d is not what its manifest says", ErrDamaged, path.Join(p.Part, f.Name), r.in.Release-1)
	}
	return nil
}

// joiner copies records of CSV and shifts the numbers in them. It keeps the bytes
// of all other fields.
type joiner struct {
	numbering
	from   *bufio.Reader
	to     *bufio.Writer
	hash   hash.Hash
	bytes  int64
	header []byte
	line   []byte
	fields [][]byte
	out    []byte
	seen   map[string]uint64 // greatest number of a bucket so far, by attribute
}

// counts reports that the file is the one that numbers the local buckets.
func (j *joiner) counts() bool { return j.class == noField }

// append copies the records of one file; the header once.
func (j *joiner) append(by shift, first bool) (rows int, err error) {
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
		if j.out, err = j.shifted(record, by); err != nil {
			return rows, err
		}
		if err := j.put(j.out); err != nil {
			return rows, err
		}
		rows++
	}
}

func (j *joiner) record() (record []byte, err error) {
	j.line, err = recordOf(j.from, j.line[:0])
	return j.line, err
}

func (j *joiner) put(text []byte) error {
	j.bytes += int64(len(text))
	_, err := j.to.Write(text)
	return err
}

// shifted writes a record with its numbers shifted.
func (j *joiner) shifted(record []byte, by shift) ([]byte, error) {
	body := record[:len(record)-1]
	switch {
	case j.counts() || len(j.local) > 0:
		return j.shiftedFields(body, by)
	case j.class == lastField:
		at := bytes.LastIndexByte(body, ',') + 1
		out := append(j.out[:0], body[:at]...)
		out, err := addTo(out, body[at:], by.class)
		return append(out, '\n'), err
	default:
		at := bytes.IndexByte(body, ',')
		if at < 0 {
			return nil, errNoNumber
		}
		out, err := addTo(j.out[:0], body[:at], by.class)
		return append(append(out, body[at:]...), '\n'), err
	}
}

// shiftedFields is shifted for records that name local buckets.
func (j *joiner) shiftedFields(body []byte, by shift) ([]byte, error) {
	j.fields = splitRecord(j.fields, body)
	out := j.out[:0]
	var err error
	for i, field := range j.fields {
		if i > 0 {
			out = append(out, ',')
		}
		attribute, local := j.local[i]
		switch {
		case j.counts() && i == j.bucket:
			name := string(j.fields[j.attribute])
			from := len(out)
			if out, err = addTo(out, field, by.buckets[name]); err == nil {
				n, _ := strconv.ParseUint(string(out[from:]), 10, 64)
				j.seen[name] = max(j.seen[name], n)
			}
		case j.class == lastField && i == len(j.fields)-1:
			out, err = addTo(out, field, by.class)
		case local && len(field) > 1 && field[0] == '*':
			out, err = addTo(append(out, '*'), field[1:], by.buckets[attribute])
		default:
			out = append(out, field...)
		}
		if err != nil {
			return nil, err
		}
	}
	return append(out, '\n'), nil
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
