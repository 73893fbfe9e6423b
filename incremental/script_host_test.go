package incremental_test

import (
	"anond/incremental/erase"
	"anond/incremental/plan"
	"anond/incremental/state"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/snapshot/audit"
)

// host does for a script what the daemon does for its machine.
type host struct {
	name  string
	place place
	way   // how it differs from what a script says
	t     testing.TB
	d     *datadriven.TestData

	design
	store    *failing
	m        *incremental.Machine
	files    *releaseDir // nil: no files are written
	now      int64
	subjects map[uint64]string // by digest: state keeps no other name
	failed   bool              // the command at hand failed
	log      []delivered       // every record that was delivered, once
	seen     []byte            // digests of the manifests, which all hosts share
	begun    int               // goroutines that decisions began
	report   *audit.Report     // of the newest audit
	erased   erase.Forgotten
	settled  int // how often it was opened under other settings
}

// delivered is a record with the machine's time at which it arrived.
type delivered struct {
	now       int64
	partition state.Partition
	offset    int64
	row       equivclass.Row
	deletes   bool // the row is a subject alone, which is to be forgotten
}

func (h *host) machine() string {
	h.design = setting(h.t, h.d)
	h.workers()
	h.store, h.now, h.subjects, h.log, h.seen = &failing{Store: h.place.fresh()}, 0, map[uint64]string{}, nil, nil
	h.erased, h.settled = erase.Forgotten{}, 0
	if h.recoding != nil {
		h.files = newReleaseDir(h.t, h.schema, h.policy, h.recoding, h.design.files...)
		h.files.settings.Workers = max(1, h.policy.Workers)
	}
	h.open()
	h.m.Tick(h.now)
	var fields []string
	for _, a := range h.schema.Attributes() {
		fields = append(fields, a.Name)
	}
	return "records are " + strings.Join(fields, "/")
}

func (h *host) open() {
	m, err := incremental.Open(h.store, h.options())
	require.NoError(h.t, err, h.d.Pos)
	h.m = m
}

func (h *host) options() incremental.Options {
	return incremental.Options{Schema: h.schema, Policy: h.policy, Seed: [32]byte{7}, Seeded: h.policy.Level == state.L1,
		SubjectKey: h.subjectKey}
}

// afterwards checks what must hold after each command, and restarts the host that is
// restarted after every commit.
func (h *host) afterwards(commits bool) {
	if h.m == nil {
		return
	}
	if h.restless && commits && !h.failed {
		h.again(false)
	}
	h.failed = false
	require.Empty(h.t, h.m.CheckInvariants(), h.d.Pos)
	s := h.m.Status()
	require.Equal(h.t, s.Sent, s.Accounted(), "%s: a record is lost: %+v", h.d.Pos, s)
	knowsThoseCounted(h.t, h.m, h.d.Pos)
}

// knowsThoseCounted demands that a state knows as many people as were counted when releases were sealed: one that knows fewer
// than the ledger counted does not start.
func knowsThoseCounted(t testing.TB, m *incremental.Machine, at any) {
	t.Helper()
	counted := 0
	for _, i := range m.Releases().Intents() {
		require.LessOrEqual(t, counted, i.Digests, "%v: release %d", at, i.Release)
		counted = i.Digests
	}
	require.LessOrEqual(t, counted, m.Digests(), at)
}

func (h *host) apply() string {
	p, offset := source, int64(-1)
	for _, arg := range h.d.CmdArgs {
		switch arg.Key {
		case "partition":
			arg.Scan(h.t, 0, &p.ID)
		case "offset":
			arg.Scan(h.t, 0, &offset)
		}
	}
	if offset < 0 {
		offset, _ = h.m.Intake().Next(p)
	}
	var out applied
	for _, text := range strings.Fields(h.d.Input) {
		if err := h.applyOne(&out, p, offset, text); err != nil {
			out.lines = append(out.lines, h.failure(err))
			break
		}
		offset++
	}
	return out.String()
}

func (h *host) applyOne(out *applied, p state.Partition, offset int64, text string) error {
	row := rowOf(strings.Split(text, "/"))
	require.Len(h.t, row, len(h.schema.Attributes()), "%s: %q", h.d.Pos, text)
	if err := h.applyRow(out, p, offset, row); err != nil || !h.eager {
		return err
	}
	return h.m.Commit()
}

