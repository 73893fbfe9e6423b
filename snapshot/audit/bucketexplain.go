package audit

import "path/filepath"

// Where the bytes of an older part are not those they were, a release is refused
// whatever happened. What happened to its buckets is told besides, as far as old and
// new classes can be paired: in files that number classes by number, in others by
// their cells.

// explain compares the parts that a release at level L2 changed with what they were
// in the release before, whose directory is earlier.
func (r *partReader) explain(before *Manifest, earlier string) {
	if before == nil || !r.man.atL2() || before.form() != r.man.form() {
		return
	}
	at := newLayout(before).at
	for i := range r.man.Parts {
		p := &r.man.Parts[i]
		var was []*Part
		if j, ok := at[p.Name]; ok {
			was = []*Part{&before.Parts[j]}
		}
		for _, x := range p.Replaces {
			if j, ok := at[x.Part]; ok && len(was) < len(p.Replaces) {
				was = append(was, &before.Parts[j])
			}
		}
		r.explainPart(p, was, earlier)
	}
}

// explainPart compares the buckets of a part with those of the parts that it was.
func (r *partReader) explainPart(p *Part, was []*Part, earlier string) {
	now, err := r.quiet(r.dir, p)
	if err != nil || len(was) == 0 {
		return // reported, or new
	}
	c := &bucketChange{s: r.s, now: now, drawn: r.man.form() == formDrawn}
	for i, x := range was {
		t, err := r.quiet(earlier, x)
		if err != nil {
			return // it was read when it was published
		}
		c.add(t, i)
	}
	r.f.part = p.Name
	c.report(r.man.Release, r.f)
	r.f.part = ""
}

// quiet reads a part again, without findings.
func (r *partReader) quiet(dir string, p *Part) (*table, error) {
	t := &tableReader{s: r.s, release: r.man.Release, f: &faults{}, rows: map[string]int{}, k: r.man.Policy.K, joined: jointsOf(p, r.man)}
	var paths []string
	var data [][]byte
	for _, name := range r.man.dataFiles() {
		path := filepath.Join(dir, p.Name, name)
		bytes, err := readFile(path)
		if err != nil {
			return nil, err
		}
		paths, data = append(paths, path), append(data, bytes)
	}
	return t.read(r.man.form(), paths, data)
}
