package cli

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"anond/internal/fault"
)

// Env holds the streams and environment variables of one run.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Lookup         func(variable string) (string, bool)
	entered        bool // a command was found and its flags were understood
}

// registered makes the commands of packages that a program has by importing them.
var registered []func(*Env) *cobra.Command

// Register adds a command to the program. It is called before anything else is.
func Register(command func(*Env) *cobra.Command) { registered = append(registered, command) }

// Registered are the commands of packages that the program imports.
func Registered(e *Env) (out []*cobra.Command) {
	for _, command := range registered {
		out = append(out, command(e))
	}
	return out
}

// Execute runs the command that the arguments name. An error before the command's
// own code is a usage error.
func (e *Env) Execute(ctx context.Context, root *cobra.Command, args []string) error {
	root.SetArgs(args)
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.AddCommand(newCompletionCommand(root, e.Stdout))
	// A group is runnable only to refuse what is no subcommand of it.
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "{{if .Runnable}}", "{{if not .HasAvailableSubCommands}}"))
	e.prepare(root)
	command, err := root.ExecuteContextC(ctx)
	var known fault.Fault
	if err != nil && !e.entered && !errors.As(err, &known) {
		message, suggestion, _ := strings.Cut(err.Error(), "\n")
		if suggestion = strings.Join(strings.Fields(suggestion), " "); suggestion == "" {
			suggestion = command.CommandPath() + " --help shows its arguments and flags"
		}
		return Usage(suggestion, "%s", message)
	}
	return err
}

// prepare makes cobra strict: a command without arguments refuses any, and a group
// without a subcommand is a usage error, where cobra would print help and succeed.
func (e *Env) prepare(c *cobra.Command) {
	if c.HasSubCommands() && c.RunE == nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return Usage(c.CommandPath()+" --help lists the subcommands", "%s needs a subcommand", c.CommandPath())
			}
			hint := c.CommandPath() + " --help lists the subcommands"
			c.SuggestionsMinimumDistance = 2
			if near := c.SuggestionsFor(args[0]); len(near) > 0 {
				hint = "did you mean " + c.CommandPath() + " " + near[0] + "?"
			}
			return Usage(hint, "unknown command %q for %s", args[0], c.CommandPath())
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

// JSONFlag gives a command --json.
func JSONFlag(c *cobra.Command, asked *bool) {
	c.Flags().BoolVar(asked, "json", false, "write JSON for programs")
}
