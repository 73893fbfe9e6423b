package oneoff

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"

	"anond/equivclass"
	"anond/equivclass/bucketize"
	"anond/incremental"
	"anond/snapshot"
	"anond/snapshot/audit"
)

// recoding returns how the classes are written. What randomization and rings
// draw becomes the view's sensitive values.
func (o *Options) recoding(p *equivclass.Pool, groups [][]int32, v *incremental.View) (snapshot.Recoding, error) {
	switch {
	case o.Recoding == Randomization:
		v.SA = bucketize.Randomize(p, groups, o.Retention, o.coins("randomization"))
		values := math.MaxInt
		for _, g := range groups {
			values = min(values, len(p.Bag(g).Counts))
		}
		return snapshot.Randomization(o.Retention, values), nil
	case o.rings():
		return o.ringRecoding(p, groups, v), nil
	}
	return snapshot.ParseRecoding(o.Recoding, snapshot.RecodingOptions{Seed: o.Seed, Slices: o.Slices})
}

// rings tells whether each row has cells of its own.
func (o *Options) rings() bool { return o.Method.Name == snapshot.MethodRings }

func (o *Options) ringRecoding(p *equivclass.Pool, groups [][]int32, v *incremental.View) snapshot.Recoding {
	covers := make([][]incremental.RecordID, p.Len())
	sa := make([]equivclass.Code, p.Len())
	rows := bucketize.RingShift(p, groups, o.Want.L, o.coins("ng"))
	for _, ring := range groups {
		for i, at := range ring {
			for _, r := range rows[i].Covers {
				covers[at] = append(covers[at], incremental.RecordID(r))
			}
			sa[at] = rows[i].SA
		}
		rows = rows[len(ring):]
	}
	v.SA = sa
	return snapshot.Rings(covers)
}

// coins are the draws of a purpose (rule R).
func (o *Options) coins(purpose string) rand.Source {
	return rand.NewChaCha8(sha256.Sum256(append([]byte("anond "+purpose+" 1\x00"), o.Seed[:]...)))
}

// publish writes release 1 through the steps of the daemon, gate included. A
// chain of one release needs no ledger. What promises nothing across releases
// the gate reads, but does not certify; a release by the paper's LGB it passes at
// level rows.
func publish(v *incremental.View, recoding snapshot.Recoding, o Options) (*snapshot.Manifest, error) {
	settings := &snapshot.Settings{Dataset: o.Dataset, Recoding: recoding, Hierarchies: o.Hierarchies, Policy: snapshot.Policy{
		K: o.Want.K, L: o.Want.L, Diversity: snapshot.DiversityOf(o.Want.Extra), Republication: "append", SubjectRepeat: "first"}}
	budget := 0
	publisher := &snapshot.Publisher{FS: snapshot.OS(), Dir: o.Dir,
		Gate: gate{audit.NewGate(audit.Policy{K: o.Want.K, L: o.Want.L, Republication: "append", MaxRegroups: &budget, Rows: true})}}
	if err := publisher.Open(); err != nil {
		return nil, err
	}
	out, err := publisher.Publish(v, settings)
	if err != nil {
		return nil, err
	}
	return &out.Manifest, nil
}

func viewOf(t *Table, groups [][]int32, o Options) *incremental.View {
	v := &incremental.View{Seeded: o.Seeded, Schema: t.Schema, QI: t.QI, SA: t.SA, Dictionaries: make([]*equivclass.Dictionary, len(t.Dicts))}
	for i, d := range t.Dicts {
		if d != nil {
			v.Dictionaries[i] = d.Frozen()
		}
	}
	published := 0
	for _, g := range groups {
		class := incremental.ClassView{Regime: incremental.Frozen, Born: 1}
		for _, r := range g {
			class.Members = append(class.Members, incremental.RecordID(r))
		}
		published += len(g)
		v.Classes = append(v.Classes, class)
	}
	v.Intent = incremental.Intent{Release: 1, Cut: incremental.RecordID(t.Len()), CreatedAt: o.Now().Unix(), Records: published, Classes: len(groups),
		Newcomers: published, Pending: incremental.Pending{Waiting: t.Len() - published, SubjectRepeat: t.Repeats}}
	return v
}

// gate is the auditor as snapshot.Gate.
type gate struct{ audit *audit.Gate }

// Check implements snapshot.Gate.
func (g gate) Check(dir string, members []uint32) error {
	violations, err := g.audit.Check(dir, members)
	if err != nil || len(violations) == 0 {
		return err
	}
	v := violations[0]
	return snapshot.Refuse(fmt.Errorf("%d violations, the first of rule %s: %s (class %d)", len(violations), v.Rule, v.Detail, v.Class))
}
