package main

import (
	"anond/internal/cli"
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
