package cli

import (
	"io"

	"github.com/spf13/cobra"
)

// Completion is what a shell offers for an argument or the value of a flag.
type Completion = cobra.CompletionFunc

// Words completes to a fixed list.
func Words(list ...string) Completion {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

// FilesOf completes to files by the ends of their names.
func FilesOf(ends ...string) Completion {
	return cobra.FixedCompletions(ends, cobra.ShellCompDirectiveFilterFileExt)
}

// EachCommand visits a command and all below it.
func EachCommand(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		EachCommand(sub, visit)
	}
}

// Offer completes the values of a flag, if a command has it.
func Offer(c *cobra.Command, flag string, values Completion) {
	if c.LocalFlags().Lookup(flag) != nil {
		_ = c.RegisterFlagCompletionFunc(flag, values) // it exists, and is registered once
	}
}

// newCompletionCommand writes the script by which a shell completes what a program takes. It stands in for four commands of
// cobra, one for each shell.
func newCompletionCommand(root *cobra.Command, out io.Writer) *cobra.Command {
	shells := map[string]func(io.Writer, bool) error{"bash": root.GenBashCompletionV2, "fish": root.GenFishCompletion,
		"zsh": func(w io.Writer, _ bool) error { return root.GenZshCompletion(w) }}
	return &cobra.Command{
		Use: "completion bash|zsh|fish", Short: "Write the script by which a shell completes commands, flags and values",
		Example:           "  " + root.Name() + " completion bash >/etc/bash_completion.d/" + root.Name(),
		ValidArgsFunction: Words("bash", "zsh", "fish"),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 || shells[args[0]] == nil {
				return Usage(c.CommandPath()+" bash", "name one of the shells bash, zsh and fish")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return shells[args[0]](out, true) },
	}
}
