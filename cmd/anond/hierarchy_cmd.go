package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"anond/equivclass"
	"anond/internal/cli"
	"anond/internal/hierarchies"
)

func newHierarchyCommand(env *environment) *cobra.Command {
	c := &cobra.Command{Use: "hierarchy", Short: "Make a hierarchy file from a list of codes",
		Long: `hierarchy reads one code per line from a file or standard input (of a line with
semicolons, the first field), and writes a hierarchy in ARX's format, for the key
hierarchy of an attribute. Take the list of all codes that may ever occur, such as
a published catalogue, not those of the records: a value that is not in its
hierarchy is refused.`}
	c.AddCommand(newHierarchyKindCommand(env, "prefix", "Roll codes up to their first characters", "3,1", "lengths", true,
		func(n []int, suffix string) (hierarchies.Kind, error) { return hierarchies.Prefixes(n, suffix) }),
		newHierarchyKindCommand(env, "intervals", "Roll whole numbers up to aligned intervals", "5,10,50", "widths", false,
			func(n []int, _ string) (hierarchies.Kind, error) { return hierarchies.Intervals(n) }),
		newHierarchyKindCommand(env, "icd10", "Roll codes of ICD-10 up to categories and chapters", "", "", false,
			func([]int, string) (hierarchies.Kind, error) { return hierarchies.ICD10, nil }),
		newHierarchyKindCommand(env, "dates", "Roll dates up to months, years and decades", "", "", false,
			func([]int, string) (hierarchies.Kind, error) { return hierarchies.Dates, nil }))
	return c
}

// newHierarchyKindCommand is one way to roll up. numbers is the name of its flag of numbers, like
// an example of it; empty: it has none.
func newHierarchyKindCommand(env *environment, name, short, example, numbers string, masks bool,
	kind func([]int, string) (hierarchies.Kind, error),
) *cobra.Command {
	var list []int
	var suffix string
	var header bool
	c := &cobra.Command{Use: name + " [FILE]", Short: short, Args: cobra.MaximumNArgs(1), Example: "  anond hierarchy " + name}
	if numbers != "" {
		c.Flags().IntSliceVar(&list, numbers, nil, "`list` of "+numbers+", one per level, such as "+example)
		c.Example += " --" + numbers + " " + example
	}
	if masks {
		c.Flags().StringVar(&suffix, "suffix", "*", "`text` behind each shortened code")
	}
	c.Flags().BoolVar(&header, "header", false, "the first line is no code")
	c.Example += " codes.txt > hierarchy.csv"
	c.RunE = func(_ *cobra.Command, args []string) error {
		if numbers != "" && len(list) == 0 {
			return cli.Usage("--"+numbers+" "+example, "--%s is missing", numbers)
		}
		k, err := kind(list, suffix)
		if err != nil {
			return cli.Usage("--"+numbers+" "+example, "%s", err)
		}
		return env.makeHierarchy(args, header, k)
	}
	return c
}

// rollUp writes a hierarchy, if what comes out is one.
func (e *environment) makeHierarchy(args []string, header bool, kind hierarchies.Kind) error {
	in, name := e.Stdin, "standard input"
	if len(args) > 0 && args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
			return err
		}
		defer f.Close()
		in, name = io.Reader(f), args[0]
	}
	var out bytes.Buffer
	_, folded, err := hierarchies.Write(&out, in, name, header, kind)
	if err != nil {
		return err
	}
	if folded > 0 {
		fmt.Fprintf(e.Stderr, "warning: codes with several spellings, or headings: %d; their leaves have no dots and hyphens: set aliases: "+
			"fold at the attribute, so that records with any spelling have them\n", folded)
	}
	if _, err := equivclass.ParseHierarchy("what came out", bytes.NewReader(out.Bytes())); err != nil {
		return fmt.Errorf("these codes make no hierarchy: %w", err)
	}
	_, err = e.Stdout.Write(out.Bytes())
	return err
}
