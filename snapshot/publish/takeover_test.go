package publish_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// turns lets a process take so many steps, and holds it before the next one.
type turns struct {
	left  int // below 0: without limit
	grant chan int
	held  chan bool // true: it has ended
	err   error
	steps []string // that it has taken
}

func begin(process func(*turns) error) *turns {
	t := &turns{grant: make(chan int), held: make(chan bool)}
	go func() {
		t.left = <-t.grant
		t.err = process(t)
		t.held <- true
	}()
	return t
}

// step is called before each step.
func (t *turns) step(format string, args ...any) {
	for t.left == 0 {
		t.held <- false
		t.left = <-t.grant
	}
	t.left--
	t.steps = append(t.steps, fmt.Sprintf(format, args...))
}

// goOn lets it go on, and reports whether it has ended.
func (t *turns) goOn(steps int) (ended bool) {
	t.grant <- steps
	return <-t.held
}

// stepping is a file system each call of which is a step. A directory is removed as the system
// does it: name by name, below a directory that may get another name meanwhile.
type stepping struct {
	snapshot.FS
	turns *turns
	bug   string
}

func (s *stepping) MkdirAll(dir string) error {
	s.turns.step("mkdir %s", dir)
	return s.FS.MkdirAll(dir)
}

func (s *stepping) Mkdir(dir string) error {
	s.turns.step("mkdir %s", dir)
	return s.FS.Mkdir(dir)
}

func (s *stepping) MkdirPrivate(dir string) error {
	s.turns.step("mkdir %s", dir)
	return s.FS.MkdirPrivate(dir)
}

func (s *stepping) Publicize(dir string) error {
	s.turns.step("publicize %s", dir)
	return s.FS.Publicize(dir)
}

func (s *stepping) Link(from, to string) error {
	s.turns.step("link %s", to)
	return s.FS.Link(from, to)
}

func (s *stepping) Rename(from, to string) error {
	if s.bug == bugSweep && strings.HasPrefix(filepath.Base(to), ".tmp-gone") {
		return s.RemoveAll(from)
	}
	s.turns.step("rename %s", to)
	return s.FS.Rename(from, to)
}

func (s *stepping) ReadDir(dir string) ([]string, error) {
	s.turns.step("list %s", dir)
	return s.FS.ReadDir(dir)
}

func (s *stepping) ReadFile(path string) ([]byte, error) {
	s.turns.step("read %s", path)
	return s.FS.ReadFile(path)
}

func (s *stepping) Create(path string) (io.WriteCloser, error) { return s.open(s.FS.Create, path) }
func (s *stepping) Append(path string) (io.WriteCloser, error) { return s.open(s.FS.Append, path) }
func (s *stepping) CreateSealed(path string) (io.WriteCloser, error) {
	return s.open(s.FS.CreateSealed, path)
}

func (s *stepping) open(by func(string) (io.WriteCloser, error), path string) (io.WriteCloser, error) {
	s.turns.step("open %s", path)
	w, err := by(path)
	return &steppingFile{w, s.turns, path}, err
}

type steppingFile struct {
	io.WriteCloser
	turns *turns
	path  string
}

func (f *steppingFile) Write(p []byte) (int, error) {
	f.turns.step("write %s", f.path)
	return f.WriteCloser.Write(p)
}

