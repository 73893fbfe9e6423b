package incremental_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/snapshot"
	"anond/snapshot/audit"
)

// unsynced is the file system of tests: without fsync, as no power is lost.
type unsynced struct{ snapshot.FS }

func (unsynced) Sync(string) error      { return nil }
func (unsynced) SyncAll([]string) error { return nil }

// chain runs a machine over a memory store and publishes its releases as the
// daemon does: rendered, shown to the auditor's gate, renamed, recorded.
type chain struct {
	t        testing.TB
	schema   *equivclass.Schema
	policy   incremental.Policy
	seed     [32]byte
	store    *memstore.Store
	m        *incremental.Machine
	root     string
	settings *snapshot.Settings
	gate     *audit.Gate
	out      *snapshot.Publisher
	rendered []*snapshot.Rendered
}

// gateOf adapts the auditor to the publisher.
type gateOf struct{ c *chain }

func (g gateOf) Check(dir string, placed []snapshot.Placement) error {
	violations, err := g.c.gate.Check(dir, placements(placed))
	if err != nil {
		return err
	}
	if len(violations) > 0 {
		return snapshot.Refuse(fmt.Errorf("%d violations, the first: %+v", len(violations), violations[0]))
	}
	return nil
}

func placements(placed []snapshot.Placement) []audit.Placement {
	out := make([]audit.Placement, len(placed))
	for i, p := range placed {
		out[i] = audit.Placement{Part: p.Part, Records: p.Records, Classes: p.Classes}
	}
	return out
}

func newChain(t testing.TB, s *equivclass.Schema, p incremental.Policy, recoding snapshot.Recoding,
	files ...snapshot.HierarchyFile) *chain {
	t.Helper()
	c := &chain{t: t, schema: s, policy: p, seed: [32]byte{7}, store: memstore.New(), root: t.TempDir()}
	c.settings = &snapshot.Settings{Dataset: "test", Recoding: recoding, Hierarchies: files, Workers: 1, Policy: snapshot.Policy{
		K: p.Requirement.K, L: p.Requirement.L, Diversity: snapshot.DiversityOf(p.Requirement.Extra), Republication: string(p.Republication),
		MaxRegroups: p.MaxRegroups, SubjectRepeat: string(p.Repeat)}}
	if p.Republication == incremental.Append {
		c.settings.Policy.MaxRegroups = 0
	}
	c.out = &snapshot.Publisher{FS: unsynced{snapshot.OS()}, Dir: filepath.Join(c.root, "releases"),
		Ledger: filepath.Join(c.root, "ledger"), Gate: gateOf{c}}
	require.NoError(t, c.out.Open())
	c.gate = c.newGate()
	c.open()
	return c
}

// newGate gives the releases the same budget of regroupings as the daemon's gate.
func (c *chain) newGate() *audit.Gate {
	budget := c.policy.MaxRegroups
	if c.policy.Republication == incremental.Append {
		budget = 0
	}
	return audit.NewGate(audit.Policy{K: c.policy.Requirement.K, L: c.policy.Requirement.L, Republication: string(c.policy.Republication),
		MaxRegroups: &budget})
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
	require.NoError(c.t, c.out.Open())
	c.gate = c.newGate()
	published := uint32(0)
	for _, i := range c.m.Intents() {
		if i.Published {
			published = i.Release
		}
	}
	if published > 0 {
		v, err := c.m.View(published)
		require.NoError(c.t, err)
		placed, err := c.out.Resume(snapshot.Of(v), c.settings)
		require.NoError(c.t, err)
		violations, err := c.gate.Resume(filepath.Join(c.out.Dir, fmt.Sprintf("%06d", published)), placements(placed), c.m.Regroups(published))
		require.NoError(c.t, err)
		require.Empty(c.t, violations)
	}
	if i := c.m.Latest(); i != nil && !i.Published {
		c.publish(i)
	}
}

// apply takes in one record; a record that does not fit goes to the outbox.
func (c *chain) apply(p incremental.Partition, offset int64, row equivclass.Row) incremental.Outcome {
	c.t.Helper()
	out, err := c.m.Apply(p, offset, row)
	require.NoError(c.t, err)
	if out.Reason != equivclass.Accepted {
		require.NoError(c.t, c.m.Refuse(incremental.DeadLetter{Partition: p, Offset: offset, Reason: out.Reason, Attribute: out.Attribute}))
	}
	return out
}

// cut decides a release and publishes it; nil if there is none.
func (c *chain) cut() *incremental.Intent {
	c.t.Helper()
	intent, err := c.m.Cut(1_700_000_000+int64(len(c.m.Intents())), [32]byte{1})
	require.NoError(c.t, err)
	if intent != nil {
		c.publish(intent)
	}
	require.Empty(c.t, c.m.CheckInvariants())
	return intent
}

func (c *chain) publish(intent *incremental.Intent) {
	c.t.Helper()
	v, err := c.m.Change(intent.Release)
	require.NoError(c.t, err)
	out, err := c.out.Publish(snapshot.Of(v), c.settings)
	require.NoError(c.t, err)
	c.gate.Commit()
	require.NoError(c.t, c.m.Published(intent.Release, out.SHA256))
	c.rendered = append(c.rendered, out)
}

