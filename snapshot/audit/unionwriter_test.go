package audit

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// unionPlan is a union of chains before it is written. It shares nothing with the auditor
// but the format.
type unionPlan struct {
	shards  []*plan
	l2      []*l2Plan // in place of shards
	vectors [][]int   // by release of the union: the releases of the shards, 0: none
	edit    func(r *testUnion)
}

// testUnion is a release of a union that a test may edit before it is hashed.
type testUnion struct {
	number int
	man    map[string]any
	vector []map[string]any
	parts  []map[string]any
	root   bool // the root is that of the vector as edited
}

// standardUnion is two standard chains of different people, of which a union was made
// four times; the second shard was late.
func standardUnion() *unionPlan {
	u := &unionPlan{vectors: [][]int{{1, 0}, {2, 1}, {2, 2}, {3, 3}}}
	for shard := range 2 {
		p, _ := standard()
		for i := range p.people {
			p.people[i].subject = fmt.Sprintf("key:shard-%d-person-%d", shard, i)
			p.people[i].age += 50 * shard
		}
		u.shards = append(u.shards, p)
	}
	return u
}

// write writes the chains, the union and the exports, and says how to audit them.
func (u *unionPlan) write(t testing.TB) Options {
	t.Helper()
	root := t.TempDir()
	o := Options{Releases: filepath.Join(root, "releases"), Exports: filepath.Join(root, "exports"), Ledger: filepath.Join(root, "ledger")}
	var chains []Options
	for _, p := range u.shards {
		chains = append(chains, p.write(t, p.render()))
	}
	for _, p := range u.l2 {
		chains = append(chains, p.write(t))
	}
	for shard, of := range chains {
		to := filepath.Join(o.Releases, "shards", fmt.Sprint(shard))
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.Rename(of.Releases, to))
		exports := filepath.Join(o.Exports, fmt.Sprintf("shard-%d", shard))
		require.NoError(t, os.MkdirAll(exports, 0o755))
		require.NoError(t, os.Rename(of.Members, filepath.Join(exports, "members.csv")))
		require.NoError(t, os.Rename(of.Records, filepath.Join(exports, "records.csv")))
		if u.l2 != nil {
			require.NoError(t, os.Rename(of.Ledger, filepath.Join(exports, "ledger")))
		}
	}
	w := &unionWriter{t: t, dir: o.Releases}
	w.put("hierarchies/city.csv", []byte(testHierarchy))
	ledger := ""
	for i, vector := range u.vectors {
		ledger += ledgerLine(i+1, w.release(i+1, vector, u.edit))
	}
	w.put("CURRENT", fmt.Appendf(nil, "%06d\n", len(u.vectors)))
	require.NoError(t, os.WriteFile(o.Ledger, []byte(ledger), 0o600))
	return o
}

type unionWriter struct {
	t        testing.TB
	dir      string
	previous any
}

func (w *unionWriter) put(name string, data []byte) {
	path := filepath.Join(w.dir, name)
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(w.t, os.WriteFile(path, data, 0o644))
}

// release writes a release and gives its manifest.
func (w *unionWriter) release(number int, vector []int, edit func(*testUnion)) []byte {
	r := &testUnion{number: number, root: true, man: map[string]any{"format_version": 6, "release": number, "seeded": true,
		"created_at": fmt.Sprintf("2026-11-21T00:00:%02dZ", number), "previous": w.previous, "quality": map[string]any{"ncp": 0.5}}}
	sums := map[string]int{"records": 0, "classes": 0, "pending": 0}
	privacy := map[string]any{"level": "L0+L1", "k1": "rows", "k_min": 1 << 30, "max_frequency": 0.0}
	settings := ""
	for shard, n := range vector {
		entry := map[string]any{"shard": shard, "release": n, "records": 0, "classes": 0, "pending": 0}
		r.vector = append(r.vector, entry)
		if n == 0 {
			continue
		}
		of := w.take(r, number, shard, n)
		settings = of.settings
		for key := range sums {
			entry[key] = of.man[key]
			sums[key] += int(of.man[key].(float64))
		}
		entry["sha256"], entry["created_at"] = of.sha, of.man["created_at"]
		p := of.man["privacy"].(map[string]any)
		if n, ok := of.man["buckets"]; ok {
			had, _ := r.man["buckets"].(int)
			entry["buckets"], r.man["buckets"] = n, had+int(n.(float64))
			privacy["level"], privacy["k1"], privacy["attributes"] = p["level"], p["k1"], p["attributes"]
			r.man["seeded"] = of.man["seeded"]
		}
		privacy["k_min"] = min(privacy["k_min"].(int), int(p["k_min"].(float64)))
		privacy["max_frequency"] = max(privacy["max_frequency"].(float64), p["max_frequency"].(float64))
		if c, ok := privacy["certificate"]; ok && c != p["certificate"] {
			p["certificate"] = "frozen+pure"
		}
		privacy["certificate"] = p["certificate"]
	}
	for key, n := range sums {
		r.man[key] = n
	}
	r.man["privacy"] = privacy
	r.man["union"] = map[string]any{"of": len(vector), "settings": settings}
	if edit != nil {
		edit(r)
	}
	return w.save(r)
}

