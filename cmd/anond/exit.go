package main

import (
	"context"
	"errors"
	"fmt"

	"anond/config"
	"anond/deliver"
	"anond/deliver/topic"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/cli"
	"anond/internal/control"
	"anond/internal/daemon"
	"anond/internal/sealed"
	"anond/internal/suppress"
	"anond/shards/journal"
	"anond/shards/repartition"
	"anond/snapshot"
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

type exitError = cli.ExitError

func failure(code int, err error, hint string) error { return cli.Failure(code, err, hint) }

func usage(hint, format string, args ...any) error { return cli.Usage(hint, format, args...) }

// classify finds the exit code and the hint of an error: those it carries, else
// those of the cause it wraps.
func classify(err error) (code int, hint string) {
	var known *exitError
	var faults *config.Faults
	var infeasible *incremental.InfeasibleError
	var contradiction *daemon.ConfigError
	var damaged *snapshot.DamageError
	var answered *control.Fault
	switch {
	case err == nil:
		return exitOK, ""
	case errors.As(err, &known):
		return known.Code, known.Hint
	case errors.As(err, &faults):
		return exitConfig, "docs/CONFIGURATION.md lists every key with its type and default"
	case errors.As(err, &answered):
		return codeOf(answered.Kind), answered.Hint
	case errors.Is(err, control.ErrNobody):
		return exitFailed, "start anond run with this configuration; if it runs, wait until it has opened its state"
	case errors.Is(err, control.ErrUnsafe):
		return exitConfig, "choose a directory that only the user of anond can write to, and a path that nothing else uses"
	case errors.Is(err, daemon.ErrPaused):
		return exitFailed, "start it without --once and run anond resume, or remove the file"
	case errors.Is(err, incremental.ErrLocked):
		return exitLocked, "stop the other process, or use another state (state.path)"
	case errors.As(err, &infeasible):
		return exitPrivacy, infeasible.Hint()
	case errors.Is(err, ingest.ErrPoolRefused):
		return exitPrivacy, "who comes is in later pools; a lower policy.l makes this improbable, in a new dataset of other people"
	case errors.Is(err, ingest.ErrNoPool):
		return exitPrivacy, "begin a new dataset, of other people, with a lower policy.l, or with values that divide the most frequent one"
	case errors.As(err, &damaged):
		return exitFailed, damaged.Hint()
	case errors.Is(err, snapshot.ErrShards):
		return exitConfig, "give all shards one configuration but for shard.index, release.dir and state, and name their number in --shards"
	case errors.Is(err, snapshot.ErrForked):
		return exitPrivacy, "nothing was published: stop both publishers of the shard, and go on with the state that published what the union has"
	case errors.Is(err, snapshot.ErrDamaged):
		return exitFailed, "anond release verify lists every fault; restore the files from a copy of the releases"
	case errors.Is(err, snapshot.ErrDifferent):
		return exitFailed, "restore the file from a copy if it was changed; if nobody changed it, " +
			"report this with the output of anond state check"
	case errors.Is(err, snapshot.ErrRefused), errors.Is(err, incremental.ErrUnsafe):
		return exitPrivacy, "nothing was published and the intent stays; this is a fault of anond: report it with the output of anond state check"
	case changedText(err):
		return exitConfig, textHint
	case errors.Is(err, incremental.ErrDecided):
		return exitPrivacy, "nothing was removed; start a new dataset of other records with its own state, releases and ledger"
	case errors.Is(err, journal.ErrForked), errors.Is(err, snapshot.ErrOtherHistory):
		return exitPrivacy, "nothing was published: go on with the state that published what is there, and keep this one for a report"
	case errors.Is(err, journal.ErrFenced):
		return exitBehind, "leave the shard to the other process; started again, this one takes it over from that one"
	case errors.Is(err, journal.ErrNoState):
		return exitBehind, "anond state restore --from FILE puts a backup of this shard in place, of any age, the first one included"
	case errors.Is(err, journal.ErrHole):
		return exitBehind, "take a newer backup of the state; without one, what was decided cannot be repeated"
	case errors.Is(err, journal.ErrForeign):
		return exitConfig, "use the subject.key, dataset and shard.of that the journal was written with; nobody else may write to the topic"
	case errors.Is(err, journal.ErrUnderOther):
		return exitConfig, "use the configuration of that time until the state has caught up, or a newer backup"
	case errors.As(err, &contradiction):
		return exitConfig, contradiction.Hint()
	case errors.Is(err, ingest.ErrManyRefused):
		return exitFailed, "correct the producer or the configuration, or raise dead_letter.max_share; anond dlq list shows what was kept; " +
			"while no pool is fixed, anond state reset begins anew"
	case daemon.ForgetHint(err) != "":
		return exitFailed, daemon.ForgetHint(err)
	case errors.Is(err, daemon.ErrForeignList):
		return exitBehind, "restore a state of this dataset; a new dataset needs its own ledger"
	case errors.Is(err, suppress.ErrDamaged):
		return exitFailed, "restore the file from a copy; if there is none, remove it: anond writes it again from the state, " +
			"which knows whom it has forgotten"
	case errors.Is(err, boltstore.ErrAhead):
		return exitBehind, "keep the state in place; or restore a copy that is newer than it"
	case errors.Is(err, daemon.ErrChecksum):
		return exitFailed, "use another backup"
	case sealed.Unreadable(err):
		return exitConfig, "set encryption.key to the key with this ID; anond state rekey --old-key-file changes the key"
	case errors.Is(err, sealed.ErrNotEncrypted):
		return exitConfig, "encrypt it with anond state rekey, or remove the key"
	case errors.Is(err, incremental.ErrNoSpace):
		return exitFailed, "make room on the disk or raise state.max_bytes, then start again; nothing was lost"
	case errors.Is(err, incremental.ErrStateFull):
		return exitFailed, "raise state.max_records, then start again; nothing was lost"
	case errors.Is(err, ingest.ErrKeying), errors.Is(err, ingest.ErrPartitionsChanged), errors.Is(err, ingest.ErrHole):
		return exitConfig, daemon.HintOfShard(err)
	case errors.Is(err, incremental.ErrTooManyPartitions):
		return exitConfig, daemon.HintOfPartitions
	case errors.Is(err, daemon.ErrUnknownTarget):
		return exitFailed, "restore the progress, or write everything again with --again: shards drop what they have had. " +
			"If the source was made again since, write to another topic: --to"
	case errors.Is(err, repartition.ErrTooLarge):
		return exitFailed, "raise max.message.bytes of the target topic, then run it again; nothing was lost"
	case errors.Is(err, daemon.ErrTwo):
		return exitBehind, "give each state a release.dir of its own: two that publish into one break the promise of both"
	case errors.Is(err, deliver.ErrOther):
		return exitBehind, "restore the newest releases if they were put back from a copy; else, and in place of one that has lost " +
			"something, use a topic or a table of its own"
	case errors.Is(err, deliver.ErrUnion):
		return exitConfig, "deliver each shard: set release.dir to shards/0 and so on below it, each with a topic or a table of its own"
	case errors.Is(err, topic.ErrNotWhole):
		return exitFailed, "anond deliver kafka sends what is missing of a release; other releases: --release"
	case errors.Is(err, ingest.ErrGap):
		return exitFailed, "the records are permanently lost: set source.kafka.on_gap to continue to accept this, and raise the topic's retention"
	case errors.Is(err, ingest.ErrCorrupt):
		return exitFailed, "check the partition and its producers; source.kafka.on_corrupt: skip skips these offsets, a larger " +
			"memory.max_in_flight accepts a large batch"
	case errors.Is(err, ingest.ErrReplaced):
		return exitFailed, "start a new dataset for the new source, with its own state, releases and ledger; if Kafka lost records " +
			"in an election, docs/KAFKA.md says how to go on"
	case errors.Is(err, ingest.ErrBehind), errors.Is(err, snapshot.ErrBehind):
		return exitBehind, "restore the newest state; continuing with this one would break the promise of earlier releases"
	case errors.Is(err, ingest.ErrAway):
		return exitFailed, "make sure that the source can be reached, then run it again; nothing was lost"
	case errors.Is(err, ingest.ErrParked):
		return exitFailed, "the decision about the release is stored: remove the cause, then run it again"
	case errors.Is(err, ingest.ErrPermanent):
		return exitFailed, "the release is decided but not published, and retries cannot help: correct the cause, then start again"
	}
	return exitFailed, ""
}

// exitCodeOf is the exit code of an error alone.
func exitCodeOf(err error) int {
	code, _ := classify(err)
	return code
}

// codeOf is the exit code for what a running daemon has answered.
func codeOf(k control.Kind) int {
	switch k {
	case control.Refused:
		return exitPrivacy
	case control.BadConfig:
		return exitConfig
	}
	return exitFailed
}

// report prints an error for people and returns its exit code.
func (e *environment) report(err error) int {
	code, hint := classify(err)
	if err == nil {
		return code
	}
	var faults *config.Faults
	switch {
	case errors.As(err, &faults):
		fmt.Fprintln(e.Stderr, faults)
		fmt.Fprintf(e.Stderr, "error: %s cannot be used: %s\n", faults.List[0].File, cli.Count(len(faults.List), "fault"))
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(e.Stderr, "error: interrupted")
	default:
		fmt.Fprintln(e.Stderr, "error:", err)
	}
	if hint != "" {
		fmt.Fprintln(e.Stderr, "hint:", hint)
	}
	return code
}
