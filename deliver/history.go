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

// history reads what each release of a directory published first, and which classes died
// in it: what has to be added to a copy that has the releases before. It only reads.
//
// Pruned releases are there, too (rules N and A: no row ever leaves, and none changes):
// their manifests stay, and their rows are in the parts of later releases. A part that was
// joined with others is cut out again, and has the SHA-256 that its own release says.
//
// Not safe for concurrent use.
type history struct {
	files snapshot.FS
	dir   string
	born  map[uint32][]snapshot.PartEntry // what releases gave birth to, as far as it was asked
}

// NewHistory reads a releases directory.
func NewHistory(files snapshot.FS, dir string) *history {
	return &history{files: files, dir: dir, born: map[uint32][]snapshot.PartEntry{}}
}

// Published is a release as its manifest describes it.
type Published struct {
	Manifest *snapshot.Manifest
	Text     []byte // of manifest.json
	SHA256   [32]byte
}

// BirthsOf are the parts that a release gave birth to. Parts that were joined are none.
func BirthsOf(m *snapshot.Manifest) (out []snapshot.PartEntry) {
	for _, p := range m.Parts {
		if p.Release == m.Release && len(p.Replaces) == 0 {
			out = append(out, p)
		}
	}
	return out
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

// births are those of a release, remembered.
func (h *history) births(release uint32) ([]snapshot.PartEntry, error) {
	if known, ok := h.born[release]; ok {
		return known, nil
	}
	p, err := h.Published(release)
	if err != nil {
		return nil, err
	}
	births := BirthsOf(p.Manifest)
	if len(births) == 0 {
		return nil, fmt.Errorf("%w: release %d has no part of its own", snapshot.ErrDamaged, release)
	}
	for i := range births {
		births[i].Dead = nil
	}
	h.born[release] = births
	return births, nil
}

// Within lists the parts, as they were first published, of which a part is made, oldest first. births
// returns the parts that a release published first.
func Within(p *snapshot.PartEntry, births func(release uint32) ([]snapshot.PartEntry, error)) (out []snapshot.PartEntry, err error) {
	first, last := p.Births()
	for n := first; n <= last; n++ {
		births, err := births(n)
		if err != nil {
			return nil, err
		}
		for _, b := range births {
			if from, to := b.Births(); from >= first && to <= last {
				out = append(out, b)
			}
		}
	}
	return out, nil
}

// Died is a class that died, by the part in which it was born.
type Died struct {
	Part  string
	Class uint32
}

// Deaths are the classes that died in a release, in the order of their births.
func (h *history) Deaths(of *snapshot.Manifest) ([]Died, error) {
	now, err := h.deadIn(of)
	if err != nil || len(now) == 0 || of.Release == 1 {
		return now, err
	}
	p, err := h.Published(of.Release - 1)
	if err != nil {
		return nil, err
	}
	before, err := h.deadIn(p.Manifest)
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
func (h *history) deadIn(m *snapshot.Manifest) (out []Died, err error) {
	for i := range m.Parts {
		p := &m.Parts[i]
		if len(p.Dead) == 0 {
			continue
		}
		births, err := Within(p, h.births)
		if err != nil {
			return nil, err
		}
		dead, before := p.Dead, uint32(0)
		for _, b := range births {
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
	if of.Release > 1 {
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
