package main

import (
	"anond/incremental/plan"
	"anond/incremental/state"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/internal/dataset"
	"anond/internal/testkit/programtest"
)

// TestStatusOfAnEndedRun: it says how and when it ended. Without a socket, the lock of the state
// says whether a process lives that has written nothing yet.
func TestStatusOfAnEndedRun(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the lock is looked at on Linux alone")
	}
	s := newSite(t, "{type: stdin}", "on: interval, every: 1h", "")
	require.Equal(t, exitOK, s.pipe(ndjson(1, 600), "run").code)
	shown := s.must("status")
	require.Regexp(t, `not running: done, the source was at its end at 20\S+Z with exit code 0 \(pid \d+\)`, shown)
	require.NotContains(t, shown, "draining")
	state, err := boltstore.Open(s.path("state/anond.db"), boltstore.Options{})
	require.NoError(t, err)
	require.Contains(t, s.must("status"), "a process has the state and shows no status")
	require.Equal(t, exitLocked, s.pipe("", "run").code)
	require.Contains(t, s.must("status --json"), `"how": "source_ended"`, "who could not have the state has not ended it")
	require.NoError(t, state.Close())

	s.edit("k: 5", "k: 6") // the settings of the state differ
	r := s.pipe("", "run")
	require.Equal(t, exitConfig, r.code)
	shown = s.must("status")
	require.Regexp(t, `not running: failed at 20\S+Z with exit code 78`, shown)
	require.Contains(t, shown, "policy.k")
}

// TestStatusAfterARefusedFirstLoad: what was read is counted and kept, and shown.
func TestStatusAfterARefusedFirstLoad(t *testing.T) {
	s := newSite(t, "{type: file, file: {path: in.ndjson}}", "on: interval, every: 1h", "")
	s.edit("level: L1", "level: L2, max_hold: 0s")
	s.edit("release:", "initial: {min_pool: 15}\nrelease:")
	s.write("in.ndjson", regexp.MustCompile(`"diagnosis":"[^"]*"`).ReplaceAllString(ndjson(1, 100), `"diagnosis":"flu"`))
	require.Equal(t, exitPrivacy, s.run("run --once").code)
	shown := s.must("status")
	require.Regexp(t, `records +100 sent = 0 published \+ \d+ pending`, shown)
	require.Regexp(t, `first load +9\d records, at least 15`, shown)
	require.Contains(t, shown, "the first load is refused")
}

// TestStatusSaysWhyNothingIsPublished, and until when at the latest, where anything ends the wait.
func TestStatusSaysWhyNothingIsPublished(t *testing.T) {
	pool := func(records int, possible bool) *plan.PoolNeed {
		return &plan.PoolNeed{Records: records, Possible: possible}
	}
	first := &incremental.FirstLoad{Records: 40, Wanted: 1000}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	waits := state.Pending{Waiting: 1200}
	later := func(p *plan.PoolNeed, outdated int, now int64) incremental.Status {
		return incremental.Status{InitialEnd: true, Pool: p, Pending: waits, Outdated: outdated, Now: now}
	}
	for want, c := range map[string]incremental.Status{
		"waits for 960 more records, however long that takes":                {FirstLoad: first, Pool: pool(1000, true)},
		"the first load is refused":                                          {FirstLoad: &incremental.FirstLoad{Refused: true}},
		"comes when the source is read to where it ended at the first start": {FirstLoad: &incremental.FirstLoad{Records: 40, Wanted: 30}},
		"no later release: no pool is large enough, whoever comes":           later(pool(0, false), 0, 0),
		"waits for 300 more people, however long that takes":                 later(pool(1500, true), 0, 0),
		"waits for 310 more people, however long that takes":                 later(pool(1500, true), 10, 0),
		"waits for newcomers: nobody is waiting":                             {InitialEnd: true, Pool: pool(0, true)},
		"at the latest by the first release after 2026-03-01T12:14:45Z":      later(pool(1000, true), 0, 60_000),
		"with the next release":                                              later(pool(1000, true), 0, 945_000),
		"waits for 70 more people, but for nobody longer than": later(
			&plan.PoolNeed{Records: 1000, Possible: true, Missing: 70}, 0, 0),
	} {
		s := &shownStatus{Status: &dataset.Status{Counts: c, Counted: at}, hold: config.Hold{Time: 15 * time.Minute}}
		assert.Contains(t, whyLine(s), want)
	}
	counted := &shownStatus{Status: &dataset.Status{Counts: incremental.Status{InitialEnd: true, Pending: waits, Now: 1}},
		hold: config.Hold{Releases: 3, Counted: true}}
	assert.Contains(t, whyLine(counted), "2 releases")
}

