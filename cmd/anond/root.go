package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"anond/config"
)

// environment holds the streams and environment variables of one run.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	lookup         config.Lookup
	ctx            context.Context // of the run
	entered        bool            // a command was found and its flags were understood
}

// newRootCommand builds the tree of commands. A command is a function
// newXCommand(env) in a file of its own, listed here.
func newRootCommand(env *environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "anond",
		Short: "Refreshed anonymized tables from a stream of records, safe alongside all earlier ones",
		Long: `anond reads records of persons, places each in an equivalence class, and
publishes versioned, complete, anonymized tables. Someone who keeps all versions
still cannot infer a published person's sensitive value with a probability above
1/l, at the adversary level that the manifest names.

Exit codes: 0 ok, 1 failed, 2 usage, 3 a privacy promise does not hold,
4 state locked, 5 state behind the ledger, 78 bad configuration.`,
	}
	root.AddCommand(
		newDemoCommand(env),
		newRunCommand(env),
		newDoctorCommand(env),
		newStatusCommand(env),
		newTailCommand(env),
		newReleaseCommand(env),
		newUnionCommand(env),
		newDeliverCommand(env),
		newConsumeCommand(env),
		newAnonymizeCommand(env),
		newEvaluateCommand(env),
		newQueryCommand(env),
		newAuditCommand(env),
		newDLQCommand(env),
		newStateCommand(env),
		newForgetCommand(env),
		newRepartitionCommand(env),
		newPauseCommand(env),
		newResumeCommand(env),
		newReloadCommand(env),
		newLogLevelCommand(env),
		newExperimentCommand(env),
		newConfigCommand(env),
		newVersionCommand(env),
		newHierarchyCommand(env),
		newManCommand(env),
	)
	completeValues(env, root)
	return root
}

// execute runs the command that the arguments name. An error before the command's
// own code is a usage error.
func (e *environment) execute(ctx context.Context, args []string) error {
	e.ctx = ctx
	root := newRootCommand(e)
	root.SetArgs(args)
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	root.SilenceErrors, root.SilenceUsage = true, true
	// A group is runnable only to refuse what is no subcommand of it.
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "{{if .Runnable}}", "{{if not .HasAvailableSubCommands}}"))
	e.prepare(root)
	command, err := root.ExecuteContextC(ctx)
	var known *exitError
	if err != nil && !e.entered && !errors.As(err, &known) {
		message, suggestion, _ := strings.Cut(err.Error(), "\n")
		if suggestion = strings.Join(strings.Fields(suggestion), " "); suggestion == "" {
			suggestion = command.CommandPath() + " --help shows its arguments and flags"
		}
		return usage(suggestion, "%s", message)
	}
	return err
}

// prepare makes cobra strict: a command without arguments refuses any, and a group
// without a subcommand is a usage error, where cobra would print help and succeed.
func (e *environment) prepare(c *cobra.Command) {
	if c.HasSubCommands() && c.RunE == nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(c.CommandPath()+" --help lists the subcommands", "%s needs a subcommand", c.CommandPath())
			}
			hint := c.CommandPath() + " --help lists the subcommands"
			c.SuggestionsMinimumDistance = 2
			if near := c.SuggestionsFor(args[0]); len(near) > 0 {
				hint = "did you mean " + c.CommandPath() + " " + near[0] + "?"
			}
			return usage(hint, "unknown command %q for %s", args[0], c.CommandPath())
		}
		c.RunE = func(*cobra.Command, []string) error { return nil }
	} else if c.Args == nil {
		c.Args = cobra.NoArgs
	}
	work := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		e.entered = true
		return work(c, args)
	}
	for _, sub := range c.Commands() {
		e.prepare(sub)
	}
}

// defaultConfig is the configuration file if -c names none.
const defaultConfig = "anond.yaml"

// configFlag gives a command -c FILE.
func configFlag(c *cobra.Command, path *string) {
	c.Flags().StringVarP(path, "config", "c", defaultConfig, "configuration `file`")
}

// jsonFlag gives a command --json.
func jsonFlag(c *cobra.Command, asked *bool) {
	c.Flags().BoolVar(asked, "json", false, "write JSON for programs")
}

// loadConfig reads and checks the configuration. Its warnings are for those who set a daemon
// up: run, config check and doctor show them, and no other command.
func (e *environment) loadConfig(path string) (*config.Config, error) {
	c, _, err := e.load(path)
	return c, err
}

// load is config.Load, until the run is stopped.
func (e *environment) load(path string) (*config.Config, []config.Warning, error) {
	return abandonable(e.ctx, func() (*config.Config, []config.Warning, error) {
		return config.Load(path, e.lookup, config.ReadRegular)
	})
}

// loadOneOff is config.LoadOneOff, until the run is stopped.
func (e *environment) loadOneOff(path string) (*config.OneOff, []config.Warning, error) {
	return abandonable(e.ctx, func() (*config.OneOff, []config.Warning, error) {
		return config.LoadOneOff(path, e.lookup, config.ReadRegular)
	})
}

// abandonable leaves alone what loads files that an operator names, when a context ends: neither
// a file system that does not answer nor a large hierarchy keeps a signal waiting.
func abandonable[T any](ctx context.Context, load func() (T, []config.Warning, error)) (out T, _ []config.Warning, _ error) {
	type loaded struct {
		what     T
		warnings []config.Warning
		err      error
	}
	done := make(chan loaded, 1)
	go func() {
		what, warnings, err := load()
		done <- loaded{what, warnings, err}
	}()
	select {
	case l := <-done:
		return l.what, l.warnings, l.err
	case <-ctx.Done():
		return out, nil, ctx.Err()
	}
}

// loadWarned is loadConfig, and prints the warnings.
func (e *environment) loadWarned(path string) (*config.Config, error) {
	c, warnings, err := e.load(path)
	e.warn(warnings)
	return c, err
}
