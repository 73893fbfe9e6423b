package main

import "github.com/spf13/cobra"

func newExperimentCommand(env *environment) *cobra.Command {
	c := &cobra.Command{Use: "experiment", Short: "Measure the methods and the engine on public data"}
	c.AddCommand(newFigureListCommand(env), newFigureRunCommand(env), newFigureAllCommand(env), newFrontierCommand(env))
	return c
}
