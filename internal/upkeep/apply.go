package upkeep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/incremental/state"
	"anond/internal/clock"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// Applied says which settings of a dataset are others, and from when on.
type Applied struct {
	Dataset string           `json:"dataset"`
	Changed []config.Changed `json:"changed"`
	// Pool is the number of the first pool that they hold for, and Release that of the first release that may show it.
	Pool    uint64 `json:"pool"`
	Release uint32 `json:"release"`
	// Waiting is how many people wait now.
	Waiting int `json:"waiting"`
	// Newcomers: the settings are those of people who come later. Of those who have come, Lapsed people waited, and the windows of
	// Closed were open: nobody of them is ever published.
	Newcomers bool   `json:"newcomers,omitempty"`
	Lapsed    int    `json:"lapsed,omitempty"`
	Closed    int    `json:"closed,omitempty"`
	Ends      []Ends `json:"ends"`
	DryRun    bool   `json:"dry_run"`
}

// Ends is the first offset of a partition that was not read when settings changed.
type Ends struct {
	Source    string `json:"source"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}

var errShards = fault.Errorf(fault.Config, "restore the settings; shards and unions keep theirs",
	"settings of a shard cannot change yet")

// Apply takes the settings of a configuration into a state that was made under others, where they may be others for later pools: it
// commits a new era (state.Era). Try looks what would change.
func Apply(ctx context.Context, c *config.Config, o dataset.Options, try bool) (out Applied, err error) {
	if c.Shard.Set() {
		return out, errShards
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if err := dataset.StateExists(c); err != nil {
		return out, err
	}
	options, err := dataset.StateOptions(ctx, c)
	if err != nil {
		return out, err
	}
	var store *boltstore.Store
	if options.ReadOnly = try; try {
		store, err = boltstore.Open(c.State.Path, options)
	} else {
		store, err = OpenForgetful(ctx, c, o, options, dataset.Lease{})
	}
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	before, v := c, emptyVisitor()
	v.Meta = func(m state.Meta) (err error) {
		if n := len(m.Eras); n > 0 {
			before, err = c.Thawed(m.Eras[n-1].Config)
		}
		return err
	}
	if err := store.Load(v); err != nil {
		return out, fmt.Errorf("the settings of the state: %w", err)
	}
	o.Apply = true
	m, err := dataset.OpenMachine(ctx, store, c, o)
	if err != nil {
		return out, err
	}
	if err := publish.Reconcile(snapshot.OS(), c.Release.Dir, c.Release.Ledger, m.Releases().Intents(), m.Digests()); err != nil {
		return out, err
	}
	out = Applied{Dataset: c.Dataset, Changed: before.ChangedBy(c), Pool: uint64(m.Judged().Fixed) + 1, Release: 1,
		Waiting: m.Status().Pending.Waiting, DryRun: try}
	if done := m.Turned(); done != nil {
		out.Newcomers, out.Lapsed, out.Closed = true, done.Waiting, done.Open
	}
	if m.Trigger().PoolFixed() > 0 { // the first one, which was refused
		out.Pool--
	}
	if i := m.Releases().Latest(); i != nil {
		out.Release = i.Release + 1
	}
	for p, x := range m.Intake().Positions() {
		out.Ends = append(out.Ends, Ends{p.Source, p.ID, x.Next})
	}
	slices.SortFunc(out.Ends, func(a, b Ends) int {
		if by := strings.Compare(a.Source, b.Source); by != 0 {
			return by
		}
		return int(a.Partition) - int(b.Partition)
	})
	if try {
		return out, nil
	}
	return out, m.Commit()
}
