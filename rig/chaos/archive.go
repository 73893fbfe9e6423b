package chaos

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// archive is what somebody has who copies every release as soon as it has its name.
type archive struct {
	dir    string            // of the releases
	files  map[string]string // content by path below dir
	ledger string
	sealed map[int]sealed // by release: the lines of the ledger
	judged []byte         // the file of judged pools next to it; nil: there was none
}

func newArchive(dir string) *archive {
	return &archive{dir: dir, files: map[string]string{}, sealed: map[int]sealed{}}
}

// see copies what is new, and compares what was seen before: a release never changes,
// also one that was made again after a crash. damaged says that files may be, which
// are then not copied.
func (a *archive) see(damaged bool) error {
	now, err := releaseFiles(a.dir)
	if err != nil {
		return err
	}
	if damaged {
		return nil
	}
	for path, content := range now {
		if old, known := a.files[path]; known && old != content {
			return fmt.Errorf("%s was published with other bytes before", path)
		}
	}
	if err := errors.Join(whole(now), a.gone(now), a.seals()); err != nil {
		return err
	}
	for path, content := range now {
		a.files[path] = content
	}
	if text, err := os.ReadFile(a.ledger + ".pools"); err == nil {
		a.judged = text
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// gone checks that a release whose files were pruned has left its manifest, and that it is
// an old one. A release without files that is newer than all others was not durable.
func (a *archive) gone(now map[string]string) error {
	newest := ""
	for path := range now {
		newest = max(newest, path[:6])
	}
	for path, content := range a.files {
		release, name, _ := strings.Cut(path, "/")
		if _, there := now[path]; there || name != "manifest.json" || release > newest {
			continue
		}
		if !a.pruned(release, content) {
			return fmt.Errorf("release %s is gone, and its manifest is not among those of pruned releases", release)
		}
	}
	return nil
}

// pruned reports whether the files of a release were pruned, whose manifest is given.
func (a *archive) pruned(release, manifest string) bool {
	left, err := os.ReadFile(filepath.Join(a.dir, "pruned", release+".json"))
	return err == nil && string(left) == manifest
}

// newest is the number of the newest release that was ever seen.
func (a *archive) newest() string {
	newest := ""
	for path := range a.files {
		if release, _, ok := strings.Cut(path, "/"); ok {
			newest = max(newest, release)
		}
	}
	return newest
}

// pick draws a file of the newest release, or of an older one; empty if there is none.
func (a *archive) pick(ofNewest bool, draw uint32) string {
	var of []string
	newest := a.newest()
	for path := range a.files {
		release, _, _ := strings.Cut(path, "/")
		if (release == newest) == ofNewest {
			of = append(of, path)
		}
	}
	if len(of) == 0 {
		return ""
	}
	slices.Sort(of)
	return of[int(draw/8)%len(of)]
}

// restore puts back what differs on the disk.
func (a *archive) restore(put func(path, content string) error) error {
	now, err := releaseFiles(a.dir)
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for path := range now {
		kept[path[:6]] = true
	}
	for path, content := range a.files {
		if there, ok := now[path]; ok && there == content {
			continue
		}
		if release := path[:6]; !kept[release] && a.pruned(release, a.files[release+"/manifest.json"]) {
			continue
		}
		if err := put(path, content); err != nil {
			return err
		}
	}
	return nil
}

// releaseFiles reads all files of releases that have their name.
func releaseFiles(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || d.IsDir() {
			return err
		}
		if release, _, ok := strings.Cut(name, "/"); !ok || len(release) != 6 || strings.Trim(release, "0123456789") != "" {
			return nil // CURRENT, manifests of pruned releases, and what is being rendered
		}
		content, err := os.ReadFile(path)
		out[name] = string(content)
		return err
	})
	return out, err
}

// manifest is what the harness reads of a manifest.json.
type manifest struct {
	Records    int    `json:"records"`
	PeopleEver int    `json:"people_ever"`
	CreatedAt  string `json:"created_at"`
	Parts      []part `json:"parts"`
	Union      *struct {
		Shards []struct {
			Shard   int    `json:"shard"`
			Release int    `json:"release"`
			SHA256  string `json:"sha256"`
		} `json:"shards"`
	} `json:"union"`
}

type part struct {
	Shard *int   `json:"shard"` // of a union
	Part  string `json:"part"`
	Dead  []int  `json:"dead"`
	Files []struct {
		Name   string `json:"name"`
		SHA256 string `json:"sha256"`
	} `json:"files"`
}

// dir is where a part lies below its release.
func (p *part) dir() string {
	if p.Shard == nil {
		return p.Part
	}
	return fmt.Sprintf("shard-%d/%s", *p.Shard, p.Part)
}

// whole checks that a release that has its name has all that its manifest names.
func whole(files map[string]string) error {
	releases := map[string]bool{}
	for path := range files {
		release, _, _ := strings.Cut(path, "/")
		releases[release] = true
	}
	for release := range releases {
		m, err := manifestOf(files, release)
		if err != nil {
			return err
		}
		for path, sum := range m.sums() {
			content, there := files[release+"/"+path]
			if is := sha256.Sum256([]byte(content)); !there || hex.EncodeToString(is[:]) != sum {
				return fmt.Errorf("a release has its name and is not whole: %s/%s", release, path)
			}
		}
	}
	return nil
}

// sums are the SHA-256 of what a manifest names, by path below the release.
func (m *manifest) sums() map[string]string {
	out := map[string]string{}
	for _, p := range m.Parts {
		for _, f := range p.Files {
			out[p.dir()+"/"+f.Name] = f.SHA256
		}
	}
	if m.Union == nil {
		return out
	}
	for _, s := range m.Union.Shards {
		if s.Release > 0 {
			out[fmt.Sprintf("shard-%d/manifest.json", s.Shard)] = s.SHA256
		}
	}
	return out
}

func manifestOf(files map[string]string, release string) (m manifest, err error) {
	text, there := files[release+"/manifest.json"]
	if !there {
		return m, fmt.Errorf("a release has its name and no manifest: %s", release)
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return m, fmt.Errorf("%s/manifest.json: %w", release, err)
	}
	return m, nil
}

// restoreReleases copies back what differs from the archive.
func (s *site) restoreReleases() error {
	for _, a := range s.archives() {
		if err := a.restore(func(path, content string) error { return s.put(filepath.Join(a.dir, path), content) }); err != nil {
			return err
		}
	}
	s.damaged = false
	if _, err := s.judged(); err != nil && s.archive.judged != nil {
		if err := s.put(s.judgedPath(), string(s.archive.judged)); err != nil {
			return err
		}
	}
	for _, a := range s.archives() {
		current := filepath.Join(a.dir, "CURRENT")
		if text, err := os.ReadFile(current); a.newest() == "" || len(text) == 7 && err == nil {
			continue
		}
		if err := s.put(current, a.newest()+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// flipRelease turns a bit of a file of the newest release, or of an older one. Other
// releases that have the file keep it as it was.
func (s *site) flipRelease(f *fault) error {
	now, err := releaseFiles(s.archive.dir)
	path := s.archive.pick(strings.HasSuffix(f.Do, "-newest"), f.Draw)
	content, there := now[path]
	if !there || err != nil {
		return err
	}
	s.damaged = true
	if strings.HasSuffix(f.Do, "-older") {
		f.take(s.log.Len())
	}
	return s.put(filepath.Join(s.archive.dir, path), string(flipped([]byte(content), f.Draw/2)))
}
