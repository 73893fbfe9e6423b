package main

import (
	"context"
	"fmt"
	"time"

	"anond/config"
	"anond/incremental"
	"anond/incremental/state"
	"anond/internal/cli"
	"anond/internal/upkeep"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/publish"
	"anond/snapshot/replay"
)

// auditReplayed audits what a configuration names, and makes all decisions of its state
// again, also in so many worlds. Exports and replay are of one reading of the state.
func (e *environment) auditReplayed(ctx context.Context, cfg *config.Config, f *auditFlags) error {
	if cfg.Policy.Level != config.L2 {
		return cli.Usage("leave --replay out", "--replay checks level L2, and this dataset has level %s: at that level who shares a class "+
			"follows from values too", cfg.Policy.Level)
	}
	var recording *replay.Recording
	var note publish.ReplayNote
	whole, err := besideOf(ctx, cfg, func(cfg *config.Config, copied bool) (out audit.Options, err error) {
		var exporter *upkeep.Exporter
		if exporter, recording, err = upkeep.OpenReplay(ctx, cfg); err != nil {
			return out, err
		}
		note = newestOf(exporter.Machine().Releases().Intents())
		return exported(cfg, exporter, copied || f.until)
	})
	if err != nil {
		return err
	}
	whole.RequireCertified = f.RequireCertified
	progress, done := e.replaying(f.worlds, recording.Records())
	found, err := recording.Run(f.worlds, progress)
	done()
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	whole.Replay = replayOf(found)
	report, err := e.audit(ctx, whole, f)
	if report != nil && (report.Level.L2 == audit.VerdictCertified || report.Level.L2 == audit.VerdictSealed && found.Whole()) {
		note.Algorithm, note.Cuts, note.Worlds, note.At = incremental.Algorithm, found.Cuts, found.Worlds, time.Now()
		if unnoted := publish.NoteReplay(snapshot.OS(), whole.Ledger, note); unnoted != nil {
			fmt.Fprintf(e.Stderr, "warning: %v: a later version cannot tell that this replay found no difference\n", unnoted)
		}
	}
	return err
}

// newestOf is the newest published release as a note has it.
func newestOf(intents []state.Intent) (n publish.ReplayNote) {
	for _, i := range intents {
		if i.Published {
			n.Release, n.Manifest = i.Release, i.Manifest
		}
	}
	return n
}

// replaying shows on a terminal how far a replay is, until it is done.
func (e *environment) replaying(worlds, records int) (progress func(world, applied int), done func()) {
	show, done := e.Progressing("replay")
	return func(world, applied int) { show(int64(world*records+applied), int64((worlds+1)*records)) }, done
}

// replayOf is a result as the auditor takes it.
func replayOf(r *replay.Result) *audit.Replay {
	out := &audit.Replay{Outcome: audit.ReplayCertified, Worlds: r.Worlds, Releases: r.Releases, Cuts: r.Cuts, Skipped: r.Skipped,
		Quarantined: r.Quarantined, Parts: map[int]map[string]string{}, Others: r.Others,
		Foreign: audit.Extent(r.Foreign)}
	for _, p := range r.Parts {
		out.Parts[int(p.Release)] = p.Files
	}
	for _, n := range r.Ownerless {
		out.Ownerless = append(out.Ownerless, int(n))
	}
	if d := r.Difference; d != nil {
		out.Outcome, out.Reason, out.World = audit.ReplayViolated, d.What, d.World
		out.Release, out.Classes, out.Records = int(d.Release), d.Classes, d.Records
	}
	if r.Obstacle != "" {
		out.Outcome, out.Reason = audit.ReplayNone, r.Obstacle
	}
	return out
}
