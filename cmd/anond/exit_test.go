package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/deliver"
	"anond/deliver/topic"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/incremental/erase"
	"anond/incremental/plan"
	"anond/incremental/state"
	"anond/ingest"
	"anond/internal/cli"
	"anond/internal/control"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/internal/sealed"
	"anond/internal/suppress"
	"anond/internal/upkeep"
	"anond/shards/journal"
	"anond/shards/keying"
	"anond/shards/repartition"
	"anond/shards/repartition/topics"
	"anond/shards/union"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// The exit codes (internal/cli).
const (
	exitOK      = cli.OK
	exitFailed  = cli.Failed
	exitUsage   = cli.Misused
	exitPrivacy = cli.Unprivate
	exitLocked  = cli.Locked
	exitBehind  = cli.Behind
	exitConfig  = cli.BadConfig
)

// TestExitCodes: the code follows from the error, however deep it is wrapped.
func TestExitCodes(t *testing.T) {
	bad := &config.Faults{List: []config.Fault{{File: "a.yaml", Line: 3, Column: 7, Key: "policy.k", Reason: "is missing"}}}
	for _, c := range []struct {
		name string
		err  error
		code int
		text string
	}{
		{"success", nil, exitOK, ""},
		{"unknown", errors.New("disk on fire"), exitFailed, "error: disk on fire\n"},
		{"its own", fault.Errorf(fault.Privacy, "lower l", "refused"), exitPrivacy, "error: refused\nhint: lower l\n"},
		{"its own, wrapped", fmt.Errorf("run: %w", fault.Errorf(fault.Privacy, "",
			"refused")), exitPrivacy, "error: run: refused\n"},
		{"locked", fmt.Errorf("open: %w", state.ErrLocked), exitLocked,
			"error: open: the state is held by another process\nhint: stop the other process, or use another state (state.path)\n"},
		{"behind", fmt.Errorf("start: %w", ingest.ErrBehind), exitBehind,
			"error: start: state is behind what was published or committed\nhint: restore the newest state; continuing with this one would " +
				"break the promise of earlier releases\n"},
		{"source away", fmt.Errorf("%w for 1m0s", ingest.ErrAway), exitFailed,
			"error: the source has not answered for 1m0s\nhint: make sure " +
				"that source.type is where the records are, and that it can be reached; then run it again; nothing was lost\n"},
		{"given up", fmt.Errorf("%w: disk full", ingest.ErrParked), exitFailed, "error: the release is left to the next start: disk full\n" +
			"hint: the decision about the release is stored: remove the cause, then run it again\n"},
		{"a refusal of the gate stays one", errors.Join(ingest.ErrPermanent, publish.ErrRefused), exitPrivacy,
			"error: the release cannot be published\nthe gate refused the release\n" +
				"hint: nothing was published and the intent stays; this is a fault of anond: report it with the output of anond state check\n"},
		{"a batch that cannot be read", fmt.Errorf("run: %w", &ingest.CorruptError{Partition: state.Partition{Source: "kafka:in", ID: 3},
			From: 7, Next: -1, Why: "why"}), exitFailed,
			"error: run: kafka:in partition 3: offset 7 and more cannot be read: why\nhint: check the partition and its producers; " +
				"source.kafka.on_corrupt: skip skips these offsets, a larger memory.max_in_flight accepts a large batch\n"},
		{"another process has the shard", fmt.Errorf("run: %w", journal.ErrFenced), exitBehind,
			"error: run: another process goes on with this state: the journal has an entry of it\n" +
				"hint: leave the shard to the other process; started again, this one takes it over from that one\n"},
		{"a journal and no state", fmt.Errorf("s.db: %w", journal.ErrNoState), exitBehind,
			"error: s.db: the journal tells of decisions, and there is no state that they can be repeated on\n" +
				"hint: anond state restore --from FILE puts a backup of this shard in place, of any age, the first one included\n"},
		{"a journal with a hole", fmt.Errorf("run: %w", journal.ErrHole), exitBehind, "error: run: the journal lacks entries\n" +
			"hint: take a newer backup of the state; without one, what was decided cannot be repeated\n"},
		{"a journal of another history", fmt.Errorf("run: %w", journal.ErrForked), exitPrivacy,
			"error: run: the journal tells of another history than this one\n" +
				"hint: nothing was published: go on with the state that published what is there, and keep this one for a report\n"},
		{"a journal of somebody else", fmt.Errorf("run: %w", journal.ErrForeign), exitConfig,
			"error: run: the journal has an entry that this configuration cannot read\n" +
				"hint: use the subject.key, dataset and shard.of that the journal was written with; nobody else may write to the topic\n"},
		{"a journal under other settings", fmt.Errorf("run: %w", journal.ErrUnderOther), exitConfig,
			"error: run: the journal was written under other settings\n" +
				"hint: use the configuration of that time until the state has caught up, or a newer backup\n"},
		{"interrupted", fmt.Errorf("audit: %w", context.Canceled), exitFailed, "error: interrupted\n"},
		{"configuration", fmt.Errorf("load: %w", bad), exitConfig,
			"a.yaml:3:7: policy.k: is missing\nerror: a.yaml cannot be used: 1 fault\nhint: docs/CONFIGURATION.md lists every key with its type " +
				"and default\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr bytes.Buffer
			assert.Equal(t, c.code, (&environment{Env: cli.Env{Stderr: &stderr}}).Report(c.err))
			assert.Equal(t, c.text, stderr.String())
		})
	}
}

