package snapshot_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/snapshot"
)

// BenchmarkWholeTable: a million records in so many parts read as one table. live
// is what the heap holds at the most, over what it held before.
func BenchmarkWholeTable(b *testing.B) {
	for _, recoding := range benchRecodings() {
		all := benchView(b, 1e6)
		for _, parts := range []int{1, 10, 50} {
			b.Run(fmt.Sprintf("%s/parts=%d", benchName(recoding), parts), func(b *testing.B) {
				defer snapshot.Keep(1000)()
				m, dir, v := inParts(b, recoding, all, parts)
				var live uint64
				var spent time.Duration
				for b.Loop() {
					w := snapshot.NewWholeTable(m, v.Schema, func(path string) (io.ReadCloser, error) {
						return os.Open(filepath.Join(dir, path))
					})
					before := heap()
					at, began := &highest{b: b}, processorTime(b)
					_, err := w.Write(func(string) io.Writer { return at })
					require.NoError(b, err)
					spent += processorTime(b) - began - at.spent
					live = max(live, at.most-min(before, at.most))
				}
				b.ReportMetric(float64(live)/1e6, "live-MB")
				b.ReportMetric(float64(spent.Milliseconds())/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// inParts publishes a view in so many releases: the manifest of the last, and its
// directory.
func inParts(b *testing.B, recoding snapshot.Recoding, all *incremental.View, parts int) (*snapshot.Manifest, string, *incremental.View) {
	before, _ := partsViews(all, parts, 0)
	s := benchSettings(recoding)
	s.Policy.Republication, s.Policy.MaxRegroups = "append", 0
	p := publisher(unsynced{snapshot.OS()}, b.TempDir())
	p.Gate = openGate{}
	require.NoError(b, p.Open())
	var out *snapshot.Rendered
	for _, v := range before {
		var err error
		out, err = p.Publish(snapshot.Of(benchForm(b, recoding, v)), s)
		require.NoError(b, err)
	}
	return &out.Manifest, filepath.Join(p.Dir, fmt.Sprintf("%06d", parts)), benchForm(b, recoding, before[0])
}

// highest looks at the heap now and then as a table is written.
type highest struct {
	b       *testing.B
	written int
	most    uint64
	spent   time.Duration // on looking
}

func (h *highest) Write(p []byte) (int, error) {
	if h.written += len(p); h.written > 8<<20 {
		began := processorTime(h.b)
		h.written = 0
		h.most = max(h.most, heap())
		h.spent += processorTime(h.b) - began
	}
	return len(p), nil
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
