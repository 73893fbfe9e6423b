package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"anond/internal/abandon"
	"anond/internal/cli"
	"anond/internal/fault"
)

func newTailCommand(env *environment) *cobra.Command {
	var path string
	var before int
	var follow bool
	var f eventFilter
	c := &cobra.Command{
		Use: "tail [LOG]", Short: "Show events as they happen: of the running daemon, or of its log", Args: cobra.MaximumNArgs(1),
		Long: `tail shows the events of the running daemon, over its control socket. With LOG it shows
those of a log file, JSON or text, or of standard input (-).`,
		Example: "  anond tail --event release_published,release_skipped\n  anond tail --level warn anond.log\n" +
			"  journalctl -u anond -o cat | anond tail -",
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if len(args) == 1 {
				return env.tailFile(c.Context(), args[0], follow, &f)
			}
			client, err := env.daemonClient(path, "tail")
			if err != nil {
				return err
			}
			err = client.Events(c.Context(), before, f.takes, func(line []byte) error { return f.show(env.Stdout, line) })
			if c.Context().Err() != nil {
				return nil
			}
			return err
		},
	}
	cli.ConfigFlag(c, &path)
	c.Flags().StringSliceVar(&f.events, "event", nil, "only events of these `names`, such as release_published")
	c.Flags().StringVar(&f.level, "level", "", "only events of at least this `level`: debug, info, warn or error")
	c.Flags().BoolVar(&f.raw, "json", false, "show lines as they are logged")
	c.Flags().IntVarP(&before, "lines", "n", 10, "of a running daemon: `number` of earlier events to show first, "+
		"of those that the filters choose among the newest 200")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "of a log file: wait at its end for more")
	return c
}

// tailFile shows the events of a log.
func (e *environment) tailFile(ctx context.Context, name string, follow bool, f *eventFilter) error {
	in := e.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return fault.With(fault.Failed, "name the file to which standard error of anond run goes", err)
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	lines := bufio.NewReader(in)
	var part []byte // a line whose end is not written yet
	for ctx.Err() == nil {
		text, err := abandon.At(ctx, func() ([]byte, error) { return lines.ReadBytes('\n') })
		part = append(part, text...)
		switch {
		case err == nil:
			if err := f.show(e.Stdout, part); err != nil {
				return err
			}
			part = part[:0]
		case errors.Is(err, context.Canceled):
			return nil
		case !errors.Is(err, io.EOF):
			return err
		case !follow:
			if len(part) == 0 {
				return nil
			}
			return f.show(e.Stdout, append(part, '\n'))
		case !waited(ctx, followEach):
			return nil
		}
	}
	return nil
}

// followEach is how often the end of a log is looked at again.
const followEach = 200 * time.Millisecond

func waited(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
