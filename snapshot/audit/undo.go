package audit

import (
	"bytes"
	"path/filepath"
	"strconv"
)

// undoing takes compactions apart: the rows of each replaced part, with the numbers that
// they had there. What comes out counts only under its own hash.
//
// Cost: one pass over each file for each level of compaction. The files that are put
// together are held in memory.
type undoing struct {
	s       *schema
	vault   *vault
	earlier map[int]*Manifest // pruned releases
	done    map[*Part]bool    // taken apart already: manifests may name parts in a circle
	differs []Replaced        // did not give the bytes that were published
}

// all goes through the parts of the oldest release that has its directory.
func (u *undoing) all(dir string, man *Manifest) error {
	if man.dataFiles() == nil {
		return unreadable(filepath.Join(dir, "manifest.json"), 0, "recoding is not one this auditor knows")
	}
	for i := range man.Parts {
		p := &man.Parts[i]
		var paths []string
		var data [][]byte
		for _, name := range man.dataFiles() {
			path := filepath.Join(dir, p.Name, name)
			text, err := readFile(path)
			if err != nil {
				return err
			}
			u.vault.files[hexSHA(text)] = stored{path: path}
			paths, data = append(paths, path), append(data, text)
		}
		if err := u.part(man, p, paths, data); err != nil {
			return err
		}
	}
	return nil
}

// part takes a part apart, if it is a compaction, and what comes out of it again. The
// parts that it replaces stood in the release before the one that wrote it.
func (u *undoing) part(man *Manifest, p *Part, paths []string, data [][]byte) error {
	before := u.earlier[p.Release-1]
	if len(p.Replaces) == 0 || before == nil || before.form() != man.form() || u.done[p] {
		return nil
	}
	u.done[p] = true
	parts := make([]*Part, len(p.Replaces))
	at := newLayout(before).at
	for j, r := range p.Replaces {
		i, ok := at[r.Part]
		if !ok {
			return nil // check finds what is missing; the lineage is tested release by release
		}
		parts[j] = &before.Parts[i]
	}
	c := &compaction{man: man, s: u.s, part: p, rows: map[string]int{}, f: &faults{}}
	for _, r := range p.Replaces {
		c.classes = append(c.classes, uint32(r.FirstClass)-1)
		c.buckets = append(c.buckets, 0)
	}
	out := make([][][]byte, len(parts))
	for j := range out {
		out[j] = make([][]byte, len(paths))
	}
	for i := len(paths) - 1; i >= 0; i-- { // the buckets first, as in checkCompaction
		files, err := c.apart(paths[i], data[i], parts)
		if err != nil {
			return err
		}
		for j, text := range files {
			out[j][i] = text
		}
	}
	return u.store(man, p, parts, paths, out)
}

// store keeps what a compaction gave, by hash.
func (u *undoing) store(man *Manifest, p *Part, parts []*Part, paths []string, out [][][]byte) error {
	for j, old := range parts {
		same := true
		for i, path := range paths {
			sha := hexSHA(out[j][i])
			same = same && sha == old.sha(filepath.Base(path))
			u.vault.files[sha] = stored{data: out[j][i]}
		}
		if !same {
			u.differs = append(u.differs, p.Replaces[j])
			continue
		}
		if err := u.part(man, old, paths, out[j]); err != nil {
			return err
		}
	}
	return nil
}

// apart cuts one file of a compaction into those that it joins: each has as many rows as
// its manifest says, and the header.
func (c *compaction) apart(path string, data []byte, parts []*Part) ([][]byte, error) {
	name := filepath.Base(path)
	rows, header, err := newCSV(path, data)
	if err != nil {
		return nil, err
	}
	if len(header) < 2 {
		return nil, unreadable(path, 1, "header lacks an attribute of the schema")
	}
	head := data[:rows.pos]
	next := uint32(0) // buckets so far
	out := make([][]byte, len(parts))
	for j, p := range parts {
		if name == c.counted() {
			c.buckets[j] = next
		}
		columns := c.columns(name, j, header)
		text := bytes.Clone(head)
		for range p.rowsOf(name) {
			from := rows.pos
			if more, err := rows.next(); err != nil || !more {
				return out, err // what is missing gives another hash
			}
			if name == c.counted() {
				next = max(next, c.bucketOf(rows.fields))
			}
			text = moveBack(text, data[from:rows.pos], rows.fields, columns)
		}
		out[j] = text
	}
	return out, nil
}

// moveBack appends a row with its numbers as they were before the compaction. All other
// bytes stay, quotes too: raw is the row as it is written, fields are its cells.
func moveBack(out, raw []byte, fields [][]byte, columns []uint32) []byte {
	for i, cell := range fields {
		n := len(cell) // as written
		if raw[0] == '"' {
			n = 2 + len(cell) + bytes.Count(cell, []byte{'"'})
		}
		written := raw[:n]
		if back, ok := movedBack(cell, columns[i]); ok && raw[0] != '"' {
			written = back
		}
		out = append(append(out, written...), raw[n]) // and the comma, or the end of the line
		raw = raw[n+1:]
	}
	return out
}

// movedBack is the number that a cell had before it moved; false: it does not move, or
// could not have been there.
func movedBack(cell []byte, by uint32) ([]byte, bool) {
	n, ok := parseCount(cell)
	if by == 0 || !ok || n <= by {
		return nil, false
	}
	return strconv.AppendUint(nil, uint64(n-by), 10), true
}
