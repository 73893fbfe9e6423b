// Package anond_test holds what concerns the tree as a whole.
package anond_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// file is a parsed Go file of the tree.
type file struct {
	path string // slashes, relative to the root
	ast  *ast.File
	src  []byte
}

func (f *file) test() bool { return strings.HasSuffix(f.path, "_test.go") }

// dir is the package's path relative to the module.
func (f *file) dir() string {
	dir, _ := filepath.Split(f.path)
	return strings.TrimSuffix(dir, "/")
}

func (f *file) imports() (out []string) {
	for _, i := range f.ast.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		out = append(out, path)
	}
	return out
}

// tree is every Go file of the module, parsed once for all tests.
func tree(t *testing.T) []*file {
	t.Helper()
	files, err := parsedTree()
	require.NoError(t, err)
	require.Greater(t, len(files), 100, "the tree was not found")
	return files
}

var parsedTree = sync.OnceValues(func() (out []*file, err error) {
	set := token.NewFileSet()
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(set, path, src, parser.ParseComments)
		if err != nil {
			return err
		}
		out = append(out, &file{filepath.ToSlash(path), parsed, src})
		return nil
	})
	return out, err
})

// within reports whether a package path is one of the trees below the given paths.
func within(path string, trees ...string) bool {
	return slices.ContainsFunc(trees, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
}

// listed reports whether a path is in a list of paths, of which some stand for
// all below them (/...).
func listed(path string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool {
		tree, all := strings.CutSuffix(p, "/...")
		return path == p || all && within(path, tree)
	})
}

const module = "anond"

