package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/cmd/anond/internal/control"
	"anond/cmd/anond/internal/programtest"
)

// watchedConfig publishes at half of the records and at all of them.
const watchedConfig = `version: 1
dataset: census
source: {type: file, format: csv, file: {path: in.csv, follow: true}}
dead_letter: {type: file, path: ./dead-letter}
schema:
  attributes:
    - {name: id, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: education, role: quasi, type: integer}
    - {name: country, role: quasi, type: categorical}
    - {name: occupation, role: sensitive, type: categorical}
policy: {k: 10, l: 5}
initial: {max_records: %[1]d}
release: {dir: ./releases, trigger: {on: records, every: %[1]d}}
control: {socket: ./c.sock}
http: {listen: "127.0.0.1:0"}
state: {path: ./state/anond.db}
`

// watchedRecords is how many records the benchmark has: a million, or what
// ANOND_BENCH_RECORDS says.
func watchedRecords(b *testing.B) int {
	n := 1_000_000
	if text := os.Getenv("ANOND_BENCH_RECORDS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(b, err)
	}
	return n
}

// BenchmarkStatus is what it costs to be looked at. The same records are read without
// anybody who looks, and with one who fetches metrics, dashboard and status each second,
// in turns: the ratio of the processor time. Then the longest and the mean answers, in
// milliseconds: of the dashboard and of the status over the socket, while records flow and
// at rest with all of them.
func BenchmarkStatus(b *testing.B) {
	n, in := watchedRecords(b), filepath.Join(b.TempDir(), "in.csv")
	writeCensus(b, in, n)
	for b.Loop() {
		var cpu [2]time.Duration
		var scrapes, flow, rest answers
		for range 2 {
			for i, looks := range []bool{false, true} {
				used := processorTime()
				watched(b, in, n, looks, &scrapes, &flow, nil)
				cpu[i] += processorTime() - used
			}
		}
		watched(b, in, n, false, nil, nil, &rest)
		b.ReportMetric(cpu[1].Seconds()/cpu[0].Seconds(), "cpu-ratio")
		b.ReportMetric(float64(len(scrapes.page)), "looks")
		for name, a := range map[string]*answers{"flow": &flow, "rest": &rest} {
			for what, list := range map[string][]time.Duration{"dashboard": a.page, "status": a.status} {
				mean, longest := spread(list)
				b.ReportMetric(mean, what+"-"+name+"-ms")
				b.ReportMetric(longest, what+"-"+name+"-max-ms")
			}
		}
	}
	b.ReportMetric(0, "ns/op")
}

// answers are how long each look took.
type answers struct{ page, status []time.Duration }

func spread(list []time.Duration) (mean, longest float64) {
	for _, d := range list {
		ms := d.Seconds() * 1e3
		mean, longest = mean+ms/float64(len(list)), max(longest, ms)
	}
	return mean, longest
}

// watched runs a daemon until all records are read and published.
func watched(b *testing.B, in string, n int, looks bool, scrapes, flow, rest *answers) {
	dir := b.TempDir()
	require.NoError(b, os.Symlink(in, filepath.Join(dir, "in.csv")))
	config := filepath.Join(dir, "anond.yaml")
	require.NoError(b, os.WriteFile(config, fmt.Appendf(nil, watchedConfig, n/2), 0o600))
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	var out, log programtest.Text
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"run", "-c", config}, strings.NewReader(""), &out, &log, os.LookupEnv)
	}()
	address, socket := regexp.MustCompile(`"event":"http_listening","address":"([^"]*)"`), control.NewClient(filepath.Join(dir, "c.sock"))
	for !strings.Contains(log.String(), fmt.Sprintf(`"event":"release_published","release":%d`, 2)) {
		time.Sleep(time.Second)
		require.Empty(b, ended, "%s", &log)
		if m := address.FindStringSubmatch(log.String()); m != nil && looks {
			scrapes.page = append(scrapes.page, timed(b, "http://"+m[1]+"/metrics"))
			look(b, m[1], socket, flow)
		}
	}
	if rest != nil {
		for range 50 {
			look(b, address.FindStringSubmatch(log.String())[1], socket, rest)
		}
	}
	stop()
	require.Equal(b, exitOK, <-ended, "%s", &log)
}

// look fetches the dashboard, and the status over the socket once it answers.
func look(b *testing.B, address string, socket *control.Client, a *answers) {
	a.page = append(a.page, timed(b, "http://"+address+"/"))
	began := time.Now()
	if _, err := socket.Status(b.Context()); err == nil {
		a.status = append(a.status, time.Since(began))
	}
}

func timed(b *testing.B, url string) time.Duration {
	began := time.Now()
	a, err := http.Get(url)
	require.NoError(b, err)
	_, err = io.Copy(io.Discard, a.Body)
	require.NoError(b, err)
	require.NoError(b, a.Body.Close())
	return time.Since(began)
}

func writeCensus(b *testing.B, path string, n int) {
	f, err := os.Create(path)
	require.NoError(b, err)
	w, rng := bufio.NewWriter(f), rand.New(rand.NewPCG(1, 1))
	fmt.Fprintln(w, "id,age,education,country,occupation")
	for i := range n {
		fmt.Fprintf(w, "p%d,%d,%d,country-%02d,occupation-%02d\n", i, 17+rng.IntN(74), 1+rng.IntN(16),
			min(rng.IntN(41), rng.IntN(41)), rng.IntN(14))
	}
	require.NoError(b, w.Flush())
	require.NoError(b, f.Close())
}

// processorTime is what the process has used so far, user and system.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for the process itself
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
