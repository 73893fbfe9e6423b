package audit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
)

// bigChain writes two releases of frozen classes with 7 quasi-identifiers: the
// first with 90 % of n records, the second with all.
func bigChain(b testing.TB, n int) (Options, [][]gate.Placement) {
	const size, d = 12, 7
	r := rand.New(rand.NewPCG(1, 2))
	type class struct {
		cells [d]string
		lo    [d]int
		hi    [d]int
		recs  []int
	}
	root := b.TempDir()
	dir := filepath.Join(root, "releases")
	var classes []class
	width := []int{80, 40, 16, 8, 500, 100, 30}
	values := make([][d]int, n)
	for first := 0; first+size <= n; first += size {
		var c class
		for a := range d {
			c.lo[a], c.hi[a] = 1<<30, -1
		}
		base := [d]int{}
		for a := range d {
			base[a] = r.IntN(width[a])
		}
		for i := range size {
			for a := range d {
				v := base[a]
				if r.IntN(3) == 0 {
					v += r.IntN(1 + width[a]/10)
				}
				values[first+i][a] = v
				c.lo[a], c.hi[a] = min(c.lo[a], v), max(c.hi[a], v)
			}
			c.recs = append(c.recs, first+i)
		}
		for a := range d {
			c.cells[a] = fmt.Sprint(c.lo[a])
			if c.lo[a] < c.hi[a] {
				c.cells[a] = fmt.Sprintf("\"[%d,%d]\"", c.lo[a], c.hi[a])
			}
		}
		classes = append(classes, c)
	}
	illness := func(rec int) int { return rec % size % 6 } // every class: six values, twice each
	previous := any(nil)
	var members [][]gate.Placement
	var parts []map[string]any
	from, all := 0, bytes.NewBufferString("")
	export := bytes.NewBufferString("release,record,part,class\n")
	for rel, share := range []float64{0.9, 1} {
		to := int(share * float64(len(classes)))
		part := slices.Clone(classes[from:to])
		name := format.PartName(rel + 1)
		slices.SortFunc(part, func(x, y class) int {
			for a := range d {
				if x.lo[a] != y.lo[a] {
					return x.lo[a] - y.lo[a]
				}
				if x.hi[a] != y.hi[a] {
					return x.hi[a] - y.hi[a]
				}
			}
			return 0
		})
		var out bytes.Buffer
		out.WriteString("q0,q1,q2,q3,q4,q5,q6,illness,class\n")
		member := gate.Placement{Part: name}
		for i, c := range part {
			for j := range size {
				for a := range d {
					out.WriteString(c.cells[a])
					out.WriteByte(',')
				}
				fmt.Fprintf(&out, "illness-%d,%d\n", j/2, i+1)
			}
			for _, rec := range c.recs {
				member.Records, member.Classes = append(member.Records, uint32(rec)), append(member.Classes, uint32(i+1))
				fmt.Fprintf(all, "topic:%d:%d,%s,%d\n", rec%4, rec, name, i+1)
			}
		}
		members = append(members, []gate.Placement{member})
		for line := range strings.Lines(all.String()) {
			fmt.Fprintf(export, "%d,%s", rel+1, line)
		}
		parts = append(parts, map[string]any{"part": name, "release": rel + 1, "classes": len(part), "rows": len(part) * size,
			"mode":  format.PartMode,
			"files": []map[string]any{fileEntry("data.csv", out.Bytes(), len(part)*size)}})
		from = to
		var schema []map[string]any
		for a := range d {
			schema = append(schema, map[string]any{"name": fmt.Sprintf("q%d", a), "role": "quasi", "type": "integer"})
		}
		schema = append(schema, map[string]any{"name": "illness", "role": "sensitive", "type": "categorical"})
		said := map[string]any{
			"format_version": 6, "dataset": "bench", "release": rel + 1, "created_at": "2026-11-20T00:00:00Z", "seeded": true, "schema": schema,
			"policy":   map[string]any{"k": 10, "l": 5, "republication": "append", "max_regroups": 2},
			"recoding": "generalization", "records": to * size, "classes": to, "pending": 0, "quality": map[string]any{},
			"parts":    parts,
			"privacy":  map[string]any{"k_min": size, "max_frequency": 2.0 / size, "certificate": "frozen", "level": "L0+L1", "k1": "rows"},
			"previous": previous,
		}
		sub := filepath.Join(dir, format.DirName(rel+1))
		documented(b, said, func(name string, text []byte) {
			require.NoError(b, os.MkdirAll(sub, 0o755))
			require.NoError(b, os.WriteFile(filepath.Join(sub, name), text, 0o444))
		})
		man := inForm(b, said)
		previous = map[string]any{"release": rel + 1, "sha256": format.HexSHA(man)}
		require.NoError(b, os.MkdirAll(filepath.Join(sub, name), 0o755))
		require.NoError(b, os.WriteFile(filepath.Join(sub, name, "data.csv"), out.Bytes(), 0o444))
		if rel > 0 {
			require.NoError(b, os.Mkdir(filepath.Join(sub, format.PartName(1)), 0o755))
			require.NoError(b, os.Link(filepath.Join(dir, format.DirName(1), format.PartName(1), "data.csv"), filepath.Join(sub,
				format.PartName(1), "data.csv")))
		}
		require.NoError(b, os.WriteFile(filepath.Join(sub, "manifest.json"), man, 0o600))
	}
	records := bytes.NewBufferString("record,arrived_in_release,q0,q1,q2,q3,q4,q5,q6,illness\n")
	last := len(classes) * size
	firstShare := int(0.9*float64(len(classes))) * size
	for rec := range last {
		arrived := 1
		if rec >= firstShare {
			arrived = 2
		}
		fmt.Fprintf(records, "topic:%d:%d,%d", rec%4, rec, arrived)
		for a := range d {
			fmt.Fprintf(records, ",%d", values[rec][a])
		}
		fmt.Fprintf(records, ",illness-%d\n", illness(rec))
	}
	require.NoError(b, os.WriteFile(filepath.Join(root, "members.csv"), export.Bytes(), 0o600))
	require.NoError(b, os.WriteFile(filepath.Join(root, "records.csv"), records.Bytes(), 0o600))
	require.NoError(b, os.WriteFile(filepath.Join(dir, "CURRENT"), []byte("000002\n"), 0o600))
	return Options{Releases: dir, Members: filepath.Join(root, "members.csv"), Records: filepath.Join(root, "records.csv")}, members
}

