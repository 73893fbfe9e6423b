package incremental_test

import (
	"anond/incremental/state"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/snapshot/audit"
	"anond/snapshot/publish"
)

func (h *host) publish() string {
	i := h.m.Releases().Latest()
	require.NotNil(h.t, i, "%s: there is nothing to publish", h.d.Pos)
	if h.files != nil {
		h.write(i)
	} else if err := h.m.Published(i.Release, [32]byte{byte(i.Release)}); err != nil {
		return h.failure(err)
	}
	return intentLine(h.m.Releases().Latest())
}

// write makes the files of a release. A host that is restless does so with nothing in
// memory.
func (h *host) write(i *state.Intent) {
	if h.restless {
		h.files.resume(h.m)
	}
	h.files.publish(h.m, i)
	h.seen = append(h.seen, h.m.Releases().Latest().Manifest[:]...)
}

// release cuts and publishes; with `end` at the end of the source. With `dies` the
// process ends behind that step and is started again: behind the intent, or behind a
// step of the publication.
func (h *host) release() string {
	before := len(h.m.Releases().Intents())
	if !h.forgetDue() {
		return "failed: nothing was committed"
	}
	decide, dies := h.m.Cut, ""
	if h.d.HasArg("end") {
		decide = h.m.Flush
	}
	h.d.MaybeScanArgs(h.t, "dies", &dies)
	begun := goroutinesBegun()
	intent, err := decide(h.createdAt(), [32]byte{1})
	h.begun += goroutinesBegun() - begun
	out := h.decided(intent, err)
	if h.failed || len(h.m.Releases().Intents()) == before {
		return out
	}
	if dies != "" && !h.steady {
		if dies != "intent" && h.files != nil {
			h.diesAt(publish.Step(dies))
		}
		h.again(false)
		return intentLine(h.m.Releases().Latest())
	}
	return h.publish()
}

var errDied = errors.New("the process died")

// diesAt publishes up to a step.
func (h *host) diesAt(step publish.Step) {
	h.files.out.Hook = func(s publish.Step) error {
		if s == step {
			return errDied
		}
		return nil
	}
	v, err := h.m.Releases().Change(h.m.Releases().Latest().Release)
	require.NoError(h.t, err)
	_, err = h.files.out.Publish(publish.Of(v), h.files.settings)
	require.ErrorIs(h.t, err, errDied, "there is no step %s", step)
	h.files.out.Hook = nil
}

// restart kills the process and starts it again: a release that was begun is finished,
// and the source delivers from the stored positions on. The order is that of the first
// time, or with `by=partition` one partition after the other. With `after=failure` a
// commit fails before.
func (h *host) restart() string {
	by, after := "", ""
	h.d.MaybeScanArgs(h.t, "by", &by)
	h.d.MaybeScanArgs(h.t, "after", &after)
	if h.steady {
		return "restarted"
	}
	if after != "" {
		h.store.next = true
		if err := h.m.Commit(); err != nil {
			require.ErrorIs(h.t, err, errTold)
		}
	}
	h.again(by == "partition")
	return "restarted"
}

// again is the new process.
func (h *host) again(byPartition bool) {
	h.crash()
	h.open()
	if h.files != nil {
		h.files.resume(h.m)
	}
	if i := h.m.Releases().Latest(); i != nil && !i.Published && h.files != nil {
		h.write(i)
	}
	h.redeliver(byPartition)
}

// redeliver is what a source does that goes on at the stored positions. Each record has
// the time at which it arrived first.
func (h *host) redeliver(byPartition bool) {
	stored := map[state.Partition]int64{}
	for p, pos := range h.m.Intake().Positions() {
		stored[p] = pos.Next
	}
	lost := slices.Clone(h.log)
	h.log = slices.DeleteFunc(h.log, func(d delivered) bool { return d.offset >= stored[d.partition] })
	lost = slices.DeleteFunc(lost, func(d delivered) bool { return d.offset < stored[d.partition] })
	if byPartition {
		slices.SortStableFunc(lost, func(a, b delivered) int { return cmp.Compare(a.partition.ID, b.partition.ID) })
	}
	now := h.now
	for _, d := range lost {
		h.now = d.now
		h.m.Tick(d.now)
		var out applied
		if d.deletes {
			require.NoError(h.t, h.deleteOne(d.partition, d.offset, d.row[0]), h.d.Pos)
			continue
		}
		require.NoError(h.t, h.applyRow(&out, d.partition, d.offset, d.row), h.d.Pos)
	}
	h.now = now
	h.m.Tick(now)
}

// audit has the independent auditor read everything that was published, with the
// exports of who is where.
func (h *host) audit() string {
	require.NotNil(h.t, h.files, "%s: audit needs a machine with a recoding", h.d.Pos)
	require.NoError(h.t, h.m.Commit())
	require.EqualValues(h.t, len(h.log), h.m.Status().Sent, "%s: a record is lost, or counted twice", h.d.Pos)
	if len(h.m.Releases().Intents()) == 0 {
		return "nothing is published"
	}
	report := h.files.audit(h.m, h.store)
	h.report = report
	require.Empty(h.t, report.Violations, h.d.Pos)
	require.Equal(h.t, audit.VerdictCertified, report.Verdict, h.d.Pos)
	if b := h.policy.MaxRegroups; b >= 0 && h.policy.Republication == state.Regroup {
		require.LessOrEqual(h.t, len(report.Regroups), b+1, "rule E (equality patterns)")
	}
	return fmt.Sprintf("%s: %d releases, %d records", report.Verdict, len(h.m.Releases().Intents()), h.m.Status().Published)
}

// rowOf reads a record as a script writes it.
func rowOf(fields []string) (row equivclass.Row) {
	for _, field := range fields {
		if field == "" {
			row = append(row, nil)
		} else {
			row = append(row, []byte(field))
		}
	}
	return row
}
