package upkeep

import (
	"context"
	"errors"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/internal/dataset"
)

// openStore opens the state, for whose lock it may wait a while, and which may be compacted.
func openStore(ctx context.Context, c *config.Config, o dataset.Options, options boltstore.Options,
	lease dataset.Lease) (*boltstore.Store, error) {
	return dataset.Opened(ctx, o.Clock, func() (*boltstore.Store, error) { return openCompact(ctx, c, o, options, lease) })
}

// OpenForgetful is openStore, of a state that has forgotten whom the list next to the ledger names.
func OpenForgetful(ctx context.Context, c *config.Config, o dataset.Options, options boltstore.Options,
	lease dataset.Lease) (*boltstore.Store, error) {
	store, err := openStore(ctx, c, o, options, lease)
	if err != nil {
		return nil, err
	}
	again, err := forgetListed(ctx, c, o, store, options)
	switch {
	case err != nil:
		return nil, errors.Join(err, store.Close())
	case again:
		return openStore(ctx, c, o, options, lease)
	}
	return store, nil
}
