package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"anond/internal/abandon"
)

// Answering lets a command that only reads end at the first signal. Commands
// that write watch their context themselves, or finish what they began.
func Answering(work func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		_, err := abandon.At(c.Context(), func() (struct{}, error) { return struct{}{}, work(c, args) })
		return err
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
