package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/equivclass"
	"anond/ingest/decode"
	"anond/internal/cli"
	"anond/internal/control"
	"anond/internal/dataset"
	"anond/internal/ops/logs"
	"anond/internal/upkeep"
)

func newDLQCommand(env *environment) *cobra.Command {
	c := &cobra.Command{Use: "dlq", Short: "List, show and replay dead letters"}
	c.AddCommand(newDLQListCommand(env), newDLQShowCommand(env), newDLQReplayCommand(env))
	return c
}

// lettersFlag gives a command --letters FILE.
func lettersFlag(c *cobra.Command, path *string) {
	c.Flags().StringVar(path, "letters", "", "`file` of dead letters, one per line, instead of dead_letter of the configuration")
}

// moment reads a time: RFC 3339, a day, or how long ago.
func moment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, cli.Usage("2026-03-01, 2026-03-01T12:00:00Z, or how long ago: 24h", "%s %q is no time", flag, text)
}

func newDLQReplayCommand(env *environment) *cobra.Command {
	var path string
	var which upkeep.Readmission
	var asJSON bool
	c := &cobra.Command{
		Use: "replay", Short: "Judge refused records again whose cause may be gone",
		Long: `replay judges refused records again whose fault was one of a quasi-identifier or
the subject that the configuration may have repaired since: a value that its
hierarchy lacked (value_not_in_hierarchy), or a text that was too long
(value_too_long). Records that fit now count as pending, and no longer as dead
letters. The others stay dead letters, for the reason that they have now.

A running daemon does it if control.socket is set; without, it must be stopped
(otherwise exit 4). It reads nothing meanwhile. The source must still have the
records, or the dead letters must contain them (dead_letter.payload; not those of
a CSV file or standard input, which lack the header). Each record is compared
with the digest in its dead letter, and accepted once, however often this runs.

No other reason is replayed: if a record is published late because its sensitive
value, or something that may be related to it, was at fault, the delay reveals
something about the value. For the same reason no single record can be selected. anond dlq list says
which reasons can be replayed. docs/DEAD_LETTERS.md, Dead letters, says why.`,
		Example: "  anond dlq replay -c anond.yaml --reason value_not_in_hierarchy --attribute postcode",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := mayAsk(which.Reason); err != nil {
				return err
			}
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			if a := which.Attribute; a != "" && !known(cfg.Schema(), a) {
				return cli.Usage("anond config show lists the attributes", "%q is no attribute of the schema", a)
			}
			out, err := env.replay(c.Context(), cfg, which)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, out)
			}
			return env.printReplayed(out)
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	lettersFlag(c, &which.File)
	c.Flags().StringVar(&which.Reason, "reason", "", "only records refused for this `reason`")
	c.Flags().StringVar(&which.Attribute, "attribute", "", "only records refused for this `attribute`")
	c.Flags().BoolVar(&which.Try, "dry-run", false, "say how many records there are to judge; judge none, change nothing")
	return c
}

// replay asks the daemon that has the state, or does it itself.
func (e *environment) replay(ctx context.Context, cfg *config.Config, which upkeep.Readmission) (out upkeep.Readmitted, err error) {
	if which.File != "" {
		if which.File, err = filepath.Abs(which.File); err != nil {
			return out, err
		}
	}
	if cfg.Control.Socket != "" {
		text, err := control.NewClient(cfg.Control.Socket).Replay(ctx, which)
		if err == nil {
			return out, json.Unmarshal(text, &out)
		}
		if !errors.Is(err, control.ErrNobody) {
			return out, err
		}
	}
	return upkeep.Readmit(ctx, cfg, dataset.Options{Log: logs.New(e.Stderr, cfg.Log, cli.IsTerminal(e.Stderr))}, which)
}

// mayAsk refuses a reason whose dead letters are never replayed, and says why.
func mayAsk(reason string) error {
	if reason == "" {
		return nil
	}
	rule, known := decode.ReplayRules[equivclass.Reason(reason)]
	switch {
	case !known:
		return unknownName("reason", reason, knownReasons())
	case rule.Replay != decode.ReplayKnown:
		return cli.Usage("correct the records at their source and send them as new ones; docs/DEAD_LETTERS.md, Dead letters, has every reason",
			"records refused for %s are not replayed: %s", reason, strings.ReplaceAll(rule.Why, "`", ""))
	}
	return nil
}

func known(schema *equivclass.Schema, name string) bool {
	return slices.ContainsFunc(schema.Attributes(), func(a equivclass.Attribute) bool { return a.Name == name })
}

func (e *environment) printReplayed(out upkeep.Readmitted) (err error) {
	if out.Try {
		_, err = fmt.Fprintf(e.Stdout, "%s would be judged again: %d there, %d changed in the source, %d no longer there; nothing was changed\n",
			cli.Count(out.Letters, "dead letter"), out.Found, out.Changed, out.Gone)
	} else {
		_, err = fmt.Fprintf(e.Stdout, "%s judged again: %d accepted, %d still refused, %d changed in the source, %d no longer there\n",
			cli.Count(out.Letters, "dead letter"), out.Admitted, out.Refused, out.Changed, out.Gone)
	}
	if err == nil && out.More {
		_, err = fmt.Fprintln(e.Stdout, "there are more: run it again")
	}
	return err
}
