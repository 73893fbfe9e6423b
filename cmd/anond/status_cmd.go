package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/cli"
	"anond/internal/control"
	"anond/internal/dataset"
	"anond/internal/fault"
)

func newStatusCommand(env *environment) *cobra.Command {
	var path string
	var asJSON, watch bool
	c := &cobra.Command{
		Use: "status", Short: "Show on one screen how the daemon is doing",
		Long: `status asks the running daemon over its control socket. Without one it shows status.json,
which a daemon writes each second, and says how old it is, and how and when that daemon ended.
Of a file that is of several shards it shows a line for each that this host has; SHARD=3 anond status shows one.`,
		Example: "  anond status --watch",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, _, err := cli.LoadConfig(c.Context(), &env.Env, path)
			if err != nil {
				return err
			}
			if cfg.Shard.Open {
				return env.showShards(c.Context(), path, cfg, watch, asJSON)
			}
			if watch {
				return env.watchStatus(c.Context(), cfg, asJSON)
			}
			s, err := currentStatus(c.Context(), cfg, time.Now())
			if err != nil {
				return err
			}
			return env.showStatus(s, nil, asJSON)
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	c.Flags().BoolVar(&watch, "watch", false, "show it again each second, until interrupted")
	return c
}

// shownStatus is a status and where it comes from.
type shownStatus struct {
	*dataset.Status
	// Live: a running daemon has answered. Note says what is to be made of it otherwise.
	Live  bool        `json:"live"`
	Note  string      `json:"note,omitempty"`
	hold  config.Hold // policy.max_hold: a number of releases if the ticks of the counts are such
	fresh bool        // it tells of the present
	held  bool        // it does not, and a process has the state
}

// currentStatus asks the daemon, else reads its file.
func currentStatus(ctx context.Context, cfg *config.Config, now time.Time) (*shownStatus, error) {
	if cfg.Control.Socket != "" {
		text, err := control.NewClient(cfg.Control.Socket).Status(ctx)
		if err == nil {
			s := new(dataset.Status)
			return &shownStatus{Status: s, Live: true, hold: cfg.Policy.MaxHold, fresh: true}, json.Unmarshal(text, s)
		}
		if !errors.Is(err, control.ErrNobody) {
			return nil, err
		}
	}
	s, err := readStatus(dataset.StatusPath(cfg))
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fault.Errorf(fault.Failed, "start anond run with this configuration; while it opens its state there is none",
			"no daemon has written a status yet")
	}
	// While the state is compacted, there is no socket, and the lock goes from one file to the other.
	compacts := s.Doing == ingest.DoingCompact
	lives := compacts || cfg.Control.Socket == "" && boltstore.Held(cfg.State.Path)
	out := &shownStatus{Status: s, hold: cfg.Policy.MaxHold, fresh: lives && now.Sub(s.Time) <= freshFor}
	if s.Ended != nil {
		out.fresh = false
	}
	if !out.fresh {
		out.held = boltstore.Held(cfg.State.Path)
		out.Note = noteOf(out)
	}
	return out, nil
}

// noteOf says what is to be made of a status that tells of the past.
func noteOf(s *shownStatus) string {
	from := s.Time.UTC().Format(time.RFC3339)
	switch {
	case s.held:
		return fmt.Sprintf("a process has the state and does not answer; this is from %s", from)
	case s.Ended != nil:
		return fmt.Sprintf("no daemon runs; this is from %s", from)
	}
	return fmt.Sprintf("no daemon runs; this is from %s, and how that one ended was not noted: it was killed, has crashed, "+
		"or had a full disk. Its log, and the log of the service manager, may say more", from)
}

// watchStatus shows the status each second.
func (e *environment) watchStatus(ctx context.Context, cfg *config.Config, asJSON bool) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var before *shownStatus
	for {
		s, err := currentStatus(ctx, cfg, time.Now())
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if cli.IsTerminal(e.Stdout) {
			fmt.Fprint(e.Stdout, "\x1b[H\x1b[2J")
		}
		if err := e.showStatus(s, before, asJSON); err != nil {
			return err
		}
		before = s
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// showStatus prints one screen. before is the status shown before, from which rates follow.
func (e *environment) showStatus(s, before *shownStatus, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(e.Stdout, s)
	}
	t := cli.NewTable(e.Stdout, cli.Left("", 14), cli.Left("", 0))
	for _, l := range statusLines(s, before) {
		t.Row(l[0], l[1])
	}
	if t.Err == nil {
		_, t.Err = fmt.Fprintln(e.Stdout)
	}
	return t.Err
}
