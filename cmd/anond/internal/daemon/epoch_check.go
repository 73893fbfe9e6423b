package daemon

import (
	"context"
	"errors"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
)

// Arrival counts who of the epoch before is in a state.
type Arrival struct {
	Waiting uint64 `json:"waiting"` // who were to be read again, in all shards together
	Here    uint64 `json:"here"`    // of these, who have a record in this state, or were forgotten since
	Twice   uint64 `json:"twice"`   // who were published before and have a record in this state
}

// CheckEpoch compares a state with the handovers with which its epoch began.
func CheckEpoch(ctx context.Context, c *config.Config, from []string) (out Arrival, err error) {
	options, err := StateOptions(ctx, c)
	if err != nil {
		return out, err
	}
	h, err := openHandovers(c, from, options, 0)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	options.ReadOnly = true
	store, err := boltstore.Open(c.State.Path, options)
	if err != nil {
		return out, err
	}
	census := incremental.NewCensus()
	if err := errors.Join(store.Load(census.Visitor()), store.Close()); err != nil {
		return out, err
	}
	out.Waiting = h.waiting()
	here := census.Holds()
	for _, f := range h.list {
		for p, err := range f.People() {
			if err != nil {
				return out, err
			}
			switch known := here(p.Subject); {
			case p.Waiting && known != incremental.Absent:
				out.Here++
			case !p.Waiting && known == incremental.Present:
				out.Twice++
			}
		}
	}
	return out, nil
}
