package format

import (
	"bytes"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// What a file says and how it is written are two things, and whoever may choose how to write
// can tell something by the choice: a quote, the order of two keys, a fraction of a second, a
// file more. So everything that a release consists of has one form (docs/FORMAT.md), and the
// auditor reports every other one.

// KeyOrder has the keys of manifests in the order of every object that has them.
var KeyOrder = func() map[string]int {
	at := map[string]int{}
	for i, key := range strings.Fields(`
		format_version dataset shard part first_class name file release of settings root sha256 created_at seeded about licence contact
		until schema kind role
		type digits scale hierarchy text missing aliases unit promise max_records
		steps k l gain at_most most c t distance declared reference counts every value share count open diversity republication max_regroups
		subject_repeat policy recoding values tables eras records classes first_bucket buckets
		first_pool pools pending initial_min_pool erasure window expired people_ever bytes rows
		mode union shards parts files dead replaces documents quality ncp box_ncp c_dm c_avg
		c_mdm bucket_median privacy k_min max_frequency certificate level min_pool grown k1 settle updates
		attributes top_share top_odds cap previous`) {
		at[key] = i
	}
	return at
}()

// Canonical reports whether a manifest is written as the format wants it: keys in order, two
// spaces for each level, numbers and texts in their only form, one LF at the end.
func Canonical(data []byte) bool {
	want, err := jsontext.AppendFormat(nil, data, jsontext.Multiline(true), jsontext.WithIndent("  "), jsontext.EscapeForJS(true),
		jsontext.CanonicalizeRawFloats(true))
	return err == nil && bytes.Equal(append(want, '\n'), data) && keysInOrder(data)
}

// keysInOrder reports whether the known keys of each object stand in order, in a text of which each line has one key
// at most, two spaces for each level before it.
func keysInOrder(data []byte) bool {
	last := map[int]int{} // by level: the newest key
	for line := range bytes.Lines(data) {
		text := bytes.TrimLeft(line, " ")
		level := (len(line) - len(text)) / 2
		key, _, _ := bytes.Cut(text[1:], []byte(`": `))
		if at, known := KeyOrder[string(key)]; known && at < last[level] {
			return false
		} else if known {
			last[level] = at
		}
		if bytes.HasSuffix(text, []byte("{\n")) {
			last[level+1] = 0
		}
	}
	return true
}

// CheckForm tests how a manifest is written, and declarations that promise nothing.
func CheckForm(man *Manifest, f *Faults) {
	if man.odd {
		f.Add("order", KindNotCanonical, man.Release, 0, "manifest.json", "keys, spaces, numbers or texts are not in canonical form")
	}
	if at, err := time.Parse(time.RFC3339, man.CreatedAt); err != nil || at.UTC().Truncate(time.Second).Format(time.RFC3339) != man.CreatedAt {
		f.Add("order", KindNotCanonical, man.Release, 0, "created_at", "the time is finer than a second, or not written in UTC")
	}
	for _, m := range man.ByEra() {
		if m.Policy.L < 2 && !m.allPromised() {
			f.Add("L", KindPromisesNothing, man.Release, 0, "policy.l", "l is 1, and any value is within 1/l then")
		}
	}
}

// CheckPool tests that the people whom a release of level L2 gives birth to are as many as the
// manifest says that a pool has at least, but for those of an incomplete class.
func CheckPool(man *Manifest, f *Faults) {
	least, k, own := max(man.Policy.MinPool, man.InitialMinPool), man.Policy.K, man.own()
	if man.AtL2() && own != nil && own.Rows < least/k*k {
		f.Add("B", KindBirthBelowPool, man.Release, 0, "policy.min_pool", "fewer people are new than a pool has at least")
	}
}

// Copies notes which copies of hierarchies and of declared references a manifest names.
func (m *Manifest) Copies(names map[string]bool) {
	for _, s := range m.ByEra() {
		for _, c := range s.Schema {
			if c.Hierarchy != nil && c.Hierarchy.File != "" {
				names[hierarchyBase(c.Hierarchy.File)] = true
			}
			if c.Promise != nil && c.Promise.Reference != nil {
				names[hierarchyBase(c.Promise.Reference.File)] = true
			}
		}
	}
}
