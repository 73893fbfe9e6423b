package incremental_test

import (
	"anond/incremental/plan"
	"anond/incremental/state"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/snapshot/audit"
	"anond/snapshot/render"
)

// chain runs a machine over a memory store and publishes its releases as the
// daemon does: rendered, shown to the auditor's gate, renamed, recorded.
type chain struct {
	*releaseDir
	seed  [32]byte
	store *memstore.Store
	m     *incremental.Machine
}

func newChain(t testing.TB, s *equivclass.Schema, p state.Policy, recoding render.Recoding,
	files ...render.HierarchyFile) *chain {
	t.Helper()
	c := &chain{releaseDir: newReleaseDir(t, s, p, recoding, files...), seed: [32]byte{7}, store: memstore.New()}
	c.open()
	return c
}

func (c *chain) open() {
	c.t.Helper()
	var err error
	c.m, err = incremental.Open(c.store, incremental.Options{Schema: c.schema, Policy: c.policy, Seed: c.seed, Seeded: true})
	require.NoError(c.t, err)
}

// crash loses everything that was not committed, and starts again: a release in
// progress goes on where it stopped, and the gate resumes.
func (c *chain) crash() {
	c.t.Helper()
	c.store = c.store.Crash()
	c.open()
	c.resume(c.m)
	if i := c.m.Releases().Latest(); i != nil && !i.Published {
		c.publish(i)
	}
}

// apply takes in one record; a record that does not fit goes to the outbox.
func (c *chain) apply(p state.Partition, offset int64, row equivclass.Row) incremental.Outcome {
	c.t.Helper()
	out, err := c.m.Apply(p, offset, row)
	require.NoError(c.t, err)
	if out.Reason != equivclass.Accepted {
		require.NoError(c.t, c.m.Refuse(state.DeadLetter{Partition: p, Offset: offset, Reason: out.Reason, Attribute: out.Attribute}))
	}
	return out
}

// cut decides a release and publishes it; nil if there is none.
func (c *chain) cut() *state.Intent {
	c.t.Helper()
	intent, err := c.m.Cut(1_700_000_000+int64(len(c.m.Releases().Intents())), [32]byte{1})
	require.NoError(c.t, err)
	if intent != nil {
		c.publish(intent)
	}
	require.Empty(c.t, c.m.CheckInvariants())
	return intent
}

func (c *chain) publish(intent *state.Intent) {
	c.t.Helper()
	c.releaseDir.publish(c.m, intent)
}

// certify demands that the auditor certifies everything.
func (c *chain) certify() *audit.Report {
	c.t.Helper()
	require.NoError(c.t, c.m.Commit())
	report := c.audit(c.m, c.store)
	require.Empty(c.t, report.Violations)
	require.Equal(c.t, audit.VerdictCertified, report.Verdict)
	return report
}

// infeasible reports whether an error refuses the first load (rule I, infeasible).
func infeasible(err error) bool {
	var e *plan.InfeasibleError
	return errors.As(err, &e)
}
