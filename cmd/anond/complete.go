package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"anond/lab/methods"
)

// completion is what a shell offers for an argument or the value of a flag.
type completion = cobra.CompletionFunc

// words completes to a fixed list.
func words(list ...string) completion {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

// filesOf completes to files by the ends of their names.
func filesOf(ends ...string) completion {
	return cobra.FixedCompletions(ends, cobra.ShellCompDirectiveFilterFileExt)
}

// completeValues gives every command of the tree what its flags and arguments may be. A
// flag that is not here completes to files. What is completed is read from the
// configuration and public files alone; a fault of them completes to nothing.
func completeValues(env *environment, root *cobra.Command) {
	levels := words("debug", "info", "warn", "error")
	directory := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	flags := map[string]completion{"config": filesOf("yaml", "yml"), "dir": directory, "releases": directory, "exports": directory,
		"level": levels, "log-format": words("auto", "text", "json"),
		"event": eventNames, "method": methodNames, "reason": words(knownReasons()...)}
	formats := map[string]completion{"anond release cat": words("csv", "ndjson")}
	releases := numbersOf(env)
	arguments := map[string]completion{"anond log-level": levels, "anond release show": releases, "anond release cat": releases,
		"anond release report": releases}
	eachCommand(root, func(c *cobra.Command) {
		if a := arguments[c.CommandPath()]; a != nil {
			c.ValidArgsFunction = a
		}
		for name, values := range flags {
			offer(c, name, values)
		}
		if f := formats[c.CommandPath()]; f != nil {
			offer(c, "format", f)
		} else {
			offer(c, "format", words("csv", "json"))
		}
	})
}

// eachCommand visits a command and all below it.
func eachCommand(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, visit)
	}
}

// offer completes the values of a flag, if a command has it.
func offer(c *cobra.Command, flag string, values completion) {
	if c.LocalFlags().Lookup(flag) != nil {
		_ = c.RegisterFlagCompletionFunc(flag, values) // it exists, and is registered once
	}
}

func eventNames(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return knownEvents(), cobra.ShellCompDirectiveNoFileComp
}

func methodNames(*cobra.Command, []string, string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, m := range methods.All() {
		out = append(out, m.Name)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// numbersOf completes the numbers of the releases in the directory that --dir or the
// configuration names, newest first.
func numbersOf(env *environment) completion {
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		dir, _ := c.Flags().GetString("dir")
		if path, _ := c.Flags().GetString("config"); dir == "" {
			cfg, err := env.loadConfig(path)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			dir = cfg.Release.Dir
		}
		return releasesIn(dir), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

func releasesIn(dir string) (out []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range slices.Backward(entries) {
		if n, err := strconv.ParseUint(e.Name(), 10, 32); err == nil && e.IsDir() && e.Name() == fmt.Sprintf("%06d", n) {
			out = append(out, strconv.FormatUint(n, 10))
		}
	}
	return out
}
