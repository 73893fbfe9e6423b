package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"anond/incremental/boltstore"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/subjectledger"
	"anond/internal/cli"
	"anond/internal/fault"
)

// aroundOwners stands between a daemon and its ledger of subjects. Tests kill the process there; in operation it is nil.
var aroundOwners func(ingest.Owners) ingest.Owners

// ledgerContent is what anond ledger shows.
type ledgerContent struct {
	Dir      string         `json:"dir"`
	ID       string         `json:"id"`
	Key      string         `json:"subject_key"` // names it
	Bytes    int64          `json:"bytes"`
	Datasets []ledgerMember `json:"datasets"`
	// Compared: the state of this dataset has seen nothing that is not there. Otherwise a process holds it, or there is none.
	Compared bool `json:"compared"`
}

type ledgerMember struct {
	Dataset   string `json:"dataset"`
	State     string `json:"state"` // names the seed's check
	People    int    `json:"people"`
	GivenBack bool   `json:"given_back,omitempty"` // a reset gave back those before
}

func newLedgerCommand(env *environment) *cobra.Command {
	c := &cobra.Command{Use: "ledger", Short: "Show and check the subject ledger that datasets share",
		Long: `The subject ledger (subject.ledger) knows which person belongs to which of an
owner's datasets: the one at which the first record arrived. It has digests only,
and these commands show none of them.`}
	c.AddCommand(newLedgerReadCommand(env, "list", "List the datasets of the ledger, with how many people each has", false),
		newLedgerReadCommand(env, "check", "Read the whole ledger, and compare it with this dataset's state (exit 1 or 5)", true))
	return c
}

func newLedgerReadCommand(env *environment, name, short string, compare bool) *cobra.Command {
	var path string
	var asJSON bool
	c := &cobra.Command{Use: name, Short: short, Example: "  anond ledger " + name + " -c anond.yaml",
		RunE: cli.Answering(func(c *cobra.Command, _ []string) error {
			cfg, options, err := env.stateOptions(c.Context(), path)
			if err != nil {
				return err
			}
			if cfg.SubjectLedger == "" {
				return fault.Errorf(fault.Config, "name the directory that the datasets share", "subject.ledger is not set")
			}
			out := ledgerContent{Dir: cfg.SubjectLedger}
			var seen state.LedgerMark
			if compare {
				if seen, out.Compared, err = seenBy(cfg.State.Path, options); err != nil {
					return err
				}
			}
			content, err := subjectledger.Read(c.Context(), cfg.SubjectLedger, seen)
			if err != nil {
				return err
			}
			out.ID, out.Key, out.Bytes = hex.EncodeToString(content.ID[:]), content.Key, content.Size
			for _, m := range content.Members {
				out.Datasets = append(out.Datasets, ledgerMember{m.Dataset, hex.EncodeToString(m.State[:4]), m.Claimed, m.GivenBack > 0})
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, out)
			}
			return env.printLedger(out, compare)
		})}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	return c
}

// seenBy is how far a state has seen its ledger, unless a process holds the state or there is none.
func seenBy(path string, o boltstore.Options) (seen state.LedgerMark, compared bool, err error) {
	info, err := boltstore.Info(path, o)
	if errors.Is(err, state.ErrLocked) || errors.Is(err, os.ErrNotExist) {
		return seen, false, nil
	}
	return info.Ledger, err == nil, err
}

func (e *environment) printLedger(out ledgerContent, compare bool) error {
	fmt.Fprintf(e.Stdout, "ledger %s: %s, subject key %s\n", out.ID, cli.Count(len(out.Datasets), "dataset"), out.Key)
	t := cli.NewTable(e.Stdout, cli.Left("dataset", 24), cli.Left("state", 8), cli.Right("people", 12), cli.Left("", 0))
	for _, m := range out.Datasets {
		note := ""
		if m.GivenBack {
			note = "a reset gave back those before"
		}
		t.Row(m.Dataset, m.State, strconv.Itoa(m.People), note)
	}
	if !compare {
		return nil
	}
	said := "the state has seen nothing that is not there"
	if !out.Compared {
		said = "the state was not compared: a process holds it, or there is none"
	}
	_, err := fmt.Fprintf(e.Stdout, "the ledger is whole (%s); %s\n", cli.Count(int(out.Bytes), "byte"), said)
	return err
}
