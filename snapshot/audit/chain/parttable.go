package chain

import (
	"bytes"
	"path/filepath"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// PartReader reads the parts of one release.
type PartReader struct {
	Dir string
	Man *format.Manifest
	S   *format.Schema
	F   *format.Faults
}

// Read reads a part, compares it with its entry and tests all its classes: a class
// that is dead now was published once.
func (r *PartReader) Read(p *format.Part) (*table.Table, format.PartFiles, error) {
	r.F.Part = p.Name
	defer func() { r.F.Part = "" }()
	t := &table.TableReader{S: r.S, Release: r.Man.Release, F: r.F, Rows: map[string]int{}, Pairs: r.Man.Pairs(),
		Joined: jointsOf(p, r.Man), Left: p.Withdrawn, Pools: p.Pools}
	var tab *table.Table
	files, data, err := p.Read(r.Dir, r.Man, r.F, func(paths []string, data [][]byte) (err error) {
		tab, err = t.Read(r.Man.Form(), paths, data)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	p.CheckFiles(r.Man, files, data, t.Rows, r.F)
	left := len(p.Withdrawn)
	if tab.M != p.Classes && left == 0 || tab.M > p.Classes ||
		tab.Rows() != p.Rows || tab.Buckets()+left != p.Buckets || tab.Pools() != p.Pools {
		r.F.Add("files", format.KindCountMismatch, r.Man.Release, 0, "parts",
			"the manifest's number of classes, buckets, pools or rows of a part differs from its files")
		p.Classes, p.Rows = tab.M, tab.Rows() // what follows counts what is there
	}
	table.CheckPrinciples(r.Man, r.S, tab, r.F)
	if tab.Shared != nil {
		table.CheckBuckets(r.Man, r.S, tab.Shared, r.F)
	}
	r.deadArePure(p, tab)
	return tab, files, nil
}

// deadArePure: only classes of rule P (pure classes) may ever be regrouped.
func (r *PartReader) deadArePure(p *format.Part, t *table.Table) {
	for _, c := range p.Dead {
		if c <= t.M && (t.Flat[c-1] == 0 || t.Shared != nil) {
			r.F.Add("A", format.KindDeadNotPure, r.Man.Release, c, "dead", "a class that is not pure is listed as dead")
		}
	}
}

// Keep looks at the files of a part that stood in the release before.
func (r *PartReader) Keep(p *format.Part, before format.PartFiles) (format.PartFiles, error) {
	r.F.Part = p.Name
	defer func() { r.F.Part = "" }()
	return p.Keep(r.Dir, r.Man, before, r.F)
}

// Without compares a part with what it was in the release before, whose manifest is was and whose files are in earlier: it has every
// byte but the lines of the buckets that leave.
func (r *PartReader) Without(p *format.Part, earlier string, was *format.Manifest, gone []int) (format.PartFiles, error) {
	r.F.Part = p.Name
	defer func() { r.F.Part = "" }()
	files, _, err := p.Read(r.Dir, r.Man, r.F, func(paths []string, data [][]byte) error {
		old, err := r.replaced(p.Name, earlier, was)
		if err != nil {
			return err
		}
		for i, path := range paths {
			want, err := table.WithoutBuckets(path, old[i], gone)
			if err != nil {
				return err
			}
			if !bytes.Equal(want, data[i]) {
				r.F.Add("W", format.KindWithdrawn, r.Man.Release, 0, filepath.Base(path),
					"a part without withdrawn buckets has other bytes than before")
			}
		}
		return nil
	})
	return files, err
}

// Compacted compares a compacted part with the parts of the release before that
// it replaces, whose manifest is was and whose files are in earlier. Those were looked
// at there; what is compared are the bytes.
func (r *PartReader) Compacted(p *format.Part, earlier string, was *format.Manifest, gone [][]int) (format.PartFiles, error) {
	r.F.Part = p.Name
	defer func() { r.F.Part = "" }()
	found, rows := 0, map[string]int(nil)
	files, data, err := p.Read(r.Dir, r.Man, r.F, func(paths []string, data [][]byte) error {
		var before [][][]byte
		for j, x := range p.Replaces {
			old, err := r.replaced(x.Part, earlier, was)
			if err != nil {
				return err
			}
			for i := range old {
				if j < len(gone) && len(gone[j]) > 0 {
					if old[i], err = table.WithoutBuckets(paths[i], old[i], gone[j]); err != nil {
						return err
					}
				}
			}
			before = append(before, old)
		}
		found = r.F.N
		var err error
		rows, err = table.CheckCompaction(r.Man, r.S, p, data, before, paths, r.F)
		return err
	})
	if err != nil {
		return nil, err
	}
	if r.F.N > found && r.Man.AtL2() {
		var old []*format.Part
		for i := range p.Replaces {
			old = append(old, &format.Part{Name: p.Replaces[i].Part})
		}
		r.explainPart(p, old, earlier)
		r.F.Part = p.Name
	}
	p.CheckFiles(r.Man, files, data, rows, r.F)
	return files, nil
}

// replaced reads the files of a part of the release before.
func (r *PartReader) replaced(name, earlier string, was *format.Manifest) (out [][]byte, err error) {
	at, known := format.NewLayout(was, 0).At[name]
	for _, file := range r.Man.DataFiles() {
		var data []byte
		if was.Pruned != nil && known {
			data, err = was.Pruned.Read(was.Parts[at].Sha(file))
		} else {
			data, err = format.ReadFile(filepath.Join(earlier, name, file))
		}
		if err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	return out, nil
}

// jointsOf are the replaced parts of a compaction.
func jointsOf(p *format.Part, man *format.Manifest) []table.Joint {
	var out []table.Joint
	for _, r := range p.Replaces {
		b, _ := format.ParsePartName(r.Part)
		out = append(out, table.Joint{First: r.FirstClass - 1, End: r.FirstClass - 1 + r.Classes,
			FirstBucket: r.FirstBucket - 1, EndBucket: r.FirstBucket - 1 + r.Buckets,
			Compacted: b.First < b.Last})
	}
	return out
}

// Earlier is the directory of a release that is published.
func (r *PartReader) Earlier(man *format.Manifest) string {
	return filepath.Join(filepath.Dir(r.Dir), format.DirName(man.Release))
}
