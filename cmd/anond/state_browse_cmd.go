package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/ops/browse"
)

func newStateBrowseCommand(env *environment) *cobra.Command {
	var path, file string
	var asJSON bool
	var q browse.Query
	c := &cobra.Command{
		Use: "browse [" + strings.Join(browse.Kinds, "|") + "]", Short: "List what the state holds, without values",
		Long: "Lists the buckets of the state file, or the published classes, releases, partitions, waiting dead letters (counts by reason)\n" +
			"or settings (digests). Shows no person's value, no subject and no digest of one, and of those who wait only their number.\n" +
			"Next to a running daemon it reads a copy that the daemon makes over control.socket (without: exit 4); --file reads a backup.",
		Example: "  anond state browse\n  anond state browse classes --born 3 --limit 20\n" +
			"  anond state browse releases --file /mnt/backup/anond/hospital-20261122T020003Z-r000042.db --json",
		Args: cobra.MaximumNArgs(1), ValidArgs: browse.Kinds,
		RunE: cli.Answering(func(c *cobra.Command, args []string) error {
			if q.What = browse.Buckets; len(args) > 0 {
				q.What = args[0]
			}
			if err := q.Check(); err != nil {
				return cli.Usage("the lists are "+strings.Join(browse.Kinds, ", "), "%w", err)
			}
			cfg, options, err := env.stateOptions(c.Context(), path)
			if err != nil {
				return err
			}
			list := func(cfg *config.Config, _ bool) (*browse.Listing, error) {
				return browse.File(cfg.State.Path, options, q)
			}
			var out *browse.Listing
			if file != "" {
				out, err = browse.File(file, options, q)
			} else {
				out, err = besideOf(c.Context(), cfg, list)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, out)
			}
			return env.printListing(out, q)
		}),
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	f := c.Flags()
	f.StringVar(&file, "file", "", "read this backup `file` in place of the state")
	f.IntVar(&q.From, "from", 0, "list from this `number` on")
	f.IntVar(&q.Limit, "limit", 50, "list at most this many; 0: all")
	f.Uint32Var(&q.Born, "born", 0, "only classes first published by this `release`")
	f.Uint32Var(&q.Bucket, "bucket", 0, "only classes of this `bucket` (level L2)")
	f.BoolVar(&q.Alive, "alive", false, "only classes that were not regrouped")
	return c
}

// printListing writes the list that was asked for as a table.
func (e *environment) printListing(l *browse.Listing, q browse.Query) error {
	columns, rows := listed(l, q.What)
	t := cli.NewTable(e.Stdout, columns...)
	t.Header()
	for _, r := range rows {
		t.Row(r...)
	}
	if l.Next != nil {
		t.Row("more: --from " + strconv.Itoa(*l.Next))
	}
	return t.Err
}

// listed is the table of a list.
func listed(l *browse.Listing, what string) (columns []cli.Column, rows [][]string) {
	number, text := cli.Right, cli.Left
	switch what {
	case browse.Buckets:
		columns = []cli.Column{text("bucket", 12), number("keys", 10), number("bytes", 14)}
		for _, b := range l.Buckets {
			rows = append(rows, []string{b.Name, orUnknown(b.Keys), orUnknown(b.Bytes)})
		}
	case browse.Classes:
		columns = []cli.Column{number("class", 9), number("records", 9), number("born", 8), number("died", 8), number("bucket", 8),
			text("regime", 0)}
		for _, c := range l.Class {
			rows = append(rows, []string{strconv.Itoa(c.Number), strconv.Itoa(c.Records), nonzero(c.Born), nonzero(c.Died), nonzero(c.Bucket),
				c.Regime})
		}
	case browse.Releases:
		columns = []cli.Column{number("release", 8), text("created", 20), number("records", 10), number("new", 9), number("classes", 9),
			number("pending", 9), text("manifest", 0)}
		for _, r := range l.Release {
			manifest := r.Manifest
			if !r.Published {
				manifest = "not published"
			}
			rows = append(rows, []string{nonzero(r.Release), r.CreatedAt.Format(time.RFC3339), strconv.Itoa(r.Records),
				strconv.Itoa(r.Newcomers), strconv.Itoa(r.Classes), strconv.Itoa(r.Pending), manifest})
		}
	case browse.Partitions:
		columns = []cli.Column{text("source", 32), number("partition", 9), number("next", 0)}
		for _, p := range l.Partitions {
			rows = append(rows, []string{p.Source, strconv.Itoa(int(p.ID)), strconv.FormatInt(p.Next, 10)})
		}
	case browse.Letters:
		columns = []cli.Column{text("reason", 24), number("waiting", 0)}
		for _, reason := range slices.Sorted(maps.Keys(l.Letters)) {
			rows = append(rows, []string{reason, strconv.Itoa(l.Letters[reason])})
		}
	default:
		columns = []cli.Column{text("setting", 32), text("sha256", 0)}
		for _, s := range l.Settings {
			rows = append(rows, []string{s.Key, s.SHA256})
		}
	}
	return columns, rows
}

// orUnknown writes a number that may be withheld.
func orUnknown(n *int64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(*n, 10)
}

func nonzero(n uint32) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(int(n))
}