// TestDependenciesGoOneWay holds the arrows of the architecture: what a package
// of the tree may know of the others, and who may know a library.
func TestDependenciesGoOneWay(t *testing.T) {
	// Of our own packages, a package may import these and no others. A path that
	// ends in /... stands for all below it, too.
	// Those that may import any may import internal/fault, which is below everything.
	const model, cut, faults = "anond/equivclass", "anond/equivclass/cut", "anond/internal/fault"
	ours := []struct {
		pkg string
		may []string
	}{
		{"equivclass/cut", []string{model}},
		{"equivclass/extract", []string{model, cut}},
		{"lab/split", []string{model, cut}},
		{"lab/topdown", []string{model, cut, "anond/lab/split"}},
		{"lab/bucketize", []string{model, cut, "anond/lab/split"}},
		{"lab/lgb", []string{model, cut, "anond/equivclass/flagged"}},
		{"equivclass/merge", nil},                                  // Theorem E: it cannot see coordinates, records or numbers of classes
		{"equivclass/promise", []string{"anond/equivclass/merge"}}, // caps by value, from counts alone
		{"lab/methods", []string{model, cut, "anond/equivclass/extract", "anond/lab/topdown", "anond/lab/bucketize",
			"anond/lab/lgb"}},
		{"equivclass/query", []string{model, cut}},
		{"equivclass/accuracy", []string{model, cut, "anond/equivclass/flagged", "anond/equivclass/query"}},
		{"equivclass/equivtest/cuts", []string{model, cut}},
		{"equivclass/equivtest", []string{model, "anond/equivclass/flagged", "anond/testdata"}},
		{"equivclass/flagged", []string{model}}, {"equivclass/measure", []string{model}},
		{"equivclass", []string{"anond/internal/csvfields"}},
		// Delivery reads what is public: it does not know the state.
		{"deliver/delivertest", []string{"anond/internal/daemon", "anond/internal/dataset", "anond/internal/upkeep", "anond/config",
			"anond/equivclass/equivtest/tier", "anond/snapshot", "anond/snapshot/describe"}},
		{"deliver", []string{"anond/snapshot", "anond/snapshot/describe", "anond/snapshot/readback", "anond/deliver", "anond/internal/pace",
			"anond/internal/kafkaclient/...", "anond/internal/ops/gauge"}},
		{"internal/kafkaclient", []string{"anond/internal/fault", "anond/internal/kafkaclient"}}, {"internal/secret", nil},
		{"internal/brokeraccess", []string{"anond/config", "anond/internal/kafkaclient", "anond/internal/secret"}},
		{"internal/pace", []string{"anond/snapshot"}}, {"internal/clock", nil}, {"internal/retry", nil},
		{"snapshot/audit/audittest", nil},
		{"snapshot/audit/format", nil}, // the auditor knows nothing of ours but itself: TestImportsNothingOfOurs
		{"snapshot/audit/table", []string{"anond/snapshot/audit/format"}},
		{"snapshot/audit/chain", []string{"anond/snapshot/audit/format", "anond/snapshot/audit/table"}},
		{"snapshot/audit/shares", []string{"anond/snapshot/audit/format", "anond/snapshot/audit/table", "anond/snapshot/audit/chain"}},
		{"snapshot/audit/gate", []string{"anond/snapshot/audit/format", "anond/snapshot/audit/table", "anond/snapshot/audit/chain"}},
		{"snapshot/audit", []string{"anond/snapshot/audit/..."}},
		{"snapshot/snapshottest", []string{"anond/snapshot"}},
		{"snapshot/replay", []string{model, "anond/equivclass/merge", "anond/incremental/...", "anond/snapshot/publish",
			"anond/snapshot/render"}},
		{"snapshot/readback", []string{model, "anond/equivclass/query", "anond/snapshot"}},
		{"incremental/place/nearest", []string{model}},
		{"internal/disk", nil},
		{"incremental/retire", nil},   // Theorem W: what leaves follows from numbers and times, and sees no record
		{"incremental/withdraw", nil}, // Theorem G: the same
		{"incremental/settle", nil},   // Theorem DS: who is observed until when sees no value
		{"incremental/state", []string{model, "anond/equivclass/promise", "anond/incremental/retire", "anond/incremental/settle",
			"anond/incremental/withdraw",
			"anond/internal/csvfields"}},
		{"incremental/boltstore", []string{model, "anond/incremental/erase", "anond/incremental/settle",
			"anond/incremental/state", "anond/internal/disk",
			"anond/internal/sealed"}},
		{"incremental/memstore", []string{model, "anond/incremental/erase", "anond/incremental/settle", "anond/incremental/state"}},
		{"incremental/erase", []string{model, "anond/incremental/state"}},
		{"incremental/storetest", []string{model, "anond/incremental/settle", "anond/incremental/state"}},
		{"incremental/place", []string{model, "anond/incremental/place/nearest", "anond/incremental/state"}},
		{"incremental/plan", []string{model, "anond/equivclass/promise", "anond/incremental/place", "anond/incremental/settle",
			"anond/incremental/state"}},
		{"incremental/local", []string{model, "anond/equivclass/extract", "anond/incremental/plan", "anond/incremental/place",
			"anond/incremental/settle",
			"anond/incremental/state"}},
		{"incremental/pools", []string{model, "anond/equivclass/extract", "anond/equivclass/merge", "anond/equivclass/promise",
			"anond/incremental/plan", "anond/incremental/settle", "anond/incremental/state"}}, // it knows nothing of level L1
		{"incremental", []string{model, "anond/equivclass/merge", "anond/incremental/erase", "anond/incremental/local", "anond/incremental/place",
			"anond/incremental/plan", "anond/incremental/pools", "anond/incremental/settle", "anond/incremental/state"}},
		{"snapshot/render", []string{model, "anond/equivclass/promise", "anond/snapshot", "anond/snapshot/describe"}},
		{"snapshot/describe", []string{model, "anond/snapshot"}},
		{"snapshot/verify", []string{"anond/snapshot"}},
		{"snapshot/views", []string{model, "anond/snapshot", "anond/snapshot/describe", "anond/snapshot/publish"}}, // files alone: no state
		{"snapshot/publish/publishtest", []string{model, "anond/incremental", "anond/incremental/state", "anond/snapshot",
			"anond/snapshot/publish", "anond/snapshot/render"}},
		{"snapshot/publish", []string{"anond/incremental", "anond/incremental/state", "anond/internal/disk", "anond/snapshot",
			"anond/snapshot/render", "anond/snapshot/verify"}},
		{"snapshot", []string{model, "anond/internal/disk"}}, // it knows no state
		{"shards/keying", []string{"anond/config", model, "anond/incremental", "anond/incremental/state", "anond/ingest",
			"anond/ingest/decode"}}, // it knows no broker
		{"shards/repartition/topics", []string{"anond/config", "anond/incremental/state", "anond/ingest/...", "anond/internal/...",
			"anond/shards/repartition", model, "anond/incremental", "anond/shards/keying"}},
		{"shards/repartition", []string{model, "anond/incremental/state", "anond/ingest", "anond/ingest/decode", "anond/shards/keying"}},
		{"internal/csvfields", nil},
		{"ingest/dialect", []string{model, "anond/internal/csvfields"}},
		{"ingest/decode", []string{model, "anond/ingest/dialect", "anond/ingest/pointer", "anond/internal/csvfields"}},
		{"ingest/pointer", nil},
		{"ingest/registry", []string{model, "anond/ingest", "anond/ingest/decode", "anond/ingest/pointer"}},
		{"ingest/pgsrc", []string{"anond/incremental/state", "anond/ingest", "anond/ingest/decode"}},
		{"ingest/filesrc", []string{"anond/incremental", "anond/incremental/state", "anond/ingest", "anond/ingest/decode", "anond/ingest/dialect",
			"anond/internal/csvfields"}},
		{"ingest/deadletter", []string{model, "anond/incremental/state", "anond/ingest", "anond/internal/disk",
			"anond/internal/sealed"}},
		{"ingest/kafkasrc", []string{"anond/incremental/state", "anond/ingest", "anond/ingest/deadletter", "anond/ingest/decode",
			"anond/internal/kafkaclient/..."}},
		{"ingest/subjectledger", []string{model, "anond/incremental", "anond/incremental/state", "anond/internal/disk"}},
		{"ingest", []string{model, "anond/incremental", "anond/incremental/erase", "anond/incremental/plan", "anond/incremental/settle",
			"anond/incremental/state",
			"anond/ingest/decode"}}, // it knows no shards
		{"shards/journal", []string{"anond/incremental", "anond/incremental/state", "anond/ingest", "anond/internal/sealed",
			"anond/shards/journal"}},
		// The module in lake/ reads published releases: neither state nor configuration.
		{"lake/internal/source", []string{model, "anond/snapshot"}},
		{"lake/internal/durable", []string{"anond/internal/disk"}},
		{"lake/internal/parquetfile", []string{"anond/lake/internal/source", "anond/snapshot"}},
		{"lake/internal/laketest", []string{"anond/snapshot", "anond/snapshot/snapshottest"}},
		{"lake/internal/folder", []string{"anond/internal/disk", "anond/lake/internal/durable", "anond/lake/internal/parquetfile",
			"anond/lake/internal/source", "anond/snapshot"}},
		{"lake/internal/warehouse", []string{"anond/internal/disk", "anond/lake/internal/durable", "anond/lake/internal/parquetfile",
			"anond/lake/internal/source", "anond/snapshot"}},
		{"lake", []string{"anond/lake/internal/folder", "anond/lake/internal/parquetfile", "anond/lake/internal/source",
			"anond/lake/internal/warehouse", "anond/snapshot"}},
		{"config", []string{model, "anond/equivclass/promise", "anond/incremental/retire", "anond/incremental/settle", "anond/internal/csvfields",
			"anond/internal/sealed", "anond/ingest/dialect", "anond/ingest/pointer"}},
	}
	// Whoever waits for something may know these two; the core knows no time.
	waiting := map[string]bool{"anond/internal/clock": true, "anond/internal/retry": true}
	// A library is known to these packages only.
	libraries := map[string][]string{
		"github.com/segmentio/kafka-go": {"ingest/kafkasrc", "internal/kafkaclient"},
		"anond/internal/kafkaclient": {"ingest/kafkasrc", "internal/kafkaclient", "internal/brokeraccess", "internal/dataset",
			"deliver/topic", "rig",
			"cmd/anond-deliver", "shards"},
		"github.com/jackc/pgx":     {"deliver/postgres", "ingest/pgsrc"},
		"go.etcd.io/bbolt":         {"incremental/boltstore", "rig"},
		"github.com/twmb/avro":     {"ingest/registry"},
		"github.com/twmb/franz-go": {"ingest/registry", "internal/demo", "rig", "internal/kafkaclient/fetch/fetchtest"},
		"anond/config":             {"cmd", "internal", "shards", "lab", "rig", "deliver/delivertest"},
		"anond/cmd":                {"cmd/anond"},
		"github.com/prometheus":    {"internal/ops/metrics"},
		"github.com/parquet-go":    {"lake/internal/parquetfile"},
		"github.com/apache":        {"lake/internal/warehouse"},
		"golang.org/x/text":        {"equivclass", "ingest/dialect"}, // what makes two texts one value, and bytes a text
	}
	seen := map[string]bool{}
	for _, f := range tree(t) {
		if f.test() {
			continue
		}
		for _, path := range f.imports() {
			for _, rule := range ours { // the first that fits is the most special
				if within(f.dir(), rule.pkg) {
					seen[rule.pkg] = true
					if within(path, module) && (path != faults || rule.may == nil) {
						base := waiting[path] && !within(f.dir(), "equivclass", "incremental", "snapshot")
						assert.True(t, base || listed(path, rule.may), "%s imports %s", f.path, path)
					}
					break
				}
			}
			for library, users := range libraries {
				if within(path, library) && f.dir() != strings.TrimPrefix(library, "anond/") {
					seen[library] = true
					assert.True(t, within(f.dir(), users...), "%s imports %s, which only %v may", f.path, path, users)
				}
			}
		}
	}
	for _, rule := range ours {
		if rule.pkg != "equivclass" {
			assert.True(t, seen[rule.pkg], "no file of %s was looked at", rule.pkg)
		}
	}
	for _, library := range []string{"github.com/segmentio/kafka-go", "github.com/jackc/pgx", "go.etcd.io/bbolt", "anond/config"} {
		assert.True(t, seen[library], "nobody imports %s any more", library)
	}
}

