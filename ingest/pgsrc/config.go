package pgsrc

import (
	"errors"
	"log/slog"

	"anond/incremental/state"
	"anond/ingest/decode"
	"anond/internal/fault"
	"anond/internal/retry"
)

// Partition is where the state keeps how far the table was read.
var Partition = state.Partition{Source: "postgres"}

// Config says what to read.
type Config struct {
	URL     string // has credentials: no error has it
	Query   string
	OrderBy string // a column of the query
	// Format is that of the source, in which rows are written, and MaxBytes the longest record of it.
	Format   decode.Format
	MaxBytes int
	Piece    int // bytes of a chunk, from which on it is handed out
	Log      *slog.Logger
	Retry    retry.Policy
	connect  connector // nil: PostgreSQL
}

// Errors of a table, to be tested with errors.Is.
var (
	// ErrOther: the state has read rows of another query.
	ErrOther = fault.Errorf(fault.Config, "restore query and order_by, or begin anew (anond state reset) before release 1",
		"initial.source is not the one that this state has read rows of")
	// ErrLate: the state has read its source without a table.
	ErrLate = fault.Errorf(fault.Config, "remove initial.source, write the rows to the source, or begin a dataset of its own",
		"initial.source is read before source, and the state has read source already")
	// ErrUnfinished: the state has read a part of a table that is not configured.
	ErrUnfinished = fault.Errorf(fault.Config, "restore initial.source until its rows are read, or begin anew (anond state reset)",
		"initial.source is missing, and the state has read a part of its rows")

	errURL = errors.New("initial.source.url is no connection URL, or names a certificate or password file that cannot be read")
)

// Check says whether a configuration without a table may go on from these positions.
func Check(positions map[state.Partition]state.Position) error {
	if at, begun := positions[Partition]; begun && at.Next < end {
		return ErrUnfinished
	}
	return nil
}
