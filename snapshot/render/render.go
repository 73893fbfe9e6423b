package render

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"anond/snapshot"
	"anond/snapshot/describe"
)

// ErrView: the view contradicts itself; rendering it would publish nonsense.
var ErrView = errors.New("the view of the release contradicts itself")

// Files is where a rendering goes, and where it finds what it takes over.
type Files interface {
	// Create makes a new file of the release, by its path in it.
	Create(name string) (io.WriteCloser, error)
	// Keep makes a file of the release before a file of this one, under the same
	// name; entry is what the manifest says of it.
	Keep(name string, entry snapshot.FileEntry) error
	// Open opens a file of the release before.
	Open(name string) (io.ReadCloser, error)
}

// Rendered is what a rendering gave.
type Rendered struct {
	Manifest snapshot.Manifest
	SHA256   [32]byte // of manifest.json
	// Placed is who is in which class of the parts that were written of records.
	// Private: for the gate. Parts taken over and compacted parts have none.
	Placed []Placement
	Next   *Carried
}

// rendering is one release on its way into files.
type rendering struct {
	*source
	in       *Input
	settings *Settings
	from     *Carried
	files    Files
	births   []Class
	deaths   []Class
	gathered *Input // the same classes, of which tables are made
	out      Rendered
}

// Render writes the parts and the manifest of the release that the input shows,
// behind the one that from describes.
//
// Guarantee: the bytes are a function of the input's history, the settings and
// the manifest before. They do not depend on the numbering of records, classes or
// dictionary codes, nor on the number of workers, nor on what was carried and
// what was counted anew. Cost: that of what is born, of what dies and of the
// parts that are joined; and a link for each file that is taken over.
func Render(in *Input, s *Settings, from *Carried, files Files) (*Rendered, error) {
	if in.Release == 0 || in.Release != from.Release()+1 || in.Since > from.Release() {
		return nil, fmt.Errorf("%w: it does not follow release %d", ErrView, from.Release())
	}
	in, s = in.InEra(s)
	r := &rendering{in: in, settings: s, from: from, files: files}
	r.births, r.deaths = in.changed()
	leaves := from.manifest != nil && (in.Expired > from.manifest.Expired || in.Shared && len(r.deaths) > 0)
	if len(r.births) == 0 && !leaves {
		return nil, fmt.Errorf("%w: release %d gives birth to nothing, and nothing leaves", ErrView, in.Release)
	}
	err := r.checkEras()
	if err != nil {
		return nil, err
	}
	if err = checkClasses(in); err != nil {
		return nil, err
	}
	if err = r.checkBuckets(); err != nil {
		return nil, err
	}
	if r.source, r.gathered, err = r.era(len(in.Former)); err != nil {
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
	if err := r.describe(); err != nil {
		return nil, err
	}
	data, err := r.out.Manifest.Encode()
	if err != nil {
		return nil, err
	}
	out := r.out
	out.SHA256 = sha256.Sum256(data)
	published := out.Manifest // what is carried must hold neither the rendering, nor through it all renderings before
	out.Next.manifest, out.Next.Sha256 = &published, out.SHA256
	if err := r.writeText(snapshot.ManifestName, data); err != nil {
		return nil, err
	}
	return &out, nil
}

// write makes the parts, and what the manifest says of them together.
func (r *rendering) write() error {
	next := &Carried{numbers: r.from.numbers, written: slices.Clone(r.from.written), bucket: max(r.from.bucket, newestBucket(r.births)),
		sums: r.from.behind(r.in.Expired), addresses: r.from.addresses.clone()}
	r.out.Next = next
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
	if err := r.outdate(); err != nil {
		return err
	}
	m, sums := &r.out.Manifest, next.of(len(r.in.Former), r.source)
	m.Records, m.Classes = sums.records, sums.classes
	if r.in.Shared {
		m.Buckets = sums.buckets()
	}
	if err := r.listEras(); err != nil {
		return err
	}
	if m.Window != "" || m.Erasure != nil {
		if m.PeopleEver = own.records; r.from.manifest != nil {
			m.PeopleEver += r.from.manifest.PeopleEver
		}
	}
	if i := r.in.Committed; i != nil && (m.Records != i.Records || m.Classes != i.Classes) {
		return fmt.Errorf("%w: it holds %d records in %d classes, its intent names %d in %d", ErrView, m.Records, m.Classes, i.Records, i.Classes)
	}
	r.recoding.mark(m)
	m.Quality = sums.quality(own, r.settings.Policy.K)
	m.Privacy = sums.privacy(own, r.from.frozen(), len(r.deaths) > 0 && !r.in.Shared)
	for _, pair := range r.pairs {
		m.Tables = append(m.Tables, []string{r.sa[pair[0]].name, r.sa[pair[1]].name})
	}
	return nil
}

// describe writes the documents, which are functions of the manifest.
func (r *rendering) describe() error {
	documents, err := describe.Of(&r.out.Manifest)
	for i := 0; err == nil && i < len(documents); i++ {
		r.out.Manifest.Documents = append(r.out.Manifest.Documents, documents[i].Document)
		err = r.writeText(documents[i].Name, documents[i].Text)
	}
	return err
}

func (r *rendering) writeText(name string, text []byte) error {
	w, err := r.files.Create(name)
	if err == nil {
		_, err = w.Write(text)
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (t *table) writeFile(l layout, files Files) (snapshot.FileEntry, error) {
	w, err := files.Create(l.name)
	if err != nil {
		return snapshot.FileEntry{}, err
	}
	entry, err := t.write(l, w)
	entry.Name = path.Base(l.name)
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	return entry, err
}

// Table renders the living classes of an input as one table, by the code that writes a part, as if nothing had
// been published before: the entries of its files, and what a manifest would say of it. They are of the era of its release.
func Table(in *Input, s *Settings, files Files) (*snapshot.Manifest, error) {
	in, s = in.InEra(s)
	living := *in.only(len(in.Former))
	living.Dead = nil
	if err := checkClasses(&living); err != nil {
		return nil, err
	}
	living = *living.gather(s.workers())
	src, err := newSource(&living, s)
	if err != nil {
		return nil, err
	}
	t, err := src.table(living.Classes)
	if err != nil {
		return nil, err
	}
	entry, err := t.writeFiles("", s, files)
	if err != nil {
		return nil, err
	}
	sums := newSums(len(src.cols), len(src.sa))
	sums.add(t)
	return &snapshot.Manifest{Parts: []snapshot.PartEntry{entry}, Quality: sums.quality(t, s.Policy.K),
		Privacy: sums.privacy(t, len(in.Dead) == 0, false)}, nil
}

// Births renders once more what a release gives birth to, without writing it, and says what
// the files are: the entries that the manifest of the release has for its own part. The bytes are
// those of Render, by the same code; what stands in earlier releases is not looked at.
//
// It is for a replay (anond audit --replay), which renders an input also with the values of others:
// by rule B (buckets) no byte of level L2 may follow from who of a bucket has which of its values.
func Births(in *Input, s *Settings) ([]snapshot.FileEntry, error) {
	born := *in
	if born.Classes, _ = in.changed(); len(born.Classes) == 0 {
		return nil, fmt.Errorf("%w: release %d gives birth to nothing", ErrView, in.Release)
	}
	m, err := Table(&born, s, nowhere{})
	if err != nil {
		return nil, err
	}
	return m.Parts[0].Files, nil
}

// nowhere takes files in and keeps nothing.
type nowhere struct{ Files }

func (nowhere) Create(string) (io.WriteCloser, error) { return nowhere{}, nil }

func (nowhere) Write(text []byte) (int, error) { return len(text), nil }

func (nowhere) Close() error { return nil }