// TestStatusNamesTheStrataThatWait, and how many people of each are missing; the next pool is that of the plain one.
func TestStatusNamesTheStrataThatWait(t *testing.T) {
	need := func(n int) plan.PoolNeed { return plan.PoolNeed{Records: n, Possible: true} }
	plain := need(60)
	s := &shownStatus{fresh: true, Status: &dataset.Status{Counts: incremental.Status{InitialEnd: true, Release: 3, Public: 3, Pool: &plain,
		Pending: state.Pending{Waiting: 75, Settling: 1200}, Strata: []incremental.Stratum{{Stratum: "fault", Waiting: 5, PoolNeed: need(40)},
			{Stratum: "updated", Waiting: 20, PoolNeed: need(20)}}}}}
	shown := fmt.Sprint(statusLines(s, nil))
	for _, want := range []string{"75 waiting", "1,200 settling", "50 wait, it needs 60, 10 are missing",
		"5 of stratum fault wait, a pool of theirs needs 40, 35 are missing", "20 of stratum updated wait, a pool of theirs needs 20]"} {
		assert.Contains(t, shown, want)
	}
	assert.Contains(t, whyLine(s), "waits for 10 more people")
}

// TestStatusNamesTheAttributeThatAsksMost of the next pool, how many people are missing, and each attribute that a refused pool failed.
func TestStatusNamesTheAttributeThatAsksMost(t *testing.T) {
	of := func(p plan.PoolNeed) string {
		s := &shownStatus{Status: &dataset.Status{Counts: incremental.Status{InitialEnd: true, Pending: state.Pending{Waiting: 40}, Pool: &p}}}
		return fmt.Sprint(statusLines(s, nil))
	}
	assert.Contains(t, of(plan.PoolNeed{Records: 100, Possible: true, Missing: 60, Attribute: "hiv"}),
		`40 wait, it needs 100, 60 are missing; "hiv" asks most`)
	assert.Contains(t, of(plan.PoolNeed{Records: 100, Possible: true, Missing: 6000}), "40 wait, it needs 100, 60 are missing",
		"as run --once says it: newcomers are counted where enough wait")
	assert.Contains(t, of(plan.PoolNeed{Records: 40, Possible: true, Missing: 7}), "40 wait, it needs 40, 7 newcomers are missing")
	assert.Contains(t, of(plan.PoolNeed{Attribute: "hiv"}), `the published values of "hiv" are at what is promised`)
	shown, err := json.Marshal(incremental.FirstLoad{Refused: true, Failed: []string{"hiv", "arrested"}})
	require.NoError(t, err)
	assert.Regexp(t, `"failed":\["hiv","arrested"\]`, string(shown))
	assert.Contains(t, whyLine(&shownStatus{Status: &dataset.Status{Counts: incremental.Status{FirstLoad: &incremental.FirstLoad{
		Refused: true, Failed: []string{"hiv", "arrested"}}}}}), `refused for "hiv", "arrested"`)
}

