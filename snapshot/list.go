package snapshot

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"anond/equivclass"
)

// Info is one release as `anond release list` shows it.
type Info struct {
	Release      uint32               `json:"release"`
	Current      bool                 `json:"current"`
	Pruned       bool                 `json:"pruned,omitempty"` // its files are gone
	CreatedAt    string               `json:"created_at"`
	Records      int                  `json:"records"`
	Newcomers    int                  `json:"newcomers"` // -1 if the release before is not there
	Classes      int                  `json:"classes"`
	Buckets      int                  `json:"buckets,omitempty"` // level L2
	Pending      int                  `json:"pending"`
	KMin         int                  `json:"k_min"`
	MaxFrequency float64              `json:"max_frequency"`
	Allowed      float64              `json:"-"` // see Privacy
	Reached      []equivclass.Reached `json:"-"` // by sensitive attribute
	NCP          float64              `json:"ncp"`
	Certificate  string               `json:"certificate"`
	SHA256       string               `json:"sha256"` // of manifest.json
}

// ErrNoRelease: the release that was asked for is not there.
var ErrNoRelease = errors.New("there is no such release")

// List returns the releases in a directory, pruned ones too, oldest first, as their
// manifests describe them. It checks nothing; see Verify.
func List(files FS, dir string) ([]Info, error) { return ListNewest(files, dir, math.MaxInt) }

// ListNewest is List of the newest releases, at most so many. It reads their manifests
// and that of the release before them alone.
func ListNewest(files FS, dir string, most int) ([]Info, error) {
	on, err := Scan(files, dir)
	if err != nil {
		return nil, err
	}
	list := on.All()
	if len(list)-1 > most {
		list = list[len(list)-1-most:]
	}
	out, err := infos(files, dir, list, on)
	if err != nil {
		return nil, err
	}
	return out[max(0, len(out)-most):], nil
}

// infos reads the manifests of releases.
func infos(files FS, dir string, releases []uint32, on *Contents) ([]Info, error) {
	out, ever := make([]Info, 0, len(releases)), 0
	for _, n := range releases {
		m, sum, err := on.ManifestOf(files, dir, n)
		if err != nil {
			return nil, err
		}
		top, allowed := m.Top()
		info := Info{Release: n, Current: n == on.Current, Pruned: on.IsPruned(n), CreatedAt: m.CreatedAt, Records: m.Records, Newcomers: -1,
			Classes: m.Classes, Buckets: m.Buckets, Pending: m.Pending, KMin: m.Least(), MaxFrequency: top,
			Allowed: allowed, Reached: m.Reached(), NCP: m.Quality.NCP, Certificate: m.Privacy.Certificate,
			SHA256: hex.EncodeToString(sum[:])}
		switch {
		case n == 1:
			info.Newcomers = m.Records
		case len(out) > 0 && out[len(out)-1].Release == n-1:
			info.Newcomers = max(m.Records, m.PeopleEver) - ever // some may have left
		}
		ever = max(m.Records, m.PeopleEver)
		out = append(out, info)
	}
	return out, nil
}

// Show returns the manifest of a release, also of a pruned one; 0 asks for the one CURRENT
// names.
func Show(files FS, dir string, release uint32) (*Manifest, error) {
	on, err := Scan(files, dir)
	if err != nil {
		return nil, err
	}
	if release == 0 {
		release = on.Current
	}
	if !on.Has(release) && !on.IsPruned(release) {
		return nil, fmt.Errorf("%w: %s has no release %d", ErrNoRelease, dir, release)
	}
	m, _, err := on.ManifestOf(files, dir, release)
	return m, err
}

// Count is how many releases have their files in a directory.
func Count(files FS, dir string) (int, error) {
	on, err := Scan(files, dir)
	if err != nil {
		return 0, err
	}
	return len(on.Releases), nil
}