// TestRoomsOfTheProgram holds the arrows among the packages next to the core: what runs a dataset knows nothing of what shows
// it; nobody outside the lab needs the lab, and nobody outside the rig the rig or the tools of tests.
func TestRoomsOfTheProgram(t *testing.T) {
	const disk = "internal/disk"
	rooms := []string{"internal", "shards", "deliver", "lab", "rig"}
	may := []struct{ pkg, list string }{ // the first that fits is the most special
		{"rig", "rig/... internal/... shards/... deliver/... lab/..."},
		{"internal/hierarchies", "internal/csvfields"},
		{"lab", "lab/... shards/keying internal/ops/chart internal/profile internal/testkit/hospital " + disk},
		{"deliver/delivertest", "internal/daemon internal/dataset internal/upkeep"}, {"deliver",
			"deliver/... internal/kafkaclient/... internal/pace internal/ops/gauge"},
		{"shards/union", "internal/ops/gauge internal/ops/duty internal/ops/monitor " + disk},
		{"shards/host", "shards/journal internal/clock internal/dataset"},
		{"shards/journal", "shards/journal internal/sealed"}, {"shards/keying", ""}, {"shards/repartition/topics",
			"internal/dataset internal/kafkaclient internal/ops/gauge internal/ops/duty internal/ops/monitor " +
				"shards/repartition shards/keying " + disk},
		{"shards/repartition", "shards/keying"},
		{"shards", "shards/... internal/cli internal/clock internal/dataset internal/kafkaclient internal/ops/logs internal/ops/metrics " +
			"internal/ops/duty internal/ops/serve internal/sealed"},
		{"internal/brokeraccess", "internal/kafkaclient internal/secret"}, {"internal/kafkaclient", "internal/kafkaclient"},
		{"internal/cli", "internal/progress"},
		{"internal/dataset", "internal/brokeraccess internal/clock internal/control internal/kafkaclient internal/ops/certificate " +
			"internal/ops/diskuse internal/ops/duty internal/ops/monitor internal/ops/notify internal/progress internal/retry internal/sealed " +
			"internal/secret " + disk},
		{"internal/upkeep", "internal/brokeraccess internal/clock internal/dataset internal/ops/diskuse internal/progress internal/retry " +
			"internal/sealed internal/suppress " + disk},
		{"internal/daemon", "internal/dataset internal/upkeep internal/ops/certificate internal/control internal/ops/diskuse " +
			"internal/ops/duty internal/ops/gauge " +
			"internal/brokeraccess internal/kafkaclient internal/secret internal/ops/logs internal/ops/monitor internal/ops/notify " +
			"internal/pace internal/progress internal/sealed internal/suppress " + disk},
		{"internal/demo", "internal/daemon internal/dataset internal/testkit/hospital " + disk},
		{"internal/trial", "internal/cli internal/daemon internal/dataset internal/ops/diskuse internal/profile " + disk},
		{"internal/ops/trialpage", "internal/ops/chart internal/ops/present internal/trial"},
		{"internal/ops/duty", disk}, {"internal/ops/monitor", "internal/ops/duty"}, {"internal/suppress", disk}, {"internal/disk", disk},
		{"internal/ops/dashboard", "internal/ops/chart internal/ops/duty internal/ops/monitor internal/ops/present"},
		{"internal/ops/doctor", "internal/ops/certificate internal/dataset internal/upkeep internal/ops/diskuse internal/profile " + disk},
		{"internal/ops/dpo", "internal/ops/monitor internal/ops/present"},
		{"internal/ops/metrics/loop", "internal/ops/duty internal/ops/gauge internal/ops/metrics internal/ops/monitor"},
		{"internal/ops/metrics", "internal/ops/duty internal/ops/gauge"},
		{"internal/ops/notify", "internal/ops/duty"},
		{"internal/ops/present", "internal/ops/chart internal/ops/diskuse internal/ops/monitor"},
		{"internal/ops/serve", "internal/cli internal/ops/duty internal/ops/notify internal/ops/web"},
		{"internal/ops/web", "internal/ops/certificate internal/ops/duty"},
		{"internal/profile", "internal/csvfields internal/hierarchies"}, {"internal/views", "internal/dataset"},
		{"internal", ""}, // internal/abandon and internal/fault are for all
		{"cmd/anond-lab", "internal/cli internal/profile lab/... " + disk},
		{"cmd/anond-deliver", "deliver/... " +
			"internal/brokeraccess internal/cli internal/kafkaclient internal/ops/... internal/pace"},
		{"cmd/anond", "internal/... shards"},
	}
	for _, f := range tree(t) {
		i := slices.IndexFunc(may, func(rule struct{ pkg, list string }) bool { return within(f.dir(), rule.pkg) })
		if f.test() || i < 0 {
			assert.True(t, f.test() || !within(f.dir(), rooms...), "%s is in no list: say what it may import", f.dir())
			continue
		}
		for _, path := range f.imports() {
			if other, ours := strings.CutPrefix(path, module+"/"); ours && within(other, rooms...) && !within(f.dir(), "internal/testkit") {
				list := strings.Fields("internal/abandon internal/clock internal/fault internal/retry " + may[i].list)
				assert.True(t, listed(other, list), "%s imports %s", f.path, path)
			}
		}
	}
}