// exports writes members.csv and records.csv: what the auditor needs to certify.
func (c *chain) exports() audit.Options {
	c.t.Helper()
	names := c.origins()
	members, records := [][]string{{"release", "record", "part", "class"}}, [][]string{{"record", "arrived_in_release"}}
	intents := c.m.Intents()
	v, err := c.m.View(uint32(len(intents)))
	require.NoError(c.t, err)
	membership := snapshot.NewMembership(snapshot.Of(v), c.settings, 1)
	for _, i := range intents {
		placed, err := membership.Of(i.Release)
		require.NoError(c.t, err)
		for _, p := range placed {
			for j, r := range p.Records {
				members = append(members, []string{strconv.Itoa(int(i.Release)), names[r], p.Part, strconv.Itoa(int(p.Classes[j]))})
			}
		}
	}
	all, release := c.m.All(), 0
	for i, a := range c.schema.Attributes() {
		if all.Dictionaries[i] != nil || a.Role == equivclass.Subject || a.Role == equivclass.Flag {
			records[0] = append(records[0], a.Name)
		}
	}
	for r := range all.SA {
		for release < len(c.m.Intents()) && int(c.m.Intents()[release].Cut) <= r {
			release++
		}
		row := []string{names[r], ""}
		if release < len(c.m.Intents()) {
			row[1] = strconv.Itoa(release + 1)
		}
		records = append(records, append(row, c.texts(all, r)...))
	}
	o := audit.Options{Releases: c.out.Dir, Ledger: c.out.Ledger, Members: filepath.Join(c.root, "members.csv"),
		Records: filepath.Join(c.root, "records.csv")}
	c.write(o.Members, members)
	c.write(o.Records, records)
	return o
}

func (c *chain) write(path string, rows [][]string) {
	f, err := os.Create(path)
	require.NoError(c.t, err)
	require.NoError(c.t, csv.NewWriter(f).WriteAll(rows))
	require.NoError(c.t, f.Close())
}

// texts are the values of a record that state keeps, in schema order.
func (c *chain) texts(v *incremental.View, r int) (out []string) {
	j := 0 // quasi-identifiers so far
	for i, a := range c.schema.Attributes() {
		switch a.Role {
		case equivclass.Quasi:
			out = append(out, v.Dictionaries[i].Text(v.QI[j][r]))
			j++
		case equivclass.Semi:
			k := slices.Index(c.schema.Semi(), i)
			out = append(out, v.Dictionaries[i].Text(v.Semi[k][r]))
		case equivclass.Flag:
			k := slices.IndexFunc(c.schema.Semi(), func(semi int) bool { return c.schema.FlagIndex(semi) == i })
			out = append(out, strconv.FormatBool(v.Flags[r]>>k&1 == 1))
		case equivclass.Sensitive:
			out = append(out, v.Dictionaries[i].Text(v.SA[r]))
		case equivclass.Subject:
			out = append(out, strconv.FormatUint(v.Subject[r], 16))
		}
	}
	return out
}

// origins names the records as source:partition:offset.
func (c *chain) origins() (names []string) {
	byNumber := map[uint16]incremental.Partition{}
	for p, pos := range c.m.Positions() {
		byNumber[pos.Number] = p
	}
	require.NoError(c.t, c.store.Load(incremental.Visitor{
		Records: func(b *incremental.RecordBlock) error {
			for i, n := range b.Origin {
				names = append(names, fmt.Sprintf("%s:%d:%d", byNumber[n].Source, byNumber[n].ID, b.Offset[i]))
			}
			return nil
		},
		Meta: func(incremental.Meta) error { return nil }, Counters: func(incremental.Counters) error { return nil },
		Dictionary: func(int, string) error { return nil }, Class: func(*incremental.Class) error { return nil },
		Intent: func(*incremental.Intent) error { return nil }, Quarantined: func([]incremental.RecordID) error { return nil },
		Attempt:  func(*incremental.Attempt) error { return nil },
		Position: func(incremental.Partition, incremental.Position) error { return nil }, Outbox: func(uint64, int) error { return nil },
	}))
	return names
}

// audit returns the independent auditor's report on everything published.
func (c *chain) audit() *audit.Report {
	c.t.Helper()
	report, err := audit.Dir(c.exports())
	require.NoError(c.t, err)
	return report
}

// certify demands that the auditor certifies everything.
func (c *chain) certify() *audit.Report {
	c.t.Helper()
	require.NoError(c.t, c.m.Commit())
	report := c.audit()
	require.Empty(c.t, report.Violations)
	require.Equal(c.t, audit.VerdictCertified, report.Verdict)
	return report
}

// counts checks that no record is lost.
func (c *chain) counts(sent int) {
	s := c.m.Status()
	if int(s.Sent) != sent || sent != s.Published+s.Pending.Total()+int(s.DeadLetter) {
		require.Fail(c.t, "a record is lost", "%d of %d records sent: %+v", s.Sent, sent, s)
	}
}

// infeasible reports whether an error refuses the first load (rule I, infeasible).
func infeasible(err error) bool {
	var e *incremental.InfeasibleError
	return errors.As(err, &e)
}
