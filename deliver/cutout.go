package deliver

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"anond/snapshot"
)

// CopyBirth writes a file of a part as the release wrote it that gave birth to it. An error
// may come behind what was written: what is written is right only without one.
func (h *history) CopyBirth(b *snapshot.PartEntry, f snapshot.FileEntry, to io.Writer) (err error) {
	sum := sha256.New()
	out := &counted{to: io.MultiWriter(to, sum)}
	own := filepath.Join(snapshot.DirOf(h.dir, b.Release), b.Part, f.Name)
	in, err := h.files.Open(own)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = h.cutOut(b, f, out)
	case err == nil:
		_, err = io.Copy(out, io.LimitReader(in, f.Bytes+1))
		_ = in.Close()
	}
	if err == nil && (out.bytes != f.Bytes || hex.EncodeToString(sum.Sum(nil)) != f.SHA256) {
		err = fmt.Errorf("%w: %s of %s is not what the manifest of release %d says", snapshot.ErrDamaged, f.Name, b.Part, b.Release)
	}
	return err
}

type counted struct {
	to    io.Writer
	bytes int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.bytes += int64(n)
	return n, err
}

// cutOut writes a file of a part whose release was pruned: out of the part of the newest
// release that holds it.
func (h *history) cutOut(b *snapshot.PartEntry, f snapshot.FileEntry, to io.Writer) error {
	on, err := snapshot.Scan(h.files, h.dir)
	if err != nil {
		return err
	}
	p, err := h.Published(on.Current)
	if err != nil {
		return err
	}
	m := p.Manifest
	pieces, err := h.Pieces(m.Release)
	if err != nil {
		return err
	}
	if !pieces.has(b) {
		return fmt.Errorf("%s of release %d has left meanwhile: %w", b.Part, b.Release, fs.ErrNotExist)
	}
	first, last := b.Births()
	for i := range m.Parts {
		from, until := m.Parts[i].Births()
		if first < from || last > until {
			continue
		}
		c := &cut{h: h, m: m, part: &m.Parts[i]}
		c.before(b, pieces)
		return c.write(f, to)
	}
	return fmt.Errorf("%w: release %d has no part with the classes of %s", snapshot.ErrDamaged, m.Release, b.Part)
}

// cut takes one of the parts that were joined out of the joined one: it undoes what join
// does.
type cut struct {
	h    *history
	m    *snapshot.Manifest
	part *snapshot.PartEntry
	back snapshot.Shift // the complement of what was added to the numbers
	rows map[string]int // by file: rows of the parts before
}

// before counts what stands before a piece.
func (c *cut) before(b *snapshot.PartEntry, pieces Pieces) {
	c.rows = map[string]int{}
	before := snapshot.Shift{}
	for _, other := range pieces.Of(c.part) {
		if other.Part == b.Part {
			break
		}
		before = before.Before(&other)
		for _, f := range other.Files {
			c.rows[f.Name] += f.Rows
		}
	}
	c.back = before.Back()
}

// joined reads the rows of a file of the joined part, behind its header.
type joined struct {
	io.Closer
	from   *bufio.Reader
	rows   *snapshot.RowShift
	header []byte
	line   []byte
}

func (c *cut) open(f snapshot.FileEntry) (*joined, error) {
	in, err := c.h.files.Open(filepath.Join(snapshot.DirOf(c.h.dir, c.m.Release), c.part.Part, f.Name))
	if err != nil {
		return nil, err
	}
	j := &joined{Closer: in, from: bufio.NewReaderSize(in, 1<<18), rows: c.m.Shifting(f.Name)}
	if j.header, err = snapshot.ReadRecord(j.from, nil); err != nil {
		_ = in.Close()
		return nil, c.damaged(f, err)
	}
	return j, nil
}

// next is the next row, its numbers shifted. It is valid until the row after it.
func (j *joined) next(by snapshot.Shift) (row []byte, err error) {
	if j.line, err = snapshot.ReadRecord(j.from, j.line[:0]); err != nil {
		return nil, err
	}
	return j.rows.Shifted(j.line, by)
}

func (c *cut) damaged(f snapshot.FileEntry, err error) error {
	return fmt.Errorf("%w: %s of %s in release %d: %w", snapshot.ErrDamaged, f.Name, c.part.Part, c.m.Release, err)
}

// write writes the rows of the part, with the numbers that they had.
func (c *cut) write(f snapshot.FileEntry, to io.Writer) error {
	j, err := c.open(f)
	if err != nil {
		return err
	}
	defer j.Close()
	out := bufio.NewWriterSize(to, 1<<18)
	_, _ = out.Write(j.header) // Flush tells
	for range c.rows[f.Name] {
		if j.line, err = snapshot.ReadRecord(j.from, j.line[:0]); err != nil {
			return c.damaged(f, err)
		}
	}
	for range f.Rows {
		row, err := j.next(c.back)
		if err != nil {
			return c.damaged(f, err)
		}
		if _, err := out.Write(row); err != nil {
			return err
		}
	}
	return out.Flush()
}
