package topic

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"anond/deliver"
	"anond/internal/fault"
	"anond/snapshot"
	"anond/snapshot/describe"
)

// ErrNotWhole: the topic does not have the release, or not all of it.
var ErrNotWhole = fault.Errorf(fault.Failed, "anond-deliver kafka sends what is missing of a release; other releases: --release",
	"the topic does not have the whole release")

// Rebuilt is a release that was made again.
type Rebuilt struct {
	Dataset  string
	Release  uint32
	Files    int // data files, each with the size and SHA-256 that the manifest says
	Rows     int
	Bytes    int64
	Manifest [32]byte // SHA-256
}

// rebuilding is a release on its way into a directory.
type rebuilding struct {
	*Collector
	dir      string // of the releases; not there before
	work     string // births that the release holds joined
	release  uint32
	manifest *snapshot.Manifest
	pieces   deliver.Pieces
	copies   map[string]string // of hierarchies, with their SHA-256
	out      Rebuilt
}

// Rebuild makes a releases directory with one release: its files, the manifests of all
// releases before it, the hierarchies, and CURRENT. It demands that each file is what the
// manifest says, that the manifests are a chain, and that the classes which the topic says
// died are those that the manifest says are dead. dir must not exist; it appears whole or
// not at all.
func (c *Collector) Rebuild(release uint32, dir string) (out Rebuilt, err error) {
	first, newest := c.Ends()
	if release < first || release > newest || first == 0 {
		return out, c.notWhole(release)
	}
	if _, err := os.Lstat(dir); err == nil {
		return out, fmt.Errorf("%s is there already", dir)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".anond-consume-")
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	r := &rebuilding{Collector: c, dir: filepath.Join(tmp, "releases"), work: filepath.Join(tmp, "joined"), release: release,
		copies: map[string]string{}, out: Rebuilt{Dataset: c.dataset, Release: release}}
	for _, step := range []func() error{r.manifests, r.documents, r.parts, r.dead, r.current} {
		if err := step(); err != nil {
			return out, fmt.Errorf("release %d: %w", release, err)
		}
	}
	return r.out, os.Rename(r.dir, dir)
}

func (c *Collector) notWhole(release uint32) error {
	if c.first == 0 {
		return fmt.Errorf("%w: it has no marker of any release", ErrNotWhole)
	}
	if release < c.first {
		return fmt.Errorf("%w: it begins with release %d", ErrNotWhole, c.first)
	}
	for n := c.first; n < release; n++ {
		if lacks := c.lacks(n); lacks != "" {
			return fmt.Errorf("%w: of release %d, before it, it lacks %s", ErrNotWhole, n, lacks)
		}
	}
	return fmt.Errorf("%w: it lacks %s", ErrNotWhole, c.lacks(release))
}

// manifests writes the manifests of all releases up to this one, and their hierarchies.
func (r *rebuilding) manifests() error {
	var before *deliver.Published
	for n := r.first; n <= r.release; n++ {
		text, err := r.text(n, manifestStream)
		if err != nil {
			return err
		}
		p, err := deliver.ParsePublished(text, n)
		if err != nil {
			return err
		}
		if hex.EncodeToString(p.SHA256[:]) != r.releases[n].marker.Manifest {
			return fmt.Errorf("the manifest of release %d is not that of its marker", n)
		}
		if before != nil && (p.Manifest.Previous == nil || p.Manifest.Previous.SHA256 != hex.EncodeToString(before.SHA256[:])) {
			return fmt.Errorf("the manifest of release %d does not follow that of release %d", n, n-1)
		}
		name := fmt.Sprintf("pruned/%06d.json", n)
		if before, r.manifest, r.out.Manifest = p, p.Manifest, p.SHA256; n == r.release {
			name = fmt.Sprintf("%06d/manifest.json", n)
		}
		if err := r.write(name, text); err != nil {
			return err
		}
		if r.pieces, _, err = r.pieces.After(p.Manifest); err != nil {
			return err
		}
		if err := r.hierarchies(n, p.Manifest); err != nil {
			return err
		}
	}
	return nil
}

