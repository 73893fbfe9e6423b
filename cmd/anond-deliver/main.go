// Command anond-deliver takes published releases to where they are used: to a topic of Kafka or to tables of PostgreSQL,
// and makes a release again from such a topic.
//
// Guarantee: it reads public files and topics of releases, never a state nor its key. A command ends with one of the exit
// codes of internal/fault; an error names its cause and, where possible, the next step, and no password.
//
// Method: each command reads its flags and its part of the configuration, calls package deliver and prints the result.
package main

import (
	"context"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
)

const program = "anond-deliver"

func main() {
	cli.Main(run, func(string) error { return context.Canceled })
}

// run is the whole program, as that of cmd/anond is. It returns the exit code.
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
		Use:   program,
		Short: "Deliver releases to Kafka or PostgreSQL",
		Long: `anond-deliver copies releases to Kafka or PostgreSQL. It reads the releases
directory only, which may be read-only, and never the state: run it as another user,
next to the daemon or elsewhere. It needs dataset, release.dir and outputs of the
configuration; a file with only these keys is enough.

Every release that the sink does not have yet is delivered, in order, also one
whose files were pruned. The sink itself shows which releases it has, so an
interrupted delivery can be repeated, and two at once do no harm.

Exit codes: 0 ok, 1 failed, 2 usage, 5 the sink has another history than the
releases, 78 bad configuration.`,
	}
	root.AddCommand(newKafkaCommand(env), newPostgresCommand(env), newConsumeCommand(env),
		cli.NewVersionCommand(&env.Env, program), cli.NewManCommand(program))
	cli.EachCommand(root, func(c *cobra.Command) {
		cli.Offer(c, "config", cli.FilesOf("yaml", "yml"))
		cli.Offer(c, "http", cli.FilesOf("yaml", "yml"))
		cli.Offer(c, "out", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	})
	return root
}

// loadDelivery reads what of a configuration delivery needs, and prints its warnings.
func (e *environment) loadDelivery(path string) (*config.Delivery, error) {
	d, warnings, err := cli.Load(e.ctx, func() (*config.Delivery, []config.Warning, error) {
		return config.LoadDelivery(path, e.Lookup, config.ReadRegular)
	})
	cli.Warn(&e.Env, warnings)
	return d, err
}
