package incremental_test

import (
	"anond/incremental/state"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// unsynced is the file system of tests: without fsync, as no power is lost.
type unsynced struct{ snapshot.FS }

func (unsynced) Sync(string) error      { return nil }
func (unsynced) SyncAll([]string) error { return nil }

// releaseDir is where the releases of a machine stand, with the publisher and the gate
// of the daemon.
type releaseDir struct {
	t        testing.TB
	schema   *equivclass.Schema
	policy   state.Policy
	root     string
	settings *render.Settings
	gate     *gate.Gate
	out      *publish.Publisher
	rendered []*render.Rendered
}

func newReleaseDir(t testing.TB, s *equivclass.Schema, p state.Policy, recoding render.Recoding,
	files ...render.HierarchyFile) *releaseDir {
	t.Helper()
	c := &releaseDir{t: t, schema: s, policy: p, root: t.TempDir()}
	c.settings = &render.Settings{Dataset: "test", Recoding: recoding, Hierarchies: files, Workers: 1, Policy: snapshot.Policy{
		K: p.Requirement.K, L: p.Requirement.L, Diversity: render.DiversityOf(p.Requirement.Extra), Republication: string(p.Republication),
		MaxRegroups: p.MaxRegroups, SubjectRepeat: "first", MinPool: p.MinPool}}
	if p.Republication == state.Append {
		c.settings.Policy.MaxRegroups = 0
	}
	c.settings.Window, c.settings.Granule = p.Window.String(), p.Window.Granule
	if r := p.Erasure; !r.Keeps() {
		c.settings.Erasure = &snapshot.Erasure{Every: r.Every, Count: r.Count}
	}
	c.out = &publish.Publisher{FS: unsynced{snapshot.OS()}, Dir: filepath.Join(c.root, "releases"),
		Ledger: filepath.Join(c.root, "ledger"), Gate: gateOf{c}}
	require.NoError(t, c.out.Open())
	c.gate = c.newGate()
	return c
}

// newGate gives the releases the same budget of regroupings as the daemon's gate.
func (c *releaseDir) newGate() *gate.Gate {
	budget := c.policy.MaxRegroups
	if c.policy.Republication == state.Append {
		budget = 0
	}
	level := "L1"
	if c.policy.Level == state.L2 {
		level = "L2"
	}
	return gate.New(format.Policy{K: c.policy.Requirement.K, L: c.policy.Requirement.L, Republication: string(c.policy.Republication),
		Level: level, MaxRegroups: &budget})
}

// resume opens the releases again, after a crash: nothing is known but what is on disk
// and in state.
func (c *releaseDir) resume(m *incremental.Machine) {
	c.t.Helper()
	require.NoError(c.t, c.out.Open())
	c.gate = c.newGate()
	published := uint32(0)
	for _, i := range m.Releases().Intents() {
		if i.Published {
			published = i.Release
		}
	}
	if published > 0 {
		v, err := m.Releases().View(published)
		require.NoError(c.t, err)
		placed, err := c.out.Resume(publish.Of(v), c.settings)
		require.NoError(c.t, err)
		dir := filepath.Join(c.out.Dir, fmt.Sprintf("%06d", published))
		violations, err := c.gate.Resume(dir, placements(placed), m.Releases().Regroups(published))
		require.NoError(c.t, err)
		require.Empty(c.t, violations)
	}
}

// publish makes a release of an intent, and reports it to the machine.
func (c *releaseDir) publish(m *incremental.Machine, intent *state.Intent) {
	c.t.Helper()
	v, err := m.Releases().Change(intent.Release)
	require.NoError(c.t, err)
	out, err := c.out.Publish(publish.Of(v), c.settings)
	require.NoError(c.t, err)
	c.gate.Commit()
	require.NoError(c.t, m.Published(intent.Release, out.SHA256))
	c.rendered = append(c.rendered, out)
}

// gateOf adapts the auditor to the publisher.
type gateOf struct{ c *releaseDir }

func (g gateOf) Check(dir string, placed []render.Placement) error {
	violations, err := g.c.gate.Check(dir, placements(placed))
	if err != nil {
		return err
	}
	if len(violations) > 0 {
		return publish.Refuse(fmt.Errorf("%d violations, the first: %+v", len(violations), violations[0]))
	}
	return nil
}

func placements(placed []render.Placement) []gate.Placement {
	out := make([]gate.Placement, len(placed))
	for i, p := range placed {
		out[i] = gate.Placement{Part: p.Part, Records: p.Records, Classes: p.Classes}
	}
	return out
}

// exports writes members.csv and records.csv: what the auditor needs to certify.
func (c *releaseDir) exports(m *incremental.Machine, store state.Store) audit.Options {
	c.t.Helper()
	names := origins(c.t, m, store)
	members, records := [][]string{{"release", "record", "part", "class"}}, [][]string{{"record", "arrived_in_release"}}
	shared := c.policy.Level == state.L2
	if shared {
		members[0] = append(members[0], "bucket")
	}
	intents := m.Releases().Intents()
	v, err := m.Releases().Whole(uint32(len(intents)))
	require.NoError(c.t, err)
	membership := render.NewMembership(publish.Of(v), c.settings)
	for _, i := range intents {
		placed, err := membership.Of(i.Release)
		require.NoError(c.t, err)
		for _, p := range placed {
			for j, r := range p.Records {
				row := []string{strconv.Itoa(int(i.Release)), names[r], p.Part, strconv.Itoa(int(p.Classes[j]))}
				if shared {
					row = append(row, strconv.Itoa(int(p.Buckets[j])))
				}
				members = append(members, row)
			}
		}
	}
	all, release := m.Releases().All(), 0
	for i, a := range c.schema.Attributes() {
		if all.Dictionaries[i] != nil || a.Role == equivclass.Subject {
			records[0] = append(records[0], a.Name)
		}
	}
	for r := range all.Len() {
		for release < len(m.Releases().Intents()) && int(m.Releases().Intents()[release].Cut) <= r {
			release++
		}
		row := []string{names[r], ""}
		if release < len(m.Releases().Intents()) {
			row[1] = strconv.Itoa(release + 1)
		}
		records = append(records, append(row, c.texts(all, r)...))
	}
	o := audit.Options{Releases: c.out.Dir, Ledger: c.out.Ledger, Members: filepath.Join(c.root, "members.csv"),
		Records: filepath.Join(c.root, "records.csv")}
	c.write(o.Members, members)
	c.write(o.Records, records)
	if shared && c.settings.Recoding.Name() == snapshot.NamePermutation { // certified by nothing but a replay
		o.Replay = c.renderedAgain(m)
	}
	return o
}

// renderedAgain is what a replay says of the parts of all releases.
func (c *releaseDir) renderedAgain(m *incremental.Machine) *audit.Replay {
	out := &audit.Replay{Outcome: audit.ReplayCertified, Parts: map[int]map[string]string{}}
	for _, i := range m.Releases().Intents() {
		v, err := m.Releases().Change(i.Release)
		require.NoError(c.t, err)
		files, err := render.Births(publish.Of(v), c.settings)
		require.NoError(c.t, err)
		out.Parts[int(i.Release)] = map[string]string{}
		for _, f := range files {
			out.Parts[int(i.Release)][f.Name] = f.SHA256
		}
	}
	return out
}

func (c *releaseDir) write(path string, rows [][]string) {
	f, err := os.Create(path)
	require.NoError(c.t, err)
	require.NoError(c.t, csv.NewWriter(f).WriteAll(rows))
	require.NoError(c.t, f.Close())
}

// texts are the values of a record that state keeps, in schema order.
func (c *releaseDir) texts(v *incremental.View, r int) (out []string) {
	j := 0 // quasi-identifiers so far
	for i, a := range c.schema.Attributes() {
		switch a.Role {
		case equivclass.Quasi:
			out = append(out, v.Dictionaries[i].Text(v.QI[j].At(int(r))))
			j++
		case equivclass.Sensitive:
			out = append(out, v.Dictionaries[i].Text(v.SA[0].At(int(r))))
		case equivclass.Subject:
			if out = append(out, strconv.FormatUint(v.Subject[r], 16)); v.Subject[r] == 0 { // was forgotten
				out[len(out)-1] = fmt.Sprintf("forgotten-%d", r)
			}
		}
	}
	return out
}

// origins names the records as source:partition:offset.
func origins(t testing.TB, m *incremental.Machine, store state.Store) (names []string) {
	byNumber := map[uint16]state.Partition{}
	for p, pos := range m.Intake().Positions() {
		byNumber[pos.Number] = p
	}
	require.NoError(t, store.Load(state.Visitor{
		Records: func(b *state.RecordBlock) error {
			for i, n := range b.Origin {
				if b.Offset[i] < 0 { // its person was forgotten
					names = append(names, fmt.Sprintf("forgotten:0:%d", len(names)))
					continue
				}
				names = append(names, fmt.Sprintf("%s:%d:%d", byNumber[n].Source, byNumber[n].ID, b.Offset[i]))
			}
			return nil
		},
		Meta: func(state.Meta) error { return nil }, Counters: func(state.Counters) error { return nil },
		Dictionary: func(int, string) error { return nil }, Class: func(*state.Class) error { return nil },
		Intent: func(*state.Intent) error { return nil }, Quarantined: func([]state.RecordID) error { return nil },
		Attempt:  func(*state.Attempt) error { return nil },
		Position: func(state.Partition, state.Position) error { return nil }, Outbox: func(uint64, int) error { return nil },
	}))
	return names
}

// audit returns the independent auditor's report on everything published.
func (c *releaseDir) audit(m *incremental.Machine, store state.Store) *audit.Report {
	c.t.Helper()
	report, err := audit.Dir(c.exports(m, store))
	require.NoError(c.t, err)
	return report
}
