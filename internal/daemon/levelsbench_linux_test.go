package daemon

import (
	"anond/incremental/state"
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/upkeep"
	"anond/snapshot"
	"anond/snapshot/audit"
)

// BenchmarkLevels takes the same people through every step of the daemon at level L1 and
// at level L2, by turns in one process, and prints each step's processor time at both
// levels and the median of their ratios. What Merge takes is measured apart, on the bags
// of the release, and taken off the step of level L2 that it is in (rig/docs/BENCHMARKS.md).
func BenchmarkLevels(b *testing.B) {
	for _, n := range []int{20_000, 100_000} {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			rows := levelsRows(n + n/2)
			var each [2][]levelsRun
			for range b.N {
				for i, level := range []config.Level{config.L1, config.L2} {
					each[i] = append(each[i], runLevels(b, level, rows[:n], rows[n:]))
				}
			}
			printLevels(b, each)
		})
	}
}

// levelsRun is what each step of one run took.
type levelsRun struct {
	names []string
	took  map[string]float64
	unit  map[string]string
}

func (r *levelsRun) add(name, unit string, v float64) {
	if r.took == nil {
		r.took, r.unit = map[string]float64{}, map[string]string{}
	}
	r.names = append(r.names, name)
	r.took[name], r.unit[name] = v, unit
}

// step measures the processor time of the whole process: workers and the collector count.
func (r *levelsRun) step(name string, do func()) { r.least(name, 1, do) }

// least is the least of several times of the same step. What is taken off another time must
// not be noise: Merge takes four times as long as the classes do.
func (r *levelsRun) least(name string, times int, do func()) {
	var took []float64
	for range times {
		// Memory that Merge has left behind must not be given back while the next step is
		// measured.
		debug.FreeOSMemory()
		began := processorTime()
		do()
		took = append(took, (processorTime()-began).Seconds()*1000)
	}
	r.add(name, "ms", slices.Min(took))
}

// repeated is how often classes are formed and merged: a decision that is not enacted leaves
// no trace.
const repeated = 3

func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const levelsPolicy = "policy: {k: 10, l: 5, level: %s}\ninitial: {max_records: 1000000}\n" +
	"release: {dir: ./releases, trigger: {on: interval, every: 1h}}\n"

func levelsConfig(b *testing.B, level config.Level) *config.Config {
	text, _, _ := strings.Cut(startConfig, "policy:")
	path := filepath.Join(b.TempDir(), "anond.yaml")
	require.NoError(b, os.WriteFile(path, []byte(text+fmt.Sprintf(levelsPolicy, level)+"state: {path: ./state/anond.db}\n"), 0o600))
	c, _, err := config.Load(path, os.LookupEnv, os.ReadFile)
	require.NoError(b, err)
	return c
}

func levelsRows(n int) []equivclass.Row {
	var text bytes.Buffer
	w := bufio.NewWriter(&text)
	startPeople(w, n)
	_ = w.Flush()
	records, _ := csv.NewReader(&text).ReadAll()
	rows := make([]equivclass.Row, 0, n)
	for _, record := range records[1:] {
		var row equivclass.Row
		for _, cell := range record {
			row = append(row, []byte(cell))
		}
		rows = append(rows, row)
	}
	return rows
}

// levelsSource is the one partition of the records.
var levelsSource = state.Partition{Source: "file:bench"}

func runLevels(b *testing.B, level config.Level, first, later []equivclass.Row) (r levelsRun) {
	c := levelsConfig(b, level)
	store, err := boltstore.Open(c.State.Path, boltstore.Options{})
	require.NoError(b, err)
	m, err := dataset.OpenMachine(b.Context(), store, c, dataset.Options{})
	require.NoError(b, err)
	p, err := newPublisher(b.Context(), c, m, unseen(snapshot.OS()), nil)
	require.NoError(b, err)
	r.step("first load: taking a record in", func() { takeIn(b, m, first) })
	r.release(b, m, p, "first release", state.Triggered)
	r.step("later: taking a record in", func() { takeIn(b, m, later) })
	r.release(b, m, p, "later release", state.AtEnd)
	require.NoError(b, p.Close())
	require.NoError(b, store.Close())
	r.start(b, c)
	r.audit(b, c)
	return r
}