// testShard is a release of a shard.
type testShard struct {
	man           map[string]any
	sha, settings string
}

// take links the files of a shard and gives what its manifest says.
func (w *unionWriter) take(r *testUnion, number, shard, release int) testShard {
	from := filepath.Join(w.dir, "shards", fmt.Sprint(shard), fmt.Sprintf("%06d", release))
	to := filepath.Join(w.dir, fmt.Sprintf("%06d", number), fmt.Sprintf("shard-%d", shard))
	data, err := os.ReadFile(filepath.Join(from, "manifest.json"))
	require.NoError(w.t, err)
	var raw map[string]json.RawMessage
	require.NoError(w.t, json.Unmarshal(data, &raw))
	out := testShard{man: map[string]any{}, sha: format.HexSHA(data)}
	require.NoError(w.t, json.Unmarshal(data, &out.man))
	hash := sha256.New()
	for _, key := range []string{"dataset", "schema", "policy", "recoding", "slices", "method", "retention", "values", "across_releases"} {
		if value, ok := raw[key]; ok {
			r.man[key] = value
			compact, err := json.Marshal(value)
			require.NoError(w.t, err)
			fmt.Fprintf(hash, "%s=%s\n", key, compact)
		}
	}
	out.settings = fmt.Sprintf("%x", hash.Sum(nil))
	require.NoError(w.t, os.MkdirAll(to, 0o755))
	require.NoError(w.t, os.WriteFile(filepath.Join(to, "manifest.json"), data, 0o644))
	for _, name := range []string{"datapackage.json", "receiver.md"} {
		require.NoError(w.t, os.Link(filepath.Join(from, name), filepath.Join(to, name)))
	}
	var parts []map[string]any
	require.NoError(w.t, json.Unmarshal(raw["parts"], &parts))
	for _, p := range parts {
		p["shard"] = shard
		r.parts = append(r.parts, p)
		name := p["part"].(string)
		require.NoError(w.t, os.MkdirAll(filepath.Join(to, name), 0o755))
		for _, f := range p["files"].([]any) {
			file := f.(map[string]any)["name"].(string)
			require.NoError(w.t, os.Link(filepath.Join(from, name, file), filepath.Join(to, name, file)))
		}
	}
	return out
}

// save hashes and chains what was edited.
func (w *unionWriter) save(r *testUnion) []byte {
	r.man["parts"] = r.parts
	of := r.man["union"].(map[string]any)
	of["shards"] = r.vector
	root := ""
	for _, s := range r.vector {
		if s["release"] != 0 {
			root += fmt.Sprintf("%v %v %v\n", s["shard"], s["release"], s["sha256"])
		}
	}
	if r.root {
		of["root"] = format.HexSHA([]byte(root))
	}
	data := inForm(w.t, r.man)
	w.put(fmt.Sprintf("%06d/manifest.json", r.number), data)
	w.previous = map[string]any{"release": r.number, "sha256": format.HexSHA(data)}
	return data
}

// inUnion edits one release of a union.
func inUnion(number int, f func(r *testUnion)) func(*testUnion) {
	return func(r *testUnion) {
		if r.number == number {
			f(r)
		}
	}
}

// kindsOf lists the kinds of violations, each once.
func kindsOf(list []format.Violation) []string {
	kinds := map[string]bool{}
	for _, v := range list {
		kinds[v.Kind] = true
	}
	return slices.Sorted(maps.Keys(kinds))
}

// noPeople demands that nothing of a person is in a text.
func noPeople(t *testing.T, text string) {
	for _, word := range []string{"person-", "north-1", "south-1", "clerk", "miner"} {
		require.False(t, strings.Contains(text, word), word)
	}
}
