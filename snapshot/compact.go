package snapshot

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"

	"anond/incremental"
)

// numbering tells where the rows of a data file name classes and local buckets.
type numbering struct {
	class int // field of the class; lastField, noField: then the file numbers the buckets
	// lgb: fields that may hold *n, bucket n of an attribute, by its name as CSV
	// writes it; and in the file of buckets the fields of attribute and number.
	local             map[int]string
	attribute, bucket int
	shared            sharedField // level L2
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

// compact joins parts of the release before: their bytes one after another, the
// numbers of classes and buckets shifted by those of the parts before. State is
// not asked: what is published stays what it was.
func (r *rendering) compact(parts []PartEntry, of span) (PartEntry, error) {
	entry := PartEntry{Part: of.name(), Release: r.in.Release, Mode: partModeText}
	shifts := make([]shift, len(parts)+1) // the last is what all of them have
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
	if r.recoding.Level() == incremental.L2 {
		for i := range parts {
			before := shifts[i].buckets[sharedBuckets]
			entry.Replaces[i].FirstBucket, entry.Replaces[i].Buckets = uint32(before)+1, int(shifts[i+1].buckets[sharedBuckets]-before)
		}
	}
	return entry, nil
}

// shift is what is added to the numbers of a part.
type shift struct {
	class   uint64
	buckets map[string]uint64 // by attribute, or of level L2
}

// sharedBuckets stands for the attribute where buckets are those of level L2.
const sharedBuckets = ""

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
			shifts[i].buckets = maps.Clone(j.seen)
		}
		if err := r.joinPart(j, p, p.Files[at], shifts[i], i == 0); err != nil {
			return entry, err
		}
		entry.Rows += p.Files[at].Rows
	}
	if j.counts() {
		shifts[len(parts)].buckets = j.seen
	}
	if err := j.to.Flush(); err != nil {
		return entry, err
	}
	entry.Bytes, entry.SHA256 = j.bytes, hex.EncodeToString(j.hash.Sum(nil))
	return entry, nil
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
