package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// What a file says and how it is written are two things, and whoever may choose how to write
// can tell something by the choice: a quote, the order of two keys, a fraction of a second, a
// file more. So everything that a release consists of has one form (docs/FORMAT.md), and the
// auditor reports every other one.

// keyOrder has the keys of manifests in the order of every object that has them.
var keyOrder = func() map[string]int {
	at := map[string]int{}
	for i, key := range strings.Fields(`
		format_version dataset shard part first_class name file release of settings root sha256 created_at seeded schema kind role
		type digits hierarchy text aliases flag promise steps k l c t distance declared reference value count diversity republication max_regroups
		subject_repeat policy recoding slices method retention values across_releases records classes first_bucket buckets
		pending initial_min_pool bytes rows mode parts_since union shards parts files dead replaces quality ncp box_ncp c_dm c_avg
		c_mdm bucket_median privacy k_min max_frequency certificate level min_pool grown k1 previous`) {
		at[key] = i
	}
	return at
}()

// canonical reports whether a manifest is written as the format wants it: keys in order, two
// spaces for each level, numbers and texts in their only form, one LF at the end.
func canonical(data []byte) bool {
	want, err := jsontext.AppendFormat(nil, data, jsontext.Multiline(true), jsontext.WithIndent("  "), jsontext.EscapeForJS(true),
		jsontext.CanonicalizeRawFloats(true))
	return err == nil && bytes.Equal(append(want, '\n'), data) && keysInOrder(data)
}

// keysInOrder reports whether the known keys of each object stand in order.
func keysInOrder(data []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	var last []int // by depth: the newest key
	for {
		token, err := d.ReadToken()
		if err != nil {
			return true // the end: the text was parsed before
		}
		depth := d.StackDepth()
		if token.Kind() == '{' {
			last = append(last[:min(len(last), depth-1)], make([]int, depth-min(len(last), depth-1))...)
			continue
		}
		kind, n := d.StackIndex(depth)
		if kind != '{' || n%2 == 0 {
			continue
		}
		at, known := keyOrder[token.String()]
		if known && at < last[depth-1] {
			return false
		} else if known {
			last[depth-1] = at
		}
	}
}

// checkForm tests how a manifest is written, and declarations that promise nothing.
func checkForm(man *Manifest, f *faults) {
	if man.odd {
		f.add("order", kindNotCanonical, man.Release, 0, "manifest.json", "keys, spaces, numbers or texts are not in canonical form")
	}
	if at, err := time.Parse(time.RFC3339, man.CreatedAt); err != nil || at.UTC().Truncate(time.Second).Format(time.RFC3339) != man.CreatedAt {
		f.add("order", kindNotCanonical, man.Release, 0, "created_at", "the time is finer than a second, or not written in UTC")
	}
	if man.Policy.L < 2 && !man.loose() {
		f.add("L", kindPromisesNothing, man.Release, 0, "policy.l", "l is 1, and any value is within 1/l then")
	}
}

// checkPool tests that the people whom a release of level L2 gives birth to are as many as the
// manifest says that a pool has at least, but for those of an incomplete class.
func checkPool(man *Manifest, f *faults) {
	if !man.atL2() || len(man.Parts) == 0 {
		return
	}
	least, k, own := max(man.Policy.MinPool, man.InitialMinPool), man.Policy.K, &man.Parts[len(man.Parts)-1]
	if own.Rows < least/k*k {
		f.add("B", kindBirthBelowPool, man.Release, 0, "policy.min_pool", "fewer people are new than a pool has at least")
	}
}

// unnamed reports what lies in a directory and has no name there. Names with a leading dot are
// ignored: renderings in progress have them, and what file managers and file systems leave.
func unnamed(dir string, named func(e os.DirEntry) bool, release int, f *faults) error {
	found, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return &unreadableError{File: dir, Reason: "cannot be listed", Err: err}
	}
	extra := 0
	for _, e := range found {
		if !strings.HasPrefix(e.Name(), ".") && !named(e) {
			extra++
		}
	}
	f.addN("files", kindUnexpectedFile, release, 0, filepath.Base(dir), "it holds what nothing names", extra)
	return nil
}

// copies notes which copies of hierarchies a manifest names.
func (m *Manifest) copies(names map[string]bool) {
	for _, c := range m.Schema {
		if c.Hierarchy != nil && c.Hierarchy.File != "" {
			names[hierarchyBase(c.Hierarchy.File)] = true
		}
	}
}

// checkTop looks for what nothing names next to the releases. hierarchies are the copies that
// manifests name; nil: a manifest was not read.
func checkTop(o Options, union bool, hierarchies map[string]bool, f *faults) error {
	number := func(e os.DirEntry, suffix string) bool {
		digits, ok := strings.CutSuffix(e.Name(), suffix)
		return ok && parseDirName(digits) > 0 && e.IsDir() == (suffix == "")
	}
	directories := []string{"hierarchies", prunedDir}
	if union {
		directories = append(directories, "shards", "intents")
	}
	rendering, err := filepath.Glob(filepath.Join(o.Releases, ".tmp-*")) // the copies of its hierarchies may be there
	if err == nil {
		err = unnamed(o.Releases, func(e os.DirEntry) bool {
			return number(e, "") || e.IsDir() && slices.Contains(directories, e.Name()) || !e.IsDir() && e.Name() == "CURRENT" ||
				filepath.Clean(o.Ledger) == filepath.Join(o.Releases, e.Name())
		}, 0, f)
	}
	if err == nil {
		err = unnamed(filepath.Join(o.Releases, prunedDir), func(e os.DirEntry) bool { return number(e, ".json") }, 0, f)
	}
	if err == nil && union {
		shard := func(e os.DirEntry) bool {
			n, ok := parseCount([]byte(e.Name()))
			return ok && n < maxUnionShards && e.IsDir()
		}
		err = unnamed(filepath.Join(o.Releases, "shards"), shard, 0, f)
	}
	if err == nil && union {
		err = unnamed(filepath.Join(o.Releases, "intents"), func(e os.DirEntry) bool { return number(e, "") }, 0, f)
	}
	if err == nil && hierarchies != nil && len(rendering) == 0 {
		err = unnamed(filepath.Join(o.Releases, "hierarchies"), func(e os.DirEntry) bool { return hierarchies[e.Name()] }, 0, f)
	}
	return err
}
