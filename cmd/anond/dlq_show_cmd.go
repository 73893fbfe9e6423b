package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"anond/ingest/deadletter"
	"anond/ingest/decode"
	"anond/internal/cli"
	"anond/internal/disk"
	"anond/internal/fault"
	"anond/internal/upkeep"
)

// shownLetter is a dead letter as `anond dlq show --json` writes it.
type shownLetter struct {
	upkeep.LetterSummary
	Digest string        `json:"digest"`
	Replay decode.Replay `json:"replay"`
	Why    string        `json:"why"`
	// With --payload: the message that was refused, as text if it is UTF-8.
	Message *string `json:"message,omitempty"`
	Bytes   []byte  `json:"message_base64,omitempty"`
}

func newDLQShowCommand(env *environment) *cobra.Command {
	var path, letters, out string
	var payload, asJSON bool
	c := &cobra.Command{
		Use: "show REF", Short: "Show one dead letter; the refused message itself only with --payload", Args: cobra.ExactArgs(1),
		Long: `show shows the dead letter of a number, or all dead letters of a record by its
place (source:partition:offset).

--payload shows the refused message too, if dead_letter.payload has kept it. It
is decrypted with encryption.key. This is personal data: give --out FILE, which
must not exist and gets mode 0600. Without --out it goes to standard output, and
is refused if that is a file that other users may read.`,
		Example: "  anond dlq show 17 -c anond.yaml --payload --out private.json",
		RunE: func(c *cobra.Command, args []string) error {
			ref, err := upkeep.ParseLetterRef(args[0])
			if err != nil {
				return cli.Usage("anond dlq list shows both", "%q: %v", args[0], err)
			}
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			if payload && out == "" {
				if err := private(env.Stdout); err != nil {
					return err
				}
			}
			found, err := upkeep.FindLetters(c.Context(), cfg, letters, ref, payload)
			if err != nil {
				return err
			}
			if len(found) == 0 {
				return fault.Errorf(fault.Failed, "anond dlq list shows those there are; dead letters that are not delivered yet are in the state",
					"there is no dead letter %s", args[0])
			}
			var shown []shownLetter
			for i := range found {
				rule := decode.RuleOf(cfg.Schema(), found[i].Reason, found[i].Attribute)
				shown = append(shown, showing(&found[i], rule, payload))
			}
			return env.writeShown(shown, out, asJSON, payload)
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	lettersFlag(c, &letters)
	c.Flags().BoolVar(&payload, "payload", false, "show the refused message too: personal data")
	c.Flags().StringVar(&out, "out", "", "write to this `file`, which must not exist (mode 0600)")
	return c
}

func showing(d *deadletter.Delivered, rule decode.ReplayRule, payload bool) shownLetter {
	s := shownLetter{LetterSummary: upkeep.SummaryOf(d), Digest: fmt.Sprintf("%x", d.Digest[:]), Replay: rule.Replay, Why: rule.Why}
	switch {
	case !payload || d.Payload == nil:
	case utf8.Valid(d.Payload):
		text := string(d.Payload)
		s.Message = &text
	default:
		s.Bytes = d.Payload
	}
	return s
}

// private refuses a standard output that is a file which others may read.
func private(stdout io.Writer) error {
	f, ok := stdout.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		return cli.Usage("give --out FILE, which gets mode 0600", "other users may read the file that standard output is")
	}
	return nil
}

// writeShown writes one object, or a list if the name has several dead letters.
func (e *environment) writeShown(shown []shownLetter, path string, asJSON, payload bool) (err error) {
	w := e.Stdout
	if path != "" {
		f, err := disk.Create(path, 0o600)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		w = f
	}
	if payload {
		fmt.Fprintln(e.Stderr, "note: this holds a person's values: keep it private, and delete it when you are done")
	}
	if asJSON {
		return cli.WriteJSON(w, shown)
	}
	for i := range shown {
		if err := printShown(w, &shown[i], payload); err != nil {
			return err
		}
	}
	return nil
}

func printShown(w io.Writer, s *shownLetter, payload bool) error {
	lines := [][2]string{{"number", strconv.FormatUint(s.Seq, 10)}, {"record", letterPlace(&s.LetterSummary)},
		{"delivered", deliveredAt(&s.LetterSummary)}, {"reason", plainly(s.Reason)}, {"attribute", plainly(s.Attribute)},
		{"replay", replayWords[s.Replay] + " (" + s.Why + ")"}, {"digest", s.Digest}, {"payload", s.Payload}}
	switch {
	case !payload:
	case s.Message != nil:
		lines = append(lines, [2]string{"message", strconv.QuoteToGraphic(*s.Message)})
	case s.Bytes != nil:
		lines = append(lines, [2]string{"message", fmt.Sprintf("%q", s.Bytes)})
	}
	for _, l := range lines {
		if _, err := fmt.Fprintf(w, "%-10s %s\n", l[0], l[1]); err != nil {
			return err
		}
	}
	return nil
}
