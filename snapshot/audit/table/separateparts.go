package table

import (
	"bytes"
	"path/filepath"
	"strconv"

	"anond/snapshot/audit/format"
)

// Undoing takes compactions apart: the rows of each replaced part, with the numbers that
// they had there. What comes out counts only under its own hash.
//
// Cost: one pass over each file for each level of compaction. The files that are put
// together are held in memory.
type Undoing struct {
	S       *format.Schema
	Vault   *format.Vault
	Earlier map[int]*format.Manifest // pruned releases
	Done    map[*format.Part]bool    // taken apart already: manifests may name parts in a circle
	Differs []format.Replaced        // did not give the bytes that were published
}

// All goes through the parts of the oldest release that has its directory.
func (u *Undoing) All(dir string, man *format.Manifest) error {
	if man.DataFiles() == nil {
		return format.Unreadable(filepath.Join(dir, "manifest.json"), 0, "recoding is not one this auditor knows")
	}
	for i := range man.Parts {
		p := &man.Parts[i]
		var paths []string
		var data [][]byte
		for _, name := range man.Under(p).DataFiles() {
			path := filepath.Join(dir, p.Name, name)
			text, err := format.ReadFile(path)
			if err != nil {
				return err
			}
			u.Vault.Files[format.HexSHA(text)] = format.Stored{Path: path}
			paths, data = append(paths, path), append(data, text)
		}
		if err := u.Part(man, p, paths, data); err != nil {
			return err
		}
	}
	return nil
}

// Part takes a part apart, if it is a compaction, and what comes out of it again. The
// parts that it replaces stood in the release before the one that wrote it.
func (u *Undoing) Part(man *format.Manifest, p *format.Part, paths []string, data [][]byte) error {
	before := u.Earlier[p.Release-1]
	if len(p.Replaces) == 0 || before == nil || u.Done[p] {
		return nil
	}
	man, before = man.Under(p), before.Under(p)
	if before.Form() != man.Form() {
		return nil
	}
	u.Done[p] = true
	parts := make([]*format.Part, len(p.Replaces))
	at := format.NewLayout(before, 0).At
	for j, r := range p.Replaces {
		i, ok := at[r.Part]
		if !ok {
			return nil // check finds what is missing; the lineage is tested release by release
		}
		parts[j] = &before.Parts[i]
	}
	c := NewCompaction(man, u.S, p, &format.Faults{})
	out := make([][][]byte, len(parts))
	for j := range out {
		out[j] = make([][]byte, len(paths))
	}
	for i := range paths {
		files, err := c.Apart(paths[i], data[i], parts)
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
func (u *Undoing) store(man *format.Manifest, p *format.Part, parts []*format.Part, paths []string, out [][][]byte) error {
	for j, old := range parts {
		same := true
		for i, path := range paths {
			sha := format.HexSHA(out[j][i])
			same = same && sha == old.Sha(filepath.Base(path))
			u.Vault.Files[sha] = format.Stored{Data: out[j][i]}
		}
		if !same {
			u.Differs = append(u.Differs, p.Replaces[j])
			continue
		}
		if err := u.Part(man, old, paths, out[j]); err != nil {
			return err
		}
	}
	return nil
}

// Apart cuts one file of a compaction into those that it joins: each has as many rows as
// its manifest says, and the header.
func (c *compaction) Apart(path string, data []byte, parts []*format.Part) ([][]byte, error) {
	name := filepath.Base(path)
	rows, header, err := format.NewCSV(path, data)
	if err != nil {
		return nil, err
	}
	if len(header) < 2 {
		return nil, format.Unreadable(path, 1, "header lacks an attribute of the schema")
	}
	head := data[:rows.Pos]
	out := make([][]byte, len(parts))
	for j, p := range parts {
		columns := c.columns(name, j, header)
		text := bytes.Clone(head)
		for range p.RowsOf(name) {
			from := rows.Pos
			if more, err := rows.Next(); err != nil || !more {
				return out, err // what is missing gives another hash
			}
			text = MoveBack(text, data[from:rows.Pos], rows.Fields, columns)
		}
		out[j] = text
	}
	return out, nil
}

// MoveBack appends a row with its numbers as they were before the compaction. All other
// bytes stay, quotes too: raw is the row as it is written, fields are its cells.
func MoveBack(out, raw []byte, fields [][]byte, columns []uint32) []byte {
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
	n, ok := format.ParseCount(cell)
	if by == 0 || !ok || n <= by {
		return nil, false
	}
	return strconv.AppendUint(nil, uint64(n-by), 10), true
}
