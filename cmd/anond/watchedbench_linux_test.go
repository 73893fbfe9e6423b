package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/internal/control"
	"anond/internal/testkit/programtest"
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
initial: {min_pool: 50, max_records: %[1]d}
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

// BenchmarkStatus is what it costs to be looked at. A daemon reads the same records without
// anybody who looks, and with one who fetches metrics, dashboard and status each second, in
// turns: the ratio of its processor time. Then the longest and the mean answers, in
// milliseconds: of the dashboard, of the status over the socket and of the command anond
// status, while records flow and at rest with all of them. The daemon is a process of its
// own, as it is for operators: a client in the same process would wait for its turn there.
func BenchmarkStatus(b *testing.B) {
	n, in := watchedRecords(b), filepath.Join(b.TempDir(), "in.csv")
	writeCensus(b, in, n)
	program, err := programtest.Build(b.TempDir())
	require.NoError(b, err)
	w := &watching{b: b, program: program, in: in, n: n}
	for b.Loop() {
		var cpu [2]time.Duration
		var flow, rest answers
		for range 2 {
			cpu[0] += w.run(nil, nil)
			cpu[1] += w.run(&flow, nil)
		}
		w.run(nil, &rest)
		b.ReportMetric(cpu[1].Seconds()/cpu[0].Seconds(), "cpu-ratio")
		b.ReportMetric(float64(len(flow.page)), "looks")
		for name, a := range map[string]*answers{"flow": &flow, "rest": &rest} {
			for what, list := range map[string][]time.Duration{"dashboard": a.page, "status": a.status, "command": a.command} {
				mean, longest := spread(list)
				b.ReportMetric(mean, what+"-"+name+"-ms")
				b.ReportMetric(longest, what+"-"+name+"-max-ms")
			}
		}
	}
	b.ReportMetric(0, "ns/op")
}

// answers are how long each look took: at the dashboard, at the status over the socket, and
// by the command.
type answers struct{ page, status, command []time.Duration }

func spread(list []time.Duration) (mean, longest float64) {
	for _, d := range list {
		ms := d.Seconds() * 1e3
		mean, longest = mean+ms/float64(len(list)), max(longest, ms)
	}
	return mean, longest
}

// watching is a daemon that is looked at.
type watching struct {
	b           *testing.B
	program, in string
	n           int
}

var listening = regexp.MustCompile(`"event":"http_listening","address":"([^"]*)"`)

// run runs the daemon until all records are read and published, and returns the processor
// time that it used. It is looked at each second meanwhile if there is a flow to note, and at
// rest if there is a rest.
func (w *watching) run(flow, rest *answers) time.Duration {
	dir := w.b.TempDir()
	require.NoError(w.b, os.Symlink(w.in, filepath.Join(dir, "in.csv")))
	require.NoError(w.b, os.WriteFile(filepath.Join(dir, "anond.yaml"), fmt.Appendf(nil, watchedConfig, w.n/2), 0o600))
	p, err := programtest.Start(w.program, dir, nil, nil, "run")
	require.NoError(w.b, err)
	defer p.Kill()
	for !strings.Contains(p.Log.String(), `"event":"release_published","release":2`) {
		time.Sleep(time.Second)
		require.True(w.b, p.Running(), "%s", p.Log)
		if m := listening.FindStringSubmatch(p.Log.String()); m != nil && flow != nil {
			timed(w.b, "http://"+m[1]+"/metrics")
			w.look(dir, m[1], flow)
		}
	}
	if rest != nil {
		for range 50 {
			w.look(dir, listening.FindStringSubmatch(p.Log.String())[1], rest)
		}
	}
	require.NoError(w.b, p.Signal(syscall.SIGTERM))
	code, err := p.Wait(time.Minute)
	require.NoError(w.b, err)
	require.Equal(w.b, exitOK, code, "%s", p.Log)
	return p.Used()
}

// look fetches the dashboard, and the status over the socket and by the command once they answer.
func (w *watching) look(dir, address string, a *answers) {
	a.page = append(a.page, timed(w.b, "http://"+address+"/"))
	began := time.Now()
	if _, err := control.NewClient(filepath.Join(dir, "c.sock")).Status(w.b.Context()); err != nil {
		return
	}
	a.status = append(a.status, time.Since(began))
	began = time.Now()
	command := exec.Command(w.program, "status", "-c", filepath.Join(dir, "anond.yaml"))
	out, err := command.CombinedOutput()
	require.NoError(w.b, err, "%s", out)
	a.command = append(a.command, time.Since(began))
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
