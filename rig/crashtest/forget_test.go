package crashtest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/testkit/programtest"
	"anond/internal/upkeep"
)

// Variables of the process that TestForgettingChild is.
const (
	childDir  = "ANOND_FORGET_DIR"  // of its site
	childStep = "ANOND_FORGET_STEP" // at which it kills itself
	childRuns = "ANOND_FORGET_RUNS" // it runs the daemon, which reads deletes; else it is anond forget
)

// who is forgotten: published, with a repeat that has a value of its own.
const who, onlyTheirs = "canary-id-5", "canary-only-theirs"

// TestForgettingChild is no test: it is a process that forgets somebody and kills itself with SIGKILL at a
// step.
func TestForgettingChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("only as a child of another test")
	}
	cfg, _, err := config.Load(filepath.Join(dir, "anond.yaml"), os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	o := dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true, StandIns: dataset.StandIns{Forgetting: func(step string) error {
		if step == os.Getenv(childStep) {
			self, err := os.FindProcess(os.Getpid())
			require.NoError(t, err)
			_ = self.Kill()
			select {}
		}
		return nil
	}}}
	if os.Getenv(childRuns) != "" {
		require.NoError(t, daemon.Run(context.Background(), cfg, o))
		return
	}
	_, err = upkeep.Forget(context.Background(), cfg, o, []byte(who))
	require.NoError(t, err)
}

// killedAt lets a child forget on a site until a step.
func (s *site) killedAt(step string, env ...string) {
	s.t.Helper()
	p, err := programtest.Start(os.Args[0], s.dir, append(env, childDir+"="+s.dir, childStep+"="+step), nil, "-test.run=^TestForgettingChild$")
	require.NoError(s.t, err)
	code, err := p.Wait(patience)
	require.NoError(s.t, err)
	require.Equal(s.t, -1, code, "it was to be killed at %s: %s%s", step, p.Out, p.Log)
}

// forgettable is a site of level L2 with a release, and somebody to forget.
func forgettable(t *testing.T, more string) *site {
	s := newSite(t, clinic(csvFile)+more)
	s.edit("level: L1, max_hold: 0s}", "max_hold: 0s}\ninitial: {min_pool: 9}")
	s.write("in.csv", "id,age,city,ill\n"+marked(0, 300)+who+",30,canary-city-1,"+onlyTheirs+"\n")
	s.once()
	require.Contains(t, s.read("state/anond.db"), onlyTheirs)
	return s
}

// another is a copy of a site.
func (s *site) another(t *testing.T) *site {
	t.Helper()
	out := &site{t: t, dir: filepath.Join(programtest.TempDir(t), "copy")}
	require.NoError(t, os.CopyFS(out.dir, os.DirFS(s.dir)))
	return out
}

// receipt forgets the person with the real program.
func (s *site) receipt() (out upkeep.Receipt) {
	s.t.Helper()
	r := s.run(who+"\n", "forget", "--from", "-", "--json")
	require.Zero(s.t, r.code, r.stderr)
	require.NoError(s.t, json.Unmarshal([]byte(r.stdout), &out))
	return out
}

// forgottenOrNot starts the program on what a kill has left, while the person comes again: the erasure is
// wholly done, or not begun and repeatable; and once it is done it stays.
func (s *site) forgottenOrNot(step string) {
	s.t.Helper()
	listed := s.read("ledger.forgotten") != ""
	s.append("in.csv", who+",30,canary-city-1,"+onlyTheirs+"\n")
	s.once()
	left, err := filepath.Glob(s.path("state/*.forget*"))
	require.NoError(s.t, err)
	hidden, err := filepath.Glob(s.path("state/.*"))
	require.NoError(s.t, err)
	assert.Empty(s.t, append(left, hidden...), "what was left is swept")
	var counts struct{ Sent, Published, Forgotten, DeadLetter int }
	var status struct{ Counts json.RawMessage }
	require.NoError(s.t, json.Unmarshal([]byte(s.read("state/status.json")), &status))
	require.NoError(s.t, json.Unmarshal(status.Counts, &counts))
	assert.Equal(s.t, 302, counts.Sent, step)
	if listed {
		assert.Equal(s.t, 2, counts.Forgotten, "%s: the repeat, and the record that came again", step)
		assert.NotContains(s.t, s.read("state/anond.db"), onlyTheirs, step)
	} else {
		assert.Zero(s.t, counts.Forgotten, step)
	}
	x := s.receipt()
	assert.Equal(s.t, listed, x.Before, step)
	assert.Equal(s.t, !listed, x.Removed.Published == 1, "%s: once, and only once", step)
	assert.NotContains(s.t, s.read("state/anond.db"), onlyTheirs, step)
	require.Zero(s.t, s.run("", "state", "check").code)
	s.certified()
}

// TestAKillAtEachStepOfForget: kill -9 at each step of the rewrite. The steps are those of the list and of
// the file that takes the state's place.
func TestAKillAtEachStepOfForget(t *testing.T) {
	chosen.Demand(t)
	site := forgettable(t, "")
	for _, step := range []string{"planned", "listed", "written", "complete", "replaced", "done"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			s := site.another(t)
			s.killedAt(step)
			assert.Equal(t, step != "planned", s.read("ledger.forgotten") != "")
			s.forgottenOrNot(step)
		})
	}
}

