package cli

import "github.com/spf13/cobra"

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
