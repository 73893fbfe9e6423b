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

	"anond/internal/fault"
)

// release is the version; make dist sets it, as of anond.
var release = "dev"

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
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "error:", err)
	if errors.Is(err, context.Canceled) {
		return 0
	}
	kind, hint := fault.Of(err)
	if hint != "" {
		fmt.Fprintln(stderr, "hint:", hint)
	}
	return int(kind)
}

func newRootCommand(stdout io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use: "anond-lake", Short: "Releases of anond as Parquet files and Apache Iceberg tables", Version: release,
		SilenceUsage: true, SilenceErrors: true,
	}
	root.SetVersionTemplate("anond-lake {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fault.With(fault.Usage, "", err) })
	root.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fault.Errorf(fault.Usage, "anond-lake --help lists them", "unknown command %q", args[0])
		}
		return nil
	}
	root.RunE = func(c *cobra.Command, _ []string) error { return c.Help() } // cobra asks Args of what is runnable alone
	root.AddCommand(newParquetCommand(stdout), newIcebergCommand(stdout), newVerifyCommand(stdout), newManCommand())
	return root
}

// exactly is cobra.ExactArgs with our exit code.
func exactly(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := cobra.ExactArgs(n)(c, args); err != nil {
			return fault.Errorf(fault.Usage, c.UseLine(), "%w", err)
		}
		return nil
	}
}
