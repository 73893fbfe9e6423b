package replay

import (
	"anond/incremental/state"
	"errors"
	"fmt"
	"slices"

	"anond/incremental/memstore"
)

// difference says where a run went another way than the state. It has counts, no values.
type difference struct {
	World   int    // from 1; 0: the records as they are
	Release uint32 // that was to be decided
	Records int    // that had arrived
	Classes int    // of that release, in the state
	What    string
}

func (d *difference) Error() string { return d.What }

// tape is a store that compares what a machine commits with a recording. It keeps nothing,
// unless the machine will be opened again.
type tape struct {
	r       *Recording
	kept    *memstore.Store
	meta    state.Meta // with which the machine begins, and then the newest
	records state.RecordID
	classes int
	pools   int
	intent  uint32
	attempt state.Attempt
	differs *difference
}

var errDiffers = errors.New("the run differs from the state")

// keep lets what is committed be loaded.
func (t *tape) keep() error {
	t.kept = memstore.New()
	return t.kept.Commit(&state.Delta{Meta: &t.meta})
}

func (t *tape) Load(v state.Visitor) error {
	if t.kept != nil {
		return t.kept.Load(v)
	}
	return v.Meta(t.meta)
}

func (t *tape) Outbox(uint64, int, int) ([]state.DeadLetter, error) { return nil, nil }

func (t *tape) Close() error { return nil }

// Commit compares a delta.
func (t *tape) Commit(d *state.Delta) error {
	if t.kept != nil {
		if err := t.kept.Commit(d); err != nil {
			return err
		}
	}
	for _, b := range d.Records {
		for range b.Len() {
			if t.r.ticks[t.records] != b.Tick {
				return t.fail("a record arrives at another time")
			}
			t.records++
		}
	}
	if d.Attempt != nil {
		t.attempt = *d.Attempt
	}
	if d.Meta != nil {
		t.meta = *d.Meta
		fixed := t.r.meta.Scale[:min(len(t.meta.Scale), len(t.r.meta.Scale))]
		if len(t.meta.Eras) == len(t.r.meta.Eras) && !slices.Equal(t.meta.Scale, fixed) {
			return t.fail("numbers are measured by another scale")
		}
	}
	if len(d.Quarantined) > 0 {
		if t.pools >= len(t.r.pools) || !slices.Equal(t.r.pools[t.pools], d.Quarantined) {
			return t.fail("another pool is quarantined")
		}
		t.pools++
	}
	if d.Intent == nil || d.Intent.Published {
		return nil
	}
	return t.release(d)
}

// release compares a release that is decided.
func (t *tape) release(d *state.Delta) error {
	if int(d.Intent.Release) > len(t.r.intents) {
		return t.fail("a release is decided that the state does not have")
	}
	want := t.r.intents[d.Intent.Release-1]
	t.intent = want.Release
	births := t.r.births(want.Release)
	if len(births) != len(d.Births) {
		return t.failAt(want.Release, fmt.Sprintf("it has %d classes", len(d.Births)))
	}
	for i, c := range d.Births {
		if c.ID != births[i].ID || c.Regime != births[i].Regime || !slices.Equal(c.Members, births[i].Members) {
			return t.failAt(want.Release, "other people share a class")
		}
	}
	for i, c := range d.Births {
		if c.Bucket != births[i].Bucket {
			return t.failAt(want.Release, "other classes share a bucket")
		}
	}
	t.classes += len(births)
	have := *d.Intent
	have.CreatedAt, have.Policy, have.Published, have.Manifest = want.CreatedAt, want.Policy, want.Published, want.Manifest
	have.Algorithm, have.Digests = want.Algorithm, want.Digests // who is barred or was forgotten is not replayed
	have.Pending.Settling = want.Pending.Settling               // nor who is observed
	have.Stale = want.Stale                                     // nor what came of people after their publication
	if have != want {
		return t.failAt(want.Release, "its counts differ: records, newcomers or those who wait")
	}
	return nil
}

// fail notes a difference on the way to the next release.
func (t *tape) fail(what string) error { return t.failAt(t.intent+1, what) }

func (t *tape) failAt(release uint32, what string) error {
	t.differs = &difference{Release: release, Records: int(t.records), Classes: len(t.r.births(release)), What: what}
	return errDiffers
}
