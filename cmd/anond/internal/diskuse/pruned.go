package diskuse

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
)

// Where old releases are pruned, a file's time says little about growth: compactions write
// again what older files held, and those are removed. What is left holds each row of the
// dataset about once, so it grows as the published records do, which the manifests tell.

// prunedDir has the manifests of pruned releases.
const prunedDir = "pruned"

// moment is what a manifest says of growth.
type moment struct {
	At      time.Time `json:"created_at"`
	Records int       `json:"records"`
}

// prunedPerDay is the growth of a day of releases that are pruned; false: none is, or
// manifests cannot be read.
func prunedPerDay(dir string, used int64, now time.Time) (int64, bool) {
	paths := manifestsOf(filepath.Join(dir, prunedDir), "", ".json")
	if len(paths) == 0 {
		return 0, false
	}
	paths = append(paths, manifestsOf(dir, "manifest.json", "")...)
	read := func(i int) (m moment, ok bool) {
		data, err := os.ReadFile(paths[i])
		return m, err == nil && json.Unmarshal(data, &m) == nil
	}
	newest, ok := read(len(paths) - 1)
	if !ok || newest.Records == 0 {
		return 0, false
	}
	// The newest release before the window; without one the first.
	from := sort.Search(len(paths), func(i int) bool { m, ok := read(i); return ok && now.Sub(m.At) < window })
	old, ok := read(max(0, from-1))
	if !ok {
		return 0, false
	}
	added := newest.Records - old.Records
	if from == 0 { // the chain is younger: all of it is new
		added = newest.Records
	}
	span := min(window, max(day, now.Sub(old.At)))
	return int64(float64(used) * float64(added) / float64(newest.Records) / (float64(span) / float64(day))), true
}

// manifestsOf lists manifests in order of release: files with an ending, or what lies
// below directories.
func manifestsOf(dir, below, ending string) (out []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		number, ok := strings.CutSuffix(e.Name(), ending)
		if ok && len(number) >= 6 && strings.Trim(number, "0123456789") == "" {
			out = append(out, filepath.Join(dir, e.Name(), below))
		}
	}
	slices.SortFunc(out, func(a, b string) int { // seven digits come behind six
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return out
}
