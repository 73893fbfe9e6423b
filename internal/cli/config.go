package cli

import (
	"context"

	"github.com/spf13/cobra"

	"anond/config"
)

// ConfigFlag gives a command -c FILE.
func ConfigFlag(c *cobra.Command, path *string) {
	c.Flags().StringVarP(path, "config", "c", "anond.yaml", "configuration `file`")
}

// LoadConfig is config.Load, until ctx is done.
func LoadConfig(ctx context.Context, e *Env, path string) (*config.Config, []config.Warning, error) {
	return Abandonable(ctx, func() (*config.Config, []config.Warning, error) {
		return config.Load(path, e.Lookup, config.ReadRegular)
	})
}
