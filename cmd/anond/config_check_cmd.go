package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

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
faults at once as file:line:column: key: reason; suggestion. It opens no connection.
If there are none, it says what the configured level means.`,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return env.checkJSON(path)
			}
			c, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			env.printChecked(path, c)
			return nil
		},
	}
	configFlag(c, &path)
	jsonFlag(c, &asJSON)
	return c
}

// printChecked says that a configuration is good, and what its level means.
func (e *environment) printChecked(path string, c *config.Config) {
	p := c.Policy
	fmt.Fprintf(e.stdout, "%s: ok: dataset %s, %s, k %d, l %d, level %s\n", path, c.Dataset, count(c.Schema().D(), "quasi-identifier"),
		p.K, p.L, p.Level)
	for _, sentence := range p.Level.Meaning() {
		fmt.Fprintln(e.stdout, sentence)
	}
}

// checkJSON writes faults and warnings as one object. Standard error then has
// the summary only.
func (e *environment) checkJSON(path string) error {
	c, warnings, err := config.Load(path, e.lookup, os.ReadFile)
	out := struct {
		OK       bool             `json:"ok"`
		Faults   []config.Fault   `json:"faults"`
		Warnings []config.Warning `json:"warnings"`
		Level    config.Level     `json:"level,omitempty"`
		Meaning  string           `json:"meaning,omitempty"` // of the level
	}{OK: err == nil, Faults: []config.Fault{}, Warnings: append([]config.Warning{}, warnings...)}
	if err == nil {
		meaning := c.Policy.Level.Meaning()
		out.Level, out.Meaning = c.Policy.Level, strings.Join(meaning[:], " ")
	}
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
