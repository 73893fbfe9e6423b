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

	"anond/equivclass"
)

// WholeTable is a release as one table: its living classes in canonical order,
// numbered through, as one rendering of all of them would give.
//
// Method: each part is a few runs of classes in canonical order (one, or several
// in a compacted part), and a merge of the runs is the whole. Where the numbers
// follow from all classes and buckets together (lgb, level L2), they are found anew.
//
// Cost: each file is read twice, as its hash is compared before anything of it is
// passed on; a class and a buffer for each run are in memory. lgb: all classes and
// buckets, about 230 bytes a record in classes of ten. Level L2: likewise, about 90.
type WholeTable struct {
	manifest *Manifest
	all      []wholeColumn // the sensitive one last
	cols     []wholeColumn // the others
	open     func(path string) (io.ReadCloser, error)
}

// NewWholeTable reads a release as one table. The schema is that which the manifest
// describes; open opens a file by its path in the release's directory.
func NewWholeTable(m *Manifest, schema *equivclass.Schema, open func(path string) (io.ReadCloser, error)) *WholeTable {
	w := &WholeTable{manifest: m, open: open}
	for _, i := range append(schema.Columns(), schema.SensitiveIndex()) {
		a := schema.Attributes()[i]
		w.all = append(w.all, wholeColumn{column: newColumn(a, equivclass.NewDictionary(a), equivclass.Column{})})
	}
	w.cols = w.all[:len(w.all)-1]
	return w
}

func (w *WholeTable) sa() *wholeColumn { return &w.all[len(w.cols)] }

// Names are the data files of the recoding, the first with a row a record.
func (w *WholeTable) Names() (out []string) {
	for _, f := range w.manifest.Tables()[0].Files {
		out = append(out, f.Name)
	}
	return out
}

// Write writes the table: each of its files, header included, to what the
// function gives for its name. The files are what the manifest would say of them.
func (w *WholeTable) Write(to func(name string) io.Writer) ([]FileEntry, error) {
	m := w.manifest
	if len(m.Files) > 0 {
		return m.Files, w.copy(to)
	}
	outs := make([]*wholeFile, 0, 2)
	for _, name := range w.Names() {
		outs = append(outs, newWholeFile(name, to(name)))
	}
	switch {
	case m.Shared():
		return w.writeShared(outs)
	case m.Recoding == NameLGB:
		return w.writeLocal(outs)
	}
	if err := w.merge(outs); err != nil {
		return nil, err
	}
	entries := make([]FileEntry, len(outs))
	for i, out := range outs {
		if err := out.buf.Flush(); err != nil {
			return nil, err
		}
		out.entry.SHA256 = hex.EncodeToString(out.hash.Sum(nil))
		entries[i] = out.entry
	}
	return entries, nil
}

// copy copies the whole tables that a release has as files.
func (w *WholeTable) copy(to func(name string) io.Writer) error {
	for _, f := range w.manifest.Files {
		file, err := w.file(f.Name, f)
		if err != nil {
			return err
		}
		_, err = io.Copy(to(f.Name), io.NewSectionReader(file, 0, f.Bytes))
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// readerAt is an open file that is read in several places at once.
type readerAt interface {
	io.ReaderAt
	io.Closer
}

// file opens a data file and holds it against its hash.
func (w *WholeTable) file(name string, f FileEntry) (readerAt, error) {
	opened, err := w.open(name)
	if err != nil {
		return nil, missing(err)
	}
	file, ok := opened.(readerAt)
	if !ok {
		data, err := io.ReadAll(opened)
		if err := errors.Join(err, opened.Close()); err != nil {
			return nil, err
		}
		file = inMemory{bytes.NewReader(data)}
	}
	sum := sha256.New()
	n, err := io.Copy(sum, io.NewSectionReader(file, 0, f.Bytes+1))
	if err == nil && (n != f.Bytes || hex.EncodeToString(sum.Sum(nil)) != f.SHA256) {
		err = fmt.Errorf("%w: %s of release %d is not what its manifest says", ErrDamaged, name, w.manifest.Release)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }

// wholeFile is one file of the whole table on its way.
type wholeFile struct {
	entry FileEntry
	hash  hash.Hash
	buf   *bufio.Writer
}

func newWholeFile(name string, to io.Writer) *wholeFile {
	out := &wholeFile{entry: FileEntry{Name: name}, hash: sha256.New()}
	out.buf = bufio.NewWriterSize(io.MultiWriter(to, out.hash), 1<<16)
	return out
}

func (f *wholeFile) put(text []byte) error {
	f.entry.Bytes += int64(len(text))
	_, err := f.buf.Write(text)
	return err
}

// whole writes the table of all living classes next to the parts.
func (r *rendering) whole() error {
	w := NewWholeTable(&r.out.Manifest, r.in.Schema, r.files.Reopen)
	var made []io.Closer
	var failed error
	files, err := w.Write(func(name string) io.Writer {
		f, err := r.files.Create(name)
		if err != nil {
			failed = errors.Join(failed, err)
			return io.Discard
		}
		made = append(made, f)
		return f
	})
	for _, f := range made {
		err = errors.Join(err, f.Close())
	}
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("write the table over all parts: %w", err)
	}
	r.out.Manifest.Files = files
	return nil
}

// partPath is the path of a file of a part in the release's directory.
func partPath(p *PartEntry, f FileEntry) string { return path.Join(p.Dir(), f.Name) }
