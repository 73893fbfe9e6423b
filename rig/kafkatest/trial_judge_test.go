package kafkatest

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"anond/snapshot"
	"anond/snapshot/audit"
)

// judge looks at a stopped site from outside, and has its union audited.
func (t *trial) judge(ctx context.Context, s *trialSite) error {
	t.say("%s is looked at", s.name)
	e, err := s.gather(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	faults := e.faults()
	more, err := s.audited(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	t.report.judged(s.name, e, append(faults, more...))
	return s.count(t.report.of(s.name))
}

// audited has the union audited with the exports of all shards, and each state checked.
func (s *trialSite) audited(ctx context.Context) (faults []string, err error) {
	out, err := s.command(ctx, "audit", "--releases", "releases", "--ledger", "union.ledger", "--exports", "exports", "--json")
	var report audit.Report
	if e := json.Unmarshal([]byte(out), &report); e != nil {
		return nil, fmt.Errorf("anond audit: %w, %w", e, err)
	}
	if err != nil || report.Verdict != audit.VerdictCertified {
		faults = append(faults, fmt.Sprintf("the union is %s", report.Verdict))
	}
	for i := range s.processes() {
		if _, err := s.command(ctx, "state", "check", "-c", s.file(i)); err != nil {
			faults = append(faults, err.Error())
		}
	}
	if _, err := s.command(ctx, "release", "verify", "--dir", "releases", "--ledger", "union.ledger"); err != nil {
		faults = append(faults, err.Error())
	}
	return faults, nil
}

// replayed has all decisions of each shard made again from its state, undisturbed and in the
// order in which it had the records.
func (t *trial) replayed(ctx context.Context, s *trialSite) error {
	for i := range s.processes() {
		t.say("the decisions of shard %d are made again", i)
		out, err := s.command(ctx, "audit", "-c", s.file(i), "--replay", fmt.Sprint(t.Worlds), "--json")
		var report audit.Report
		if e := json.Unmarshal([]byte(out), &report); e != nil {
			return fmt.Errorf("anond audit --replay: %w, %w", e, err)
		}
		r := report.Replay
		if err != nil || r == nil || r.Outcome != audit.ReplayCertified || report.Verdict != audit.VerdictCertified {
			t.report.fault(s.name, fmt.Sprintf("shard %d: made again, its decisions are not the same: %+v (%s)", i, r, report.Verdict))
			continue
		}
		t.report.Replayed += r.Releases
	}
	return nil
}

// count fills in how many releases there are.
func (s *trialSite) count(r *trialRun) error {
	m, err := snapshot.Show(snapshot.OS(), filepath.Join(s.dir, "releases"), 0)
	if err != nil {
		return err
	}
	r.UnionReleases, r.Releases = int(m.Release), nil
	for _, e := range m.Union.Shards {
		r.Releases = append(r.Releases, int(e.Release))
	}
	return nil
}
