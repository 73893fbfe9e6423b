package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"anond/internal/cli"
	"anond/lab/beliefs"
)

func newAuditModelCommand(env *environment) *cobra.Command {
	var releases, members, records string
	var public, asJSON bool
	c := &cobra.Command{
		Use:   "audit-model --releases DIR (--public | --members FILE --records FILE)",
		Short: "Count whom a model trained on a release believes to have a value",
		Long: `audit-model trains a model on the files of a release: which values go with which
quasi-identifiers. Then it counts the people of whom it believes a value with more
than .3, .5 and .7 (deFinetti attack). The bound that anond promises is about readers
whose prior does not depend on quasi-identifiers. Such a model has one that does, and
no method that publishes true values prevents it. Of people with histories it counts
beliefs that a value occurs anywhere in the history.

--public counts beliefs, from the release's files alone, about a member of each class.
With --json that is the file which anond release report --model takes.

With the exports of anond state members and anond state records, it knows everybody's
quasi-identifiers and bucket, as the adversary of the promise does, and counts also how
many beliefs are right, next to a control group: the same people, told by a model that
was trained on the others and has no bucket of theirs. What the release tells of the
control group, it tells of everybody outside, too. This output is private: a count of
right guesses is the truth about people, so it belongs into no report and to no recipient.

DIR is a directory of releases (the current one is read), or that of one release.`,
		Example: "  anond-lab audit-model --releases ./releases --public --json > model.json\n" +
			"  anond-lab audit-model --releases ./releases --members members.csv --records records.csv",
		Args: cobra.NoArgs,
		RunE: cli.Answering(func(*cobra.Command, []string) error {
			if releases == "" || public == (members != "" || records != "") || (members == "") != (records == "") {
				return cli.Usage("anond-lab audit-model --releases DIR --public, or with --members FILE --records FILE in place of --public",
					"audit-model needs --releases, and either --public or both exports")
			}
			read := func() (*beliefs.Report, error) { return beliefs.Public(releases) }
			if !public {
				read = func() (*beliefs.Report, error) { return beliefs.Private(releases, members, records) }
			}
			found, err := read()
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, found)
			}
			return printBeliefs(env.Stdout, found)
		}),
	}
	c.Flags().StringVar(&releases, "releases", "", "`directory` of the releases, or of one")
	c.Flags().BoolVar(&public, "public", false, "from the files of the release alone")
	c.Flags().StringVar(&members, "members", "", "`file` of anond state members")
	c.Flags().StringVar(&records, "records", "", "`file` of anond state records")
	cli.JSONFlag(c, &asJSON)
	return c
}

func printBeliefs(w io.Writer, r *beliefs.Report) error {
	if r.Private {
		fmt.Fprint(w, "PRIVATE: it counts right guesses, which is the truth about people. It is for the owner's eyes, not for a report or\n"+
			"recipients.\n\n")
	}
	columns := []cli.Column{cli.Left("attribute", 20), cli.Left("whom", 28), cli.Right("people", 8)}
	for _, t := range beliefs.Thresholds {
		columns = append(columns, cli.Right(fmt.Sprintf("above %v", t), 9))
		if r.Private {
			columns = append(columns, cli.Right("right", 7))
		}
	}
	if r.Private {
		columns = append(columns, cli.Right("best guess right", 16))
	}
	t := cli.NewTable(w, columns...)
	t.Header()
	row := func(name, whom string, b *beliefs.Beliefs) {
		cells := []string{name, whom, fmt.Sprint(b.People)}
		for _, a := range b.Above {
			cells = append(cells, fmt.Sprint(a.People))
			if a.Right != nil {
				cells = append(cells, fmt.Sprint(*a.Right))
			}
		}
		if b.Right != nil {
			cells = append(cells, fmt.Sprintf("%.1f %%", 100*float64(*b.Right)/float64(max(1, b.People))))
		}
		t.Row(cells...)
	}
	for i := range r.Attribute {
		a := &r.Attribute[i]
		row(a.Name, "published, with their bucket", &a.Beliefs)
		if a.Control != nil {
			row("", "control: others' model only", a.Control)
		}
	}
	return t.Err
}
