package chaos

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental/state"
	"anond/ingest"
	"anond/shards/journal"
	"anond/shards/journal/journaltest"
	"anond/snapshot"
)

// leftOut is the bug that a durable step is not taken, and its success is told.
func leftOut(step string) planted {
	files := func(f snapshot.FS) snapshot.FS { return without{f, step, new(int)} }
	switch {
	case in(step, "commit"):
		return planted{store: func(s state.Store) state.Store { return unstored{s, step} }}
	case in(step, "letters"):
		return planted{sink: func(d ingest.DeadLetters) ingest.DeadLetters { return undelivered{d} }}
	case in(step, "journal"):
		return planted{log: func(l *journaltest.Log) journal.Log { return &unwritten{Log: l} }}
	case in(step, "claims"):
		return planted{owners: func(o ingest.Owners) ingest.Owners { return unclaimed{o} }}
	case in(step, "union"):
		return planted{united: files}
	}
	return planted{files: files}
}

// harmless are steps that may be left out, with the reason; TestHarmlessStepsMayBeLeftOut shows it.
var harmless = map[string]string{
	"pruning: copy of a manifest": "the copy is read again first, and nothing is pruned",
	"pruning: release removed":    "it stays longer than it must; the next pruning tries again",
	"ledger: written anew":        "a shard that takes over writes it at each start, and each release adds its line",
	"ledger: synced":              "the next start writes the lines that are missing",
}

// TestEachDurableStepIsMissed: whichever durable step is left out, simulated plans find it: among the first 400, or as many as
// -plans says (rig/docs/CHAOS.md has what 10,000 have shown).
func TestEachDurableStepIsMissed(t *testing.T) {
	tier.NotShort(t, "it plays many plans")
	all := slices.Concat(steps(func(string) bool { return true }), commits, []string{"letters: delivered", "journal: entry", "claims: made"})
	for i, step := range all {
		if tier.Of(t, 0, 1, 2) == 1 && i%10 != 0 || harmless[step] != "" {
			continue
		}
		t.Run(step, func(t *testing.T) {
			for n := range max(*simPlans, 400) {
				p := simulated(plantedSeed, n)
				if ofShards := in(step, "union", "journal"); ofShards != (p.World.Shards > 0) {
					continue
				}
				if r := play(t, p, leftOut(step)); r.Err != nil {
					require.NoError(t, play(t, p, planted{}).Err, "the plan fails without the bug, too")
					t.Logf("plan %d", n)
					return
				}
			}
			assert.Fail(t, "not found")
		})
	}
}

// TestHarmlessStepsMayBeLeftOut: no plan finds that a harmless step is left out, with whatever faults besides: after the last start
// everything is as if it had been taken, but for what was to be removed. As many plans as -plans says.
func TestHarmlessStepsMayBeLeftOut(t *testing.T) {
	tier.NotShort(t, "it plays many plans")
	for step := range harmless {
		t.Run(step, func(t *testing.T) {
			removed := 0
			for n := range max(*simPlans, tier.Of(t, 0, 2, 12)) {
				p := simulated(plantedSeed, n)
				r := play(t, p, leftOut(step))
				require.NoError(t, r.Err, p)
				removed += r.Reach["pruning: release removed"][""]
			}
			require.True(t, step != "pruning: copy of a manifest" || removed == 0, "a release was removed of which no copy was made")
		})
	}
}

// unclaimed claims nobody.
type unclaimed struct{ ingest.Owners }

func (unclaimed) Claim(_ context.Context, people []state.Person) ([]bool, error) {
	return make([]bool, len(people)), nil
}

// without leaves a step out.
type without struct {
	snapshot.FS
	step string
	left *int // out so often
}

func (f without) unless(op, path string, do func() error) error {
	if stepOf(op, path) != f.step {
		return do()
	}
	if *f.left++; *f.left > 1000 {
		return errors.New("a step is taken without end")
	}
	return nil
}

func (f without) Mkdir(dir string) error {
	return f.unless("mkdir", dir, func() error { return f.FS.Mkdir(dir) })
}

func (f without) MkdirAll(dir string) error {
	return f.unless("mkdir", dir, func() error { return f.FS.MkdirAll(dir) })
}

func (f without) MkdirPrivate(dir string) error {
	return f.unless("mkdir", dir, func() error { return f.FS.MkdirPrivate(dir) })
}

func (f without) Link(from, to string) error {
	return f.unless("link", to, func() error { return f.FS.Link(from, to) })
}

func (f without) Rename(from, to string) error {
	return f.unless("rename", to, func() error { return f.FS.Rename(from, to) })
}

func (f without) RemoveAll(path string) error {
	return f.unless("remove", path, func() error { return f.FS.RemoveAll(path) })
}

func (f without) Sync(path string) error {
	return f.unless("sync", path, func() error { return f.FS.Sync(path) })
}

func (f without) SyncAll(paths []string) error {
	for _, path := range paths {
		if err := f.Sync(path); err != nil {
			return err
		}
	}
	return nil
}

func (f without) Create(path string) (io.WriteCloser, error) {
	return f.open("create", path, f.FS.Create)
}

func (f without) Append(path string) (io.WriteCloser, error) {
	return f.open("append", path, f.FS.Append)
}

func (f without) CreateSealed(path string) (io.WriteCloser, error) {
	return f.open("create", path, f.FS.CreateSealed)
}

// open makes a file that stays empty.
func (f without) open(op, path string, by func(string) (io.WriteCloser, error)) (io.WriteCloser, error) {
	w, err := by(path)
	if err != nil || stepOf(op, path) != f.step {
		return w, err
	}
	return deafFile{w}, nil
}

type deafFile struct{ io.WriteCloser }

func (deafFile) Write(p []byte) (int, error) { return len(p), nil }

// unstored does not store some transactions.
type unstored struct {
	state.Store
	step string
}

func (s unstored) Commit(d *state.Delta) error {
	if commitOf(d) == s.step {
		return nil
	}
	return s.Store.Commit(d)
}

type undelivered struct{ ingest.DeadLetters }

func (undelivered) Deliver(context.Context, []state.DeadLetter) error { return nil }

// unwritten does not write some entries.
type unwritten struct {
	*journaltest.Log
	entries int
}

func (l *unwritten) Append(ctx context.Context, message []byte) error {
	if l.entries++; l.entries%3 == 0 {
		return nil
	}
	return l.Log.Append(ctx, message)
}
