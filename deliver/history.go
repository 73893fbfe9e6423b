package deliver

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"anond/snapshot"
)

// history reads what each release of a directory published first, what left with it, and which classes died in it: what has
// to be done to a copy that has the releases before. It only reads.
//
// Pruned releases are there, too (rules N and A: a row leaves by rule W alone, and none changes): their manifests stay, and
// their rows are in the parts of later releases. A part that was joined with others is cut out again, and has the SHA-256
// that its own release says.
//
// Not safe for concurrent use.
type history struct {
	files snapshot.FS
	dir   string
	near  walk // to the release that is delivered
	far   walk // to the newest one
}

// walk is how far the releases were gone through, from the first one on.
type walk struct {
	at     uint32
	before Pieces // of the release before
	pieces Pieces
	step   Step
}

// NewHistory reads a releases directory.
func NewHistory(files snapshot.FS, dir string) *history { return &history{files: files, dir: dir} }

// Published is a release as its manifest describes it.
type Published struct {
	Manifest *snapshot.Manifest
	Text     []byte // of manifest.json
	SHA256   [32]byte
}

// Published reads the manifest of a release, also of a pruned one.
func (h *history) Published(release uint32) (*Published, error) {
	text, err := h.files.ReadFile(filepath.Join(snapshot.DirOf(h.dir, release), snapshot.ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = h.files.ReadFile(snapshot.PrunedPath(h.dir, release))
	}
	if err != nil {
		return nil, err
	}
	return ParsePublished(text, release)
}

// ParsePublished reads the text of a manifest, which must be that of a release.
func ParsePublished(text []byte, release uint32) (*Published, error) {
	m, err := snapshot.DecodeManifest(text)
	if err == nil && m.Release != release {
		err = fmt.Errorf("%w: %s is that of another release", snapshot.ErrDamaged, snapshot.ManifestName)
	}
	if err != nil {
		return nil, fmt.Errorf("release %s: %w", snapshot.DirName(release), err)
	}
	return &Published{m, text, sha256.Sum256(text)}, nil
}

// to goes on to a release, or begins again.
func (h *history) to(w *walk, release uint32) error {
	if w.at > release || w.at == 0 {
		p, err := h.Published(release)
		if err != nil {
			return err
		}
		*w = walk{at: p.Manifest.First() - 1}
	}
	for w.at < release {
		p, err := h.Published(w.at + 1)
		if err != nil {
			return err
		}
		pieces, step, err := w.pieces.After(p.Manifest)
		if err != nil {
			return err
		}
		*w = walk{w.at + 1, w.pieces, pieces, step}
	}
	return nil
}

// Pieces are those of a release.
func (h *history) Pieces(release uint32) (Pieces, error) {
	err := h.to(&h.far, release)
	return h.far.pieces, err
}

// Step is what a release changed.
func (h *history) Step(release uint32) (Step, error) {
	err := h.to(&h.near, release)
	return h.near.step, err
}

// Died is a class that died, by the part in which it was born.
type Died struct {
	Part  string
	Class uint32
}

// Deaths are the classes that died in a release, in the order of their births.
func (h *history) Deaths(of *snapshot.Manifest) ([]Died, error) {
	if err := h.to(&h.near, of.Release); err != nil {
		return nil, err
	}
	now, err := deadIn(of, h.near.pieces)
	if err != nil || len(now) == 0 || of.Release == of.First() {
		return now, err
	}
	p, err := h.Published(of.Release - 1)
	if err != nil {
		return nil, err
	}
	before, err := deadIn(p.Manifest, h.near.before)
	if err != nil {
		return nil, err
	}
	known := make(map[Died]bool, len(before))
	for _, d := range before {
		known[d] = true
	}
	return slices.DeleteFunc(now, func(d Died) bool { return known[d] }), nil
}

// deadIn are all classes that are dead in a release.
func deadIn(m *snapshot.Manifest, pieces Pieces) (out []Died, err error) {
	for i := range m.Parts {
		p := &m.Parts[i]
		dead, before := p.Dead, uint32(0)
		if len(dead) == 0 {
			continue
		}
		for _, b := range pieces.Of(p) {
			for len(dead) > 0 && dead[0] <= before+uint32(b.Classes) {
				out = append(out, Died{b.Part, dead[0] - before})
				dead = dead[1:]
			}
			before += uint32(b.Classes)
		}
		if len(dead) > 0 {
			return nil, fmt.Errorf("%w: release %d: a dead class of %s was born in none of its parts", snapshot.ErrDamaged,
				m.Release, p.Part)
		}
	}
	return out, nil
}

// hierarchyCopy is a file next to the releases: a hierarchy, or the counts of a declared reference.
type hierarchyCopy struct {
	Name string // below the directory
	Text []byte
}

// Hierarchies are the files next to the releases that a release names, and the one before does
// not.
func (h *history) Hierarchies(of *snapshot.Manifest) (out []hierarchyCopy, err error) {
	known := map[string]bool{}
	if of.Release > of.First() {
		p, err := h.Published(of.Release - 1)
		if err != nil {
			return nil, err
		}
		for _, e := range p.Manifest.Copies() {
			known[e.File] = true
		}
	}
	for _, e := range of.Copies() {
		if known[e.File] || !e.Placed() {
			continue
		}
		known[e.File] = true
		text, err := h.files.ReadFile(filepath.Join(h.dir, filepath.FromSlash(e.File)))
		if err != nil {
			return nil, err
		}
		if s := sha256.Sum256(text); hex.EncodeToString(s[:]) != e.SHA256 {
			return nil, fmt.Errorf("%w: %s is not what the manifest of release %d says", snapshot.ErrDamaged, e.File, of.Release)
		}
		out = append(out, hierarchyCopy{e.File, text})
	}
	return out, nil
}
