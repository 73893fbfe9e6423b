package cli

import (
	"context"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/abandon"
)

// ConfigFlag gives a command -c FILE.
func ConfigFlag(c *cobra.Command, path *string) {
	c.Flags().StringVarP(path, "config", "c", "anond.yaml", "configuration `file`")
}

// LoadConfig is config.Load, until ctx is done.
func LoadConfig(ctx context.Context, e *Env, path string) (*config.Config, []config.Warning, error) {
	return Load(ctx, func() (*config.Config, []config.Warning, error) {
		return config.Load(path, e.Lookup, config.ReadRegular)
	})
}

// Load loads files that an operator names, until ctx is done.
func Load[T, W any](ctx context.Context, load func() (T, []W, error)) (T, []W, error) {
	type loaded struct {
		what     T
		warnings []W
	}
	l, err := abandon.At(ctx, func() (l loaded, err error) {
		l.what, l.warnings, err = load()
		return l, err
	})
	return l.what, l.warnings, err
}
