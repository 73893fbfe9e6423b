//go:build unix

package audit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
)

// bigPart writes a part of frozen classes of 12 with 7 quasi-identifiers, and says
// who is in it.
func bigPart(r *rand.Rand, classes, first int) ([]byte, gate.Placement) {
	const size, d = 12, 7
	type class struct {
		lo, hi [d]int
		first  int
	}
	width := []int{80, 40, 16, 8, 500, 100, 30}
	all := make([]class, classes)
	for i := range all {
		c := &all[i]
		c.first = first + i*size
		for a := range d {
			c.lo[a] = r.IntN(width[a])
			c.hi[a] = c.lo[a] + r.IntN(1+width[a]/10)
		}
	}
	slices.SortFunc(all, func(x, y class) int {
		for a := range d {
			if o := (x.lo[a]-y.lo[a])<<10 + x.hi[a] - y.hi[a]; o != 0 {
				return o
			}
		}
		return 0
	})
	var out bytes.Buffer
	out.WriteString("q0,q1,q2,q3,q4,q5,q6,illness,class\n")
	var who gate.Placement
	for i, c := range all {
		cells := ""
		for a := range d {
			if c.lo[a] == c.hi[a] {
				cells += fmt.Sprintf("%d,", c.lo[a])
			} else {
				cells += fmt.Sprintf("\"[%d,%d]\",", c.lo[a], c.hi[a])
			}
		}
		for j := range size {
			fmt.Fprintf(&out, "%sillness-%d,%d\n", cells, j/2, i+1)
			who.Records, who.Classes = append(who.Records, uint32(c.first+j)), append(who.Classes, uint32(i+1))
		}
	}
	return out.Bytes(), who
}

// bigParts puts a release of n records in some parts on disk, and the next one,
// with some newcomers; it may put all parts together.
func bigParts(b testing.TB, n, parts, newcomers int, compact bool) (dir string, before, now []gate.Placement, bytes int) {
	r := rand.New(rand.NewPCG(1, 2))
	dir = b.TempDir()
	var entries []map[string]any
	classes, rows := 0, 0
	put := func(release, births int, sub string, size int) gate.Placement {
		data, who := bigPart(r, size, rows)
		who.Part = format.PartName(births)
		path := filepath.Join(dir, format.DirName(release), who.Part, "data.csv")
		require.NoError(b, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(b, os.WriteFile(path, data, 0o444))
		entries = append(entries, map[string]any{"part": who.Part, "release": births, "classes": size, "rows": size * 12, "mode": format.PartMode,
			"files": []map[string]any{fileEntry("data.csv", data, size*12)}})
		classes, rows, bytes = classes+size, rows+size*12, len(data)
		return who
	}
	previous := any(nil)
	manifest := func(release int) {
		var schema []map[string]any
		for a := range 7 {
			schema = append(schema, map[string]any{"name": fmt.Sprintf("q%d", a), "role": "quasi", "type": "integer"})
		}
		schema = append(schema, map[string]any{"name": "illness", "role": "sensitive", "type": "categorical"})
		said := map[string]any{
			"format_version": 6, "dataset": "bench", "release": release, "created_at": "2026-11-20T00:00:00Z", "seeded": true, "schema": schema,
			"policy":   map[string]any{"k": 10, "l": 5, "republication": "append", "max_regroups": 2},
			"recoding": "generalization", "records": rows, "classes": classes, "pending": 0, "quality": map[string]any{}, "parts": entries,
			"privacy":  map[string]any{"k_min": 12, "max_frequency": 2.0 / 12, "certificate": "frozen", "level": "L0+L1", "k1": "rows"},
			"previous": previous,
		}
		documented(b, said, func(name string, text []byte) {
			require.NoError(b, os.WriteFile(filepath.Join(dir, format.DirName(release), name), text, 0o444))
		})
		data := inForm(b, said)
		require.NoError(b, os.WriteFile(filepath.Join(dir, format.DirName(release), "manifest.json"), data, 0o600))
		previous = map[string]any{"release": release, "sha256": format.HexSHA(data)}
	}
	if parts > 1 {
		previous = map[string]any{"release": parts - 1, "sha256": format.HexSHA(nil)}
	}
	for p := 1; p <= parts; p++ {
		before = append(before, put(parts, p, "", n/parts/12))
	}
	manifest(parts)
	if compact {
		entries = []map[string]any{compactBig(b, dir, parts, entries)}
	}
	for p := 1; p <= parts && !compact; p++ {
		at := func(release int) string {
			return filepath.Join(dir, format.DirName(release), format.PartName(p), "data.csv")
		}
		require.NoError(b, os.MkdirAll(filepath.Dir(at(parts+1)), 0o755))
		require.NoError(b, os.Link(at(parts), at(parts+1)))
	}
	now = []gate.Placement{put(parts+1, parts+1, "", newcomers/12)}
	manifest(parts + 1)
	return dir, before, now, bytes
}

// compactBig puts the parts of a release together for the next one.
func compactBig(b testing.TB, dir string, parts int, entries []map[string]any) map[string]any {
	var out bytes.Buffer
	name := "part-000001" + strings.TrimPrefix(format.PartName(parts), "part")
	entry := map[string]any{"part": name, "release": parts + 1, "mode": format.PartMode}
	var replaces []map[string]any
	classes := 0
	for i, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, format.DirName(parts), format.PartName(i+1), "data.csv"))
		require.NoError(b, err)
		for j, line := range bytes.SplitAfter(data, []byte("\n")) {
			at := bytes.LastIndexByte(line, ',') + 1
			if j == 0 && i > 0 || at == 0 {
				continue
			}
			if j == 0 {
				out.Write(line)
				continue
			}
			n, err := strconv.Atoi(string(line[at : len(line)-1]))
			require.NoError(b, err)
			fmt.Fprintf(&out, "%s%d\n", line[:at], n+classes)
		}
		replaces = append(replaces, map[string]any{"part": e["part"], "first_class": classes + 1, "classes": e["classes"]})
		classes += e["classes"].(int)
	}
	entry["classes"], entry["rows"], entry["replaces"] = classes, classes*12, replaces
	entry["files"] = []map[string]any{fileEntry("data.csv", out.Bytes(), classes*12)}
	path := filepath.Join(dir, format.DirName(parts+1), name, "data.csv")
	require.NoError(b, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(b, os.WriteFile(path, out.Bytes(), 0o444))
	return entry
}