// TestStatusOfAStoppedRun: by which signal; and that of a run that was killed says that it said nothing.
func TestStatusOfAStoppedRun(t *testing.T) {
	tier.NotShort(t, "it runs a daemon")
	s := newSite(t, "{type: file, file: {path: in.ndjson, follow: true}}", "on: interval, every: 1h", "")
	s.edit("release:", "control: {socket: ./c.sock}\nrelease:")
	s.write("in.ndjson", ndjson(1, 300))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var log programtest.Text
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"run", "-c", s.config}, streams(&log, &log))
	}()
	eventually(t, func() bool {
		r := s.run("status --json")
		return r.code == exitOK && strings.Contains(r.stdout, `"live": true`) && strings.Contains(r.stdout, `"sent": 300`)
	}, "%s", &log)
	running := readIf(s.path("state/status.json"))
	require.NotContains(t, s.must("status"), "not running")
	cancel(&dataset.Signalled{Name: "SIGTERM"})
	require.Equal(t, exitOK, <-ended, "%s", &log)
	shown := s.must("status")
	require.Regexp(t, `not running: stopped by SIGTERM at 20\S+Z with exit code 0`, shown)
	require.Contains(t, shown, "no release until anond runs again")
	require.NotContains(t, shown, "attention     reading")
	s.write("state/status.json", running)
	shown = s.must("status")
	require.Regexp(t, `not running: no end was noted; at 20\S+Z it was \w+`, shown)
	require.Contains(t, shown, "it was killed, has crashed, or had a full disk")
}

// TestStatusOfADecidedRelease: one that is decided is not shown as one that is public.
func TestStatusOfADecidedRelease(t *testing.T) {
	line := func(decided, public, releasing uint32, fresh bool) string {
		counts := incremental.Status{Release: decided, Public: public, Classes: 1200}
		return releaseLine(&shownStatus{Status: &dataset.Status{Releasing: releasing, Counts: counts}, fresh: fresh})
	}
	for public, sum := range map[uint32]string{7: "9 sent = 8 published + 0", 6: "9 sent = 8 published or decided + 0"} {
		counts := incremental.Status{Sent: 9, Published: 8, DeadLetter: 1, Release: 7, Public: public}
		lines := statusLines(&shownStatus{Status: &dataset.Status{Dataset: "d", Counts: counts}, fresh: true}, nil)
		assert.Contains(t, lines[2][1], sum)
	}
	assert.Equal(t, "none yet", line(0, 0, 0, true))
	assert.Equal(t, "7, 1,200 classes", line(7, 7, 0, true))
	assert.Equal(t, "6 is public; 7 is decided (1,200 classes) and being published", line(7, 6, 7, true))
	assert.Equal(t, "6 is public; 7 is decided (1,200 classes) and not published yet", line(7, 6, 0, true))
	assert.Equal(t, "none is public yet; 1 is decided (1,200 classes) and parked: the next start publishes it", line(1, 0, 1, false))
}

// TestHowARunEnded is said in words.
func TestHowARunEnded(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for want, e := range map[string]dataset.Ended{
		"not running: stopped at AT with exit code 0 (pid 7)":                         {How: dataset.EndStopped},
		"not running: stopped by SIGINT at AT with exit code 0 (pid 7)":               {How: dataset.EndStopped, Signal: "SIGINT"},
		"not running: failed at AT with exit code 3 (pid 7)":                          {How: dataset.EndFailed, ExitCode: 3},
		"stands by: another member of the group publishes since AT (pid 7)":           {How: dataset.EndLease},
		"not running: done, the source was at its end at AT with exit code 0 (pid 7)": {How: dataset.EndSource},
	} {
		e.At, e.PID = at, 7
		want = strings.Replace(want, "AT", "2026-03-01T12:00:00Z", 1)
		assert.Equal(t, want, doingLine(&shownStatus{Status: &dataset.Status{Ended: &e}}))
	}
	assert.ErrorIs(t, &dataset.Signalled{Name: "SIGTERM"}, context.Canceled)
	assert.NotErrorIs(t, &dataset.Signalled{Name: "SIGTERM"}, errors.ErrUnsupported)
}