func (s *stepping) RemoveAll(path string) error {
	s.turns.step("remove %s", path)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		root, err := os.OpenRoot(path)
		if err != nil {
			return err
		}
		if err := s.empty(root); err != nil {
			return err
		}
	}
	s.turns.step("remove %s", path)
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (s *stepping) empty(dir *os.Root) error {
	defer dir.Close()
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			sub, err := dir.OpenRoot(e.Name())
			if err != nil {
				return err
			}
			if err := s.empty(sub); err != nil {
				return err
			}
		}
		s.turns.step("remove %s", e.Name())
		if err := dir.Remove(e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Bugs that the test must find.
const (
	bugNames   = "temporary names without owner"
	bugNotOver = "nothing is taken away from the one before"
	bugSweep   = "a directory is removed under its name"
	bugEarly   = "the fence is asked before the step is prepared"
	bugLedger  = "the ledger stays the same file"
)

var errFenced = errors.New("another process goes on")

// entry is what a journal has of a release here.
type entry struct {
	release   uint32
	published bool
	manifest  [32]byte
}

// takeover is one dataset, two processes, and their journal.
type takeover struct {
	root    string
	views   []*incremental.View
	bug     string
	entries []entry
	holder  string // who goes on
}

func (d *takeover) write(by string, e entry) error {
	if d.holder != by {
		return errFenced
	}
	d.entries = append(d.entries, e)
	return nil
}

// started is a process that a supervisor starts again if what it made was taken away before it was the one that goes on.
func (d *takeover) started(name string) func(*turns) error {
	return func(t *turns) (err error) {
		for range 5 {
			if err = d.process(name)(t); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return err
	}
}

// process is one that repeats what the journal has, and then goes on to the last release.
func (d *takeover) process(name string) func(*turns) error {
	return func(t *turns) error {
		p := publisher(&stepping{unsynced{FS: snapshot.OS()}, t, d.bug}, d.root)
		p.Gate, p.Beside = openGate{}, true
		if p.Owner = name; d.bug == bugNames {
			p.Owner = ""
		}
		if err := p.Open(); err != nil {
			return err
		}
		var intents []state.Intent
		for at := 0; ; at++ {
			if at == len(d.entries) { // the end, and nobody has written since
				d.holder = name
				break
			}
			var err error
			if intents, err = d.repeat(p, d.entries[at], intents); err != nil {
				return fmt.Errorf("repeat: %w", err)
			}
		}
		p.Fence = d.fence(p, name, t)
		if err := errors.Join(d.takesOver(p), p.Reconcile(intents, 1000)); err != nil {
			return err
		}
		return d.goesOn(p, name, intents)
	}
}

// repeat does what an entry says. A state without backup knows nothing of what was published.
func (d *takeover) repeat(p *publish.Publisher, e entry, intents []state.Intent) ([]state.Intent, error) {
	if !e.published {
		return append(intents, d.views[e.release-1].Intent), nil
	}
	again := *p
	again.Repeats = &e.manifest
	out, err := again.Publish(publish.Of(d.views[e.release-1]), settings(render.Anatomy()))
	if err == nil {
		intents[e.release-1].Published, intents[e.release-1].Manifest = true, out.SHA256
	}
	return intents, err
}

func (d *takeover) takesOver(p *publish.Publisher) error {
	switch d.bug {
	case bugNotOver:
		return nil
	case bugLedger:
		without := *p
		without.Ledger = ""
		return without.TakeOver()
	}
	return p.TakeOver()
}

func (d *takeover) fence(p *publish.Publisher, name string, t *turns) func() error {
	now := func() error {
		t.step("fence")
		if d.holder != name {
			return errFenced
		}
		return nil
	}
	if d.bug != bugEarly {
		return now
	}
	var before error
	p.Hook = func(publish.Step) error { before = now(); return nil }
	return func() error { return before }
}

func (d *takeover) goesOn(p *publish.Publisher, name string, intents []state.Intent) error {
	for i, v := range d.views {
		if i < len(intents) && intents[i].Published {
			continue
		}
		if i == len(intents) {
			if err := d.write(name, entry{release: v.Intent.Release}); err != nil {
				return err
			}
			intents = append(intents, v.Intent)
		}
		out, err := p.Publish(publish.Of(v), settings(render.Anatomy()))
		if err != nil {
			return err
		}
		intents[i].Published, intents[i].Manifest = true, out.SHA256
		if err := d.write(name, entry{release: v.Intent.Release, published: true, manifest: out.SHA256}); err != nil {
			return err
		}
	}
	return nil
}

// play lets the old process take so many steps, then the new one so many, then the old one go on to its end, and
// the new one to its own.
func (d *takeover) play(of, ofNew int) (steps, stepsNew []string, err error) {
	old := begin(d.started("0000000000000001"))
	ended := old.goOn(of)
	young := begin(d.started("0000000000000002"))
	endedNew := young.goOn(ofNew)
	if !ended {
		old.goOn(-1)
	}
	if !endedNew {
		young.goOn(-1)
	}
	for name, p := range map[string]*turns{"0000000000000001": old, "0000000000000002": young} {
		late := d.holder != name && (errors.Is(p.err, errFenced) || errors.Is(p.err, publish.ErrBehind)) // exit code 5
		if p.err != nil && !late {
			return old.steps, young.steps, fmt.Errorf("process %s: %w", name, p.err)
		}
	}
	return old.steps, young.steps, nil
}

// TestTakenOverAtEveryStep: a process that publishes is held before each of its steps; another one takes over, and is
// held before each of its own while the first one goes on. Whatever the order, the releases are those of a single
// process, whole and once, CURRENT names the newest, the ledger has each line once, and nothing temporary stays.
func TestTakenOverAtEveryStep(t *testing.T) {
	defer joinParts(2)()
	want, _ := referenceOf(t, publishLonger)
	all := longerViews(t)
	base := t.TempDir()
	n := 0
	try := func(bug string, of, ofNew int) (steps, stepsNew []string, err error) {
		n++
		d := &takeover{root: filepath.Join(base, fmt.Sprint(n)), views: all, bug: bug}
		require.NoError(t, os.Mkdir(d.root, 0o755))
		defer os.RemoveAll(d.root)
		if steps, stepsNew, err = d.play(of, ofNew); err != nil {
			return steps, stepsNew, err
		}
		got, err := readTree(d.root)
		require.NoError(t, err)
		if names := others(want, got); len(names) > 0 {
			return steps, stepsNew, fmt.Errorf("there are other files: %q", names)
		}
		for name := range want {
			if want[name] != got[name] {
				return steps, stepsNew, fmt.Errorf("%s has other bytes", name)
			}
		}
		return steps, stepsNew, nil
	}
	steps, _, err := try("", 1_000_000, -1)
	require.NoError(t, err)
	whole := len(steps)
	var most, shows = 0, []int{whole}
	for of := range whole {
		_, young, err := try("", of, -1)
		require.NoError(t, err, "held before step %d: %s", of, steps[of])
		most = max(most, len(young))
		if strings.HasPrefix(steps[of], "rename") || strings.HasPrefix(steps[of], "write "+base) && strings.HasSuffix(steps[of], "ledger") {
			shows = append(shows, of)
		}
	}
	every := max(1, most/tier.Of(t, 2, 5, 1000)) // of the steps of the new one
	for _, of := range shows {
		for ofNew := 0; ofNew < most; ofNew += every {
			_, young, err := try("", of, ofNew)
			require.NoError(t, err, "held at %d, and the new one behind %v", of, young[:min(ofNew, len(young))])
		}
	}
	t.Logf("%d steps, %d of them are seen by others; up to %d of the new process; %d orders", whole, len(shows), most, n)
	tier.NotShort(t, "it looks for planted bugs")
	bugs := []string{bugSweep, bugNotOver, bugNames, bugEarly, bugLedger}
	for _, bug := range bugs[:tier.Of(t, 1, 1, len(bugs))] {
		require.True(t, found(try, bug, whole, most, shows), "%s: is not found", bug)
	}
}

// found reports whether some order shows a bug.
func found(try func(string, int, int) ([]string, []string, error), bug string, whole, most int, shows []int) bool {
	for of := range whole {
		if _, _, err := try(bug, of, -1); err != nil {
			return true
		}
	}
	for _, of := range shows {
		for ofNew := range most {
			if _, _, err := try(bug, of, ofNew); err != nil {
				return true
			}
		}
	}
	return false
}

// others are the names that only one of two trees has.
func others(a, b map[string]string) (out []string) {
	for name := range a {
		if _, there := b[name]; !there {
			out = append(out, "-"+name)
		}
	}
	for name := range b {
		if _, there := a[name]; !there {
			out = append(out, "+"+name)
		}
	}
	return out
}
