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

// joining joins the files of parts.
type joining struct {
	numbering func(file string) numbering
	open      func(path string) (io.ReadCloser, error)
	create    func(path string) (io.WriteCloser, error)
	release   uint32 // whose manifest describes the parts
}

// JoinParts writes the part that takes the place of others, as a release does: their bytes one
// after another, the numbers of classes, buckets and pools shifted by those of the parts before. State is
// not asked: what is published stays what it was. The manifest is one of the chain: it has recoding
// and schema. Paths are part and file.
func JoinParts(m *Manifest, name string, parts []PartEntry, open func(path string) (io.ReadCloser, error),
	create func(path string) (io.WriteCloser, error)) (PartEntry, error) {
	entry := PartEntry{Part: name, Mode: PartMode}
	var shifts []Shift
	for _, p := range parts {
		r := ReplacedPart{Part: p.Part, FirstClass: uint32(entry.Classes) + 1, Classes: p.Classes}
		if m.Shared() {
			r.FirstBucket, r.Buckets = uint32(entry.Buckets)+1, p.Buckets
			r.FirstPool, r.Pools = uint32(entry.Pools)+1, p.Pools
		}
		for _, n := range p.Dead {
			entry.Dead = append(entry.Dead, uint32(entry.Classes)+n)
		}
		for _, n := range p.Withdrawn {
			entry.Withdrawn = append(entry.Withdrawn, uint32(entry.Buckets)+n)
		}
		shifts = append(shifts, Shift{}.Before(&entry))
		entry.Replaces = append(entry.Replaces, r)
		entry.Classes, entry.Buckets, entry.Pools = entry.Classes+p.Classes, entry.Buckets+p.Buckets, entry.Pools+p.Pools
		entry.Rows += p.Rows
	}
	x := &joining{numbering: m.numbering, open: open, create: create, release: m.Release}
	return entry, x.join(parts, &entry, shifts)
}

// Shift is what is added to the numbers of a part: as many as the parts before have, modulo 2^64.
type Shift [kinds]uint64

// Before is the shift behind one more part.
func (s Shift) Before(p *PartEntry) Shift {
	return Shift{classes: s[classes] + uint64(p.Classes), buckets: s[buckets] + uint64(p.Buckets), pools: s[pools] + uint64(p.Pools)}
}

// Back undoes the shift.
func (s Shift) Back() (out Shift) {
	for of, n := range s {
		out[of] = -n
	}
	return out
}

// join writes each file of a part.
func (x *joining) join(parts []PartEntry, entry *PartEntry, shifts []Shift) error {
	for _, p := range parts {
		if len(p.Files) != len(parts[0].Files) {
			return fmt.Errorf("%w: %s of release %d has other files than %s", ErrDamaged, p.Part, x.release, parts[0].Part)
		}
	}
	for at, f := range parts[0].Files {
		file, err := x.joinFile(parts, at, entry.Part, shifts)
		if err != nil {
			return fmt.Errorf("join %s: %w", path.Join(entry.Part, f.Name), err)
		}
		entry.Files = append(entry.Files, file)
	}
	return nil
}

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
		if err := x.joinPart(j, p, p.Files[at], shifts[i], i == 0); err != nil {
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