func benchGate() *gate.Gate {
	return gate.New(format.Policy{K: 10, L: 5, Republication: "append", MaxRegroups: new(2)})
}

// BenchmarkGateParts is what the check of a release costs that adds newcomers to a
// million records in some parts, and once puts all parts together.
func BenchmarkGateParts(b *testing.B) {
	for _, newcomers := range []int{10_000, 250_000} {
		for _, parts := range []int{1, 10, 50, -10} {
			compact := parts < 0
			parts := max(parts, -parts)
			b.Run(fmt.Sprintf("records=1e6/parts=%d/compact=%t/newcomers=%d", parts, compact, newcomers), func(b *testing.B) {
				dir, before, now, bytes := bigParts(b, 1_000_000, parts, newcomers, compact)
				g := benchGate()
				found, err := g.Resume(filepath.Join(dir, format.DirName(parts)), before, nil)
				require.NoError(b, err)
				require.Empty(b, found)
				b.SetBytes(int64(bytes))
				b.ReportAllocs()
				defer reportCPU(b)()
				for b.Loop() {
					found, err := g.Check(filepath.Join(dir, format.DirName(parts+1)), now)
					require.NoError(b, err)
					require.Empty(b, found)
				}
			})
		}
	}
}

// BenchmarkGateResume is what a start costs, and what the gate holds after it.
func BenchmarkGateResume(b *testing.B) {
	for _, parts := range []int{1, 10, 50} {
		b.Run(fmt.Sprintf("records=1e6/parts=%d", parts), func(b *testing.B) {
			dir, before, _, _ := bigParts(b, 1_000_000, parts, 1200, false)
			g := benchGate()
			report := reportCPU(b)
			for b.Loop() {
				found, err := g.Resume(filepath.Join(dir, format.DirName(parts)), before, nil)
				require.NoError(b, err)
				require.Empty(b, found)
			}
			report()
			g.Compact()
			with := inUse()
			runtime.KeepAlive(g)
			g = nil
			b.ReportMetric(float64(with-inUse())/1e6, "carried-B/record")
			runtime.KeepAlive(before)
		})
	}
}

// reportCPU reports the processor time of a run, which unlike the time on the clock
// does not depend on what else the machine does.
func reportCPU(b *testing.B) func() {
	from := cpu(b)
	return func() { b.ReportMetric((cpu(b)-from).Seconds()*1000/float64(b.N), "cpu-ms/op") }
}

func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestBigParts keeps the benchmark's chain in order.
func TestBigParts(t *testing.T) {
	for _, compact := range []bool{false, true} {
		dir, before, now, _ := bigParts(t, 2400, 3, 240, compact)
		g := benchGate()
		found, err := g.Resume(filepath.Join(dir, format.DirName(3)), before, nil)
		require.NoError(t, err)
		require.Empty(t, found)
		found, err = g.Check(filepath.Join(dir, format.DirName(4)), now)
		require.NoError(t, err)
		require.Empty(t, found)
	}
}
