package upkeep

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest/subjectledger"
	"anond/internal/dataset"
	"anond/internal/sealed"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// removed counts what a reset removed from the state.
type removed struct {
	Path        string `json:"path"`
	Records     uint64 `json:"records"`
	DeadLetters uint64 `json:"dead_letters"` // those not delivered
	Partitions  uint64 `json:"partitions"`
}

// Reset makes the state of a configuration start over: its records, positions and
// undelivered dead letters are removed, and the source is read again from its
// beginning.
//
// It refuses once a release is decided (rule F, forbidden: the same people would
// get a second history), and if there are releases or a ledger that the state does
// not know. The seed stays: it is drawn once for a dataset (rule R, randomness), so
// that nobody can repeat the draw until they like the release.
func Reset(ctx context.Context, c *config.Config) (removed, error) {
	if err := dataset.NotJournaled(c); err != nil {
		return removed{}, err
	}
	options, err := dataset.StateOptions(ctx, c)
	if err != nil {
		return removed{}, err
	}
	if err := publish.Reconcile(snapshot.OS(), c.Release.Dir, c.Release.Ledger, nil, 0); err != nil {
		return removed{}, decidedElsewhere(c, options, err)
	}
	type positions = map[state.Partition]state.Position
	renew := func(old state.Meta, barred int, read positions) (_ state.Meta, keeps bool, _ error) {
		known := incremental.Judged{Fixed: int(old.Pools.Fixed), Refused: old.Pools.Refused, Barred: barred}
		if keeps = old.Pools.Fixed > 0 || old.Pools.Refused; !keeps {
			known.Barred = math.MaxInt // all is read again, and judged by what is valid then
		}
		if err := publish.CheckJudged(snapshot.OS(), c.Release.Ledger, known); err != nil {
			return old, false, err // a state with a quarantined pool does not come here
		}
		if !keeps && c.SubjectLedger != "" { // before: a state whose claims are given back does not start (subjectledger.ErrGivenBack)
			if err := subjectledger.GiveBack(ctx, dataset.LedgerOf(c, incremental.SeedCheck(old.Seed))); err != nil {
				return old, false, err
			}
		}
		if !keeps { // before the state says so: what a start finds there may be less than the state has, never more
			if err := noter(c).Unbar(); err != nil {
				return old, false, err
			}
		}
		next := state.Meta{Seed: old.Seed, Seeded: old.Seeded, Read: readBefore(old, read), Pools: refused(old.Pools)}
		return next, keeps, nil
	}
	had, err := boltstore.ResetFile(c.State.Path, options, renew)
	if err != nil {
		return removed{}, err
	}
	if err := os.Remove(dataset.StatusPath(c)); err != nil && !errors.Is(err, fs.ErrNotExist) { // it describes what was removed
		return removed{}, err
	}
	return removed{Path: c.State.Path, Records: had.Records, DeadLetters: had.LettersWait, Partitions: had.Partitions}, nil
}

// noter writes who was judged next to the ledger, where nothing is published.
func noter(c *config.Config) *publish.Publisher {
	return &publish.Publisher{FS: snapshot.OS(), Ledger: c.Release.Ledger, Owner: dataset.NewOwner()}
}

// refused is what stays of a first pool that was fixed at level L2, or refused: the records that
// come next are more, or others, and both tell about those who were there. So level L2 is
// not claimed any more. The number goes on, so that no pool has the draws of another one.
func refused(p state.Pools) state.Pools {
	return state.Pools{Fixed: p.Fixed, Refused: p.Refused, Grown: p.Open != nil || p.Refused || p.Grown}
}

// readBefore notes how far topics had been read: their groups' commits stay.
func readBefore(old state.Meta, positions map[state.Partition]state.Position) map[state.Partition]int64 {
	out := map[state.Partition]int64{}
	for p, x := range positions {
		if strings.HasPrefix(p.Source, "kafka:") {
			out[p] = max(x.Next, old.Read[p])
		}
	}
	for p, next := range old.Read {
		out[p] = max(next, out[p])
	}
	return out
}

// decidedElsewhere reports that releases exist, if err says so, and whether the
// state knows of them.
func decidedElsewhere(c *config.Config, o boltstore.Options, err error) error {
	if !errors.Is(err, publish.ErrBehind) {
		return err
	}
	info, stateErr := boltstore.Info(c.State.Path, o)
	if sealed.Unreadable(stateErr) {
		return stateErr
	}
	if stateErr == nil && info.Releases > 0 {
		return fmt.Errorf("reset state %s: %w", c.State.Path, state.ErrDecided)
	}
	return fmt.Errorf("reset state %s: %w", c.State.Path, err)
}
