package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/fault"
	"anond/internal/profile"
)

func newConfigCheckCommand(env *environment) *cobra.Command {
	var path string
	var data profile.Input
	var asJSON bool
	c := &cobra.Command{
		Use:   "check [--data FILE]",
		Short: "Report all faults of the configuration; exit 78 if there are any",
		Long: `check reads the configuration and the hierarchy files it names, and reports all
faults at once as file:line:column: key: reason; suggestion. It opens no connection.
If there are none, it says what the configured level means.

With --data it also reads records of other people (CSV or NDJSON), such as those of
an earlier year, or exactly the whole first pool, and says how many records have to be published together at level L2
if values are as frequent as there, what other k and l would cost, and how much of
the loss each column causes: docs/CHOOSING.md. It names placeholders, spellings, texts
that programs read as missing and values that spreadsheets run, by line and with the
key to write. Exit 3 if what is promised cannot be kept, 78 if a run would refuse the
header; both with lines to paste. Do not choose initial.min_pool by
the records that will be published: who is published together may not depend on
their values.`,
		Example: "  anond config check\n  anond config check --data last-year.csv",
		RunE: func(cmd *cobra.Command, _ []string) error {
			data.Stdin = env.Stdin
			return env.check(cmd.Context(), path, data, asJSON)
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	c.Flags().StringVar(&data.Name, "data", "", "records of other people, a CSV or NDJSON `file`, or - for standard input")
	data.Register(c.Flags())
	return c
}

// pools says what pools a configuration needs, if values are as frequent as in data.
func (e *environment) pools(ctx context.Context, c *config.Config, data profile.Input) (*profile.Pools, error) {
	t, err := profile.ReadFor(ctx, c, data)
	if err != nil {
		return nil, err
	}
	t.WriteRefused(e.Stderr, data.Name, nil)
	p := profile.PoolsOf(t, c)
	p.Advice = append(profile.Remarks(t), profile.Remark{Says: profile.Channel})
	p.Histories = profile.HistoriesOf(t, c)
	p.TradeOffs, p.Looked, err = profile.TradeOffs(ctx, t, c.Policy.K)
	return p, err
}

// printPools prints it, and whether initial.min_pool is enough for the first pool,
// before which no published value says how large a pool has to be.
func printPools(out io.Writer, c *config.Config, p *profile.Pools) error {
	b := &bytes.Buffer{}
	p.Text(b)
	if c.Policy.Level == config.L2 && p.MinPool > 0 {
		if have := max(c.Initial.MinPool, c.Policy.MinPool); have < p.MinPool {
			fmt.Fprintf(b, "initial.min_pool is %d: write %d, so that the first pool is unlikely to be refused.\n", have, p.MinPool)
		} else {
			fmt.Fprintf(b, "initial.min_pool is %d, and %d are enough.\n", have, p.MinPool)
		}
		if len(c.Policy.Diversity) > 0 {
			fmt.Fprintln(b, "The tests of policy.diversity may need more.")
		}
	}
	p.Histories.Text(b)
	p.TradeOffText(b)
	for _, remark := range p.Advice {
		fmt.Fprintln(b, remark)
	}
	_, err := out.Write(b.Bytes())
	return err
}

// unreachable is the fault of a configuration that promises what nobody could keep of such values.
func unreachable(c *config.Config, p *profile.Pools) error {
	why := p.Unreachable(c.Policy.Level != config.L2)
	if why == "" {
		return nil
	}
	hint := "divide the most frequent value"
	if lines := p.Reachable(); len(lines) > 0 {
		hint = "write " + strings.Join(lines, ", or ") + "; or " + hint
	}
	return fault.Errorf(fault.Privacy, hint, "what is promised cannot be kept: %s", why)
}

// check writes faults and warnings, or what the configuration means; as one object, so that standard error has the summary only.
func (e *environment) check(ctx context.Context, path string, data profile.Input, asJSON bool) error {
	c, warnings, err := cli.LoadConfig(ctx, &e.Env, path)
	var out struct {
		OK       bool             `json:"ok"`
		Faults   []config.Fault   `json:"faults"`
		Warnings []config.Warning `json:"warnings"`
		Level    config.Level     `json:"level,omitempty"`
		Meaning  string           `json:"meaning,omitempty"` // of the level
		Pools    *profile.Pools   `json:"pools,omitempty"`   // with --data
		Columns  []string         `json:"columns,omitempty"` // elements that schema.attributes lacks for them
	}
	if !asJSON {
		cli.Warn(&e.Env, warnings)
	}
	if err == nil {
		meaning := c.Policy.Level.Meaning()
		out.Level, out.Meaning = c.Policy.Level, strings.Join(meaning[:], " ")
		if !asJSON {
			e.printChecked(path, c)
		}
	}
	if err == nil && data.Name != "" {
		header := (*profile.HeaderFault)(nil)
		switch out.Pools, err = e.pools(ctx, c, data); {
		case errors.As(err, &header):
			out.Columns = header.Write
		case err != nil:
			return err
		default:
			err = unreachable(c, out.Pools)
		}
	}
	if !asJSON {
		if out.Pools != nil {
			err = cmp.Or(printPools(e.Stdout, c, out.Pools), err)
		}
		if len(out.Columns) > 0 {
			fmt.Fprintf(e.Stdout, "A run refuses this header. Add to schema.attributes, with the role that fits:\n    %s\n",
				strings.Join(out.Columns, "\n    "))
		}
		return err
	}
	out.OK, out.Faults, out.Warnings = err == nil, []config.Fault{}, append([]config.Warning{}, warnings...)
	var faults *config.Faults
	if errors.As(err, &faults) {
		out.Faults = faults.Shown()
		err = fault.Errorf(fault.Config, "", "%s cannot be used: %s", path, cli.Count(len(faults.List), "fault"))
	}
	return cmp.Or(cli.WriteJSON(e.Stdout, out), err)
}

// printChecked says that a configuration is good, and what its level means.
func (e *environment) printChecked(path string, c *config.Config) {
	p := c.Policy
	asked := ""
	if p.L > 0 {
		asked = fmt.Sprintf(", l %d", p.L)
	}
	if n := len(c.Promises()); n > 0 {
		asked += ", " + cli.Count(n, "promise") + " by attribute"
	}
	fmt.Fprintf(e.Stdout, "%s: ok: dataset %s, %s, k %d%s, level %s\n", path, c.Dataset, cli.Count(c.Schema().D(), "quasi-identifier"),
		p.K, asked, p.Level)
	for _, sentence := range p.Level.Meaning() {
		fmt.Fprintln(e.Stdout, sentence)
	}
	for _, v := range c.Release.Views {
		fmt.Fprintf(e.Stdout, "View %s shows %s in %s.\n", v.Name, strings.Join(v.Columns, ", "), v.Dir)
	}
	if c.SubjectLedger != "" {
		fmt.Fprintf(e.Stdout, "Each person belongs to one of the datasets that share %s: the one at which the first record arrives.\n",
			c.SubjectLedger)
	}
}
