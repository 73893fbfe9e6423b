package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/snapshot"
)

// BenchmarkNewcomers is what a release costs that adds few people to many: from the cut to
// CURRENT and the mark in the state, planning, fsync and the gate included, on top of a
// first release; elapsed and processor time of each step. Then what the daemon that made
// them holds in memory, and a start.
func BenchmarkNewcomers(b *testing.B) {
	for _, level := range []config.Level{config.L1, config.L2} {
		for _, n := range []int{1_000_000, 10_000_000} {
			b.Run(fmt.Sprintf("%s/records=%d", level, n), func(b *testing.B) {
				for b.Loop() {
					newcomers(b, level, n)
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// newcomersConfig takes the quickest method for the first load at level L1, which is not
// measured.
func newcomersConfig(b *testing.B, level config.Level) *config.Config {
	text, _, _ := strings.Cut(startConfig, "policy:")
	text = strings.Replace(text, "    - {name: age,", "    - {name: person, role: subject}\n    - {name: age,", 1)
	text += fmt.Sprintf("policy: {k: 10, l: 5, level: %s}\ninitial: {max_records: 100000000", level)
	if level == config.L1 {
		text += ", partitioner: mondrian"
	}
	text += "}\nrelease: {dir: ./releases, trigger: {on: interval, every: 1h}}\nstate: {path: ./state/anond.db}\n"
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
	m, err := openMachine(b.Context(), store, c, Options{})
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
	for _, newcomers := range []int{few, many, few} {
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

// measuredRelease prints what each step of a release takes.
func measuredRelease(b *testing.B, m *incremental.Machine, p *publisher, newcomers int) {
	var made *incremental.Decision
	var intent *incremental.Intent
	var err error
	began, cpu := time.Now(), processorTime()
	lap, lapCPU := began, cpu
	var line []string
	step := func(name string) {
		require.NoError(b, err)
		line = append(line, fmt.Sprintf("%s %d/%d", name, time.Since(lap).Milliseconds(), (processorTime()-lapCPU).Milliseconds()))
		lap, lapCPU = time.Now(), processorTime()
	}
	made, err = m.Decide(true)
	step("decide")
	intent, err = m.Enact(made, 1, [32]byte{})
	step("enact")
	require.NotNil(b, intent)
	var view *incremental.View
	view, err = m.Change(intent.Release)
	step("view")
	out, err2 := p.Publish(context.Background(), view)
	err = err2
	step("publish")
	err = m.Published(intent.Release, out.Manifest)
	step("mark")
	name := fmt.Sprintf("%d-newcomers", newcomers)
	b.ReportMetric(float64(time.Since(began).Milliseconds()), name+"-ms")
	b.ReportMetric(float64((processorTime() - cpu).Milliseconds()), name+"-cpu-ms")
	text, _ := json.Marshal(line)
	fmt.Printf("%s release %d, ms elapsed/processor: %s\n", name, intent.Release, text)
}
