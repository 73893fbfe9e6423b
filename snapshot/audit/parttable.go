package audit

import (
	"path/filepath"
)

// partReader reads the parts of one release.
type partReader struct {
	dir string
	man *Manifest
	s   *schema
	f   *faults
}

// read reads a part, compares it with its entry and tests all its classes: a class
// that is dead now was published once.
func (r *partReader) read(p *Part) (*table, partFiles, error) {
	r.f.part = p.Name
	defer func() { r.f.part = "" }()
	files, paths, data, err := p.read(r.dir, r.man, r.f)
	if err != nil {
		return nil, nil, err
	}
	t := &tableReader{s: r.s, release: r.man.Release, f: r.f, rows: map[string]int{}, k: r.man.Policy.K,
		joined: jointsOf(p, r.man)}
	tab, err := t.read(r.man.form(), paths, data)
	if err != nil {
		return nil, nil, err
	}
	p.checkFiles(r.man, files, data, t.rows, r.f)
	if tab.m != p.Classes || tab.rows() != p.Rows {
		r.f.add("files", kindCountMismatch, r.man.Release, 0, "parts",
			"the manifest's number of classes or rows of a part differs from its files")
		p.Classes, p.Rows = tab.m, tab.rows() // what follows counts what is there
	}
	checkPrinciples(r.man, r.s, tab, r.f)
	if tab.shared != nil {
		checkBuckets(r.man, r.s, tab.shared, r.f)
	}
	r.deadArePure(p, tab)
	return tab, files, nil
}

// deadArePure: only classes of rule P (pure classes) may ever be regrouped.
func (r *partReader) deadArePure(p *Part, t *table) {
	for _, c := range p.Dead {
		if c <= t.m && (t.flat[c-1] == 0 || t.shared != nil) {
			r.f.add("A", kindDeadNotPure, r.man.Release, c, "dead", "a class that is not pure is listed as dead")
		}
	}
}

// keep looks at the files of a part that stood in the release before.
func (r *partReader) keep(p *Part, before partFiles) (partFiles, error) {
	r.f.part = p.Name
	defer func() { r.f.part = "" }()
	return p.keep(r.dir, r.man, before, r.f)
}

// compacted compares a compacted part with the parts of the release before that
// it replaces, whose manifest is was and whose files are in earlier. Those were looked
// at there; what is compared are the bytes.
func (r *partReader) compacted(p *Part, earlier string, was *Manifest) (partFiles, error) {
	r.f.part = p.Name
	defer func() { r.f.part = "" }()
	files, paths, data, err := p.read(r.dir, r.man, r.f)
	if err != nil {
		return nil, err
	}
	var before [][][]byte
	for _, x := range p.Replaces {
		old, err := r.replaced(x.Part, earlier, was)
		if err != nil {
			return nil, err
		}
		before = append(before, old)
	}
	found := r.f.n
	rows, err := checkCompaction(r.man, r.s, p, data, before, paths, r.f)
	if err != nil {
		return nil, err
	}
	if r.f.n > found && r.man.atL2() {
		var old []*Part
		for i := range p.Replaces {
			old = append(old, &Part{Name: p.Replaces[i].Part})
		}
		r.explainPart(p, old, earlier)
		r.f.part = p.Name
	}
	p.checkFiles(r.man, files, data, rows, r.f)
	return files, nil
}

// replaced reads the files of a part of the release before.
func (r *partReader) replaced(name, earlier string, was *Manifest) (out [][]byte, err error) {
	at, known := newLayout(was).at[name]
	for _, file := range r.man.dataFiles() {
		var data []byte
		if was.pruned != nil && known {
			data, err = was.pruned.read(was.Parts[at].sha(file))
		} else {
			data, err = readFile(filepath.Join(earlier, name, file))
		}
		if err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	return out, nil
}

// jointsOf are the replaced parts of a compaction.
func jointsOf(p *Part, man *Manifest) []joint {
	var out []joint
	for _, r := range p.Replaces {
		b, _ := parsePartName(r.Part)
		out = append(out, joint{first: r.FirstClass - 1, end: r.FirstClass - 1 + r.Classes,
			firstBucket: r.FirstBucket - 1, endBucket: r.FirstBucket - 1 + r.Buckets,
			compacted: b.first < b.last})
	}
	return out
}

// earlier is the directory of a release that is published.
func (r *partReader) earlier(man *Manifest) string {
	return filepath.Join(filepath.Dir(r.dir), dirName(man.Release))
}
