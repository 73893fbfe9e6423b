package audit

import (
	"bytes"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// prune does what release.keep does to one release.
func prune(t testing.TB, o *Options, number int) {
	t.Helper()
	dir := filepath.Join(o.Releases, format.DirName(number))
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(o.Releases, format.PrunedDir), 0o755))
	require.NoError(t, os.WriteFile(prunedManifest(o, number), data, 0o644))
	require.NoError(t, os.RemoveAll(dir))
}

func prunedManifest(o *Options, number int) string {
	return filepath.Join(o.Releases, format.PrunedDir, format.DirName(number)+".json")
}

// samePruned demands that an audit says the same after all releases but the newest were
// pruned, one after another.
func samePruned(t *testing.T, o Options, newest int) {
	t.Helper()
	want, err := Dir(o)
	require.NoError(t, err)
	for n := 1; n < newest; n++ {
		prune(t, &o, n)
		got, err := Dir(o)
		require.NoError(t, err)
		require.Len(t, got.Pruned, n)
		for i := range got.Releases {
			require.Equal(t, i < n, got.Releases[i].Pruned)
			got.Releases[i].Pruned = false
		}
		got.Pruned = nil
		require.Equal(t, want, got, "releases 1 to %d are pruned", n)
	}
}

// TestPrunedIsAuditedInFull: in every recoding, at both levels, with compactions of
// compactions, what was pruned is seen in what is left: nothing of the report changes.
func TestPrunedIsAuditedInFull(t *testing.T) {
	p, _ := partsChain()
	o := p.write(t, p.render())
	samePruned(t, o, 4)
	for _, recoding := range []string{"buckets", "anatomy", "permutation"} {
		p := standardL2(recoding)
		samePruned(t, p.write(t), 4)
	}
	r := rand.New(rand.NewPCG(3, 15))
	chains, joined := 6, 0
	if full() {
		chains = 60
	}
	for range chains {
		p := randomPlan(r)
		p.compactions(r)
		joined += len(p.compact)
		releases := p.render()
		samePruned(t, p.write(t, releases), len(releases))
	}
	require.Positive(t, joined)
}

// TestPrunedTextsMoveBack: quotes, commas and line breaks in cells stay what they are.
func TestPrunedTextsMoveBack(t *testing.T) {
	columns := []uint32{0, 0, 40}
	file := "a,b,class\n\"x,\"\"y\"\"\n\",,41\n\"\",é,52\n"
	rows, _, err := format.NewCSV("data.csv", []byte(file))
	require.NoError(t, err)
	var out []byte
	for {
		from := rows.Pos
		more, err := rows.Next()
		require.NoError(t, err)
		if !more {
			break
		}
		out = table.MoveBack(out, []byte(file)[from:rows.Pos], rows.Fields, columns)
	}
	require.Equal(t, "\"x,\"\"y\"\"\n\",,1\n\"\",é,12\n", string(out))
}

// rewriteNewest changes the newest release and its manifest, so that its own hashes fit.
func rewriteNewest(t *testing.T, o *Options, newest int, part, name string, edit func([]byte) []byte) {
	dir := filepath.Join(o.Releases, format.DirName(newest))
	path := filepath.Join(dir, part, name)
	old, err := os.ReadFile(path)
	require.NoError(t, err)
	changed := edit(bytes.Clone(old))
	require.NotEqual(t, string(old), string(changed))
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, changed, 0o444))
	manifest := filepath.Join(dir, "manifest.json")
	data, err := os.ReadFile(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(manifest, bytes.ReplaceAll(data, []byte(format.HexSHA(old)), []byte(format.HexSHA(changed))), 0o644))
}