// documents writes what describes the release: the topic need not have it, since it follows from the manifest.
func (r *rebuilding) documents() error {
	m := *r.manifest
	if m.Documents = nil; len(r.manifest.Documents) == 0 {
		return nil
	}
	documents, err := describe.Of(&m)
	for i := 0; err == nil && i < len(documents); i++ {
		if d := documents[i]; i >= len(r.manifest.Documents) || d.Document != r.manifest.Documents[i] {
			return fmt.Errorf("%s does not follow from the manifest: make the release again with the version that wrote it", d.Name)
		}
		err = r.write(fmt.Sprintf("%06d/%s", r.release, documents[i].Name), documents[i].Text)
	}
	return err
}

// hierarchies writes the copies that a release brought. It needs all that it names.
func (r *rebuilding) hierarchies(release uint32, m *snapshot.Manifest) error {
	for _, h := range m.Copies() {
		if !h.Placed() || r.copies[h.File] == h.SHA256 {
			continue // of this release twice, or an earlier one brought it
		}
		text, err := r.text(release, h.File)
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != h.SHA256 {
			return fmt.Errorf("%s is not what the manifest of release %d says", h.File, release)
		}
		r.copies[h.File] = h.SHA256
		if err := r.write(h.File, text); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file of the releases directory.
func (r *rebuilding) write(name string, content []byte) error {
	w, err := create(filepath.Join(r.dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return errors.Join(err, w.Close())
}

func create(path string) (io.WriteCloser, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
}

// parts writes the parts of the release.
func (r *rebuilding) parts() error {
	for i := range r.manifest.Parts {
		if err := r.part(&r.manifest.Parts[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *rebuilding) part(p *snapshot.PartEntry) error {
	births := r.pieces.Of(p)
	to := filepath.Join(r.dir, fmt.Sprintf("%06d", r.release))
	from := to
	if len(births) != 1 || births[0].Part != p.Part {
		from = r.work
	}
	for _, b := range births {
		for _, f := range b.Files {
			if r.left(b.Release, path.Join(b.Part, f.Name)) {
				return fmt.Errorf("%w: %s of release %d has left with a later release", ErrNotWhole, b.Part, b.Release)
			}
			if err := r.file(&b, f, from); err != nil {
				return err
			}
		}
	}
	have := births[0].Files
	if from != to {
		open := func(path string) (io.ReadCloser, error) {
			return os.Open(filepath.Join(from, filepath.FromSlash(path)))
		}
		joined, err := snapshot.JoinParts(r.manifest, p.Part, births, open, func(path string) (io.WriteCloser, error) {
			return create(filepath.Join(to, filepath.FromSlash(path)))
		})
		if err != nil {
			return err
		}
		have = joined.Files
	}
	for i, f := range p.Files {
		if i >= len(have) || have[i] != f {
			return fmt.Errorf("%s is not what the manifest says", path.Join(p.Part, f.Name))
		}
		r.out.Files, r.out.Rows, r.out.Bytes = r.out.Files+1, r.out.Rows+f.Rows, r.out.Bytes+f.Bytes
	}
	return os.RemoveAll(r.work)
}

// file writes a file of a part from its rows.
func (r *rebuilding) file(b *snapshot.PartEntry, f snapshot.FileEntry, dir string) error {
	if f.Name != filepath.Base(f.Name) {
		return fmt.Errorf("the manifest names a file outside of %s", b.Part)
	}
	w, err := create(filepath.Join(dir, b.Part, f.Name))
	if err != nil {
		return err
	}
	out := newFileOf(w)
	err = r.each(b.Release, path.Join(b.Part, f.Name), func(value []byte) error {
		rows, err := decodeRows(value)
		if err == nil {
			err = out.rows(rows)
		}
		return err
	})
	if err = errors.Join(err, out.flush(), w.Close()); err != nil {
		return fmt.Errorf("%s: %w", path.Join(b.Part, f.Name), err)
	}
	if have := out.entry(f.Name); have != f {
		return fmt.Errorf("%s has %d rows and SHA-256 %s, the manifest of release %d says %d with %s", path.Join(b.Part, f.Name), have.Rows,
			have.SHA256, b.Release, f.Rows, f.SHA256)
	}
	return nil
}

func (r *rebuilding) current() error {
	return r.write("CURRENT", []byte(fmt.Sprintf("%06d\n", r.release)))
}
