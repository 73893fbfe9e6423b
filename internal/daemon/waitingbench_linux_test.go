package daemon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/incremental/state"
	"anond/internal/dataset"
	"anond/snapshot"
)

// waitingState has half of the records in a first release, a quarter in a second one, and
// a quarter waiting. Every record has a subject.
func waitingState(b *testing.B, level config.Level, n int) *config.Config {
	text := strings.Replace(fmt.Sprintf(startConfig, level, "generalization"), "    - {name: age,",
		"    - {name: person, role: subject}\n    - {name: age,", 1)
	if level == config.L2 {
		text = strings.Replace(text, "generalization", "buckets", 1)
	}
	path := filepath.Join(b.TempDir(), "anond.yaml")
	require.NoError(b, os.WriteFile(path, []byte(text), 0o600))
	c, _, err := config.Load(path, os.LookupEnv, os.ReadFile)
	require.NoError(b, err)
	store, err := boltstore.Open(c.State.Path, boltstore.Options{})
	require.NoError(b, err)
	m, err := dataset.OpenMachine(b.Context(), store, c, dataset.Options{})
	require.NoError(b, err)
	p, err := newPublisher(b.Context(), c, m, unseen(snapshot.OS()), nil)
	require.NoError(b, err)
	rows := levelsRows(n)
	for i, row := range rows {
		rows[i] = append(equivclass.Row{fmt.Appendf(nil, "person-%d", i)}, row...)
	}
	takeIn(b, m, rows[:n/2])
	waitingRelease(b, m, p)
	takeIn(b, m, rows[n/2:n/2+n/4])
	waitingRelease(b, m, p)
	takeIn(b, m, rows[n/2+n/4:])
	require.NoError(b, p.Close())
	require.NoError(b, store.Close())
	return c
}

func waitingRelease(b *testing.B, m *incremental.Machine, p *publisher) {
	made, err := m.Decide(state.AtEnd)
	require.NoError(b, err)
	intent, err := m.Enact(made, 1, [32]byte{})
	require.NoError(b, err)
	require.NotNil(b, intent)
	view, err := m.Releases().Change(intent.Release)
	require.NoError(b, err)
	out, err := p.Publish(context.Background(), view)
	require.NoError(b, err)
	require.NoError(b, m.Published(intent.Release, out.Manifest))
}

// BenchmarkStartWaiting is a start with a quarter of the records waiting: processor time
// until the state is loaded, until the daemon reads, and until it may publish; the time elapsed until it may; then the
// live heap of the state alone, and of all.
func BenchmarkStartWaiting(b *testing.B) {
	for _, level := range []config.Level{config.L1, config.L2} {
		for _, n := range []int{10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/records=%d", level, n), func(b *testing.B) {
				c := waitingState(b, level, n)
				var r levelsRun
				for b.Loop() {
					r = levelsRun{}
					r.startWaiting(b, c, float64(n))
				}
				for _, name := range r.names {
					b.ReportMetric(r.took[name], name)
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func (r *levelsRun) startWaiting(b *testing.B, c *config.Config, n float64) {
	before := heap()
	var store *boltstore.Store
	var m *incremental.Machine
	var p *publisher
	var elapsed time.Duration
	r.step("open-cpu-ms", func() {
		began := time.Now()
		var err error
		store, err = boltstore.Open(c.State.Path, boltstore.Options{})
		require.NoError(b, err)
		m, err = dataset.OpenMachine(b.Context(), store, c, dataset.Options{})
		require.NoError(b, err)
		elapsed = time.Since(began)
	})
	r.add("state-B/record", "", float64(heap()-before)/n)
	r.step("recheck-cpu-ms", func() {
		began := time.Now()
		var err error
		p, err = newPublisher(b.Context(), c, m, unseen(snapshot.OS()), nil)
		require.NoError(b, err)
		<-p.standing.done
		elapsed += time.Since(began)
	})
	r.add("start-ms", "", elapsed.Seconds()*1000)
	require.NoError(b, p.standing.err)
	r.add("heap-B/record", "", float64(heap()-before)/n)
	runtime.KeepAlive(p)
	runtime.KeepAlive(m)
	require.NoError(b, store.Close())
}