// TestPrunedMutations: what is not pruning is told from it, and a change of what was
// published does not hide behind it.
func TestPrunedMutations(t *testing.T) {
	const newest = 4
	all := func(t *testing.T, o *Options) {
		for n := 1; n < newest; n++ {
			prune(t, o, n)
		}
	}
	for _, m := range []struct {
		name, want string
		damage     func(t *testing.T, o *Options)
	}{
		{"a release removed by hand", format.KindReleaseMissing, func(t *testing.T, o *Options) {
			require.NoError(t, os.RemoveAll(filepath.Join(o.Releases, "000002")))
		}},
		{"a release removed by hand behind pruned ones", format.KindReleaseMissing, func(t *testing.T, o *Options) {
			prune(t, o, 1)
			require.NoError(t, os.RemoveAll(filepath.Join(o.Releases, "000002")))
		}},
		{"a release in the middle passed off as pruned", format.KindReleaseMissing, func(t *testing.T, o *Options) { prune(t, o, 2) }},
		{"the manifest of a pruned release removed", format.KindReleaseMissing, func(t *testing.T, o *Options) {
			all(t, o)
			require.NoError(t, os.Remove(prunedManifest(o, 2)))
		}},
		{"the manifest of a pruned release changed", format.KindChainBroken, func(t *testing.T, o *Options) {
			all(t, o)
			data, err := os.ReadFile(prunedManifest(o, 2))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(prunedManifest(o, 2), append(data, '\n'), 0o644))
		}},
		{"the newest manifest of the pruned ones not that of the ledger", format.KindLedgerMismatch, func(t *testing.T, o *Options) {
			all(t, o)
			ledger, err := os.ReadFile(o.Ledger)
			require.NoError(t, err)
			lines := strings.SplitAfter(string(ledger), "\n")
			lines[0] = "1 " + strings.Repeat("ab", 32) + lines[0][66:]
			require.NoError(t, os.WriteFile(o.Ledger, []byte(strings.Join(lines, "")), 0o600))
		}},
		{"a compaction that holds other rows than were published", format.KindCompaction, func(t *testing.T, o *Options) {
			all(t, o)
			o.Ledger = ""
			rewriteNewest(t, o, newest, "part-000001-000002", "data.csv", swapRows)
		}},
		{"a part with other rows than were published", format.KindPartChanged, func(t *testing.T, o *Options) {
			all(t, o)
			o.Ledger = ""
			rewriteNewest(t, o, newest, "part-000003", "data.csv", swapRows)
		}},
	} {
		t.Run(m.name, func(t *testing.T) {
			p, _ := partsChain()
			o := p.write(t, p.render())
			m.damage(t, &o)
			for _, exports := range []bool{true, false} {
				if !exports {
					o.Members, o.Records = "", ""
				}
				r, err := Dir(o)
				require.NoError(t, err)
				require.Equal(t, verdictViolated, r.Verdict)
				require.Contains(t, kinds(r.Violations), m.want, "exports: %v", exports)
			}
		})
	}
}

// swapRows exchanges the sensitive values of the first two rows that differ in them, of
// whatever class.
func swapRows(data []byte) []byte {
	lines := strings.SplitAfter(string(data), "\n")
	for i := 1; i < len(lines); i++ {
		for j := i + 1; j < len(lines)-1; j++ {
			x, y := strings.Split(lines[i], ","), strings.Split(lines[j], ",")
			if a, b := len(x)-2, len(y)-2; x[a] != y[b] {
				x[a], y[b] = y[b], x[a]
				lines[i], lines[j] = strings.Join(x, ","), strings.Join(y, ",")
				return []byte(strings.Join(lines, ""))
			}
		}
	}
	return data
}

// TestPrunedBegun: a crash behind the copy of the manifest leaves a release that has both,
// and nothing is pruned yet.
func TestPrunedBegun(t *testing.T) {
	p, _ := partsChain()
	o := p.write(t, p.render())
	want, err := Dir(o)
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(o.Releases, "000001", "manifest.json"))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(o.Releases, format.PrunedDir), 0o755))
	require.NoError(t, os.WriteFile(prunedManifest(&o, 1), data, 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(o.Releases, ".tmp-pruned-000001"), 0o755))
	got, err := Dir(o)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// TestUntil: what a daemon publishes after the exports were made is left out, and listed.
