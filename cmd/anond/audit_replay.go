package main

import (
	"context"
	"fmt"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/upkeep"
	"anond/snapshot/audit"
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
	whole, err := besideOf(ctx, cfg, func(cfg *config.Config, copied bool) (out audit.Options, err error) {
		var exporter *upkeep.Exporter
		if exporter, recording, err = upkeep.OpenReplay(ctx, cfg); err != nil {
			return out, err
		}
		return exported(cfg, exporter, copied)
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
	return e.audit(ctx, whole, f)
}

// replaying shows on a terminal how far a replay is, until it is done.
func (e *environment) replaying(worlds, records int) (progress func(world, applied int), done func()) {
	show, done := e.Progressing("replay")
	return func(world, applied int) { show(int64(world*records+applied), int64((worlds+1)*records)) }, done
}

// replayOf is a result as the auditor takes it.
func replayOf(r *replay.Result) *audit.Replay {
	out := &audit.Replay{Outcome: audit.ReplayCertified, Worlds: r.Worlds, Releases: r.Releases, Cuts: r.Cuts, Skipped: r.Skipped,
		Quarantined: r.Quarantined, Parts: map[int]map[string]string{}, Others: r.Others}
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