func (h *host) applyRow(out *applied, p state.Partition, offset int64, row equivclass.Row) error {
	got, err := h.m.Apply(p, offset, row)
	if err == nil && !got.Known {
		h.log = append(h.log, delivered{now: h.now, partition: p, offset: offset, row: row})
	}
	switch {
	case err != nil:
		return err
	case got.Known:
		out.known++
	case got.Forgotten:
		out.blocked++
	case got.Beyond:
		out.barred++
	case got.Reason != equivclass.Accepted:
		out.lines = append(out.lines, fmt.Sprintf("refused offset %d: %s of %s", offset, got.Reason, got.Attribute))
		if i := h.schema.SubjectIndex(); i >= 0 && got.Attribute == h.schema.Attributes()[h.schema.SensitiveIndex()].Name {
			if err := h.m.Bar(row[i]); err != nil {
				return err
			}
		}
		return h.m.Refuse(state.DeadLetter{Partition: p, Offset: offset, Reason: got.Reason, Attribute: got.Attribute})
	default:
		all := h.m.Releases().All()
		out.ids = append(out.ids, all.Len()-1)
		if i := h.schema.SubjectIndex(); i >= 0 {
			h.subjects[all.Subject[all.Len()-1]] = string(row[i])
		}
	}
	return nil
}

func (h *host) tick() string {
	h.d.ScanArgs(h.t, "now", &h.now)
	h.m.Tick(h.now)
	return fmt.Sprintf("now %d", h.m.Status().Now)
}

func (h *host) commit() string {
	if err := h.m.Commit(); err != nil {
		return h.failure(err)
	}
	return "committed"
}

func (h *host) cut() string { return h.decided(h.m.Cut(h.createdAt(), [32]byte{1})) }

func (h *host) flush() string { return h.decided(h.m.Flush(h.createdAt(), [32]byte{1})) }

func (h *host) createdAt() int64 { return 1_700_000_000 + int64(len(h.m.Releases().Intents())) }

func (h *host) decided(i *state.Intent, err error) string {
	switch {
	case err != nil:
		return h.failure(err)
	case i == nil:
		return "skipped"
	}
	return intentLine(i)
}

func (h *host) fail() string {
	h.store.next = true
	return "the next commit fails"
}

func (h *host) crash() string {
	s, err := h.place.again(h.store.Store)
	require.NoError(h.t, err)
	h.store, h.m = &failing{Store: s}, nil
	return "gone"
}

func (h *host) reopen() string {
	h.open()
	h.m.Tick(h.now)
	next, _ := h.m.Intake().Next(source)
	out := fmt.Sprintf("%d records, reading goes on at offset %d", h.m.Releases().All().Len(), next)
	if i := h.m.Releases().Latest(); i != nil {
		out += "\n" + intentLine(i)
	}
	return out
}

func (h *host) deliver() string {
	letters, err := h.store.Outbox(0, 100, 1<<30)
	require.NoError(h.t, err)
	if len(letters) > 0 {
		h.m.Intake().Delivered(letters[len(letters)-1].Seq, len(letters))
	}
	if err := h.m.Commit(); err != nil {
		return h.failure(err)
	}
	return fmt.Sprintf("%d delivered", len(letters))
}

// failure names the kind of an error. Scripts do not depend on its wording.
func (h *host) failure(err error) string {
	h.failed = true
	var e *plan.InfeasibleError
	switch {
	case errors.As(err, &e):
		return infeasibleLine(e)
	case errors.Is(err, state.ErrUnpublished):
		return "refused: the release before is not published"
	case errors.Is(err, incremental.ErrStateFull):
		return "refused: the state is full"
	case errors.Is(err, incremental.ErrBroken):
		return "refused: a commit failed before"
	case errors.Is(err, erase.ErrNotErasable):
		return "not forgotten: published under these settings"
	case errors.Is(err, erase.ErrNobodyElse):
		return "not forgotten: there is nobody else"
	case errors.Is(err, errTold):
		return "failed: nothing was committed"
	}
	require.NoError(h.t, err, h.d.Pos)
	return ""
}
