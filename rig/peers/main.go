// Command peers times anond and other programs on the same file in the same run, next to what nobody can do without: reading
// and decoding the file, and reading a topic and writing a state of as many records.
//
//	python3 -m venv V && V/bin/pip install anonypy==0.2.1 anjana==1.2.3
//	go run ./rig/peers -records 100000 -python V/bin/python
//
// It prints a Markdown table of time elapsed, processor time and the largest resident memory. What the programs promise differs
// (last column), so the table says what a promise costs and not which program is better.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed peers.py
var script []byte

type options struct {
	records     int
	python, dir string
	most        time.Duration
}

func main() {
	var o options
	flag.IntVar(&o.records, "records", 100_000, "people in the file")
	flag.StringVar(&o.python, "python", "", "a Python with anonypy and anjana; empty: they are left out")
	flag.StringVar(&o.dir, "dir", "", "where files are kept; empty: nowhere")
	flag.DurationVar(&o.most, "most", 30*time.Minute, "how long a program may take")
	flag.Parse()
	if err := o.run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func (o *options) run(out io.Writer) (err error) {
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "peers"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.dir)) }()
	}
	if err := o.write(); err != nil {
		return err
	}
	if msg, err := exec.Command("go", "build", "-o", filepath.Join(o.dir, "anond"), "./cmd/anond").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, msg)
	}
	fmt.Fprintf(out, "| %d people | elapsed | processor time | memory | promise |\n|---|---|---|---|---|\n", o.records)
	for _, p := range o.programs() {
		fmt.Fprintln(out, p.row(o))
	}
	return o.floor(out)
}

// program is something that is timed.
type program struct {
	name, promise string
	args          []string
}

func (o *options) programs() []program {
	in := filepath.Join(o.dir, "people.csv")
	anond, peers := filepath.Join(o.dir, "anond"), filepath.Join(o.dir, "peers.py")
	out := []program{
		{"`anond run --once`, level L2, three releases", "k=10; no value above 1/5 for who keeps all releases and knows the program",
			[]string{anond, "run", "-c", filepath.Join(o.dir, "L2.yaml"), "--once"}},
		{"`anond run --once`, level L1, three releases", "k=10; no value above 1/5 for who keeps all releases",
			[]string{anond, "run", "-c", filepath.Join(o.dir, "L1.yaml"), "--once"}},
	}
	if o.python == "" {
		return out
	}
	return append(out,
		program{"`pandas.read_csv`", "none", []string{o.python, peers, "read", in}},
		program{"`anonypy` 0.2.1, Mondrian", "k=10, 5 different values, in this one table", []string{o.python, peers, "anonypy", in}},
		program{"`anjana` 1.2.3, full domain", "k=10, 5 different values, in this one table", []string{o.python, peers, "anjana", in}})
}

// row runs a program and says what it took.
func (p *program) row(o *options) string {
	var said bytes.Buffer
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Stdout, cmd.Stderr = &said, &said
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return fmt.Sprintf("| %s | %v | | | |", p.name, err)
	}
	late := time.AfterFunc(o.most, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	took := time.Since(began)
	u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	cpu := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	switch {
	case !late.Stop():
		return fmt.Sprintf("| %s | not within %s | | %d MB | |", p.name, o.most, u.Maxrss>>10)
	case err != nil:
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		return fmt.Sprintf("| %s | %v: %s | | | |", p.name, err, lines[len(lines)-1])
	}
	return fmt.Sprintf("| %s | %.2f s | %.2f s | %d MB | %s |", p.name, took.Seconds(), cpu.Seconds(), u.Maxrss>>10, p.promise)
}

// floors are benchmarks by package, with the metric that they report a record, in ns.
var floors = []struct{ name, pkg, bench, metric string }{
	{"reading and decoding such a file of JSON", "./ingest/filesrc", "DecodeNDJSON", `([\d.]+) cpu-ns/record`},
	{"reading a topic by the raw client (kafka-go), broker included", "./ingest/kafkasrc", "Read/raw/plain/partitions=4",
		`([\d.]+) cpu-ns/record`},
	{"reading it as anond does, broker included", "./ingest/kafkasrc", "Read/source/plain/partitions=4", `([\d.]+) cpu-ns/record`},
	{"writing the state (bbolt), fsync included", "./incremental/boltstore", "Commit/records=10000", `([\d.]+) ns/record`},
}

// floor adds what benchmarks of the same machine say of as many records.
func (o *options) floor(out io.Writer) error {
	for _, f := range floors {
		said, err := exec.Command("go", "test", "-run", "^$", "-bench", f.bench+"$", f.pkg).CombinedOutput()
		if err != nil {
			return fmt.Errorf("go test %s: %w: %s", f.pkg, err, said)
		}
		m := regexp.MustCompile(f.metric).FindSubmatch(said)
		if m == nil {
			return fmt.Errorf("go test %s: no figure: %s", f.pkg, said)
		}
		a, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| floor: %s | | %.2f s | | none |\n", f.name, a*float64(o.records)/1e9)
	}
	return nil
}

const configuration = `version: 1
dataset: people
source: {type: file, format: csv, file: {path: people.csv}}
dead_letter: {type: file, path: ./%[1]s/dead-letter}
schema:
  attributes:
    - {name: person, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: workclass, role: quasi, type: categorical}
    - {name: education, role: quasi, type: integer}
    - {name: marital, role: quasi, type: categorical}
    - {name: race, role: quasi, type: categorical}
    - {name: sex, role: quasi, type: categorical}
    - {name: country, role: quasi, type: categorical}
    - {name: occupation, role: sensitive, type: categorical}
policy: {k: 10, l: 5, level: %[1]s}
initial: {max_records: %[2]d}
release: {dir: ./%[1]s/releases, ledger: ./%[1]s/ledger, trigger: {on: records, every: %[2]d}, recoding: %[3]s}
state: {path: ./%[1]s/state/anond.db}
`

// write writes the people, the configurations and the script. People are of the shape of UCI Adult: skewed, and
// the occupation depends on the education.
func (o *options) write() error {
	f, err := os.Create(filepath.Join(o.dir, "people.csv"))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	rng := rand.New(rand.NewPCG(1, 1))
	skewed := func(n int) int { return min(rng.IntN(n), rng.IntN(n), rng.IntN(n)) }
	fmt.Fprintln(w, "person,age,workclass,education,marital,race,sex,country,occupation")
	for i := range o.records {
		education := 1 + rng.IntN(16)
		fmt.Fprintf(w, "person-%d,%d,work-%d,%d,marital-%d,race-%d,sex-%d,country-%02d,occupation-%02d\n", i, 17+skewed(74), skewed(8), education,
			rng.IntN(7), skewed(5), rng.IntN(2), skewed(41), (education/3+rng.IntN(11))%14)
	}
	text := func(level, recoding string) []byte {
		return fmt.Appendf(nil, configuration, level, max(1, o.records/2), recoding)
	}
	return cmp.Or(errors.Join(w.Flush(), f.Close()),
		os.WriteFile(filepath.Join(o.dir, "peers.py"), script, 0o600),
		os.WriteFile(filepath.Join(o.dir, "L2.yaml"), text("L2", "buckets"), 0o600),
		os.WriteFile(filepath.Join(o.dir, "L1.yaml"), text("L1", "generalization"), 0o600))
}
