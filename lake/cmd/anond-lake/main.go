// Command anond-lake writes published releases as Parquet files and as Apache Iceberg
// tables.
//
// Guarantee: it reads a directory of releases, which is public, and writes where it is
// told. It needs no configuration, no state, no key and no network, so it may run as
// another user than anond, on another machine. An error never quotes a cell.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"anond/lake/internal/folder"
	"anond/lake/internal/parquetfile"
	"anond/lake/internal/source"
	"anond/lake/internal/warehouse"
	"anond/snapshot"
)

// release is the version; make dist sets it, as of anond.
var release = "dev"

// The exit codes are those of anond.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitLocked = 4
	exitBehind = 5
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRootCommand(stdout)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	code, hint := classify(err)
	if err != nil {
		fmt.Fprintln(stderr, "error:", err)
	}
	if hint != "" {
		fmt.Fprintln(stderr, "hint:", hint)
	}
	return code
}

func newRootCommand(stdout io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use: "anond-lake", Short: "Releases of anond as Parquet files and Apache Iceberg tables", Version: release,
		SilenceUsage: true, SilenceErrors: true,
	}
	root.SetVersionTemplate("anond-lake {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usageError{fmt.Errorf("unknown command %q: anond-lake --help lists them", args[0])}
		}
		return nil
	}
	root.RunE = func(c *cobra.Command, _ []string) error { return c.Help() } // cobra asks Args of what is runnable alone
	root.AddCommand(newParquetCommand(stdout), newIcebergCommand(stdout), newVerifyCommand(stdout), newManCommand())
	return root
}

// usageError is a fault of the command line.
type usageError struct{ error }

// exactly is cobra.ExactArgs with our exit code.
func exactly(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := cobra.ExactArgs(n)(c, args); err != nil {
			return usageError{fmt.Errorf("%w: %s", err, c.UseLine())}
		}
		return nil
	}
}

// classify finds the exit code and the next step.
func classify(err error) (code int, hint string) {
	var wrong usageError
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return exitOK, ""
	case errors.As(err, &wrong):
		return exitUsage, ""
	case errors.Is(err, errLocked):
		return exitLocked, "wait for the other anond-lake to end, or stop it"
	case errors.Is(err, warehouse.ErrBehind):
		return exitBehind, "put the newest releases in place, or write to another warehouse"
	case errors.Is(err, warehouse.ErrOther), errors.Is(err, folder.ErrOther):
		return exitBehind, "these are releases of another history: write them to another place"
	case errors.Is(err, parquetfile.ErrLost):
		return exitFailed, "write the releases to another place, and read them from there"
	case errors.Is(err, warehouse.ErrForeign):
		return exitFailed, "only anond-lake may write to its tables: write to another warehouse, and read the table from there"
	case errors.Is(err, snapshot.ErrDamaged):
		return exitFailed, "anond release verify lists every fault; restore the files from a copy of the releases"
	case errors.Is(err, source.ErrNone):
		return exitFailed, "name the directory that release.dir of the configuration names"
	case errors.Is(err, source.ErrUnion):
		return exitFailed, "read the releases of each shard (shards/0 and so on), and write those of each to a place of its own"
	}
	return exitFailed, ""
}
