package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"anond/internal/cli"
)

// completeValues gives every command of the tree what its flags and arguments may be. A
// flag that is not here completes to files. What is completed is read from the
// configuration and public files alone; a fault of them completes to nothing.
func completeValues(env *environment, root *cobra.Command) {
	levels := cli.Words("debug", "info", "warn", "error")
	directory := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	flags := map[string]cli.Completion{"config": cli.FilesOf("yaml", "yml"), "dir": directory, "releases": directory, "exports": directory,
		"level": levels, "log-format": cli.Words("auto", "text", "json"),
		"event": eventNames, "reason": cli.Words(knownReasons()...)}
	formats := map[string]cli.Completion{"anond release cat": cli.Words("csv", "ndjson")}
	releases := numbersOf(env)
	arguments := map[string]cli.Completion{"anond release show": releases, "anond release cat": releases,
		"anond release report": releases}
	cli.EachCommand(root, func(c *cobra.Command) {
		if a := arguments[c.CommandPath()]; a != nil {
			c.ValidArgsFunction = a
		}
		for name, values := range flags {
			cli.Offer(c, name, values)
		}
		if f := formats[c.CommandPath()]; f != nil {
			cli.Offer(c, "format", f)
		} else {
			cli.Offer(c, "format", cli.Words("csv", "json"))
		}
	})
}

func eventNames(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return knownEvents(), cobra.ShellCompDirectiveNoFileComp
}

// numbersOf completes the numbers of the releases in the directory that --dir or the
// configuration names, newest first.
func numbersOf(env *environment) cli.Completion {
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
