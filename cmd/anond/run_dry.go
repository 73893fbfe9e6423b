package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"anond/config"
	"anond/equivclass"
	"anond/incremental"
	"anond/ingest"
	"anond/internal/cli"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/ops/logs"
)

// rehearsed is what anond run --once --dry-run prints.
type rehearsed struct {
	Read     uint64                       `json:"read"`     // records
	Accepted uint64                       `json:"accepted"` // of them
	Beyond   int                          `json:"beyond"`   // of these: never published
	Refused  map[equivclass.Reason]uint64 `json:"refused"`  // of them
	// Ignored are lines and messages that are no records.
	Ignored map[equivclass.Reason]uint64 `json:"ignored"`
	Unread  ingest.Unread                `json:"unread"`
	// ForgetDue are people whose deletes were read: a run would forget them before the release, and
	// the plan still has them.
	ForgetDue int `json:"forget_due,omitempty"`
	// Plan is what a release would publish; absent while the first load waits for more records.
	Plan      *incremental.Outlook   `json:"plan,omitempty"`
	FirstLoad *incremental.FirstLoad `json:"first_load,omitempty"`
}

// rehearse is anond run --once --dry-run.
func (e *environment) rehearse(ctx context.Context, path string, again, asJSON bool) error {
	cfg, err := e.loadWarned(path)
	if err != nil {
		return err
	}
	level := new(slog.LevelVar)
	out, working := withWork(e.Stderr)
	o := dataset.Options{Log: logs.NewSteered(out, cfg.Log, cli.IsTerminal(e.Stderr), level, nil), Lookup: e.Lookup,
		Stdin: e.Stdin, Again: again}
	level.Set(max(level.Level(), slog.LevelWarn)) // what the loop says of its work is not true of this one
	if working != nil {
		o.Observe = func(r ingest.Report) { working(reading(r)) }
		defer working("")
	}
	r, err := besideOf(ctx, cfg, func(cfg *config.Config, _ bool) (ingest.Rehearsal, error) { return daemon.Rehearse(ctx, cfg, o) })
	if err != nil {
		return err
	}
	if err := e.printRehearsal(rehearsedOf(&r), asJSON); err != nil {
		return err
	}
	if r.Plan != nil && r.Plan.Infeasible != nil {
		return r.Plan.Infeasible
	}
	return nil
}

// reading says how far the reading is, on a terminal.
func reading(r ingest.Report) string {
	if r.Doing != "" && r.Doing != ingest.DoingCommit {
		return strings.ReplaceAll(r.Doing, "_", " ")
	}
	lag, known := r.Source.Lag(r.Time)
	if !known {
		return fmt.Sprintf("reading: %d records", r.Machine.Sent)
	}
	return fmt.Sprintf("reading: %d records, lag %d", r.Machine.Sent, lag)
}

func rehearsedOf(r *ingest.Rehearsal) *rehearsed {
	out := &rehearsed{Read: r.After.Sent - r.Before.Sent, Refused: since(r.Before.Refused, r.After.Refused),
		Ignored: since(r.Before.Ignored, r.After.Ignored), Unread: r.Unread, ForgetDue: r.After.ForgetDue, Plan: r.Plan,
		Beyond: r.After.Beyond - r.Before.Beyond}
	out.Accepted = out.Read - (r.After.DeadLetter - r.Before.DeadLetter)
	if r.Plan == nil {
		out.FirstLoad = r.After.FirstLoad
	}
	return out
}

// since is by how much counts have grown.
func since(before, after map[equivclass.Reason]uint64) map[equivclass.Reason]uint64 {
	out := map[equivclass.Reason]uint64{}
	for why, n := range after {
		if n > before[why] {
			out[why] = n - before[why]
		}
	}
	return out
}

func (e *environment) printRehearsal(r *rehearsed, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(e.Stdout, r)
	}
	fmt.Fprintln(e.Stdout, "dry run: nothing was written")
	t := cli.NewTable(e.Stdout, cli.Left("", 16), cli.Left("", 0))
	t.Row("read", cli.Count(int(r.Read), "record"))
	t.Row("accepted", fmt.Sprint(r.Accepted))
	if r.Beyond > 0 {
		t.Row("beyond", fmt.Sprintf("%d of these, of people who are known: they are never published", r.Beyond))
	}
	t.Row("refused", reasons(r.Refused))
	if len(r.Ignored) > 0 {
		t.Row("no records", reasons(r.Ignored))
	}
	if n := r.Unread.Unterminated; n > 0 {
		t.Row("unread", cli.Count(n, "line")+" without line break at the end of a file")
	}
	if r.ForgetDue > 0 {
		t.Row("to be forgotten", fmt.Sprintf("%d people, who are below still", r.ForgetDue))
	}
	if f := r.FirstLoad; f != nil {
		t.Row("release", fmt.Sprintf("none: the first load has %d of %d records", f.Records, f.Wanted))
	}
	if t.Err != nil || r.Plan == nil {
		return t.Err
	}
	return e.printOutlook(r.Plan, nil)
}

// reasons lists counts, the largest first.
func reasons(of map[equivclass.Reason]uint64) string {
	if len(of) == 0 {
		return "0"
	}
	sum := uint64(0)
	for _, n := range of {
		sum += n
	}
	return fmt.Sprintf("%d: %s", sum, reasonList(of))
}

// reasonList is reasons without their sum.
func reasonList(of map[equivclass.Reason]uint64) string {
	var parts []string
	names := slices.SortedFunc(maps.Keys(of), func(a, b equivclass.Reason) int {
		return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b))
	})
	for _, why := range names {
		parts = append(parts, fmt.Sprintf("%s %d", why, of[why]))
	}
	return strings.Join(parts, ", ")
}
