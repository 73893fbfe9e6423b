package daemon

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/internal/dataset"
	"anond/snapshot"
)

// BenchmarkFile: the whole daemon, durable and with the gate, reads people from a file (a
// subject, 7 quasi-identifiers) and publishes three times: at the half, when all have come, and at the
// end of the file; or once, of a million people. It reports records/s
// and processor time, all releases included, the bytes of the state a record, the people in
// the newest release, and the largest resident memory of the process so far.
func BenchmarkFile(b *testing.B) {
	for _, level := range []config.Level{config.L1, config.L2} {
		for _, format := range []string{"csv", "json"} {
			for _, n := range []int{10_000, 100_000, 1_000_000} {
				b.Run(fmt.Sprintf("%s/%s/records=%d", level, format, n), func(b *testing.B) {
					for b.Loop() {
						benchFile(b, level, format, n, n/2)
					}
				})
			}
		}
	}
	b.Run("L2/json/one-pool", func(b *testing.B) {
		for b.Loop() {
			benchFile(b, config.L2, "json", 1_000_000, 1_000_001)
		}
	})
}

func benchFile(b *testing.B, level config.Level, format string, records, first int) {
	b.StopTimer()
	c := fileDataset(b, level, format, records, first)
	runtime.GC()
	b.StartTimer()
	began, before := time.Now(), processorTime()
	require.NoError(b, Run(context.Background(), c, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true}))
	b.ReportMetric(float64(records)/time.Since(began).Seconds(), "records/s")
	b.ReportMetric((processorTime() - before).Seconds(), "cpu-s")
	b.StopTimer()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	b.ReportMetric(float64(u.Maxrss)/1024, "max-resident-MiB")
	state, err := os.Stat(c.State.Path)
	require.NoError(b, err)
	b.ReportMetric(float64(state.Size())/float64(records), "state-B/record")
	m, err := snapshot.Show(snapshot.OS(), c.Release.Dir, 0)
	require.NoError(b, err)
	b.ReportMetric(float64(m.Records), "published")
	b.StartTimer()
}

// fileDataset is people with a subject in a file, so many of whom the first release has at least.
func fileDataset(b *testing.B, level config.Level, format string, records, first int) *config.Config {
	recoding := map[config.Level]string{config.L1: "generalization", config.L2: "buckets"}[level]
	text := strings.Replace(fmt.Sprintf(startConfig, level, recoding), "    - {name: age,",
		"    - {name: person, role: subject}\n    - {name: age,", 1)
	text = strings.ReplaceAll(text, "20000", fmt.Sprint(first))
	text = strings.Replace(text, "format: csv, file: {path: in.csv}", fmt.Sprintf("format: %s, file: {path: in}", format), 1)
	dir := b.TempDir()
	path := filepath.Join(dir, "anond.yaml")
	require.NoError(b, os.WriteFile(path, []byte(text), 0o600))
	in, err := os.Create(filepath.Join(dir, "in"))
	require.NoError(b, err)
	w := bufio.NewWriter(in)
	people, out := io.Pipe()
	go func() { startPeople(out, records); _ = out.Close() }()
	form := ""
	for n, lines := 0, bufio.NewScanner(people); lines.Scan(); n++ {
		switch {
		case n == 0 && format == "csv":
			fmt.Fprintln(w, "person,"+lines.Text())
		case n == 0:
			form = jsonForm(lines.Text())
		case format == "csv":
			fmt.Fprintf(w, "person-%d,%s\n", n, lines.Text())
		default:
			cells := strings.Split(lines.Text(), ",")
			fmt.Fprintf(w, form, n, cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7])
		}
	}
	require.NoError(b, w.Flush())
	require.NoError(b, in.Close())
	c, _, err := config.Load(path, os.LookupEnv, os.ReadFile)
	require.NoError(b, err)
	return c
}

// jsonForm is the JSON line of a person, of whom age and education are numbers.
func jsonForm(header string) string {
	form := `{"person":"person-%d"`
	for _, name := range strings.Split(header, ",") {
		if form += `,"` + name + `":`; name == "age" || name == "education" {
			form += "%s"
		} else {
			form += `"%s"`
		}
	}
	return form + "}\n"
}
