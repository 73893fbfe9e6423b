package oneoff

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"

	"anond/equivclass"
	"anond/equivclass/bucketize"
	"anond/snapshot"
	"anond/snapshot/audit"
)

// recoding returns how the classes are written. What randomization and rings
// draw becomes the input's sensitive values.
func (o *Options) recoding(p *equivclass.Pool, groups [][]int32, in *snapshot.Input) (snapshot.Recoding, error) {
	switch {
	case o.Recoding == snapshot.NameRandomization:
		in.SA = equivclass.ColumnOf(bucketize.Randomize(p, groups, o.Retention, o.draws("randomization")))
		values := math.MaxInt
		for _, g := range groups {
			values = min(values, len(p.Bag(g).Counts))
		}
		return snapshot.Randomization(o.Retention, values), nil
	case o.rings():
		return o.ringRecoding(p, groups, in), nil
	}
	return snapshot.ParseRecoding(o.Recoding, snapshot.RecodingOptions{Seed: o.Seed, Slices: o.Slices})
}

// rings reports whether each row has its own cells.
func (o *Options) rings() bool { return o.Method.Name == snapshot.MethodRings }

func (o *Options) ringRecoding(p *equivclass.Pool, groups [][]int32, in *snapshot.Input) snapshot.Recoding {
	covers := make([][]snapshot.Record, p.Len())
	sa := make([]equivclass.Code, p.Len())
	rows := bucketize.RingShift(p, groups, o.Want.L, o.draws("ng"))
	for _, ring := range groups {
		for i, at := range ring {
			covers[at] = records(rows[i].Covers)
			sa[at] = rows[i].SA
		}
		rows = rows[len(ring):]
	}
	in.SA = equivclass.ColumnOf(sa)
	return snapshot.Rings(covers)
}

// draws are the random draws of a purpose (rule R, randomness).
func (o *Options) draws(purpose string) rand.Source {
	return rand.NewChaCha8(sha256.Sum256(append([]byte("anond "+purpose+" 1\x00"), o.Seed[:]...)))
}

// publish writes release 1 through the steps of the daemon, gate included. A
// chain of one release needs no ledger. The gate reads a
// release without a promise across releases, but does not certify it. It accepts a
// release by the paper's LGB at level rows.
func publish(in *snapshot.Input, recoding snapshot.Recoding, o Options) (*snapshot.Manifest, error) {
	settings := &snapshot.Settings{Dataset: o.Dataset, Recoding: recoding, Seed: o.Seed,
		Hierarchies: o.Hierarchies, Policy: snapshot.Policy{K: o.Want.K, L: o.Want.L, Diversity: snapshot.DiversityOf(o.Want.Extra),
			Republication: "append", SubjectRepeat: "first"}}
	budget := 0
	publisher := &snapshot.Publisher{FS: snapshot.OS(), Dir: o.Dir,
		Gate: gate{audit.NewGate(audit.Policy{K: o.Want.K, L: o.Want.L, Republication: "append", MaxRegroups: &budget, Rows: true})}}
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
func inputOf(t *Table, groups [][]int32, o Options) *snapshot.Input {
	in := &snapshot.Input{Release: 1, CreatedAt: o.Now().Unix(), Seeded: o.Seeded, Pending: t.Len() + t.Repeats,
		Schema: t.Schema, QI: equivclass.ColumnsOf(t.qi()), SA: equivclass.ColumnOf(t.sa()), Dictionaries: t.Frozen()}
	for _, g := range groups {
		in.Pending -= len(g)
		in.Classes = append(in.Classes, snapshot.Class{Born: 1, Members: records(g)})
	}
	return in
}

// records are rows of a table as a release numbers them.
func records(rows []int32) []snapshot.Record {
	out := make([]snapshot.Record, len(rows))
	for i, row := range rows {
		out[i] = snapshot.Record(row)
	}
	return out
}

// gate is the auditor as snapshot.Gate.
type gate struct{ audit *audit.Gate }

// Check implements snapshot.Gate.
func (g gate) Check(dir string, placed []snapshot.Placement) error {
	given := make([]audit.Placement, len(placed))
	for i, p := range placed {
		given[i] = audit.Placement{Part: p.Part, Records: p.Records, Classes: p.Classes}
	}
	violations, err := g.audit.Check(dir, given)
	if err != nil || len(violations) == 0 {
		return err
	}
	v := violations[0]
	return snapshot.Refuse(fmt.Errorf("%d violations, the first of rule %s: %s (class %d)", len(violations), v.Rule, v.Detail, v.Class))
}