// TestEachErrorHasItsExitCode: scripts decide by the codes, so an error keeps its own, and says what helps.
func TestEachErrorHasItsExitCode(t *testing.T) {
	for code, list := range map[int][]error{
		exitLocked: {state.ErrLocked},
		exitPrivacy: {ingest.ErrPoolRefused, ingest.ErrNoPool, union.ErrForked, publish.ErrRefused, publish.ErrOtherHistory,
			incremental.ErrUnsafe, state.ErrDecided, journal.ErrForked, &plan.InfeasibleError{L: 3, Reachable: 2}},
		exitBehind: {journal.ErrFenced, journal.ErrNoState, journal.ErrHole, upkeep.ErrForeignList, boltstore.ErrAhead, daemon.ErrTwo,
			deliver.ErrOther, ingest.ErrBehind, publish.ErrBehind, &publish.BehindError{}, &publish.JudgedError{}, &union.ShardBehindError{}},
		exitConfig: {control.ErrUnsafe, union.ErrShards, journal.ErrForeign, journal.ErrUnderOther, sealed.ErrNoKey, sealed.ErrWrongKey,
			sealed.ErrNotEncrypted, keying.ErrKeying, &keying.KeyingError{}, &keying.KeyingError{Link: true}, keying.ErrHole, &keying.HoleError{},
			ingest.ErrPartitionsChanged, &ingest.PartitionsChangedError{}, incremental.ErrTooManyPartitions, deliver.ErrUnion,
			dataset.ErrJournaled, daemon.ErrNoRehearsal, repartition.ErrProgress, &incremental.SettingsError{}, &incremental.LevelError{},
			&incremental.GrowthError{}},
		exitFailed: {control.ErrNobody, daemon.ErrPaused, snapshot.ErrDamaged, publish.ErrDifferent, ingest.ErrManyRefused,
			suppress.ErrDamaged, upkeep.ErrChecksum, state.ErrNoSpace, state.ErrQuota, incremental.ErrStateFull,
			state.ErrUnpublished, erase.ErrNotErasable, erase.ErrNobodyElse, topics.ErrUnknownTarget,
			repartition.ErrTooLarge, topic.ErrNotWhole, ingest.ErrGap, &ingest.GapError{}, ingest.ErrCorrupt, ingest.ErrReplaced,
			ingest.ErrAway, ingest.ErrParked, ingest.ErrPermanent},
	} {
		for _, err := range list {
			kind, hint := fault.Of(fmt.Errorf("run: %w", err))
			assert.Equal(t, code, int(kind), "%v", err)
			assert.NotEmpty(t, hint, "%v", err)
		}
	}
}

// TestTheLogTellsWhyARunEnds: the code, the cause and the next step stand in the log of a run, too, where tail and programs
// that read logs find them.
func TestTheLogTellsWhyARunEnds(t *testing.T) {
	s := newSite(t, "{type: file, file: {path: in.ndjson}}", "on: interval, every: 1h", "")
	s.write("in.ndjson", ndjson(1, 400))
	r := s.run("run --once")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.NotContains(t, r.stderr, `"event":"failed"`)

	require.NoError(t, os.WriteFile(s.path("releases/CURRENT"), []byte("000007\n"), 0o600))
	require.NoError(t, os.RemoveAll(s.path("state")))
	r = s.run("run --once")
	require.NotEqual(t, exitOK, r.code)
	var said struct {
		Level, Event, Error, Hint string
		Code                      int
	}
	for line := range strings.Lines(r.stderr) {
		if strings.Contains(line, `"event":"failed"`) {
			require.Empty(t, said.Event, "it is said once")
			require.NoError(t, json.Unmarshal([]byte(line), &said))
		}
	}
	assert.Equal(t, "ERROR", said.Level)
	assert.Equal(t, r.code, said.Code)
	assert.Contains(t, r.stderr, "error: "+said.Error)
	assert.Contains(t, r.stderr, "hint: "+said.Hint)
	assert.NotEmpty(t, said.Hint)
}
