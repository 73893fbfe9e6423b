package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"anond/incremental/boltstore"
	"anond/internal/cli"
	"anond/internal/sealed"
)

func newStateRekeyCommand(env *environment) *cobra.Command {
	var path, old string
	c := &cobra.Command{
		Use: "rekey", Short: "Encrypt the state of a stopped daemon under the key of the configuration",
		Long: "Rewrites the state under encryption.key, with a new data key, checks the copy and replaces the old file with it.\n" +
			"Without a key in the configuration the state is no longer encrypted afterwards. The daemon must be stopped (otherwise exit 4).\n" +
			"The disk must hold both files for a moment. Backups and dead letters made before keep their key.",
		Example: "  # encrypt a state that is not\n  anond state rekey -c anond.yaml\n" +
			"  # another key: the configuration has the new one\n  anond state rekey -c anond.yaml --old-key-file old.key",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, options, err := env.stateOptions(c.Context(), path)
			if err != nil {
				return err
			}
			to := options.Key
			if options.Key, err = keyFile(old); err != nil {
				return err
			}
			if err := boltstore.RekeyFile(cfg.State.Path, options, to); err != nil {
				return err
			}
			said := "is not encrypted any more"
			if to.Set() {
				said = "is encrypted, its key has the ID " + to.ID()
			}
			_, err = fmt.Fprintf(env.Stdout, "%s %s\n", cfg.State.Path, said)
			return err
		},
	}
	cli.ConfigFlag(c, &path)
	c.Flags().StringVar(&old, "old-key-file", "", "`file` with the key that the state has now; none if it is not encrypted")
	return c
}

// keyFile reads a key from a file, none if no file is named.
func keyFile(path string) (sealed.Key, error) {
	if path == "" {
		return sealed.Key{}, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return sealed.Key{}, err
	}
	key, err := sealed.ParseKey(string(text))
	if err != nil {
		return sealed.Key{}, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}
