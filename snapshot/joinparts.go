package snapshot

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
)

// numbering tells where the rows of a data file name classes and buckets.
type numbering struct {
	class  int         // field of the class; lastField, noField: then the file numbers the buckets
	shared sharedField // level L2
}

// sharedField is where the number of a bucket of level L2 stands. Where a row names
// its class, too, that stands before it.
type sharedField int

const (
	noShared sharedField = iota
	firstShared
	lastShared
)

// Fields of a numbering that are not counted from the front.
const (
	lastField = -1
	noField   = -2
)

// joining joins the files of parts.
type joining struct {
	numbering func(file string) numbering
	open      func(path string) (io.ReadCloser, error)
	create    func(path string) (io.WriteCloser, error)
	release   uint32 // whose manifest describes the parts
}

// JoinParts writes the part that takes the place of others, as a release does: their bytes one
// after another, the numbers of classes and buckets shifted by those of the parts before. State is
// not asked: what is published stays what it was. The manifest is one of the chain: it has recoding
// and schema. Paths are part and file.
func JoinParts(m *Manifest, name string, parts []PartEntry, open func(path string) (io.ReadCloser, error),
	create func(path string) (io.WriteCloser, error)) (PartEntry, error) {
	entry := PartEntry{Part: name, Mode: PartMode}
	for _, p := range parts {
		entry.Replaces = append(entry.Replaces, ReplacedPart{Part: p.Part, FirstClass: uint32(entry.Classes) + 1, Classes: p.Classes})
		for _, n := range p.Dead {
			entry.Dead = append(entry.Dead, uint32(entry.Classes)+n)
		}
		entry.Classes += p.Classes
		entry.Rows += p.Rows
	}
	x := &joining{numbering: m.numbering, open: open, create: create, release: m.Release}
	shifts, err := x.join(parts, &entry)
	if err != nil {
		return entry, err
	}
	if m.Shared() {
		for i := range parts {
			before := shifts[i].Buckets
			entry.Replaces[i].FirstBucket, entry.Replaces[i].Buckets = uint32(before)+1, int(shifts[i+1].Buckets-before)
		}
	}
	return entry, nil
}

// join writes each file of a part. It gives what was added to the numbers of each of the
// others, and last what all of them have.
func (x *joining) join(parts []PartEntry, entry *PartEntry) ([]Shift, error) {
	shifts := make([]Shift, len(parts)+1)
	for i, p := range parts {
		shifts[i+1].Classes = shifts[i].Classes + uint64(p.Classes)
		if len(p.Files) != len(parts[0].Files) {
			return nil, fmt.Errorf("%w: %s of release %d has other files than %s", ErrDamaged, p.Part, x.release, parts[0].Part)
		}
	}
	entry.Files = make([]FileEntry, len(parts[0].Files))
	for at := len(entry.Files) - 1; at >= 0; at-- { // the file of buckets is last, and counts them
		var err error
		if entry.Files[at], err = x.joinFile(parts, at, entry.Part, shifts); err != nil {
			return nil, fmt.Errorf("join %s: %w", path.Join(entry.Part, parts[0].Files[at].Name), err)
		}
	}
	return shifts, nil
}

// Shift is what is added to the numbers of a part.
type Shift struct{ Classes, Buckets uint64 }

// joinFile joins one file of parts.
func (x *joining) joinFile(parts []PartEntry, at int, to string, shifts []Shift) (entry FileEntry, err error) {
	name := parts[0].Files[at].Name
	w, err := x.create(path.Join(to, name))
	if err != nil {
		return entry, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	j := &joiner{RowShift: RowShift{numbering: x.numbering(name)}, hash: sha256.New()}
	j.to = bufio.NewWriterSize(io.MultiWriter(w, j.hash), 1<<18)
	entry.Name = name
	for i, p := range parts {
		if p.Files[at].Name != name {
			return entry, fmt.Errorf("%w: %s has another file there", ErrDamaged, p.Part)
		}
		if j.counts() {
			shifts[i].Buckets = j.seen
		}
		if err := x.joinPart(j, p, p.Files[at], shifts[i], i == 0); err != nil {
			return entry, err
		}
		entry.Rows += p.Files[at].Rows
	}
	if j.counts() {
		shifts[len(parts)].Buckets = j.seen
	}
	if err := j.to.Flush(); err != nil {
		return entry, err
	}
	entry.Bytes, entry.SHA256 = j.bytes, hex.EncodeToString(j.hash.Sum(nil))
	return entry, nil
}

// joinPart appends the file of one part, which must be what its manifest says.
func (x *joining) joinPart(j *joiner, p PartEntry, f FileEntry, by Shift, first bool) error {
	in, err := x.open(path.Join(p.Part, f.Name))
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
		return fmt.Errorf("%w: %s of release %d is not what its manifest says", ErrDamaged, path.Join(p.Part, f.Name), x.release)
	}
	return nil
}
