package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

// Answering lets a command that only reads end at the first signal. Commands
// that write watch their context themselves, or finish what they began.
func Answering(work func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		_, err := Awaiting(c.Context(), func() (struct{}, error) { return struct{}{}, work(c, args) })
		return err
	}
}

// Awaiting does work that does not watch a context, and abandons it when the
// context ends: the work must only read, and ends with the process.
func Awaiting[T any](ctx context.Context, work func() (T, error)) (out T, err error) {
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

// Interrupted is a file that accepts no more writes once a context has ended.
type Interrupted struct {
	Ctx  context.Context
	File interface {
		io.Writer
		Sync() error
	}
}

// Write implements io.Writer.
func (w Interrupted) Write(p []byte) (int, error) {
	if err := w.Ctx.Err(); err != nil {
		return 0, err
	}
	return w.File.Write(p)
}

// Sync makes what was written durable.
func (w Interrupted) Sync() error { return w.File.Sync() }

// Abandonable leaves alone what loads files that an operator names, when a context ends: neither
// a file system that does not answer nor a large hierarchy keeps a signal waiting.
func Abandonable[T, W any](ctx context.Context, load func() (T, []W, error)) (out T, _ []W, _ error) {
	type loaded struct {
		what     T
		warnings []W
		err      error
	}
	done := make(chan loaded, 1)
	go func() {
		what, warnings, err := load()
		done <- loaded{what, warnings, err}
	}()
	select {
	case l := <-done:
		return l.what, l.warnings, l.err
	case <-ctx.Done():
		return out, nil, ctx.Err()
	}
}