// BenchmarkGate is what a release costs the publisher that adds a tenth to n records: read and
// parse the new files, test them alone and against the release before.
func BenchmarkGate(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 1e6} {
		b.Run(fmt.Sprintf("records=%.0e", float64(n)), func(b *testing.B) {
			o, members := bigChain(b, n)
			g := gate.New(format.Policy{K: 10, L: 5, Republication: "append", MaxRegroups: new(2)})
			found, err := g.Check(filepath.Join(o.Releases, format.DirName(1)), members[0])
			require.NoError(b, err)
			require.Empty(b, found)
			g.Commit()
			info, err := os.Stat(filepath.Join(o.Releases, format.DirName(2), format.PartName(2), "data.csv"))
			require.NoError(b, err)
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				found, err := g.Check(filepath.Join(o.Releases, format.DirName(2)), members[1])
				require.NoError(b, err)
				require.Empty(b, found)
			}
		})
	}
}

// BenchmarkDir is a whole audit of two releases with both exports, attackers
// included.
func BenchmarkDir(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 1e6} {
		b.Run(fmt.Sprintf("records=%.0e", float64(n)), func(b *testing.B) {
			o, _ := bigChain(b, n)
			b.ReportAllocs()
			for b.Loop() {
				r, err := Dir(o)
				require.NoError(b, err)
				require.Equal(b, VerdictCertified, r.Verdict, r.Violations)
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.Sys)/float64(1<<20), "sys-MB")
		})
	}
}

// TestBigChainIsCertified keeps the benchmark's chain honest.
func TestBigChainIsCertified(t *testing.T) {
	o, _ := bigChain(t, 3000)
	r, err := Dir(o)
	require.NoError(t, err)
	require.Equal(t, VerdictCertified, r.Verdict, r.Violations)
}