// TestNobodyNeedsTheLab: what the daemon's program links, and its tests, know no method, figure or attack of the lab. The tests of
// the tree as a whole may.
func TestNobodyNeedsTheLab(t *testing.T) {
	seen := false
	for _, f := range tree(t) {
		for _, path := range f.imports() {
			if within(path, module+"/lab") {
				seen = true
				assert.True(t, f.dir() == "" || within(f.dir(), "lab", "rig", "cmd/anond-lab"), "%s imports %s", f.path, path)
			}
		}
	}
	assert.True(t, seen, "nobody imports the lab any more")
}

// TestShardsAreOneImport: the program has shards by one import, and no other package of the product knows them. Without it all
// of them build, which what they import says: a configuration that names a shard is refused then.
func TestShardsAreOneImport(t *testing.T) {
	var imports []string
	for _, f := range tree(t) {
		if f.test() || within(f.dir(), "shards", "rig", "lab") {
			continue
		}
		for _, path := range f.imports() {
			if within(path, module+"/shards") {
				imports = append(imports, f.path+" imports "+path)
			}
		}
	}
	assert.Equal(t, []string{"cmd/anond/rooms.go imports anond/shards"}, imports)
}

// TestViewsAreOneImport: the same of views.
func TestViewsAreOneImport(t *testing.T) {
	var imports []string
	for _, f := range tree(t) {
		for _, path := range f.imports() {
			if !f.test() && !within(f.dir(), "lab") && (path == module+"/internal/views" || path == module+"/snapshot/views") {
				imports = append(imports, f.path+" imports "+path)
			}
		}
	}
	assert.Equal(t, []string{"cmd/anond/rooms.go imports anond/internal/views",
		"internal/views/views.go imports anond/snapshot/views"}, imports)
}

