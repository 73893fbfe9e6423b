package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"anond/equivclass"
	"anond/ingest/decode"
	"anond/internal/cli"
	"anond/internal/upkeep"
)

// replayWords say in a table what anond dlq replay does with a reason.
var replayWords = map[decode.Replay]string{decode.ReplayKnown: "yes", decode.ReplaySame: "no: same again", decode.ReplayValue: "never",
	decode.ReplayNone: "no record"}

// mostListed bounds --limit, and so the memory of the command.
const mostListed = 100_000

func newDLQListCommand(env *environment) *cobra.Command {
	var path, letters, since, until string
	f := upkeep.LetterFilter{Partition: -1}
	var limit int
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "Count dead letters by reason, and list the newest",
		Long: `list reads the dead letters of the file, rotated files next to it included
(dead-letter*.ndjson*, also compressed with gzip), or of the topic. It needs no
state, so it works alongside a running daemon. No payload is shown.

The column "replay" says whether anond dlq replay may judge such records again.
A dead letter stays listed after its record was accepted: the state knows that,
and "replayed" of anond state info counts such records.`,
		Example: "  anond dlq list -c anond.yaml --reason missing_value --since 24h",
		RunE: func(c *cobra.Command, _ []string) (err error) {
			now := time.Now()
			if f.Since, err = moment("--since", since, now); err != nil {
				return err
			}
			if f.Until, err = moment("--until", until, now); err != nil {
				return err
			}
			if _, known := decode.ReplayRules[equivclass.Reason(f.Reason)]; f.Reason != "" && !known {
				return unknownName("reason", f.Reason, knownReasons())
			}
			if limit < 0 || limit > mostListed {
				return cli.Usage(fmt.Sprintf("give a number from 0 to %d", mostListed), "--limit %d is out of range", limit)
			}
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			list, err := upkeep.ListLetters(c.Context(), cfg, letters, f, limit)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, list)
			}
			return env.printLetters(list)
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	lettersFlag(c, &letters)
	c.Flags().StringVar(&f.Reason, "reason", "", "only those of this `reason`")
	c.Flags().StringVar(&f.Attribute, "attribute", "", "only those of this `attribute`")
	c.Flags().StringVar(&f.Source, "source", "", "only those of this `source`, as the list shows it")
	c.Flags().Int32Var(&f.Partition, "partition", -1, "only those of this partition")
	c.Flags().StringVar(&since, "since", "", "only those delivered at this `time` or later (a time, a day, or how long ago: 24h)")
	c.Flags().StringVar(&until, "until", "", "only those delivered before this `time`")
	c.Flags().IntVar(&limit, "limit", 20, "list at most this many, the newest; 0: only count")
	return c
}

// knownReasons are all reasons for which records are refused, in order.
func knownReasons() (out []string) {
	for why := range decode.ReplayRules {
		out = append(out, string(why))
	}
	slices.Sort(out)
	return out
}

func (e *environment) printLetters(l *upkeep.LetterList) error {
	_, err := fmt.Fprintf(e.Stdout, "%s, %d selected: %s\n", cli.Count(l.Letters, "dead letter"), l.Matched, strings.Join(l.Places, ", "))
	if err != nil {
		return err
	}
	for _, note := range unreadNotes(&l.Unread) {
		fmt.Fprintln(e.Stderr, "note:", note)
	}
	if len(l.Reasons) > 0 {
		fmt.Fprintln(e.Stdout)
		t := cli.NewTable(e.Stdout, cli.Right("letters", 8), cli.Left("reason", 24), cli.Left("attribute", 16),
			cli.Left("replay", 0))
		t.Header()
		for _, r := range l.Reasons {
			t.Row(strconv.Itoa(r.Letters), plainly(r.Reason), plainly(r.Attribute), replayWords[r.Replay])
		}
		if t.Err != nil {
			return t.Err
		}
	}
	if len(l.Newest) == 0 {
		return nil
	}
	fmt.Fprintln(e.Stdout)
	t := cli.NewTable(e.Stdout, cli.Right("number", 8), cli.Left("delivered", 20), cli.Left("reason", 24),
		cli.Left("attribute", 16), cli.Left("payload", 9), cli.Left("source:partition:offset", 0))
	t.Header()
	for i := range l.Newest {
		s := &l.Newest[i]
		t.Row(strconv.FormatUint(s.Seq, 10), deliveredAt(s), plainly(s.Reason), plainly(s.Attribute), s.Payload, letterPlace(s))
	}
	return t.Err
}

func unreadNotes(u *upkeep.Unread) (notes []string) {
	if u.Torn {
		notes = append(notes, "the last line is not complete: it is being written, or anond cuts it off at its next start")
	}
	if u.Unreadable > 0 {
		notes = append(notes, fmt.Sprintf("%s cannot be read as dead letters, the first at %s", cli.Count(u.Unreadable, "line"), u.First))
	}
	if u.Copies > 0 {
		notes = append(notes, fmt.Sprintf("%d deliveries were repeated and are counted once", u.Copies))
	}
	return notes
}

func deliveredAt(s *upkeep.LetterSummary) string {
	if s.Delivered == nil {
		return "unknown"
	}
	return s.Delivered.Format(time.RFC3339)
}

func letterPlace(s *upkeep.LetterSummary) string {
	return fmt.Sprintf("%s:%d:%d", plainly(s.Source), s.Partition, s.Offset)
}

// plainly quotes a text of a file that a terminal could take for commands.
func plainly(text string) string {
	if quoted := strconv.QuoteToGraphic(text); quoted != `"`+text+`"` {
		return quoted
	}
	return text
}
