package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"anond/internal/fault"
)

func newManCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "man --out DIR", Short: "Write a manual page for each command", Args: exactly(0),
		Long: `man writes a manual page for each command into a directory, which must exist. With
SOURCE_DATE_EPOCH in the environment the pages have that date, so that two runs write the
same bytes.`,
		Example: "  anond-lake man --out /usr/local/share/man/man1",
		RunE: func(c *cobra.Command, _ []string) error {
			if dir == "" {
				return fault.Errorf(fault.Usage, "--out DIR", "no directory was named")
			}
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				return fault.Errorf(fault.Usage, "make the directory first", "--out: %s is no directory", dir)
			}
			root := c.Root()
			root.DisableAutoGenTag = true
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "anond-lake " + release, Manual: "anond"}, dir)
		},
	}
	c.Flags().StringVar(&dir, "out", "", "`directory` for the pages")
	return c
}
