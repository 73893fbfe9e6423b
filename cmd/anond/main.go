// Command anond reads a stream of records of persons and publishes versioned,
// complete, anonymized tables that are safe alongside all earlier ones.
//
// Guarantee: a command ends with one of the exit codes of exit.go. An error names
// its cause and, where possible, the next step, and never a person's value.
//
// Method: each command is in a file of its own: it reads its flags, calls one
// package and prints the result. newRootCommand lists the commands. internal/cli is what it shares
// with other programs, and internal/daemon connects the parts.
package main

import (
	"context"

	"anond/internal/cli"
	"anond/internal/dataset"
)

func main() {
	cli.Main(run, func(signal string) error { return &dataset.Signalled{Name: signal} })
}

// run is the whole program. It may be called many times in one process, and
// changes only the files that the arguments name. It returns the
// exit code.
func run(ctx context.Context, args []string, env cli.Env) int {
	e := &environment{Env: env}
	return e.Report(e.execute(ctx, args))
}