func takeIn(b *testing.B, m *incremental.Machine, rows []equivclass.Row) {
	next, _ := m.Intake().Next(levelsSource)
	for i, row := range rows {
		if _, err := m.Apply(levelsSource, next+int64(i), row); err != nil {
			b.Fatal(err)
		}
		if i%10_000 == 9_999 {
			require.NoError(b, m.Commit())
		}
	}
	require.NoError(b, m.Commit())
}

// release decides, commits and publishes.
func (r *levelsRun) release(b *testing.B, m *incremental.Machine, p *publisher, name string, by state.Occasion) {
	var made *incremental.Decision
	var intent *state.Intent
	var err error
	classes := name + ": classes"
	r.least(classes, repeated, func() { made, err = m.Decide(by) })
	require.NoError(b, err)
	r.step(name+": stored in the state", func() { intent, err = m.Enact(made, 1, [32]byte{}) })
	require.NoError(b, err)
	require.NotNil(b, intent)
	var view *incremental.View
	var out ingest.Release
	r.step(name+": rendered, checked, published", func() {
		if view, err = m.Releases().Change(intent.Release); err == nil {
			out, err = p.Publish(context.Background(), view)
		}
	})
	require.NoError(b, err)
	require.NoError(b, m.Published(intent.Release, out.Manifest))
	if view.Level == state.L2 {
		r.least(name+": buckets (Merge)", repeated, func() { mergeAgain(view) })
		r.took[classes] -= r.took[name+": buckets (Merge)"]
	}
}

// start opens the state as a start does, and says what a record takes.
func (r *levelsRun) start(b *testing.B, c *config.Config) {
	before := heap()
	var store *boltstore.Store
	var m *incremental.Machine
	var p *publisher
	var err error
	r.step("start: until it reads", func() {
		store, err = boltstore.Open(c.State.Path, boltstore.Options{})
		require.NoError(b, err)
		m, err = dataset.OpenMachine(b.Context(), store, c, dataset.Options{})
		require.NoError(b, err)
	})
	r.step("start: until it may publish", func() {
		p, err = newPublisher(b.Context(), c, m, unseen(snapshot.OS()), nil)
		require.NoError(b, err)
		<-p.standing.done
	})
	require.NoError(b, p.standing.err)
	records := float64(m.Status().Sent)
	r.add("memory of a started daemon", "B/record", float64(heap()-before)/records)
	info, err := os.Stat(c.State.Path)
	require.NoError(b, err)
	r.add("state file", "B/record", float64(info.Size())/records)
	runtime.KeepAlive(p)
	runtime.KeepAlive(m)
	require.NoError(b, store.Close())
}

// audit is the audit with both exports.
func (r *levelsRun) audit(b *testing.B, c *config.Config) {
	e, err := upkeep.OpenExporter(c)
	require.NoError(b, err)
	o := audit.Options{Releases: c.Release.Dir, Members: filepath.Join(b.TempDir(), "members.csv"),
		Records: filepath.Join(b.TempDir(), "records.csv")}
	export := func(path string, write func(io.Writer) error) {
		f, err := os.Create(path)
		require.NoError(b, err)
		require.NoError(b, write(f))
		require.NoError(b, f.Close())
	}
	export(o.Members, func(w io.Writer) error { return e.Members(w, 1, e.Releases()) })
	export(o.Records, e.Records)
	var report *audit.Report
	r.step("audit with both exports", func() { report, err = audit.Dir(o) })
	require.NoError(b, err)
	require.Equal(b, audit.VerdictCertified, report.Verdict, report.Violations)
}

// printLevels prints the medians of the runs, and of the ratios of the runs that belong
// together.
func printLevels(b *testing.B, each [2][]levelsRun) {
	fmt.Println()
	median := func(v []float64) float64 { slices.Sort(v); return v[len(v)/2] }
	for _, name := range each[1][0].names {
		var one, two, ratio []float64
		for i := range each[1] {
			two = append(two, each[1][i].took[name])
			if v, ok := each[0][i].took[name]; ok {
				one, ratio = append(one, v), append(ratio, each[1][i].took[name]/v)
			}
		}
		unit := each[1][0].unit[name]
		if one == nil {
			fmt.Printf("| %s | | %.0f %s | |\n", name, median(two), unit)
			continue
		}
		fmt.Printf("| %s | %.0f %s | %.0f | %.2f |\n", name, median(one), unit, median(two), median(ratio))
		b.ReportMetric(median(ratio), strings.NewReplacer(" ", "-", ":", "", ",", "").Replace(name)+"-L2/L1")
	}
	b.ReportMetric(0, "ns/op")
}
