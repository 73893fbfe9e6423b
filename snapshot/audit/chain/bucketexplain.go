package chain

import "path/filepath"
import (
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// Where the bytes of an older part are not those they were, a release is refused
// whatever happened. What happened to its buckets is told besides, where its classes are
// the same.

// Explain compares the parts that a release at level L2 changed with what they were
// in the release before, whose directory is earlier.
func (r *PartReader) Explain(before *format.Manifest, earlier string) {
	if before == nil || !r.Man.AtL2() || before.Form() != r.Man.Form() {
		return
	}
	at := format.NewLayout(before, 0).At
	for i := range r.Man.Parts {
		p := &r.Man.Parts[i]
		var was []*format.Part
		if j, ok := at[p.Name]; ok {
			was = []*format.Part{&before.Parts[j]}
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
func (r *PartReader) explainPart(p *format.Part, was []*format.Part, earlier string) {
	now, err := r.quiet(r.Dir, p)
	if err != nil || len(was) == 0 {
		return // reported, or new
	}
	c := &BucketChange{S: r.S, Now: now}
	for i, x := range was {
		t, err := r.quiet(earlier, x)
		if err != nil {
			return // it was read when it was published
		}
		c.Add(t, i)
	}
	r.F.Part = p.Name
	c.Report(r.Man.Release, r.F)
	r.F.Part = ""
}

// quiet reads a part again, without findings.
func (r *PartReader) quiet(dir string, p *format.Part) (*table.Table, error) {
	t := &table.TableReader{S: r.S, Release: r.Man.Release, F: &format.Faults{}, Rows: map[string]int{}, Pairs: r.Man.Pairs(),
		Joined: jointsOf(p, r.Man)}
	var paths []string
	var data [][]byte
	for _, name := range r.Man.DataFiles() {
		path := filepath.Join(dir, p.Name, name)
		bytes, err := format.ReadFile(path)
		if err != nil {
			return nil, err
		}
		paths, data = append(paths, path), append(data, bytes)
	}
	return t.Read(r.Man.Form(), paths, data)
}