// TestDeliveryLinksNoState: the program that delivers reads what is public. It links neither what reads records nor the machine,
// also not by a package that it imports. JSON pointers and the forms of dates and texts, which the configuration reads, know neither.
func TestDeliveryLinksNoState(t *testing.T) {
	imports := map[string][]string{}
	for _, f := range tree(t) {
		if !f.test() {
			imports[f.dir()] = append(imports[f.dir()], f.imports()...)
		}
	}
	by := map[string]string{"cmd/anond-deliver": ""} // who imports a package first
	for next := []string{"cmd/anond-deliver"}; len(next) > 0; next = next[1:] {
		for _, path := range imports[next[0]] {
			other, ours := strings.CutPrefix(path, module+"/")
			if _, seen := by[other]; !ours || seen {
				continue
			}
			by[other] = next[0]
			next = append(next, other)
			pure := other == "ingest/pointer" || other == "ingest/dialect" || other == "incremental/retire" ||
				other == "incremental/settle" // numbers and texts alone
			assert.False(t, within(other, "incremental", "ingest", "shards") && !pure, "%s imports %s", next[0], path)
		}
	}
	assert.Contains(t, by, "deliver/topic")
	assert.Contains(t, by, "internal/ops/serve")
}

// machine reports whether a package is one of the state machine, and no store of it.
func machine(dir string) bool {
	return within(dir, "incremental") && !within(dir, "incremental/boltstore", "incremental/memstore", "incremental/storetest")
}

