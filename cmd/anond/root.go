package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/fault"
)

// environment is one run of the program.
type environment struct {
	cli.Env
	ctx context.Context // of the run
}

// newRootCommand builds the tree of commands. A command is a function
// newXCommand(env) in a file of its own, listed here, or of a package that rooms.go imports.
func newRootCommand(env *environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "anond",
		Short: "Refreshed anonymized tables from a stream of records, safe alongside all earlier ones",
		Long: `anond reads records of persons, places each in an equivalence class, and
publishes versioned, complete, anonymized tables. Someone who keeps all versions,
and believed the same of everybody before, still cannot infer a published person's
sensitive value with a probability above 1/l, at the adversary level that the
manifest names.

Exit codes: 0 ok, 1 failed, 2 usage, 3 a privacy promise does not hold,
4 state locked, 5 state behind the ledger, 78 bad configuration.`,
	}
	root.AddCommand(
		newDemoCommand(env),
		newInitCommand(env),
		newTryCommand(env),
		newRunCommand(env),
		newDoctorCommand(env),
		newStatusCommand(env),
		newTailCommand(env),
		newReleaseCommand(env),
		newAuditCommand(env),
		newDLQCommand(env),
		newStateCommand(env),
		newForgetCommand(env),
		newLedgerCommand(env),
		newPauseCommand(env),
		newResumeCommand(env),
		newReloadCommand(env),
		newConfigCommand(env),
		cli.NewVersionCommand(&env.Env, "anond"),
		newHierarchyCommand(env),
		cli.NewManCommand("anond"),
	)
	root.AddCommand(cli.Registered(&env.Env)...)
	completeValues(env, root)
	return root
}

// execute runs the command that the arguments name.
func (e *environment) execute(ctx context.Context, args []string) error {
	e.ctx = ctx
	return e.Execute(ctx, newRootCommand(e), args)
}

// loadConfig reads and checks the configuration. Its warnings are for those who set a daemon
// up: run, config check and doctor show them, and no other command.
func (e *environment) loadConfig(path string) (*config.Config, error) {
	c, _, err := e.load(path)
	return c, err
}

// load is config.Load, until the run is stopped. Of several shards somebody has to name one.
func (e *environment) load(path string) (*config.Config, []config.Warning, error) {
	c, warnings, err := cli.LoadConfig(e.ctx, &e.Env, path)
	if err == nil && c.Shard.Open {
		err = fault.Errorf(fault.Config, fmt.Sprintf("name one: SHARD=%d anond ...", c.Shard.Index), "%s is of several shards", path)
	}
	return c, warnings, err
}

// loadWarned is loadConfig, and prints the warnings.
func (e *environment) loadWarned(path string) (*config.Config, error) {
	c, warnings, err := e.load(path)
	cli.Warn(&e.Env, warnings)
	return c, err
}
