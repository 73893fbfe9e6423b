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
	"slices"
	"strconv"
)

// Withdrawing writes parts without buckets that leave (rule W, what may leave): the lines of data.csv, values.csv and
// buckets.csv that name one of them are not there, and every other byte is what it was. So are pools.csv and tables.csv: what they say of
// who has left is what whoever has an earlier release knows.
type Withdrawing struct {
	Manifest *Manifest           // that describes the parts
	Gone     map[string][]uint32 // by part: the buckets that leave now, ascending
	Open     func(path string) (io.ReadCloser, error)
}

// bucket reports whether rows of a file name buckets, and whether in the last field, else in the first.
func (n numbering) bucket() (last, ok bool) {
	switch {
	case len(n.front) > 0 && n.front[0] == buckets:
		return false, true
	case len(n.back) > 0 && n.back[len(n.back)-1] == buckets:
		return true, true
	}
	return false, false
}

// Part is what the entry of a part is without the buckets that leave. Cost: one reading of its files.
func (w *Withdrawing) Part(p PartEntry) (PartEntry, error) {
	gone := w.Gone[p.Part]
	if len(gone) == 0 {
		return p, nil
	}
	p.Withdrawn = slices.Sorted(slices.Values(slices.Concat(p.Withdrawn, gone)))
	p.Files = slices.Clone(p.Files)
	for i, f := range p.Files {
		if !w.Changes(p.Part, f.Name) {
			continue
		}
		r, err := w.open(p.Part, f)
		if err != nil {
			return p, err
		}
		size, err := io.Copy(io.Discard, r)
		if err = errors.Join(err, r.Close()); err != nil {
			return p, err
		}
		p.Files[i] = FileEntry{Name: f.Name, SHA256: hex.EncodeToString(r.out.Sum(nil)), Bytes: size, Rows: r.rows}
		if f.Name == DataName {
			p.Rows = r.rows
		}
	}
	return p, nil
}

// Changes reports whether a file of a part has other bytes without what leaves.
func (w *Withdrawing) Changes(part, file string) bool {
	_, named := w.Manifest.numbering(file).bucket()
	return named && len(w.Gone[part]) > 0
}

// Read opens a file of a part, whose lines of buckets that leave are passed over.
func (w *Withdrawing) Read(p PartEntry, file string) (io.ReadCloser, error) {
	at := slices.IndexFunc(p.Files, func(f FileEntry) bool { return f.Name == file })
	if at < 0 || !w.Changes(p.Part, file) {
		return w.Open(path.Join(p.Part, file))
	}
	return w.open(p.Part, p.Files[at])
}

func (w *Withdrawing) open(part string, f FileEntry) (*withoutBuckets, error) {
	in, err := w.Open(path.Join(part, f.Name))
	if err != nil {
		return nil, err
	}
	last, _ := w.Manifest.numbering(f.Name).bucket()
	x := &withoutBuckets{Closer: in, gone: w.Gone[part], last: last, entry: f, in: sha256.New(), out: sha256.New(), rows: -1, read: -1}
	x.from = bufio.NewReaderSize(io.TeeReader(in, x.in), 1<<18)
	return x, nil
}

// withoutBuckets reads a file and passes over rows. What it read must be what its entry says.
type withoutBuckets struct {
	io.Closer
	from       *bufio.Reader
	gone       []uint32
	last       bool // the bucket is the last field, else the first
	entry      FileEntry
	in, out    hash.Hash
	rows, read int // without the header
	line, rest []byte
}

func (x *withoutBuckets) Read(b []byte) (int, error) {
	for len(x.rest) == 0 {
		line, err := ReadRecord(x.from, x.line[:0])
		if x.line = line; errors.Is(err, io.EOF) {
			if x.read != x.entry.Rows || hex.EncodeToString(x.in.Sum(nil)) != x.entry.SHA256 {
				return 0, fmt.Errorf("%w: %s of a part is not what its manifest says", ErrDamaged, x.entry.Name)
			}
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
		x.read++
		if x.read > 0 {
			leaves, err := x.leaves(line)
			if err != nil {
				return 0, err
			}
			if leaves {
				continue
			}
		}
		x.rows++
		x.out.Write(line)
		x.rest = line
	}
	n := copy(b, x.rest)
	x.rest = x.rest[n:]
	return n, nil
}

// leaves reports whether a row names a bucket that leaves.
func (x *withoutBuckets) leaves(record []byte) (bool, error) {
	field := record[:len(record)-1]
	if x.last {
		field = field[bytes.LastIndexByte(field, ',')+1:]
	} else if end := bytes.IndexByte(field, ','); end >= 0 {
		field = field[:end]
	}
	n, err := strconv.ParseUint(string(field), 10, 32)
	if err != nil || n == 0 {
		return false, errNoNumber
	}
	_, found := slices.BinarySearch(x.gone, uint32(n))
	return found, nil
}

// Take makes a part of a later release out of those that a release has: one is taken over by keep, or written without what leaves, where
// files that name no bucket are taken over; several are joined under a name. Paths are part and file.
func (w *Withdrawing) Take(parts []PartEntry, name string, release uint32, keep func(name string, entry FileEntry) error,
	create func(name string) (io.WriteCloser, error)) (out PartEntry, err error) {
	if len(parts) > 1 {
		return w.join(parts, name, release, create)
	}
	p := parts[0]
	if out, err = w.Part(p); err != nil {
		return out, err
	}
	if len(w.Gone[p.Part]) > 0 {
		out.Release = release
	}
	for _, f := range p.Files {
		name := path.Join(p.Part, f.Name)
		if w.Changes(p.Part, f.Name) {
			err = w.write(p, f.Name, create)
		} else {
			err = keep(name, f)
		}
		if err != nil {
			return out, fmt.Errorf("take %s over from release %d: %w", name, release-1, err)
		}
	}
	return out, nil
}

func (w *Withdrawing) join(parts []PartEntry, name string, release uint32, create func(name string) (io.WriteCloser, error)) (
	out PartEntry, err error) {
	left := slices.Clone(parts)
	for i := range left {
		if left[i], err = w.Part(left[i]); err != nil {
			return left[i], err
		}
	}
	open := func(name string) (io.ReadCloser, error) {
		at := slices.IndexFunc(parts, func(p PartEntry) bool { return p.Part == path.Dir(name) })
		return w.Read(parts[at], path.Base(name))
	}
	out, err = JoinParts(w.Manifest, name, left, open, create)
	out.Release = release
	return out, err
}

// write writes a file of a part without what leaves.
func (w *Withdrawing) write(p PartEntry, file string, create func(name string) (io.WriteCloser, error)) error {
	from, err := w.Read(p, file)
	if err != nil {
		return err
	}
	to, err := create(path.Join(p.Part, file))
	if err == nil {
		_, err = io.Copy(to, from)
		err = errors.Join(err, to.Close())
	}
	return errors.Join(err, from.Close())
}
