package snapshot

import (
	"fmt"
	"io"
	"path"
	"slices"
)

// Files is where a rendering goes, and where it finds what it takes over.
type Files interface {
	// Create makes a new file of the release, by its path in it.
	Create(name string) (io.WriteCloser, error)
	// Keep makes a file of the release before a file of this one, under the same
	// name; entry is what the manifest says of it.
	Keep(name string, entry FileEntry) error
	// Open opens a file of the release before.
	Open(name string) (io.ReadCloser, error)
	// Reopen opens a file of this release that was written or taken over.
	Reopen(name string) (io.ReadCloser, error)
}

// Rendered is what a rendering gave.
type Rendered struct {
	Manifest Manifest
	SHA256   [32]byte // of manifest.json
	// Placed is who is in which class of the parts that were written of records.
	// Private: for the gate. Parts taken over and compacted parts have none.
	Placed []Placement
	next   *standing
}

// rendering is one release on its way into files.
type rendering struct {
	*source
	in       *Input
	settings *Settings
	from     *standing
	files    Files
	births   []Class
	deaths   []Class
	old      []Class // what lives on of a release that was not yet in parts
	out      Rendered
}

// render writes the parts and the manifest of the release that the input shows,
// behind the one that from describes.
//
// Guarantee: the bytes are a function of the input's history, the settings and
// the manifest before. They do not depend on the numbering of records, classes or
// dictionary codes, nor on the number of workers, nor on what was carried and
// what was counted anew. Cost: that of what is born, of what dies and of the
// parts that are joined; and a link for each file that is taken over.
func render(in *Input, s *Settings, from *standing, files Files) (*Rendered, error) {
	if in.Release == 0 || in.Release != from.release()+1 || in.Since > from.release() {
		return nil, fmt.Errorf("%w: it does not follow release %d", ErrView, from.release())
	}
	r := &rendering{in: in, settings: s, from: from, files: files}
	r.births, r.deaths = in.changed()
	if from.whole != nil {
		r.old = without(from.whole.Classes, r.deaths)
	}
	if len(r.births) == 0 {
		return nil, fmt.Errorf("%w: release %d gives birth to nothing", ErrView, in.Release)
	}
	var err error
	if err = checkClasses(in); err != nil {
		return nil, err
	}
	if r.source, err = newSource(r.relevant(), s); err != nil {
		return nil, err
	}
	m, err := newManifest(in, s, from)
	if err != nil {
		return nil, err
	}
	r.out.Manifest = *m
	if err := r.write(); err != nil {
		return nil, err
	}
	data, err := r.out.Manifest.encode()
	if err != nil {
		return nil, err
	}
	r.out.SHA256 = sha(data)
	r.out.next.manifest, r.out.next.sha256 = &r.out.Manifest, r.out.SHA256
	if err := writeAll(files, manifestName, data); err != nil {
		return nil, fmt.Errorf("write %s: %w", manifestName, err)
	}
	return &r.out, nil
}

// write makes the parts, and what the manifest says of them together.
func (r *rendering) write() error {
	next := &standing{since: r.from.since, numbers: r.from.numbers, written: r.from.written}
	if r.from.sums != nil {
		next.sums = r.from.sums.clone()
	} else {
		next.sums = newSums(len(r.cols))
	}
	r.out.next = next
	if err := r.takeOver(); err != nil {
		return err
	}
	if err := r.bury(); err != nil {
		return err
	}
	own, err := r.bear()
	if err != nil {
		return err
	}
	m := &r.out.Manifest
	m.Records, m.Classes = next.sums.records, next.sums.classes
	if i := r.in.intent; i != nil && (m.Records != i.Records || m.Classes != i.Classes) {
		return fmt.Errorf("%w: it holds %d records in %d classes, its intent names %d in %d", ErrView, m.Records, m.Classes, i.Records, i.Classes)
	}
	r.recoding.mark(own, m)
	if r.recoding.alone(own) {
		m.AcrossReleases = AcrossNone
	}
	if m.AcrossReleases != "" && r.in.Release > 1 {
		return fmt.Errorf("%w: recoding %s promises nothing across releases, so there is no release %d of it", ErrView, m.Recoding, m.Release)
	}
	m.Quality = next.sums.quality(own, r.settings.Policy.K)
	m.Privacy = next.sums.privacy(own, r.from.frozen(), len(r.deaths) > 0)
	if r.settings.SingleFile {
		return r.whole()
	}
	return nil
}

// takeOver lists the parts of the release before, and joins those that are due. Of
// a release that has no parts the living classes become one.
func (r *rendering) takeOver() error {
	if r.from.manifest == nil {
		return nil
	}
	if !r.from.inParts() {
		r.out.next.sums = newSums(len(r.cols)) // counted again with what is written
		_, err := r.part(span{1, r.in.Release - 1}, r.old)
		return err
	}
	before := r.from.manifest
	parts := make([]span, len(before.Parts))
	for i := range parts {
		parts[i].first, parts[i].last = before.Parts[i].Births()
	}
	at := 0
	for _, group := range merged(parts) {
		entries := before.Parts[at : at+len(group)]
		at += len(group)
		entry, err := r.keep(entries, group)
		if err != nil {
			return err
		}
		r.out.Manifest.Parts = append(r.out.Manifest.Parts, entry)
	}
	return nil
}

