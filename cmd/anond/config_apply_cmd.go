package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"anond/internal/cli"
	"anond/internal/dataset"
	"anond/internal/ops/logs"
	"anond/internal/upkeep"
)

func newConfigApplyCommand(env *environment) *cobra.Command {
	var path string
	var asJSON, dryRun, lapse bool
	c := &cobra.Command{
		Use: "apply", Short: "Take changed settings of a dataset in, for the pools that come",
		Long: `apply takes the configuration in for a dataset whose state was made under
other settings, and says of each setting what it was, what it is, and from which
pool on it holds (level L2). Which settings may change says the column "change"
of docs/CONFIGURATION.md: next pool, and newcomers. The daemon must be stopped
(otherwise exit 4). A pool that is fixed keeps its settings, and so does a
release that is decided and not published: start once under the earlier settings
then. Everybody who was published, quarantined or refused stays so.

Settings of newcomers say what is taken in, and of whom: they hold for people
who come later, and for nobody else. Whoever waits or is observed then lapses,
which needs --lapse: publish those who are enough for a pool first (anond run
--once). So do people of whom no record could be taken in. All of them count as
beyond.

Choose the settings from what is published, or from other people's records.
Who chooses what is asked of values (policy.l, policy.diversity, promises) by
what is known of some who wait can learn their values from what is published.`,
		Example: "  anond config apply -c anond.yaml --dry-run",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			log := logs.New(env.Stderr, cfg.Log, cli.IsTerminal(env.Stderr))
			out, err := upkeep.Apply(c.Context(), cfg, dataset.Options{Log: log, Lapse: lapse}, dryRun)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, out)
			}
			return env.showApplied(&out)
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	c.Flags().BoolVar(&lapse, "lapse", false, "settings of people who come later: whoever waits now, or is observed, is never published")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "say what would change, and change nothing")
	return c
}

// showApplied prints a line for each setting, then from when on they hold.
func (e *environment) showApplied(a *upkeep.Applied) error {
	if len(a.Changed) == 0 {
		_, err := fmt.Fprintln(e.Stdout, "nothing changes: the state was made under these settings")
		return err
	}
	var b strings.Builder
	caps := false
	for _, x := range a.Changed {
		fmt.Fprintf(&b, "%s: %s, was %s\n", x.Key, valueText(x.Is), valueText(x.Was))
		caps = caps || x.Cap
	}
	would := "hold"
	if a.DryRun {
		would = "would hold"
	}
	fmt.Fprintf(&b, "They %s from pool %d on, which release %d may show (waiting now: %d).\n", would, a.Pool, a.Release, a.Waiting)
	if a.Newcomers {
		fmt.Fprintf(&b, "They %s for people who come later. Of those who have come, %d who waited and %d whose windows were open are never "+
			"published.\n", would, a.Lapsed, a.Closed)
	}
	for _, at := range a.Ends {
		fmt.Fprintf(&b, "Read so far: %s, partition %d, up to offset %d\n", at.Source, at.Partition, at.Offset)
	}
	if caps {
		fmt.Fprintf(&b, "What is asked of values has changed. Chosen by what is known of some who wait, it can tell their values.\n")
	}
	_, err := fmt.Fprint(e.Stdout, b.String())
	return err
}

// valueText is a setting as JSON.
func valueText(value any) string {
	if value == nil {
		return "none"
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic("config: a setting has no JSON form") // numbers are finite, the rest are texts
	}
	return string(text)
}
