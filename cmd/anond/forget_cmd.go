package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/incremental/state"
	"anond/internal/abandon"
	"anond/internal/cli"
	"anond/internal/control"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/internal/ops/logs"
	"anond/internal/upkeep"
)

func newForgetCommand(env *environment) *cobra.Command {
	var path, from string
	var asJSON bool
	c := &cobra.Command{
		Use: "forget [SUBJECT]", Short: "Remove a person from the state",
		Long: `forget removes a person from the state: quasi-identifiers, sensitive value,
subject digest, where the records came from, and for the whole bucket (at level
L1: class) who has which value. Published rows stay, but belong to nobody:
removing a row would reveal whose it was. Later records of the person are blocked,
by a keyed digest that stays next to the ledger and is applied again when an older
state is restored.

The state of a stopped daemon is rewritten, without free pages. A running
daemon is asked over control.socket (without a socket: exit 4). It forgets in the
file, whose free pages may hold what was removed until the next start; the
receipt says so.

The subject is written as the records have it. An argument stays in the shell's
history: better give it in a file or on standard input, alone on a line. It is
neither printed nor logged. The receipt says what was removed, and where the
person's data may still be.

The sensitive value must not decide who is forgotten: see the threat model.`,
		Example: "  anond forget -c anond.yaml --from subject.txt\n  anond forget -c anond.yaml --from - < subject.txt",
		// The arguments may hold a subject, so no error repeats them (rule V, no person's value is shown).
		Args: func(_ *cobra.Command, args []string) error {
			if (len(args) == 1) == (from == "") && len(args) < 2 {
				return nil
			}
			return cli.Usage("anond forget --from FILE, or - for standard input", "give one subject: as an argument, or by --from")
		},
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			subject, err := abandon.At(c.Context(), func() ([]byte, error) { return env.subject(args, from) })
			if err != nil {
				return err
			}
			receipt, err := env.forget(c.Context(), cfg, subject)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, receipt)
			}
			return writeReceipt(env.Stdout, receipt)
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	c.Flags().StringVar(&from, "from", "", "`file` with the subject alone on its line; - is standard input")
	c.SetFlagErrorFunc(func(*cobra.Command, error) error {
		return cli.Usage("anond forget --help shows its flags; give a subject that begins with a dash by --from",
			"a flag is not known or has no value")
	})
	return c
}

// forget removes a person from the state: it asks the daemon that holds it, or does it itself.
func (e *environment) forget(ctx context.Context, cfg *config.Config, subject []byte) (*upkeep.Receipt, error) {
	if _, err := upkeep.CleanSubject(cfg, subject); err != nil {
		return nil, err
	}
	if cfg.Control.Socket != "" {
		text, err := control.NewClient(cfg.Control.Socket).Forget(ctx, subject)
		if err == nil {
			receipt := new(upkeep.Receipt)
			return receipt, json.Unmarshal(text, receipt)
		}
		if !errors.Is(err, control.ErrNobody) {
			return nil, err
		}
	}
	if _, err := os.Stat(cfg.State.Path); err != nil {
		return nil, err
	}
	receipt, err := upkeep.Forget(ctx, cfg, dataset.Options{Log: logs.New(e.Stderr, cfg.Log, cli.IsTerminal(e.Stderr)),
		StandIns: dataset.StandIns{Forgetting: afterForgetStep}}, subject)
	if errors.Is(err, state.ErrLocked) {
		hint := "stop the other process; a running anond forgets with control.socket set"
		if cfg.Control.Socket != "" {
			hint = "ask again when the other process has opened the state and answers at control.socket, or stop it"
		}
		err = fault.With(fault.Locked, hint, err)
	}
	return &receipt, err
}

// afterForgetStep is called behind each step of an erasure, by anond forget and by a daemon. Tests kill the process
// there; in operation it is nil.
var afterForgetStep func(step string) error

// maxSubject bounds what is read as a subject.
const maxSubject = 1 << 20

// subject reads the subject from the argument, or a file.
func (e *environment) subject(args []string, from string) ([]byte, error) {
	if len(args) == 1 {
		return subjectLine([]byte(args[0]))
	}
	in := e.Stdin
	if from != "-" {
		f, err := os.Open(from)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxSubject+1))
	if err != nil {
		return nil, err
	}
	return subjectLine(text)
}

var errSubject = errors.New("the subject must be one line that is not empty, of at most 1 MiB")

// subjectLine takes the end of the line from a subject.
func subjectLine(text []byte) ([]byte, error) {
	line := bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	if len(line) == 0 || len(text) > maxSubject || bytes.ContainsAny(line, "\r\n") {
		return nil, cli.Usage("one person at a time: run it once for each", "%s", errSubject)
	}
	return line, nil
}

// writeReceipt writes a receipt for people.
func writeReceipt(w io.Writer, r *upkeep.Receipt) error {
	var out strings.Builder
	line := func(name, text string) {
		out.WriteString(name + strings.Repeat(" ", max(1, 14-len(name))) + text + "\n")
	}
	line("dataset", r.Dataset)
	line("time", r.Time.Format("2006-01-02T15:04:05Z07:00"))
	person := r.Person + " (a keyed digest)"
	if r.Before {
		person += ", forgotten before"
	}
	line("person", person)
	x := r.Removed
	switch r.Fate {
	case upkeep.FateDeferred:
		line("waits", "a pool with the person is fixed and not decided: the person is forgotten when it is, by anond run")
	case upkeep.FateBefore:
		line("removed", "nothing: the person was forgotten before; the receipt of then says which releases show a row")
	case upkeep.FateLeft:
		line("removed", "nothing: the person has left the releases and the state with release.window")
		line("tell", "whoever received an older release: one of them shows a row (Art. 19 GDPR)")
	case upkeep.FateUnknown:
		line("removed", "nothing: the state has no record of the person")
	default:
		line("removed", cli.Count(x.Unpublished, "record")+" that waited")
		line("", "the owner of "+cli.Count(x.Published, "published row")+", with quasi-identifiers, value and origin")
		line("", "who has which value, for "+cli.Count(x.Unlinked, "other record")+" of the same buckets or classes")
	}
	if r.Fate == upkeep.FatePublished {
		line("tell", fmt.Sprintf("whoever received one of the releases %06d to %06d, which show the row (Art. 19 GDPR)", x.First, x.Last))
	} else if r.Fate == upkeep.FateWaited {
		line("tell", "nobody: the person was in no release, and will be in none")
	}
	if x.Derivable > 0 {
		line("derivable", "the value of "+cli.Count(x.Derivable, "published row")+": it follows from earlier classes of others")
	}
	line("blocked", "every later record of the person: "+r.List)
	for _, m := range r.Remains {
		line("remains", m.What+": "+m.Why)
		for _, where := range m.Where {
			line("", where)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}
