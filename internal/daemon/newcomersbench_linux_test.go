package daemon

import (
	"anond/incremental/state"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/snapshot"
)

// BenchmarkNewcomers is what a release costs that adds few people to many: from the cut to
// CURRENT and the mark in the state, planning, fsync and the gate included; elapsed and
// processor time, at level L2 without Merge, which stands next to it. A release of 10,000
// newcomers comes first, which builds the index of positions. Then a start on that state,
// and what it holds in memory. The full tier adds ten million people; at level L2 Merge
// alone takes minutes then.
func BenchmarkNewcomers(b *testing.B) {
	for _, level := range []config.Level{config.L1, config.L2} {
		for _, n := range []int{1_000_000, 10_000_000}[:tier.Of(b, 1, 1, 2)] {
			b.Run(fmt.Sprintf("%s/records=%d", level, n), func(b *testing.B) {
				for b.Loop() {
					newcomers(b, level, n)
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// newcomersConfig has a first load that is not measured.
func newcomersConfig(b *testing.B, level config.Level) *config.Config {
	text, _, _ := strings.Cut(startConfig, "policy:")
	text = strings.Replace(text, "    - {name: age,", "    - {name: person, role: subject}\n    - {name: age,", 1)
	text += fmt.Sprintf("policy: {k: 10, l: 5, level: %s}\ninitial: {max_records: 100000000}\n", level)
	text += "release: {dir: ./releases, trigger: {on: interval, every: 1h}}\nstate: {path: ./state/anond.db}\n"
	path := filepath.Join(b.TempDir(), "anond.yaml")
	require.NoError(b, os.WriteFile(path, []byte(text), 0o600))
	c, _, err := config.Load(path, os.LookupEnv, os.ReadFile)
	require.NoError(b, err)
	return c
}

func newcomers(b *testing.B, level config.Level, n int) {
	c := newcomersConfig(b, level)
	store, err := boltstore.Open(c.State.Path, boltstore.Options{})
	require.NoError(b, err)
	m, err := dataset.OpenMachine(b.Context(), store, c, dataset.Options{})
	require.NoError(b, err)
	p, err := newPublisher(b.Context(), c, m, unseen(snapshot.OS()), nil)
	require.NoError(b, err)
	const few, many = 10_000, 250_000
	person := 0
	arrive := func(records int) {
		for records > 0 {
			rows := levelsRows(min(records, 500_000))
			for i := range rows {
				rows[i] = append(equivclass.Row{fmt.Appendf(nil, "person-%d", person)}, rows[i]...)
				person++
			}
			takeIn(b, m, rows)
			records -= len(rows)
		}
	}
	arrive(n - many - 2*few)
	waitingRelease(b, m, p)
	for _, newcomers := range []int{few, few, many} {
		arrive(newcomers)
		measuredRelease(b, m, p, newcomers)
	}
	require.NoError(b, p.Close())
	require.NoError(b, store.Close())
	var r levelsRun
	r.startWaiting(b, c, float64(n))
	for _, name := range r.names {
		b.ReportMetric(r.took[name], name)
	}
}

// measuredRelease prints what each step of a release takes, elapsed and processor time.
// What Merge takes is measured apart, on the bags of the release (mergeAgain).
func measuredRelease(b *testing.B, m *incremental.Machine, p *publisher, newcomers int) {
	var made *incremental.Decision
	var intent *state.Intent
	var view *incremental.View
	var out ingest.Release
	var line []string
	var elapsed, cpu time.Duration
	step := func(name string, do func() error) {
		began, beganCPU := time.Now(), processorTime()
		require.NoError(b, do())
		took, tookCPU := time.Since(began), processorTime()-beganCPU
		elapsed, cpu = elapsed+took, cpu+tookCPU
		line = append(line, fmt.Sprintf("%s %d/%d", name, took.Milliseconds(), tookCPU.Milliseconds()))
	}
	step("decide", func() (err error) { made, err = m.Decide(state.AtEnd); return err })
	step("store", func() (err error) { intent, err = m.Enact(made, 1, [32]byte{}); return err })
	require.NotNil(b, intent)
	step("view", func() (err error) { view, err = m.Releases().Change(intent.Release); return err })
	step("publish", func() (err error) { out, err = p.Publish(context.Background(), view); return err })
	step("mark", func() error { return m.Published(intent.Release, out.Manifest) })
	name := fmt.Sprintf("%d-newcomers", newcomers)
	if view.Level == state.L2 {
		all, allCPU := elapsed, cpu
		step("of that Merge", func() error { mergeAgain(view); return nil })
		elapsed, cpu = 2*all-elapsed, 2*allCPU-cpu
		b.ReportMetric(float64((all - elapsed).Milliseconds()), name+"-merge-ms")
		b.ReportMetric(float64((allCPU - cpu).Milliseconds()), name+"-merge-cpu-ms")
	}
	b.ReportMetric(float64(elapsed.Milliseconds()), name+"-ms")
	b.ReportMetric(float64(cpu.Milliseconds()), name+"-cpu-ms")
	fmt.Printf("%s, release %d, ms elapsed/processor: %s\n", name, intent.Release, strings.Join(line, ", "))
}
