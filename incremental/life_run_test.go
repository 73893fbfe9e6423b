package incremental_test

import (
	"anond/incremental/state"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// trial is a test of one life, of which a failure is caught: it can be tried again with
// less of it.
type trial struct {
	testing.TB
	text     string // the first failure
	dirs     []string
	cleanups []func()
}

// stopped ends a trial.
type stopped struct{}

func (t *trial) Errorf(format string, args ...any) {
	if t.text == "" {
		t.text = fmt.Sprintf(format, args...)
	}
}
func (t *trial) Fatalf(format string, args ...any) { t.Errorf(format, args...); t.FailNow() }
func (t *trial) Fatal(args ...any)                 { t.Fatalf("%s", fmt.Sprint(args...)) }
func (t *trial) FailNow()                          { panic(stopped{}) }
func (t *trial) Failed() bool                      { return t.text != "" }
func (t *trial) Helper()                           {}
func (t *trial) Cleanup(f func())                  { t.cleanups = append(t.cleanups, f) }

// TempDir is removed at the end of the trial: a run has thousands of them.
func (t *trial) TempDir() string {
	dir, err := os.MkdirTemp("", "anond-life-")
	if err != nil {
		t.TB.Fatal(err)
	}
	t.dirs = append(t.dirs, dir)
	return dir
}

func (t *trial) end() {
	for _, f := range t.cleanups {
		f()
	}
	for _, dir := range t.dirs {
		if err := os.RemoveAll(dir); err != nil {
			t.TB.Error(err)
		}
	}
}

// outcome is what came of a life.
type outcome struct {
	printed []string // by the commands, as far as they came
	failure string   // empty: none
	host    *host    // the first
}

// try runs a life on hosts.
func (l *life) try(tb testing.TB, names ...string) (out outcome) {
	t := &trial{TB: tb}
	defer t.end()
	defer func() {
		switch r := recover(); r.(type) {
		case nil, stopped:
			out.failure = t.text
		default:
			out.failure = fmt.Sprint("panic: ", r)
		}
	}()
	hs := newHosts(t, names...)
	out.host = hs.all[0]
	for i, s := range l.all() {
		cmd, args, err := datadriven.ParseLine(s.line)
		if err != nil {
			t.Fatal(err)
		}
		d := &datadriven.TestData{Pos: fmt.Sprintf("step %d", i), Cmd: cmd, CmdArgs: args, Input: strings.Join(s.rows, " ")}
		out.printed = append(out.printed, hs.run(t, d))
		if t.Failed() {
			break
		}
	}
	return out
}

// kindOf says which check failed: shrinking must not end at another failure.
func kindOf(failure string) string {
	if failure == "" {
		return ""
	}
	if strings.HasPrefix(failure, "panic: ") {
		return "panic"
	}
	place := checkedAt.FindString(failure)
	if rule := ruleOf.FindString(failure); rule != "" {
		return place + " " + rule
	}
	return place
}

var (
	checkedAt = regexp.MustCompile(`[a-z_]+_test\.go:\d+`)
	ruleOf    = regexp.MustCompile(`Rule:[^ ]+|rule [A-Z]`)
)

// tally counts what the lives have reached, so that a generator that no longer
// reaches something is noticed.
type tally map[string]int

func (a tally) add(o outcome) {
	a["lives"]++
	if o.failure != "" || o.host == nil || o.host.m == nil {
		return
	}
	s := o.host.m.Status()
	a["published records"] += s.Published
	a["refused records"] += int(s.DeadLetter)
	a["records beyond"] += s.Beyond
	a["people barred"] += o.host.m.Judged().Barred
	a["quarantined records"] += s.Pending.Quarantined
	n := len(o.host.m.Releases().Intents())
	a["releases"] += n
	level := "L1"
	if o.host.policy.Level == state.L2 {
		level = "L2"
	}
	if n > 0 {
		a["chains of level "+level]++
	}
	if n > 1 {
		a["chains of several releases of level "+level]++
	}
	if v := o.host.m.Releases().All(); n > 0 && len(v.References) > 0 {
		a["chains with t-closeness"]++
	}
	for _, p := range o.printed {
		if strings.HasPrefix(p, "refused: ") {
			a["refused cuts or records"]++
		}
	}
	a["forgotten records that waited"] += o.host.erased.Unpublished
	a["forgotten records that are published"] += o.host.erased.Published
	a["blocked records"] += int(s.Forgotten) - o.host.erased.Unpublished
	if o.host.settled > 0 {
		a["lives under other settings later"]++
	}
	if r := o.host.report; r != nil {
		a["pure records"] += r.Certificates.PureRecords
		a["frozen records"] += r.Certificates.FrozenRecords
		for n, records := range r.Regroups {
			if n > 0 {
				a["regrouped records"] += records
			}
		}
	}
}
