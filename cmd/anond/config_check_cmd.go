package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"anond/config"
)

func newConfigCheckCommand(env *environment) *cobra.Command {
	var path string
	var asJSON bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Report all faults of the configuration; exit 78 if there are any",
		Long: `check reads the configuration and the hierarchy files it names, and reports all
faults at once as file:line:column: key: reason; suggestion. It opens no connection.`,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return env.checkJSON(path)
			}
			c, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			s := c.Schema()
			fmt.Fprintf(env.stdout, "%s: ok: dataset %s, %s, k %d, l %d\n", path, c.Dataset, count(s.D(), "quasi-identifier"), c.Policy.K,
				c.Policy.L)
			return nil
		},
	}
	configFlag(c, &path)
	jsonFlag(c, &asJSON)
	return c
}

// checkJSON writes faults and warnings as one object. Standard error then has
// the summary only.
func (e *environment) checkJSON(path string) error {
	_, warnings, err := config.Load(path, e.lookup, os.ReadFile)
	out := struct {
		OK       bool             `json:"ok"`
		Faults   []config.Fault   `json:"faults"`
		Warnings []config.Warning `json:"warnings"`
	}{err == nil, []config.Fault{}, append([]config.Warning{}, warnings...)}
	var faults *config.Faults
	if errors.As(err, &faults) {
		out.Faults = faults.List
	}
	if err := writeJSON(e.stdout, out); err != nil {
		return err
	}
	if faults != nil {
		return failure(exitConfig, fmt.Errorf("%s cannot be used: %s", path, count(len(faults.List), "fault")), "")
	}
	return err
}
