package snapshot

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
)

// CopyBirth writes a file of a part as the release wrote it that gave birth to it. An error
// may come behind what was written: what is written is right only without one.
func (h *History) CopyBirth(b *PartEntry, f FileEntry, to io.Writer) (err error) {
	sum := sha256.New()
	out := &counted{to: io.MultiWriter(to, sum)}
	own := filepath.Join(DirOf(h.dir, b.Release), b.Part, f.Name)
	in, err := h.files.Open(own)
	switch {
	case notExist(err):
		err = h.cutOut(b, f, out)
	case err == nil:
		_, err = io.Copy(out, io.LimitReader(in, f.Bytes+1))
		_ = in.Close()
	}
	if err == nil && (out.bytes != f.Bytes || hex.EncodeToString(sum.Sum(nil)) != f.SHA256) {
		err = fmt.Errorf("%w: %s of %s is not what the manifest of release %d says", ErrDamaged, f.Name, b.Part, b.Release)
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
func (h *History) cutOut(b *PartEntry, f FileEntry, to io.Writer) error {
	on, err := Scan(h.files, h.dir)
	if err != nil {
		return err
	}
	p, err := h.Published(on.Current)
	if err != nil {
		return err
	}
	m := p.Manifest
	first, last := b.Births()
	for i := range m.Parts {
		from, until := m.Parts[i].Births()
		if first < from || last > until {
			continue
		}
		c := &cut{h: h, m: m, part: &m.Parts[i]}
		if m.Parts[i].Part != b.Part {
			if err := c.before(b); err != nil {
				return err
			}
		}
		return c.write(f, to)
	}
	return fmt.Errorf("%w: release %d has no part with the classes of %s", ErrDamaged, m.Release, b.Part)
}

// cut takes one of the parts that were joined out of the joined one: it undoes what join
// does.
type cut struct {
	h    *History
	m    *Manifest
	part *PartEntry
	back shift          // the complement of what was added to the numbers
	rows map[string]int // by file: rows of the parts before
}

// before counts what stands before a part.
func (c *cut) before(b *PartEntry) error {
	births, err := c.h.Within(c.m, c.part)
	if err != nil {
		return err
	}
	c.rows = map[string]int{}
	for _, other := range births {
		if other.Part == b.Part {
			return c.buckets()
		}
		c.back.class -= uint64(other.Classes)
		for _, f := range other.Files {
			c.rows[f.Name] += f.Rows
		}
	}
	return fmt.Errorf("%w: %s does not hold %s", ErrDamaged, c.part.Part, b.Part)
}

// buckets finds the greatest numbers of buckets in what stands before, in the file that
// numbers them.
func (c *cut) buckets() error {
	for _, f := range c.part.Files {
		n := c.m.numbering(f.Name)
		if !n.counts() {
			continue
		}
		j, done, err := c.open(f)
		if err != nil {
			return err
		}
		defer done()
		for range c.rows[f.Name] {
			record, err := j.record()
			if err == nil {
				_, err = j.shifted(record, shift{})
			}
			if err != nil {
				return c.damaged(f, err)
			}
		}
		c.back.bucket = -j.seen
	}
	return nil
}

// open opens a file of the joined part behind its header.
func (c *cut) open(f FileEntry) (j *joiner, done func(), err error) {
	in, err := c.h.files.Open(filepath.Join(DirOf(c.h.dir, c.m.Release), c.part.Part, f.Name))
	if err != nil {
		return nil, nil, err
	}
	j = &joiner{numbering: c.m.numbering(f.Name), from: bufio.NewReaderSize(in, 1<<18)}
	header, err := j.record()
	if err != nil {
		_ = in.Close()
		return nil, nil, c.damaged(f, err)
	}
	j.header = append([]byte{}, header...)
	return j, func() { _ = in.Close() }, nil
}

func (c *cut) damaged(f FileEntry, err error) error {
	return fmt.Errorf("%w: %s of %s in release %d: %w", ErrDamaged, f.Name, c.part.Part, c.m.Release, err)
}

// write writes the rows of the part, with the numbers that they had.
func (c *cut) write(f FileEntry, to io.Writer) error {
	j, done, err := c.open(f)
	if err != nil {
		return err
	}
	defer done()
	j.to = bufio.NewWriterSize(to, 1<<18)
	if err := j.put(j.header); err != nil {
		return err
	}
	for range c.rows[f.Name] {
		if _, err := j.record(); err != nil {
			return c.damaged(f, err)
		}
	}
	for range f.Rows {
		record, err := j.record()
		if err == nil {
			j.out, err = j.shifted(record, c.back)
		}
		if err != nil {
			return c.damaged(f, err)
		}
		if err := j.put(j.out); err != nil {
			return err
		}
	}
	return j.to.Flush()
}
