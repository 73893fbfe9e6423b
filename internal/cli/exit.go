package cli

import (
	"context"
	"errors"
	"fmt"

	"anond/internal/fault"
)

// The exit codes: 0, and those of the kinds of internal/fault.
const (
	OK        = 0
	Failed    = int(fault.Failed)
	Misused   = int(fault.Usage)
	Unprivate = int(fault.Privacy)
	Locked    = int(fault.Locked)
	Behind    = int(fault.Behind)
	BadConfig = int(fault.Config)
)

// Usage is a fault of the command line.
func Usage(hint, format string, args ...any) error {
	return fault.Errorf(fault.Usage, hint, format, args...)
}

// Count writes a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Report prints an error for people and returns its exit code. An error of many faults sums
// them up.
func (e *Env) Report(err error) int {
	kind, hint := fault.Of(err)
	if err == nil {
		return OK
	}
	var many interface {
		error
		Sum() string
	}
	switch {
	case errors.As(err, &many):
		fmt.Fprintln(e.Stderr, many)
		fmt.Fprintln(e.Stderr, "error:", many.Sum())
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(e.Stderr, "error: interrupted")
	default:
		fmt.Fprintln(e.Stderr, "error:", err)
	}
	if hint != "" {
		fmt.Fprintln(e.Stderr, "hint:", hint)
	}
	return int(kind)
}

// Warn prints warnings.
func Warn[W any](e *Env, warnings []W) {
	for _, w := range warnings {
		fmt.Fprintln(e.Stderr, "warning:", w)
	}
}
