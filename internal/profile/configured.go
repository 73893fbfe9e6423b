package profile

import (
	"context"

	"anond/config"
	"anond/ingest/decode"
)

// ReadFor is Read of data as a run of a configuration would read them.
func ReadFor(ctx context.Context, c *config.Config, in Input) (*Table, error) {
	in.Paths, in.Form, in.Dates, in.DropOthers = c.Paths(), c.Source.CSV.Form, c.Dates(), c.Others == config.DropOthers
	in.Multiline = in.Multiline || c.Source.CSV.Multiline
	if c.Source.Format != config.CSV {
		in.Lines = decode.Format(c.Source.Format)
	}
	return Read(ctx, in, c.Schema())
}

// PoolsOf is PoolsFor what a configuration promises, with pools as large as it allows.
func PoolsOf(t *Table, c *config.Config) *Pools {
	return PoolsFor(t, c.Policy.K, c.Policy.L, c.Promises(), MostPool(c))
}

// MostPool is the size of pools up to which something is said to be reachable.
func MostPool(c *config.Config) int {
	if c.Policy.MaxPool > 0 {
		return c.Policy.MaxPool
	}
	return 20_000 // level L1
}