func TestUntil(t *testing.T) {
	p, _ := partsChain()
	o := p.write(t, p.render())
	whole, err := os.ReadFile(o.Members)
	require.NoError(t, err)
	var members []string
	for _, line := range strings.SplitAfter(string(whole), "\n") {
		if !strings.HasPrefix(line, "4,") {
			members = append(members, line)
		}
	}
	require.NoError(t, os.WriteFile(o.Members, []byte(strings.Join(members, "")), 0o600))
	o.Until = 3
	r, err := Dir(o)
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	require.Equal(t, VerdictCertified, r.Verdict)
	require.Len(t, r.Releases, 3)
	require.Contains(t, strings.Join(r.NotChecked, "\n"), "releases 4 to 4")
}

// TestUndoEnds: manifests that name a part as one that it replaces itself.
func TestUndoEnds(t *testing.T) {
	data := []byte("age,class\n3,1\n")
	part := format.Part{Name: "part-000001-000002", Release: 6, Classes: 1, Rows: 1, Files: []format.File{{Name: "data.csv",
		SHA256: format.HexSHA(data), Rows: 1}},
		Replaces: []format.Replaced{{Part: "part-000001-000002", FirstClass: 1, Classes: 1}, {Part: "part-000001-000002", FirstClass: 1,
			Classes: 1}}}
	before := &format.Manifest{Release: 5, Recoding: format.RecodingGeneralization, Parts: []format.Part{part}}
	v := &format.Vault{Files: map[string]format.Stored{}}
	u := &table.Undoing{S: &format.Schema{}, Vault: v, Earlier: map[int]*format.Manifest{5: before}, Done: map[*format.Part]bool{}}
	require.NoError(t, u.Part(&format.Manifest{Release: 6, Recoding: format.RecodingGeneralization}, &part, []string{"data.csv"},
		[][]byte{data}))
	require.Len(t, u.Differs, 2, "the rows of a part stand once")
	require.NotEmpty(t, v.Files)
}

// FuzzUndo: whatever bytes a compaction has, taking it apart does not panic; and where two
// parts of any texts were put together, it gives their bytes.
func FuzzUndo(f *testing.F) {
	f.Add([]byte("age,class\n3,1\n4,2\n5,3\n"), uint8(2), "x|y,\"z\"|\n", "|é")
	f.Add([]byte("a,class\n\"x,\"\"y\",1\n\"\",4\n"), uint8(1), "", "[1,2]")
	f.Fuzz(func(t *testing.T, data []byte, by uint8, first, second string) {
		undo := func(data []byte, rows ...int) ([][]byte, error) {
			c := table.NewCompaction(&format.Manifest{Recoding: format.RecodingGeneralization}, &format.Schema{},
				&format.Part{Replaces: []format.Replaced{{FirstClass: 1}, {FirstClass: int(by) + 1}}}, &format.Faults{})
			parts := make([]*format.Part, len(rows))
			for i, n := range rows {
				parts[i] = &format.Part{Files: []format.File{{Name: "data.csv", Rows: n}}}
			}
			return c.Apart("data.csv", data, parts)
		}
		_, _ = undo(data, int(by), 1000)
		a, b := strings.Split(first, "|"), strings.Split(second, "|")
		one, two := classedRows(t, a, 0), classedRows(t, b, 0)
		joined := slices.Concat(one, bytes.TrimPrefix(classedRows(t, b, int(by)), []byte("text,class\n")))
		if _, _, err := format.NewCSV("data.csv", joined); err != nil {
			return // no text of a release
		}
		out, err := undo(joined, len(a), len(b))
		if err != nil {
			return // a carriage return
		}
		require.Equal(t, string(one), string(out[0]))
		require.Equal(t, string(two), string(out[1]))
	})
}

// classedRows writes texts in rows, each in a class of its own behind others.
func classedRows(t *testing.T, texts []string, behind int) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	require.NoError(t, w.Write([]string{"text", "class"}))
	for i, text := range texts {
		require.NoError(t, w.Write([]string{text, strconv.Itoa(behind + i + 1)}))
	}
	w.Flush()
	return out.Bytes()
}