// keep takes a part over, or joins several.
func (r *rendering) keep(entries []PartEntry, group []span) (PartEntry, error) {
	if len(entries) > 1 {
		return r.compact(entries, join(group))
	}
	for _, f := range entries[0].Files {
		name := path.Join(entries[0].Part, f.Name)
		if err := r.files.Keep(name, f); err != nil {
			return PartEntry{}, fmt.Errorf("take %s over from release %d: %w", name, r.in.Release-1, err)
		}
	}
	return entries[0], nil
}

// bury lists the classes that die in their parts, and takes them off the sums.
func (r *rendering) bury() error {
	if len(r.deaths) == 0 || r.from.whole != nil { // then they are in no part
		return nil
	}
	if r.recoding.semi() {
		return fmt.Errorf("%w: classes of recoding %s are frozen, yet %d die", ErrView, r.recoding.Name(), len(r.deaths))
	}
	parts := r.out.Manifest.Parts
	for i := range parts {
		parts[i].Dead = slices.Clone(parts[i].Dead)
	}
	for i := range r.deaths {
		at, number, ok := r.from.address(parts, &r.deaths[i])
		if !ok {
			return fmt.Errorf("%w: a class that dies is in no part", ErrView)
		}
		parts[at].Dead = append(parts[at].Dead, number)
	}
	for i := range parts {
		slices.Sort(parts[i].Dead)
	}
	t, err := r.unordered(r.deaths)
	if err != nil {
		return err
	}
	r.out.next.sums.remove(t)
	return nil
}

// bear writes what the release gives birth to.
func (r *rendering) bear() (*table, error) {
	return r.part(span{r.in.Release, r.in.Release}, r.births)
}

// relevant is what of the input a rendering looks at: what changes, and at the
// first release in parts all that lives.
func (r *rendering) relevant() *Input {
	in := *r.in
	in.Classes, in.Dead = slices.Concat(r.old, r.births), r.deaths
	if len(in.Classes) == len(r.in.Classes) && r.in.Since == 0 {
		return &in
	}
	in.Local = slices.Clone(r.in.Local)
	for i := range in.Local {
		buckets := r.in.Local[i].Buckets
		if r.in.Since == 0 {
			buckets = bucketsOf(buckets, in.Classes, len(in.SA))
		} else if r.from.whole != nil {
			buckets = slices.Concat(r.from.whole.Local[i].Buckets, buckets)
		}
		in.Local[i].Buckets = buckets
	}
	return &in
}

// bucketsOf are the buckets with records of some classes.
func bucketsOf(buckets [][]Record, classes []Class, records int) (out [][]Record) {
	in := make([]bool, records)
	for _, c := range classes {
		for _, m := range c.Members {
			in[m] = true
		}
	}
	for _, b := range buckets {
		if len(b) == 0 || int(b[0]) >= records || in[b[0]] {
			out = append(out, b)
		}
	}
	return out
}

// without leaves out classes that die.
func without(classes, deaths []Class) []Class {
	dead := make(map[Record]bool, len(deaths))
	for _, c := range deaths {
		dead[c.Members[0]] = true
	}
	return slices.DeleteFunc(slices.Clone(classes), func(c Class) bool { return dead[c.Members[0]] })
}

// part writes classes as a part of their own.
func (r *rendering) part(of span, classes []Class) (*table, error) {
	next := r.out.next
	for uint32(len(next.written)) <= of.last {
		next.written = append(next.written, next.written[len(next.written)-1])
	}
	t, err := r.table(classes)
	if err != nil {
		return nil, err
	}
	entry := PartEntry{Part: of.name(), Release: r.in.Release, Classes: len(t.classes), Rows: t.records, Mode: partModeText}
	for _, l := range r.recoding.layouts(t) {
		l.name = path.Join(entry.Part, l.name)
		file, err := t.writeFile(l, r.files)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", l.name, err)
		}
		entry.Files = append(entry.Files, file)
	}
	r.out.Manifest.Parts = append(r.out.Manifest.Parts, entry)
	r.out.Placed = append(r.out.Placed, t.placement(entry.Part))
	next.sums.add(t)
	next.written[of.last] += uint32(len(t.classes))
	return t, nil
}

func (t *table) writeFile(l layout, files Files) (FileEntry, error) {
	w, err := files.Create(l.name)
	if err != nil {
		return FileEntry{}, err
	}
	entry, err := t.write(l, w)
	entry.Name = path.Base(l.name)
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	return entry, err
}

func writeAll(files creator, name string, data []byte) error {
	w, err := files.Create(name)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	return err
}

// creator makes files.
type creator interface {
	Create(name string) (io.WriteCloser, error)
}
