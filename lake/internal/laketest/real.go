// Package laketest makes releases for tests: real ones, by the program itself, and
// hand-made ones on a disk in memory, which may fail and forget.
package laketest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Recodings are those of the daemon, by level and name.
var Recodings = []Recoding{
	{"L2", "buckets"}, {"L2", "anatomy"}, {"L2", "permutation"},
	{"L1", "generalization"}, {"L1", "anatomy"}, {"L1", "permutation"},
}

// Recoding is how a test publishes.
type Recoding struct{ Level, Name string }

func (r Recoding) String() string { return r.Level + "-" + r.Name }

// batch is how many people make a release: at level L2 as many as a pool needs.
func (r Recoding) batch() int {
	if r.Level == "L2" {
		return 180
	}
	return 40
}

// Root is the directory of the whole project.
func Root(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module anond\n") {
			return dir
		}
	}
	t.Fatal("there is no module anond above the test")
	return ""
}

var built struct {
	sync.Mutex
	path string
}

// Anond builds the program once for a package of tests. go run keeps what it links in the
// build cache; cp stands in for running it.
func Anond(t testing.TB) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if built.path == "" {
		dir, err := os.MkdirTemp("", "anond-lake-test")
		if err != nil {
			t.Fatal(err)
		}
		built.path = Build(t, Root(t), "./cmd/anond", filepath.Join(dir, "anond"))
	}
	return built.path
}

// Clean removes what Anond built; for TestMain.
func Clean() {
	if built.path != "" {
		_ = os.RemoveAll(filepath.Dir(built.path))
	}
}

// Build builds a program of the module in a directory.
func Build(t testing.TB, module, pkg, to string) string {
	t.Helper()
	c := exec.Command("go", "run", "-exec", "cp", pkg, to)
	c.Dir = module
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s does not build: %v\n%s", pkg, err, out)
	}
	return to
}

// site is a dataset that the program publishes.
type site struct {
	Dir, Releases string
	t             testing.TB
	program       string
	rand          *rand.Rand
	people, each  int
}

const settings = `version: 1
dataset: clinic
source: {type: stdin, format: csv}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: "weight, kg", role: quasi, type: decimal}
    - {name: admitted, role: quasi, type: date}
    - {name: Postcode, role: quasi, type: categorical}
    - {name: diagnosis, role: sensitive, type: categorical}
policy: {k: 2, l: 2, level: %s, max_hold: 0s%s}
%srelease: {dir: ./releases, ledger: ./ledger, recoding: %s}
state: {path: ./anond.db}
`

// New makes a dataset.
func New(t testing.TB, r Recoding) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{Dir: dir, Releases: filepath.Join(dir, "releases"), t: t, program: Anond(t), each: r.batch(), rand: rand.New(rand.NewPCG(7, 7))}
	republication := ""
	if r.Level == "L1" {
		republication = ", republication: regroup"
	}
	initial := ""
	if r.Level == "L2" {
		initial = "initial: {min_pool: 4}\n"
	}
	text := fmt.Sprintf(settings, r.Level, republication, initial, r.Name)
	if err := os.WriteFile(filepath.Join(dir, "anond.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return s
}

// Publish sends people to the program until there are so many releases more.
func (s *site) Publish(releases int) {
	s.t.Helper()
	for range releases {
		s.publish(s.each)
	}
}

func (s *site) publish(people int) {
	s.t.Helper()
	var in strings.Builder
	in.WriteString("patient,age,\"weight, kg\",admitted,Postcode,diagnosis\n")
	diagnoses := []string{"flu", "asthma, mild", `"angina"`, "cold"}
	for range people {
		s.people++
		day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, s.rand.IntN(300))
		fmt.Fprintf(&in, "P%d,%d,%g,%s,%d,\"%s\"\n", s.people, 20+s.rand.IntN(60), 50+float64(s.rand.IntN(400))/8, day.Format(time.DateOnly),
			1010+10*s.rand.IntN(4), strings.ReplaceAll(diagnoses[s.rand.IntN(len(diagnoses))], `"`, `""`))
	}
	s.run(in.String(), "run")
}

func (s *site) run(stdin string, args ...string) []byte {
	s.t.Helper()
	c := exec.Command(s.program, append(args, "-c", filepath.Join(s.Dir, "anond.yaml"))...)
	c.Dir = s.Dir
	c.Stdin = strings.NewReader(stdin)
	var out, log bytes.Buffer
	c.Stdout, c.Stderr = &out, &log
	if err := c.Run(); err != nil {
		s.t.Fatalf("anond %v: %v\n%s", args, err, log.String())
	}
	return out.Bytes()
}

// Cat is a release as one table, by the program itself.
func (s *site) Cat(release uint32, table string) []byte {
	s.t.Helper()
	return s.run("", "release", "cat", fmt.Sprint(release), "--file", table+".csv")
}
