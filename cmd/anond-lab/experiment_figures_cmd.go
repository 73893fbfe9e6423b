package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"anond/internal/cli"
	"anond/lab/figures"
	"anond/lab/figures/all"
	"anond/lab/figures/dataset"
)

func newFigureListCommand(env *environment) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the figures of the papers that can be reproduced",
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return cli.WriteJSON(env.Stdout, figureList(all.Papers()))
			}
			t := cli.NewTable(env.Stdout, cli.Left("id", 6), cli.Left("what is measured", 76), cli.Left("data", 0))
			t.Header()
			for _, f := range all.Papers() {
				t.Row(f.ID, f.Title, inShort(f.Data))
			}
			return t.Err
		},
	}
	cli.JSONFlag(c, &asJSON)
	return c
}

// inShort is a text up to its first punctuation mark, so that a figure stays one
// line; the report and --json have the whole text.
func inShort(text string) string {
	for _, mark := range []string{", ", "; ", ": ", " ("} {
		text, _, _ = strings.Cut(text, mark)
	}
	return text
}

// figureLine is a figure as `list --json` prints it.
type figureLine struct {
	ID    string `json:"id"`
	Paper string `json:"paper"`
	Title string `json:"title"`
	Data  string `json:"data"`
}

func figureList(all []figures.Figure) []figureLine {
	out := make([]figureLine, len(all))
	for i, f := range all {
		out[i] = figureLine{f.ID, f.Paper, f.Title, f.Data}
	}
	return out
}

// figureRun is one run of figures, as requested.
type figureRun struct {
	env     *environment
	figures []figures.Figure
	data    string
	out     string
	seed    uint64
	scale   float64
	asJSON  bool
}

func newFigureRunCommand(env *environment) *cobra.Command {
	r := figureRun{env: env}
	c := &cobra.Command{
		Use:   "run ID…",
		Short: "Reproduce some figures",
		Long: `run measures the figures that the IDs name (anond-lab experiment list); the name of
a paper before the dash selects all of its figures. It writes one CSV file and
one SVG chart for each panel, and report.html, a self-contained page with the
charts and with each claim of the paper, its verdict and the measured numbers.
Three IDs are anond's own figures: frontier (anond-lab experiment frontier), at k = 10
and l = 5; attack, what someone learns who reads the program; and shards, the
loss of people who are divided among several processes.`,
		Example: "  anond-lab experiment run pa-1 wang --out ./figures",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if r.figures, err = selectFigures(all.Figures(), args); err != nil {
				return err
			}
			return r.run(c.Context())
		},
	}
	r.flags(c)
	return c
}

func newFigureAllCommand(env *environment) *cobra.Command {
	r := figureRun{env: env}
	c := &cobra.Command{
		Use:   "all",
		Short: "Reproduce every figure of the five papers",
		Long: `all measures every figure of the five papers and writes what run writes. At
scale 1, the papers' sizes, it takes half an hour of processor time. --scale 0.02
gives a preview in a minute, but verdicts are valid at scale 1 only.`,
		Example: "  anond-lab experiment all --out ./figures",
		RunE: func(c *cobra.Command, _ []string) error {
			r.figures = all.Papers()
			return r.run(c.Context())
		},
	}
	r.flags(c)
	return c
}

func (r *figureRun) flags(c *cobra.Command) {
	c.Flags().StringVar(&r.data, "data", "", "`directory` of other copies of the public datasets; default: the copies in the program")
	c.Flags().StringVar(&r.out, "out", "figures", "`directory` for charts, numbers and the report")
	c.Flags().Uint64Var(&r.seed, "seed", 1, "seed of all random draws")
	c.Flags().Float64Var(&r.scale, "scale", 1, "`share` of the papers' sizes, above 0 and at most 1")
	cli.JSONFlag(c, &r.asJSON)
}

// selectFigures finds figures by ID or by paper, each once, in the order asked.
func selectFigures(all []figures.Figure, args []string) ([]figures.Figure, error) {
	const hint = "anond-lab experiment list shows them"
	if len(args) == 0 {
		return nil, cli.Usage(hint, "run needs the ID of a figure")
	}
	var out []figures.Figure
	taken := map[string]bool{}
	for _, arg := range args {
		known := false
		for _, f := range all {
			paper, _, _ := strings.Cut(f.ID, "-")
			if arg != f.ID && arg != paper {
				continue
			}
			known = true
			if !taken[f.ID] {
				taken[f.ID] = true
				out = append(out, f)
			}
		}
		if !known {
			return nil, cli.Usage(hint, "there is no figure %q", arg)
		}
	}
	return out, nil
}

// run measures, and writes the report anew after each figure, so that whatever
// ends the run leaves the report of what was measured.
func (r *figureRun) run(ctx context.Context) error {
	if r.scale <= 0 || r.scale > 1 {
		return cli.Usage("1 stands for the papers' sizes", "scale %v is not above 0 and at most 1", r.scale)
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	info, _ := debug.ReadBuildInfo()
	report := &figures.Report{Seed: r.seed, Scale: r.scale, Version: cli.VersionOf("anond-lab", info).String(),
		Machine: cli.Count(runtime.NumCPU(), "processor")}
	p := figureProgress{env: r.env, terminal: cli.IsTerminal(r.env.Stderr), all: len(r.figures)}
	for i, f := range r.figures {
		in := figures.Input{Data: dataset.Source(r.data), Seed: r.seed, Scale: r.scale, Progress: p.begin(i, f.ID)}
		o := figures.Measure(ctx, f, in)
		if ctx.Err() != nil {
			p.clear()
			return ctx.Err()
		}
		report.Outcomes = append(report.Outcomes, o)
		p.end(o)
		if err := o.WritePanels(r.out); err != nil {
			return err
		}
		if err := report.Write(r.out); err != nil {
			return err
		}
	}
	return r.conclude(report)
}
