// Command anond-lab is for analysts and researchers: it anonymizes a table once by a method of
// choice, measures and queries releases, attacks them, and reproduces the figures of papers. Files
// go in, files come out.
//
// Guarantee: it reads tables, public releases and exports, never a state nor its key. What it
// writes keeps its promise only by itself: anond alone publishes again and again.
package main

import (
	"context"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
	"anond/lab/methods"
)

func main() {
	cli.Main(run, func(string) error { return context.Canceled })
}

// run is the whole program, as cmd/anond's is. It returns the exit code.
func run(ctx context.Context, args []string, env cli.Env) int {
	e := &environment{Env: env, ctx: ctx}
	return e.Report(e.Execute(ctx, newRootCommand(e), args))
}

// environment is one run of the program.
type environment struct {
	cli.Env
	ctx context.Context // of the run
}

func newRootCommand(env *environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "anond-lab",
		Short: "Methods, measures, queries and attacks on tables, releases and exports",
		Long: `anond-lab is for analysts and researchers. It reads tables, releases and exports of
anond, never a state, and needs no key. What it writes keeps its promise only by
itself: for data that grow, use anond run.

Exit codes: 0 ok, 1 failed, 2 usage, 3 a privacy promise cannot be kept,
78 bad configuration.`,
	}
	experiment := &cobra.Command{Use: "experiment", Short: "Measure the methods and the engine on public data"}
	experiment.AddCommand(newFigureListCommand(env), newFigureRunCommand(env), newFigureAllCommand(env), newFrontierCommand(env))
	root.AddCommand(newAnonymizeCommand(env), newEvaluateCommand(env), newQueryCommand(env), newImputeCommand(env), newAuditModelCommand(env),
		newNaiveCommand(env), experiment, cli.NewVersionCommand(&env.Env, "anond-lab"), cli.NewManCommand("anond-lab"))
	cli.EachCommand(root, func(c *cobra.Command) {
		cli.Offer(c, "config", cli.FilesOf("yaml", "yml"))
		cli.Offer(c, "format", cli.Words("csv", "json"))
		cli.Offer(c, "method", methodNames)
		cli.Offer(c, "releases", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	})
	return root
}

func methodNames(*cobra.Command, []string, string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, m := range methods.All() {
		out = append(out, m.Name)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// loadOneOff reads the schema, and promises if it has them, of a configuration; it prints the warnings.
func (e *environment) loadOneOff(path string) (*config.OneOff, error) {
	c, warnings, err := cli.Load(e.ctx, func() (*config.OneOff, []config.Warning, error) {
		return config.LoadOneOff(path, e.Lookup, config.ReadRegular)
	})
	cli.Warn(&e.Env, warnings)
	return c, err
}