// TestStoresAreBelowTheMachine: the state machine does not know its stores.
func TestStoresAreBelowTheMachine(t *testing.T) {
	for _, f := range tree(t) {
		if !f.test() && machine(f.dir()) {
			for _, path := range f.imports() {
				other, ours := strings.CutPrefix(path, module+"/")
				assert.False(t, ours && within(other, "incremental") && !machine(other), "%s imports %s", f.path, path)
			}
		}
	}
}

// TestTheCoreIsPure: the engine and the state machine do no I/O, have no clock
// and no randomness of their own, so that the same state and input give the same
// output; equivclass needs the standard library alone, and Unicode's normalization.
// What they import of ours besides each other is internal/fault, which does none of this either.
func TestTheCoreIsPure(t *testing.T) {
	for _, f := range tree(t) {
		model := within(f.dir(), "equivclass") && !within(f.dir(), "equivclass/equivtest") // which is for tests
		if f.test() || !model && !machine(f.dir()) && f.dir() != "internal/fault" {
			continue
		}
		names := map[string]string{} // local name of an import
		for _, i := range f.ast.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			name := path[strings.LastIndex(path, "/")+1:]
			if name == "v2" {
				name = "rand"
			}
			if i.Name != nil {
				name = i.Name.Name
			}
			names[name] = path
			assert.False(t, within(path, "os", "net", "syscall", "io/ioutil", "crypto/rand", "unsafe", "runtime", "C"),
				"%s imports %s", f.path, path)
			assert.NotEqual(t, "math/rand", path, f.path)
			if model {
				assert.False(t, strings.Contains(path, ".") && path != "golang.org/x/text/unicode/norm",
					"%s imports %s, which is not part of the standard library", f.path, path)
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil {
				switch names[x.Name] {
				case "time":
					assert.NotContains(t, []string{"Now", "Since", "Until", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Sleep"},
						s.Sel.Name, "%s reads the clock", f.path)
				case "math/rand/v2":
					assert.Contains(t, []string{"New", "NewChaCha8", "NewPCG", "Rand", "Source", "ChaCha8", "PCG"}, s.Sel.Name,
						"%s draws from a global source", f.path)
				}
			}
			return true
		})
		for _, d := range f.ast.Decls { // package-level state is confined to constants and errors
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR || !machine(f.dir()) {
				continue
			}
			for _, s := range g.Specs {
				for _, name := range s.(*ast.ValueSpec).Names {
					assert.True(t, name.Name == "_" || strings.HasPrefix(strings.ToLower(name.Name), "err"),
						"%s has the global variable %s", f.path, name.Name)
				}
			}
		}
	}
}

