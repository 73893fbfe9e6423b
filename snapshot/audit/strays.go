package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anond/snapshot/audit/format"
)

// beside is what lies next to the releases of a directory. The order in which it is listed keeps what a publisher does meanwhile
// from looking like a stray: a copy that was there when the audit began is named by a release that was read, by one that was published
// since, or by one in progress (grown), whose place the publisher makes before its copies.
type beside struct {
	dir    string
	copies []os.DirEntry // when the audit began
	top    []os.DirEntry // before the releases were listed again
}

// besideOf lists the copies. It comes before anything else of an audit.
func besideOf(releases string) (b beside, err error) {
	b.dir = releases
	b.copies, err = format.Listed(filepath.Join(releases, "hierarchies"))
	return b, err
}

// look lists what lies next to the releases, which are listed again after it.
func (b *beside) look() (err error) {
	b.top, err = format.Listed(b.dir)
	return err
}

// check looks for what nothing names next to the releases. copies are those that manifests name; whole: all manifests were read.
func (b *beside) check(ledger string, union bool, copies map[string]bool, whole bool, f *format.Faults) error {
	number := func(e os.DirEntry, suffix string) bool {
		digits, ok := strings.CutSuffix(e.Name(), suffix)
		return ok && format.ParseDirName(digits) > 0 && e.IsDir() == (suffix == "")
	}
	directories := []string{"hierarchies", format.PrunedDir, "shards", "intents"}
	if !union {
		directories = directories[:2]
	}
	format.UnnamedOf(b.dir, b.top, func(e os.DirEntry) bool {
		return number(e, "") || e.IsDir() && slices.Contains(directories, e.Name()) || !e.IsDir() && e.Name() == "CURRENT" ||
			filepath.Clean(ledger) == filepath.Join(b.dir, e.Name())
	}, 0, f)
	rendering := slices.ContainsFunc(b.top, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".tmp-") })
	format.UnnamedOf("hierarchies", b.copies, func(e os.DirEntry) bool {
		return copies[e.Name()] || (rendering || !whole) && (first(copies, e.Name()) || grown(filepath.Join(b.dir, "hierarchies", e.Name())))
	}, 0, f)
	for _, in := range []struct {
		dir   string
		named func(e os.DirEntry) bool
	}{
		{format.PrunedDir, func(e os.DirEntry) bool { return number(e, ".json") }},
		{"intents", func(e os.DirEntry) bool { return number(e, "") }},
		{"shards", func(e os.DirEntry) bool { _, ok := format.ParseCount([]byte(e.Name())); return ok && e.IsDir() }},
	} {
		if !slices.Contains(directories, in.dir) {
			continue
		}
		if err := format.Unnamed(filepath.Join(b.dir, in.dir), in.named, 0, f); err != nil {
			return err
		}
	}
	return nil
}

// grown reports whether a file is a copy of a hierarchy that gained leaves, which a release may name whose manifest was not read, or is not
// there yet: its name has the hash of its content. Copies of other names are those of the first release.
func grown(path string) bool {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	data, err := os.ReadFile(path)
	sum := sha256.Sum256(data)
	return err == nil && strings.HasSuffix(name, "-"+hex.EncodeToString(sum[:8]))
}

// first reports whether a name is that of the copy of a hierarchy before it gained leaves.
func first(copies map[string]bool, name string) bool {
	ext := filepath.Ext(name)
	for c := range copies {
		if strings.HasPrefix(c, strings.TrimSuffix(name, ext)+"-") && filepath.Ext(c) == ext && len(c) == len(name)+len("-0123456789abcdef") {
			return true
		}
	}
	return false
}
