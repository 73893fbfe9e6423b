package daemon

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass"
	"anond/incremental/boltstore"
	"anond/internal/dataset"
	"anond/snapshot"
)

// BenchmarkHeap is the live heap, in bytes a record, of a daemon at level L2 that has run on: it took records of
// people in and published them in 20 releases. running: as it is then, state, publisher and gate; started: of one that is started
// on the same state. repeats: of so many records in a hundred the person was there before. ANOND_HEAP=FILE writes a heap
// profile of the running one.
func BenchmarkHeap(b *testing.B) {
	for _, repeats := range []int{0, 25} {
		for _, n := range []int{100_000, 1_000_000} {
			b.Run(fmt.Sprintf("repeats=%d/records=%d", repeats, n), func(b *testing.B) {
				for b.Loop() {
					benchHeap(b, repeats, n)
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkHeapOfHistories is the live heap, in bytes a record, of a machine all of whose people are observed, each with one record or
// with two; peak is the most that the process had from the system, over what it had before, until all windows had ended at once and
// that was committed.
func BenchmarkHeapOfHistories(b *testing.B) {
	for _, each := range []int{1, 2} {
		b.Run(fmt.Sprintf("records=%d", each), func(b *testing.B) {
			for b.Loop() {
				benchOpen(b, each)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func benchOpen(b *testing.B, each int) {
	const people = 200_000
	subject := "    - {name: person, role: subject}\n    - {name: age,"
	text := strings.Replace(fmt.Sprintf(startConfig, config.L2, "buckets"), "    - {name: age,", subject, 1) + "subject: {settle: end"
	if each > 1 {
		text += ", repeat: history"
	}
	path := filepath.Join(b.TempDir(), "anond.yaml")
	require.NoError(b, os.WriteFile(path, []byte(text+"}\n"), 0o600))
	c, _, err := config.Load(path, os.LookupEnv, os.ReadFile)
	require.NoError(b, err)
	store, err := boltstore.Open(c.State.Path, boltstore.Options{})
	require.NoError(b, err)
	const some = 10_000
	records := people * each
	rows := levelsRows(some)
	for i, row := range rows {
		rows[i] = append(equivclass.Row{nil}, row...)
	}
	before := heap()
	m, err := dataset.OpenMachine(b.Context(), store, c, dataset.Options{})
	require.NoError(b, err)
	for i := 0; i < records; i += some {
		for k, row := range rows {
			row[0] = fmt.Appendf(nil, "person-%d", (i+k)%people)
		}
		takeIn(b, m, rows)
	}
	require.Equal(b, records, m.Status().Pending.Settling)
	b.ReportMetric(float64(heap()-before)/float64(records), "open-B/record")
	var most runtime.MemStats
	debug.FreeOSMemory()
	runtime.ReadMemStats(&most)
	open := most.Sys - most.HeapReleased
	require.NoError(b, m.Finish())
	runtime.ReadMemStats(&most)
	b.ReportMetric(float64(int64(most.Sys-most.HeapReleased-open))/float64(records), "more-ended-B/record")
	require.NoError(b, m.Commit())
	runtime.ReadMemStats(&most)
	b.ReportMetric(float64(int64(most.Sys-most.HeapReleased-open))/float64(records), "more-stored-B/record")
	require.Equal(b, records, m.Status().Pending.Waiting)
	b.ReportMetric(float64(heap()-before)/float64(records), "ended-B/record")
	runtime.KeepAlive(rows)
	runtime.KeepAlive(m)
	require.NoError(b, store.Close())
}

func benchHeap(b *testing.B, repeats, n int) {
	const releases = 20
	text := strings.Replace(fmt.Sprintf(startConfig, config.L2, "buckets"), "    - {name: age,",
		"    - {name: person, role: subject}\n    - {name: age,", 1)
	path := filepath.Join(b.TempDir(), "anond.yaml")
	require.NoError(b, os.WriteFile(path, []byte(text), 0o600))
	c, _, err := config.Load(path, os.LookupEnv, os.ReadFile)
	require.NoError(b, err)
	store, err := boltstore.Open(c.State.Path, boltstore.Options{})
	require.NoError(b, err)
	before := heap()
	m, err := dataset.OpenMachine(b.Context(), store, c, dataset.Options{})
	require.NoError(b, err)
	p, err := newPublisher(b.Context(), c, m, unseen(snapshot.OS()), nil)
	require.NoError(b, err)
	rng, people := rand.New(rand.NewPCG(1, 2)), 0
	rows := levelsRows(n)
	for i, row := range rows {
		person := people
		if people > 0 && rng.IntN(100) < repeats {
			person = rng.IntN(people)
		} else {
			people++
		}
		rows[i] = append(equivclass.Row{fmt.Appendf(nil, "person-%d", person)}, row...)
	}
	for len(rows) > 0 {
		some := min(len(rows), n/releases)
		takeIn(b, m, rows[:some])
		rows = rows[some:]
		if len(rows) == 0 {
			rows = nil
		}
		waitingRelease(b, m, p)
	}
	b.ReportMetric(float64(heap()-before)/float64(n), "running-B/record")
	if name := os.Getenv("ANOND_HEAP"); name != "" {
		f, err := os.Create(name)
		require.NoError(b, err)
		require.NoError(b, pprof.Lookup("heap").WriteTo(f, 0))
		require.NoError(b, f.Close())
	}
	require.NoError(b, p.Close())
	require.NoError(b, store.Close())
	runtime.KeepAlive(p)
	runtime.KeepAlive(m)
	m, p, store = nil, nil, nil
	before = heap()
	store, err = boltstore.Open(c.State.Path, boltstore.Options{})
	require.NoError(b, err)
	m, err = dataset.OpenMachine(b.Context(), store, c, dataset.Options{})
	require.NoError(b, err)
	b.ReportMetric(float64(heap()-before)/float64(n), "state-B/record")
	p, err = newPublisher(b.Context(), c, m, unseen(snapshot.OS()), nil)
	require.NoError(b, err)
	<-p.standing.done
	require.NoError(b, p.standing.err)
	b.ReportMetric(float64(heap()-before)/float64(n), "started-B/record")
	runtime.KeepAlive(p)
	runtime.KeepAlive(m)
	require.NoError(b, store.Close())
}