// TestProcessesBeginOnce: the daemon and the commands that work for long are shown by one sequence of steps (serve.Process.Begin)
// and one collector of metrics (metrics.Of).
func TestProcessesBeginOnce(t *testing.T) {
	once := map[string]string{"web.Start": "internal/ops/serve", "notify.Open": "internal/ops/serve", "Manager.Follow": "internal/ops/serve",
		"prometheus.NewDesc": "internal/ops/metrics"}
	seen := map[string]int{}
	for _, f := range tree(t) {
		if f.test() || !within(f.dir(), "cmd", "internal/daemon", "internal/ops", "internal/demo", "shards", "deliver") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := called(c)
			if s, ok := c.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Follow" {
				if x, ok := s.X.(*ast.SelectorExpr); ok && x.Sel.Name == "Manager" {
					name = "Manager.Follow"
				}
			}
			if room, listed := once[name]; listed {
				seen[name]++
				assert.Equal(t, room, f.dir(), "%s calls %s", f.path, name)
			}
			return true
		})
	}
	for name := range once {
		assert.Equal(t, 1, seen[name], name)
	}
}

// TestFilesAreWrittenAtOnce: what puts a file in the place of another is written once, in internal/disk.
func TestFilesAreWrittenAtOnce(t *testing.T) {
	may := map[string]string{
		"internal/disk":         "",
		"snapshot":              "the file system that releases are published to, one call each (FS)",
		"deliver/topic":         "a directory of public files, which can be made again",
		"lab/anonymize":         "a directory of public files, which can be made again",
		"incremental/boltstore": "a second name for the state that a restore sets aside",
		"internal/upkeep":       "a name that only one of several processes may take",
	}
	for _, f := range tree(t) {
		if f.test() || within(f.dir(), "rig", "deploy", "internal/testkit", "deliver/delivertest", "snapshot/snapshottest",
			"lake/internal/laketest") {
			continue
		}
		_, listed := may[f.dir()]
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				switch name := called(c); name {
				case "os.Rename", "os.WriteFile", "os.Create":
					assert.True(t, listed && f.dir() != "incremental/boltstore" && f.dir() != "internal/upkeep", "%s calls %s", f.path, name)
				case "os.Link":
					assert.True(t, listed, "%s calls %s", f.path, name)
				}
			}
			return true
		})
	}
}

// TestDurableStepsAreWrittenOnce: publisher and union take a release through one sequence. The steps that others see, which
// open the staged release to all and give it its name, and which write CURRENT, stand in one file, and publishing knows no union.
func TestDurableStepsAreWrittenOnce(t *testing.T) {
	const once = "snapshot/publish/sequence.go"
	seen := map[string]int{}
	for _, f := range tree(t) {
		if f.test() || !within(f.dir(), "snapshot/publish", "shards", "internal", "ingest", "cmd") || within(f.dir(), "internal/testkit") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.CallExpr:
				s, ok := x.Fun.(*ast.SelectorExpr)
				if !ok || s.Sel.Name != "Publicize" || f.path == "snapshot/publish/closable.go" || f.path == "snapshot/publish/trial.go" {
					return true // these give a file system, and try one
				}
				seen["publicize"]++
				assert.Equal(t, once, f.path, "it makes a release readable")
			case *ast.SelectorExpr:
				if x.Sel.Name == "CurrentName" && f.path != "snapshot/publish/reconcile.go" { // which names it in an error
					seen["current"]++
					assert.Equal(t, once, f.path, "it names CURRENT")
				}
			case *ast.Ident:
				assert.False(t, within(f.dir(), "snapshot/publish") && strings.HasPrefix(x.Name, "Union"), "%s names %s", f.path, x.Name)
			}
			return true
		})
	}
	assert.Equal(t, map[string]int{"publicize": 1, "current": 1}, seen)
}

