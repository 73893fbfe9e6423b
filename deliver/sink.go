package deliver

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"anond/internal/fault"
)

// Sink is where releases are delivered to.
type Sink interface {
	// Name says in words where that is, without secrets.
	Name() string
	// Position tells how far the sink is.
	Position(ctx context.Context) (Position, error)
	// Verify compares what the sink has of releases with them, which end with the one of its position: how much there is of each,
	// or each cell (whole). What is missing or other is ErrOther.
	Verify(ctx context.Context, at Position, releases iter.Seq2[*Release, error], whole bool) error
	// Deliver takes a release in, whole or not at all as far as readers see. It may be
	// called again with the same release.
	Deliver(ctx context.Context, r *Release) error
}

// Position is the newest release that a sink has whole, with all before it; the zero value:
// none. SHA256 is that of its manifest.
type Position struct {
	Release uint32
	SHA256  [32]byte
}

// ErrFinal marks what trying again does not help.
var ErrFinal = errors.New("trying again does not help")

// Final marks an error so.
func Final(err error) error { return &finalError{err} }

type finalError struct{ error }

func (e *finalError) Unwrap() []error { return []error{e.error, ErrFinal} }

// ErrOther: the sink holds other releases than the directory. Delivering on would mix two
// chains, which may be of the same people (rule F, forbidden).
var ErrOther = fault.Errorf(fault.Behind, "restore the newest releases if they were put back from a copy; else, and in place of one "+
	"that has lost something, use a topic or a table of its own",
	"the sink does not hold the releases of this directory")

// Other is ErrOther with what differs.
func Other(format string, args ...any) error {
	return Final(fmt.Errorf("%w: %s", ErrOther, fmt.Sprintf(format, args...)))
}

// agrees compares what a sink has with the directory.
func (p Position) agrees(h *history, newest uint32) error {
	if p.Release == 0 {
		return nil
	}
	if p.Release > newest {
		return Other("it has release %d, the newest of the directory is %d", p.Release, newest)
	}
	mine, err := h.Published(p.Release)
	if err == nil && mine.SHA256 != p.SHA256 {
		err = Other("its release %d has another manifest", p.Release)
	}
	return err
}