// TestAKillDuringTheErasureOfAStart: what a killed erasure has left is forgotten by the next start; that one
// is killed, too, at each step.
func TestAKillDuringTheErasureOfAStart(t *testing.T) {
	chosen.Demand(t)
	site := forgettable(t, "")
	site.killedAt("listed")
	for _, step := range []string{"planned", "listed", "written", "complete", "replaced"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			s := site.another(t)
			s.killedAt(step, childRuns+"=1")
			s.forgottenOrNot(step)
		})
	}
}

// TestAKillAroundADelete: kill -9 of a daemon that forgets whom its feed deletes.
func TestAKillAroundADelete(t *testing.T) {
	chosen.Demand(t)
	site := newSite(t, clinic("{type: file, format: debezium, file: {path: in.csv}}")+"subject: {deletes: forget}\n")
	site.edit("level: L1, max_hold: 0s}", "max_hold: 0s}\ninitial: {min_pool: 9}")
	var in strings.Builder
	for line := range strings.Lines(marked(0, 300) + who + ",30,canary-city-1," + onlyTheirs + "\n") {
		f := strings.Split(strings.TrimSpace(line), ",")
		fmt.Fprintf(&in, `{"op":"c","after":{"id":%q,"age":%s,"city":%q,"ill":%q}}`+"\n", f[0], f[1], f[2], f[3])
	}
	site.write("in.csv", in.String())
	site.once()
	site.append("in.csv", fmt.Sprintf(`{"op":"d","before":{"id":%q}}`+"\n", who))
	for _, step := range []string{"planned", "listed", "rewritten"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			s := site.another(t)
			s.killedAt(step, childRuns+"=1")
			require.NotEmpty(t, s.read("ledger.forgotten"), "the list has the person before the state moves past the delete")
			first, _, _ := strings.Cut(s.once().stderr, `"event":"started"`)
			want := "forgotten"
			if step == "rewritten" {
				want = "state_cleaned"
			}
			assert.Len(t, events(t, first, want), 1, "before any record is read")
			assert.NotContains(t, s.read("state/anond.db"), onlyTheirs)
			x := s.receipt()
			assert.True(t, x.Before)
			assert.Zero(t, x.Removed.Published+x.Removed.Unpublished)
			s.certified()
		})
	}
}

// TestForgetKilledAtRandomMoments kills the real program.
func TestForgetKilledAtRandomMoments(t *testing.T) {
	chosen.Demand(t)
	site := forgettable(t, "")
	for i := range 20 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			s := site.another(t)
			p := s.startWith(strings.NewReader(who), "forget", "--from", "-")
			time.Sleep(time.Duration(rand.IntN(120)) * time.Millisecond) // moves the kill about
			_ = p.Signal(syscall.SIGKILL)
			p.wait()
			s.forgottenOrNot("random")
		})
	}
}

// TestForgetBesideADaemon: over the control socket a running daemon forgets at once, with the receipt of a
// stopped one, but for the free pages of its state; after kill -9 the next start rewrites the file, and the
// person stays blocked.
func TestForgetBesideADaemon(t *testing.T) {
	chosen.Demand(t)
	s := forgettable(t, "control: {socket: ./control.sock}\n")
	s.edit("file: {path: in.csv}", "file: {path: in.csv, follow: true}")
	s.edit("{on: update, min_interval: 1s}", "{on: interval, every: 9h}")
	offline := s.another(t)
	p := s.start("run")
	p.waitFor(`"event":"started"`)
	p.until("it reads", func() bool { return s.live().Connected })
	x, want := s.receipt(), offline.receipt()
	assert.Equal(t, want.Removed, x.Removed)
	assert.Equal(t, want.Person, x.Person, "the two states have one seed")
	assert.False(t, x.Before)
	assert.Contains(t, places(&x), freePages)
	assert.ElementsMatch(t, append(places(&want), freePages), places(&x))
	assert.True(t, s.receipt().Before)
	s.append("in.csv", who+",30,canary-city-1,"+onlyTheirs+"\n"+marked(300, 2))
	p.until("the others are read", func() bool { return s.live().Counts.Sent == 304 })
	assert.NotContains(t, p.log.String(), who)
	p.signal(syscall.SIGKILL)
	p.wait()
	s.edit("follow: true", "follow: false")
	r := s.run("", "run", "--once")
	require.Zero(t, r.code, r.stderr)
	assert.Len(t, events(t, r.stderr, "state_cleaned"), 1)
	assert.NotContains(t, s.read("state/anond.db"), onlyTheirs)
	assert.True(t, s.receipt().Before)
	s.certified()

	s.edit("control: {socket: ./control.sock}", "log: {level: info}")
	s.edit("follow: false", "follow: true")
	p = s.start("run")
	p.waitFor(`"event":"started"`)
	locked := s.run(who, "forget", "--from", "-")
	assert.Equal(t, 4, locked.code)
	assert.Contains(t, locked.stderr, "control.socket")
	p.signal(syscall.SIGTERM)
	p.wait()
}

const freePages = "free pages of the state"

// places are where data of the person may still be.
func places(r *upkeep.Receipt) (out []string) {
	for _, m := range r.Remains {
		out = append(out, m.What)
	}
	return out
}
