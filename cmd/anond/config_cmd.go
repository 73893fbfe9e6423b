package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
)

func newConfigCommand(env *environment) *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "Print, check, show and apply the configuration"}
	c.AddCommand(newConfigInitCommand(env), newConfigCheckCommand(env), newConfigShowCommand(env), newConfigSchemaCommand(env),
		newConfigApplyCommand(env))
	return c
}

func newConfigInitCommand(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:     "init",
		Short:   "Print a commented configuration to start from",
		Example: "  anond config init > anond.yaml",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(env.Stdout, config.Starting)
			return err
		},
	}
}

func newConfigSchemaCommand(env *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print a JSON Schema of the configuration, for editors",
		RunE: func(*cobra.Command, []string) error {
			text, err := config.JSONSchema()
			if err != nil {
				return err
			}
			_, err = env.Stdout.Write(text)
			return err
		},
	}
}

func newConfigShowCommand(env *environment) *cobra.Command {
	var path string
	var asJSON bool
	c := &cobra.Command{
		Use:   "show",
		Short: "Print the configuration in effect, defaults included and secrets redacted",
		RunE: func(*cobra.Command, []string) error {
			c, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			if asJSON {
				text, err := c.JSON()
				if err != nil {
					return err
				}
				_, err = env.Stdout.Write(text)
				return err
			}
			return env.showSettings(c)
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	return c
}

// showSettings prints one key per line with its value and where it is set.
func (e *environment) showSettings(c *config.Config) error {
	settings, err := c.Settings()
	if err != nil {
		return err
	}
	width := 0
	for _, s := range settings {
		width = max(width, len(s.Key))
	}
	t := cli.NewTable(e.Stdout, cli.Left("key", width), cli.Left("from", 8), cli.Left("value", 0))
	t.Header()
	for _, s := range settings {
		from := "default"
		if s.Line > 0 {
			from = fmt.Sprintf("line %d", s.Line)
		}
		t.Row(s.Key, from, s.Value)
	}
	return t.Err
}
