package main

import (
	"context"
	"errors"
	"fmt"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/fault"
)

// The exit codes (internal/cli).
const (
	exitOK      = cli.OK
	exitFailed  = cli.Failed
	exitUsage   = cli.Misused
	exitPrivacy = cli.Unprivate
	exitLocked  = cli.Locked
	exitBehind  = cli.Behind
	exitConfig  = cli.BadConfig
)

func failure(code int, err error, hint string) error { return cli.Failure(code, err, hint) }

func usage(hint, format string, args ...any) error { return cli.Usage(hint, format, args...) }

// exitCodeOf is the exit code of an error alone.
func exitCodeOf(err error) int {
	kind, _ := fault.Of(err)
	return int(kind)
}

// report prints an error for people and returns its exit code.
func (e *environment) report(err error) int {
	kind, hint := fault.Of(err)
	if err == nil {
		return exitOK
	}
	var faults *config.Faults
	switch {
	case errors.As(err, &faults):
		fmt.Fprintln(e.Stderr, faults)
		fmt.Fprintf(e.Stderr, "error: %s cannot be used: %s\n", faults.List[0].File, cli.Count(len(faults.List), "fault"))
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
