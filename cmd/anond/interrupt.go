package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

// answering lets a command that only reads end at the first signal. Commands
// that write watch their context themselves, or finish what they began.
func answering(work func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		_, err := awaiting(c.Context(), func() (struct{}, error) { return struct{}{}, work(c, args) })
		return err
	}
}

// awaiting does work that does not watch a context, and abandons it when the
// context ends: the work must only read, and ends with the process.
func awaiting[T any](ctx context.Context, work func() (T, error)) (out T, err error) {
	type result struct {
		out T
		err error
	}
	done := make(chan result, 1)
	go func() {
		out, err := work()
		done <- result{out, err}
	}()
	select {
	case r := <-done:
		return r.out, r.err
	case <-ctx.Done():
		return out, ctx.Err()
	}
}

// interrupted is a file that accepts no more writes once a context has ended.
type interrupted struct {
	ctx  context.Context
	file interface {
		io.Writer
		Sync() error
	}
}

func (w interrupted) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.file.Write(p)
}

// Sync makes what was written durable.
func (w interrupted) Sync() error { return w.file.Sync() }
