package audit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anond/snapshot/audit/format"
)

// checkTop looks for what nothing names next to the releases. hierarchies are the copies that
// manifests name; nil: a manifest was not read.
func checkTop(o Options, union bool, hierarchies map[string]bool, f *format.Faults) error {
	number := func(e os.DirEntry, suffix string) bool {
		digits, ok := strings.CutSuffix(e.Name(), suffix)
		return ok && format.ParseDirName(digits) > 0 && e.IsDir() == (suffix == "")
	}
	found, err := os.ReadDir(o.Releases)
	if err != nil {
		return &format.UnreadableError{File: o.Releases, Reason: "cannot be listed", Err: err}
	}
	// The copies of a release in progress may be there.
	rendering := slices.ContainsFunc(found, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".tmp-") })
	directories := []string{".", "hierarchies", format.PrunedDir, "shards", "intents"}
	if !union {
		directories = directories[:3]
	}
	for _, in := range []struct {
		dir   string
		named func(e os.DirEntry) bool
	}{
		{".", func(e os.DirEntry) bool {
			return number(e, "") || e.IsDir() && slices.Contains(directories, e.Name()) || !e.IsDir() && e.Name() == "CURRENT" ||
				filepath.Clean(o.Ledger) == filepath.Join(o.Releases, e.Name())
		}},
		{format.PrunedDir, func(e os.DirEntry) bool { return number(e, ".json") }},
		{"intents", func(e os.DirEntry) bool { return number(e, "") }},
		{"shards", func(e os.DirEntry) bool { _, ok := format.ParseCount([]byte(e.Name())); return ok && e.IsDir() }},
		{"hierarchies", func(e os.DirEntry) bool { return rendering || hierarchies == nil || hierarchies[e.Name()] }},
	} {
		if !slices.Contains(directories, in.dir) {
			continue
		}
		if err := format.Unnamed(filepath.Join(o.Releases, in.dir), in.named, 0, f); err != nil {
			return err
		}
	}
	return nil
}
