package views

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"

	"anond/snapshot"
	"anond/snapshot/describe"
	"anond/snapshot/publish"
)

// making is a release of a view on its way into files.
type making struct {
	eras    []*columns
	of      *snapshot.Manifest // the release
	before  *snapshot.Manifest // the view's release before; nil: this one is its first
	read    func(name string) (io.ReadCloser, error)
	files   *publish.Files // of the view
	figures *figures
	out     snapshot.Manifest
}

// whole is the manifest of a view's release before its parts are there: of its newest era, with the former ones.
func (d *Definition) whole(eras []*columns, of *snapshot.Manifest, first uint32) snapshot.Manifest {
	last := len(eras) - 1
	out := d.manifest(eras[last], of, first)
	for i, c := range eras[:last] {
		e := d.manifest(c, c.of, first)
		out.Eras = append(out.Eras, snapshot.EraOf(&e))
		out.Eras[i].Until = of.Eras[i].Until
	}
	return out
}

// make writes the parts, the documents and the manifest of a release of a view.
func (d *Definition) make(x *making, previous [32]byte) (sum [32]byte, err error) {
	if x.before != nil {
		x.out.Previous = &snapshot.PreviousEntry{Release: x.before.Release, SHA256: hex.EncodeToString(previous[:])}
	}
	for i := range x.of.Parts {
		p, err := x.part(&x.of.Parts[i])
		if err != nil {
			return sum, fmt.Errorf("view %s of %s: %w", d.Name, x.of.Parts[i].Part, err)
		}
		x.out.Parts = append(x.out.Parts, p)
	}
	if err := x.figures.fill(x.eras, &x.out); err != nil {
		return sum, err
	}
	documents, err := describe.Of(&x.out)
	for i := 0; err == nil && i < len(documents); i++ {
		x.out.Documents = append(x.out.Documents, documents[i].Document)
		err = x.files.Write(documents[i].Name, documents[i].Text)
	}
	if err != nil {
		return sum, err
	}
	data, err := x.out.Encode()
	if err != nil {
		return sum, err
	}
	return sha256.Sum256(data), x.files.Write(snapshot.ManifestName, data)
}

// manifest is what a view's release says before its parts are there, in an era, with the counts of m. It has no key of the release but
// those named here.
func (d *Definition) manifest(c *columns, m *snapshot.Manifest, first uint32) snapshot.Manifest {
	out := snapshot.Manifest{FormatVersion: m.FormatVersion, Dataset: m.Dataset + "-" + d.Name, Release: m.Release, CreatedAt: m.CreatedAt,
		Seeded: m.Seeded, About: m.About, Policy: m.Policy, Recoding: m.Recoding, Tables: c.tables(), Records: m.Records, Classes: m.Classes,
		Buckets: m.Buckets, Pending: m.Pending, InitialMinPool: m.InitialMinPool, Erasure: m.Erasure, Window: m.Window, Expired: m.Expired,
		PeopleEver: m.PeopleEver, View: &snapshot.ViewEntry{Name: d.Name, Of: m.Dataset, First: first, Cells: d.Cells, Values: d.Values},
		Parts: []snapshot.PartEntry{}, Quality: m.Quality, Privacy: m.Privacy}
	for _, e := range m.Schema {
		for _, of := range [][]column{c.quasi, c.sensitive} {
			if i := slices.IndexFunc(of, func(c column) bool { return c.Name == e.Name }); i >= 0 {
				out.Schema = append(out.Schema, of[i].SchemaEntry)
			}
		}
	}
	// Further principles are tests of the buckets of all sensitive attributes, and name their values.
	out.Policy.Diversity = []snapshot.Diversity{}
	return out
}

// part makes the part of a view that shows one of the release.
func (x *making) part(p *snapshot.PartEntry) (snapshot.PartEntry, error) {
	were, c := x.were(p), x.under(p)
	if len(were) == 0 {
		shown, err := load(c, c.tables(), false, partOpener(p, x.read))
		if err != nil {
			return snapshot.PartEntry{}, err
		}
		return shown.write(*p, x.of.Release, x.files.Create)
	}
	leaving, err := x.leaving(p, were)
	if err != nil {
		return snapshot.PartEntry{}, err
	}
	return leaving.Take(were, p.Part, x.of.Release, x.files.Keep, x.files.Create)
}

// under is what the view shows of the era of a part.
func (x *making) under(p *snapshot.PartEntry) *columns {
	_, born := p.Births()
	for i, e := range x.of.Eras {
		if born <= e.Until {
			return x.eras[i]
		}
	}
	return x.eras[len(x.eras)-1]
}

// were are the parts of the view's release before that have the births of a part of the release: itself, or those that it replaces.
func (x *making) were(p *snapshot.PartEntry) (out []snapshot.PartEntry) {
	if x.before == nil {
		return nil
	}
	first, last := p.Births()
	for _, w := range x.before.Parts {
		if from, to := w.Births(); from >= first && to <= last {
			out = append(out, w)
		}
	}
	return out
}

// leaving are the buckets of the view that leave with a part of the release, by what they show: of those that look alike the last.
// Where none leaves nothing is read.
func (x *making) leaving(p *snapshot.PartEntry, were []snapshot.PartEntry) (*snapshot.Withdrawing, error) {
	out := &snapshot.Withdrawing{Manifest: x.before, Gone: map[string][]uint32{}, Open: x.files.Open}
	gone := len(p.Withdrawn)
	for _, w := range were {
		gone -= len(w.Withdrawn)
	}
	if gone == 0 {
		return out, nil
	}
	c := x.under(p)
	stays, err := load(c, c.tables(), false, partOpener(p, x.read))
	if err != nil {
		return nil, err
	}
	segments := segments(p)
	if len(were) == 1 {
		segments = []segment{{buckets: [2]int{0, p.Buckets}}}
	}
	if len(segments) != len(were) {
		return nil, fmt.Errorf("%w: %s does not replace the parts that the view has", snapshot.ErrDamaged, p.Part)
	}
	for i, w := range were {
		shown, err := load(c, c.tables(), true, partOpener(&w, x.files.Open))
		if err != nil {
			return nil, err
		}
		still := map[string]int{}
		for _, b := range within(stays.buckets, segments[i].buckets) {
			still[stays.key(b)]++
		}
		for _, n := range slices.Sorted(maps.Keys(shown.buckets)) {
			if key := shown.key(shown.buckets[n]); still[key] > 0 {
				still[key]--
			} else {
				out.Gone[w.Part] = append(out.Gone[w.Part], uint32(n))
			}
		}
		gone -= len(out.Gone[w.Part])
	}
	if gone != 0 {
		return nil, fmt.Errorf("%w: the view has not the buckets of %s", snapshot.ErrDamaged, p.Part)
	}
	return out, nil
}
