// Package folder writes releases as directories of Parquet files.
//
// Guarantee: a directory such as 000042 is complete and durable, or not there. The same
// release gives the same bytes (package parquetfile). Parts that an earlier release in the
// same place has, with the same living rows, are hard links, so a release costs what is new.
package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"anond/internal/disk"
	"anond/internal/fault"
	"anond/lake/internal/durable"
	"anond/lake/internal/parquetfile"
	"anond/lake/internal/source"
	"anond/snapshot"
)

// errOther: the place holds a release of the same number with another manifest.
var errOther = fault.Errorf(fault.Behind, "these are releases of another history: write them to another place",
	"it is another release of the same number")

// Result says what was done.
type Result struct {
	Release         uint32
	Dir             string
	Written, Linked int
	Records         int
	Already         bool // it was there
}

// Export writes a release below out; number 0 asks for the newest.
func Export(files snapshot.FS, chain *source.Chain, out string, number uint32) (*Result, error) {
	r, err := chain.Release(number)
	if err != nil {
		return nil, err
	}
	x := &export{files: files, release: r, out: out, before: map[string]entry{}}
	x.list = listing{Format: parquetfile.Format, Dataset: r.Manifest.Dataset, Release: r.Manifest.Release, ManifestSHA256: r.SHA256,
		Records: r.Manifest.Records}
	x.result = Result{Release: r.Manifest.Release, Dir: filepath.Join(out, dirName(r.Manifest.Release)), Records: r.Manifest.Records}
	there, err := readListing(files, out, r.Manifest.Release)
	switch {
	case err != nil:
		return nil, err
	case there != nil && there.ManifestSHA256 != r.SHA256:
		return nil, fmt.Errorf("%s: %w: its manifest had SHA-256 %s, that of the releases has %s", x.result.Dir, errOther,
			there.ManifestSHA256, r.SHA256)
	case there != nil:
		x.result.Already = true
		for _, e := range there.Files {
			if err := parquetfile.Sized(files, filepath.Join(x.result.Dir, filepath.FromSlash(e.Path)), e.Bytes); err != nil {
				return nil, err
			}
		}
		x.list = *there
		return &x.result, x.withdraw()
	}
	if err := x.run(); err != nil {
		return nil, err
	}
	return &x.result, x.withdraw()
}

// withdraw removes the directories of older releases that have rows of parts which this one has no more, newest first: an
// attempt after a crash finds the same in those that are left. A rename comes first, so that none is there in part.
func (x *export) withdraw() error {
	leaving := filepath.Join(x.out, durable.Prefix+"left")
	for {
		if err := x.files.RemoveAll(leaving); err != nil {
			return err
		}
		before, err := newestBelow(x.files, x.out, x.list.Release)
		if err != nil || before == nil {
			return err
		}
		oldest := uint32(0)
		for name := range before.tables() {
			if n := x.release.Left(before.tables()[name], x.list.tables()[name]); n > 0 && (oldest == 0 || n < oldest) {
				oldest = n
			}
		}
		if oldest == 0 || before.Release < oldest {
			return nil
		}
		if err := x.files.Rename(filepath.Join(x.out, dirName(before.Release)), leaving); err != nil {
			return err
		}
		if err := x.files.Sync(x.out); err != nil {
			return err
		}
	}
}

type export struct {
	files   snapshot.FS
	release *source.Release
	out     string
	tmp     string
	list    listing
	before  map[string]entry // of the release before, by source
	old     string           // its directory
	result  Result
}

func (x *export) run() error {
	if err := disk.MakeDir(x.files, x.out); err != nil {
		return err
	}
	before, err := newestBelow(x.files, x.out, x.list.Release)
	if err != nil {
		return err
	}
	if before != nil {
		x.old = filepath.Join(x.out, dirName(before.Release))
		for _, e := range before.Files {
			x.before[e.Source] = e
		}
	}
	x.tmp = filepath.Join(x.out, durable.Prefix+dirName(x.list.Release))
	if err := x.files.RemoveAll(x.tmp); err != nil {
		return err
	}
	tables, err := x.release.Tables()
	if err == nil {
		err = x.files.MkdirAll(x.tmp)
	}
	if err != nil {
		return err
	}
	for _, t := range tables {
		if err := x.table(t); err != nil {
			return err
		}
	}
	return x.finish()
}

func (x *export) table(t *source.Table) error {
	dir := filepath.Join(x.tmp, t.Name)
	if err := x.files.MkdirAll(dir); err != nil {
		return err
	}
	rows := int64(0)
	for i := range t.Parts {
		e, err := x.part(t, &t.Parts[i])
		if err != nil {
			return err
		}
		rows += e.Rows
		x.list.Files = append(x.list.Files, e)
	}
	if t.Records >= 0 && rows != int64(t.Records) {
		return fmt.Errorf("%w: the parts of release %d have %d records, its manifest says %d", snapshot.ErrDamaged, x.list.Release, rows,
			t.Records)
	}
	return x.files.Sync(dir)
}

// part links the file of an earlier release or writes it.
func (x *export) part(t *source.Table, p *source.Part) (entry, error) {
	e := entry{Path: pathOf(t, p), Source: t.Name + " " + p.Identity()}
	path := filepath.Join(x.tmp, filepath.FromSlash(e.Path))
	if old, ok := x.before[e.Source]; ok {
		if x.files.Link(filepath.Join(x.old, filepath.FromSlash(old.Path)), path) == nil {
			x.result.Linked++
			e.Rows, e.Bytes, e.SHA256 = old.Rows, old.Bytes, old.SHA256
			return e, nil
		} // no links here, or it was removed: the file is made again, with the same bytes
	}
	x.result.Written++
	return e, x.write(path, t, p, &e)
}

// write makes a sealed file: later releases link to it, so nobody should change it.
func (x *export) write(path string, t *source.Table, p *source.Part, e *entry) error {
	f, err := x.files.CreateSealed(path)
	if err != nil {
		return err
	}
	hash, size := sha256.New(), &counter{}
	e.Rows, err = parquetfile.Write(io.MultiWriter(f, hash, size), t, p)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	e.Bytes, e.SHA256 = size.n, hex.EncodeToString(hash.Sum(nil))
	return x.files.Sync(path)
}

// finish gives the directory its name, once all that is in it is durable.
func (x *export) finish() error {
	list := filepath.Join(x.tmp, listingName)
	_, err := durable.Put(x.files, list, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(x.list)
	})
	if err != nil {
		return err
	}
	if err := x.files.Sync(x.tmp); err != nil {
		return err
	}
	if err := x.files.Rename(x.tmp, x.result.Dir); err != nil {
		return err
	}
	return x.files.Sync(x.out)
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) { c.n += int64(len(p)); return len(p), nil }