// TestMergeDecidesOnIntegers: the same bags give the same buckets on every processor.
// A floating-point number enters as a setting only, and is turned into an integer.
func TestMergeDecidesOnIntegers(t *testing.T) {
	settings := 0
	for _, f := range tree(t) {
		if f.test() || f.dir() != "equivclass/merge" {
			continue
		}
		parameters := map[*ast.Ident]bool{}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				for _, p := range n.Type.Params.List {
					if x, ok := p.Type.(*ast.Ident); ok {
						parameters[x] = true
					}
				}
			case *ast.BasicLit:
				assert.NotEqual(t, token.FLOAT, n.Kind, "%s has the number %s", f.path, n.Value)
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "math" {
					assert.Equal(t, "MaxInt64", n.Sel.Name, "%s calculates with floating-point numbers", f.path)
				}
			case *ast.Ident:
				if n.Name == "float64" || n.Name == "float32" {
					assert.True(t, parameters[n], "%s has a floating-point number", f.path)
					settings++
				}
			}
			return true
		})
	}
	assert.Equal(t, 4, settings, "exact, and the principles with a setting")
}

// TestEveryPackageSaysWhatItIs: one package comment at least. (gofmt's form: make fmt.)
func TestEveryPackageSaysWhatItIs(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range tree(t) {
		if !f.test() {
			documented[f.dir()] = documented[f.dir()] || f.ast.Doc != nil
		}
	}
	for dir, ok := range documented {
		assert.True(t, ok, "package %s has no comment", dir)
	}
}

// TestEveryRuleHasItsTest: each label of the privacy contract has a test named
// after it.
func TestEveryRuleHasItsTest(t *testing.T) {
	have := map[string]bool{}
	for _, f := range tree(t) {
		if !f.test() {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "TestRule") {
				have[fn.Name.Name] = true
			}
		}
	}
	for _, label := range strings.Split("DAPCFEISBNRHV", "") {
		assert.True(t, have["TestRule"+label], "rule %s has no test", label)
	}
}

// TestTestsHaveNoWallClock: a machine that does much else makes no test fail. What bounds a run of the tests is processor
// time (.ci/gotest), and what bounds a wait in a test is an hour, or nothing.
func TestTestsHaveNoWallClock(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	for line := range strings.Lines(string(makefile)) {
		runs := strings.Contains(line, "$(TEST) ") || strings.Contains(line, "/gotest ") || strings.Contains(line, "$(GO) test -short")
		if runs && !strings.HasPrefix(line, "#") {
			assert.Contains(t, line, " -timeout 0 ", "Makefile")
		}
	}
	for _, f := range tree(t) {
		if !f.test() || within(f.dir(), "rig/kafkatest") { // brokers of others
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 4 {
				return true
			}
			if name, ok := call.Fun.(*ast.SelectorExpr); ok && name.Sel.Name == "Eventually" {
				start := f.ast.FileStart
				limit := string(f.src[call.Args[2].Pos()-start : call.Args[2].End()-start])
				assert.Contains(t, []string{"patience", "time.Hour"}, limit, f.path)
			}
			return true
		})
	}
}

// TestWordsThatAreGone: the glossary of ARCHITECTURE has one word for each thing. These had other ones, or none that a stranger
// understands, and do not come back as names of files or of what is declared.
func TestWordsThatAreGone(t *testing.T) {
	files := []string{"again", "beside", "held", "news", "undo", "standing", "lookout", "turn", "turns", "standins", "twins", "places",
		"ended",
		"block_small", "oneoff", "rollup", "nth", "rescue"}
	declared := regexp.MustCompile(`(?i)sticky|rollup|lookout|handover|semis?ensitive`)
	seen := 0
	for _, f := range tree(t) {
		if f.test() || within(f.dir(), "lab", "rig") {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(f.path), ".go")
		assert.NotContains(t, files, strings.TrimSuffix(name, "_cmd"), f.path)
		for _, d := range f.ast.Decls {
			var names []*ast.Ident
			switch d := d.(type) {
			case *ast.FuncDecl:
				names = append(names, d.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names = append(names, s.Name)
					case *ast.ValueSpec:
						names = append(names, s.Names...)
					}
				}
			}
			for _, n := range names {
				seen++
				assert.False(t, declared.MatchString(n.Name), "%s declares %s", f.path, n.Name)
			}
		}
	}
	require.Greater(t, seen, 1000)
}
