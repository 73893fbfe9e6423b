package anonymize

import (
	"crypto/sha256"
	"math/rand/v2"

	"anond/equivclass"
	"anond/snapshot"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// rings reports whether each row has its own cells.
func (o *Options) rings() bool { return o.Method.Name == methodRings }

// draws are the random draws of a purpose (rule R, randomness).
func (o *Options) draws(purpose string) rand.Source {
	return rand.NewChaCha8(sha256.Sum256(append([]byte("anond "+purpose+" 1\x00"), o.Seed[:]...)))
}

// writeRelease writes release 1 through the steps of the daemon, gate included. A
// chain of one release needs no ledger.
func writeRelease(in *render.Input, o Options) (*snapshot.Manifest, error) {
	recoding, err := render.ParseRecoding(o.Recoding, render.RecodingOptions{Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	settings := &render.Settings{Dataset: o.Dataset, Recoding: recoding, Seed: o.Seed,
		Hierarchies: o.Hierarchies, Policy: snapshot.Policy{K: o.Want.K, L: o.Want.L, Diversity: render.DiversityOf(o.Want.Extra),
			Republication: "append", SubjectRepeat: "first"}}
	budget := 0
	publisher := &publish.Publisher{FS: snapshot.OS(), Dir: o.Dir,
		Gate: auditGate{gate.New(format.Policy{K: o.Want.K, L: o.Want.L, Republication: "append", MaxRegroups: &budget})}}
	if err := publisher.Open(); err != nil {
		return nil, err
	}
	out, err := publisher.Publish(in, settings)
	if err != nil {
		return nil, err
	}
	return &out.Manifest, nil
}

// inputOf shows groups of a table as the classes of a first release.
func inputOf(t *inputTable, groups [][]int32, o Options) *render.Input {
	in := &render.Input{Release: 1, CreatedAt: o.Now().Unix(), Seeded: o.Seeded, Pending: t.Len() + t.Repeats,
		Schema: t.Schema, QI: equivclass.ColumnsOf(t.qi()), SA: []equivclass.Column{equivclass.ColumnOf(t.SA())}, Dictionaries: t.Frozen()}
	in.Scale = equivclass.ScalesOf(t.Columns(t.Schema.Quasi()...).Dicts, in.QI, t.Len())
	for _, g := range groups {
		in.Pending -= len(g)
		in.Classes = append(in.Classes, render.Class{Born: 1, Members: records(g)})
	}
	return in
}

// records are rows of a table as a release numbers them.
func records(rows []int32) []equivclass.RecordID {
	out := make([]equivclass.RecordID, len(rows))
	for i, row := range rows {
		out[i] = equivclass.RecordID(row)
	}
	return out
}

// auditGate is the auditor as publish.Gate.
type auditGate struct{ audit *gate.Gate }

// Check implements publish.Gate.
func (g auditGate) Check(dir string, placed []render.Placement) error {
	given := make([]gate.Placement, len(placed))
	for i, p := range placed {
		given[i] = gate.Placement{Part: p.Part, Records: p.Records, Classes: p.Classes}
	}
	violations, err := g.audit.Check(dir, given)
	if err != nil {
		return err
	}
	return publish.Refuse(format.Summary(violations))
}
