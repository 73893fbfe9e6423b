package publishtest

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/promise"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// Eras is a chain of level L2 whose settings change: what its releases show, and the settings of the newest era.
//
// Releases 1 and 2 are of the first era: k 2, quasi-identifiers age, postcode and ward, sensitive illness, recoding buckets. From release 3
// on k is 3, ward is not published and income is, the hierarchy of postcodes is another, there is a sensitive attribute drug with pair
// tables, no illness has more than half of a bucket, and recoding is permutation.
type Eras struct {
	Input    *render.Input // of the newest release
	Settings *render.Settings
	// Records are texts by column: age, postcode, ward, income, illness, drug.
	Records [][]string
	Window  uint32 // releases that parts stay; 0: for ever
}

// CoarsePostcodes is the hierarchy of the second era.
const CoarsePostcodes = "1011;10**;*\n1012;10**;*\n1021;10**;*\n2011;20**;*\n"

// NewEras makes the chain up to a release. The release after 3 repeat the second era.
func NewEras(t testing.TB, releases uint32) *Eras {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	age := equivclass.Attribute{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer}
	fine := equivclass.Attribute{Name: "postcode", Role: equivclass.Quasi, Type: equivclass.Categorical, Hierarchy: Tree(t, Postcodes)}
	coarse := fine
	coarse.Hierarchy = Tree(t, CoarsePostcodes)
	all := []equivclass.Attribute{age, fine, {Name: "ward", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "income", Role: equivclass.Quasi, Type: equivclass.Integer, Steps: []int64{100, 1000}},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "drug", Role: equivclass.Sensitive, Type: equivclass.Categorical}}
	e := &Eras{}
	codes, dicts := make([][]equivclass.Code, len(all)), make([]*equivclass.Dictionary, len(all))
	for j, a := range all {
		dicts[j] = equivclass.NewDictionary(a)
	}
	in := &render.Input{Release: releases, CreatedAt: 1_700_000_000 + int64(releases), Shared: true, FirstNeed: 8, Pending: 3}
	bucket := uint32(0)
	illnesses, drugs := []string{"asthma", "cold", "flu", "gout"}, []string{"A", "B", "C"}
	for release := uint32(1); release <= releases; release++ {
		k, buckets := 2, 2
		if release > 2 {
			k, buckets = 3, 8
		}
		for b := range buckets {
			bucket++
			ill, drug := rng.Perm(len(illnesses)), rng.Perm(len(drugs))
			for c := range 2 {
				var members []equivclass.RecordID
				for i := range k {
					record := []string{fmt.Sprint(20 + 10*b + 5*c + rng.IntN(5)), []string{"1011", "1012", "1021", "2011"}[(b+i)%4],
						[]string{"ward-e", "ward-w"}[c], fmt.Sprint(1000 + 300*c + rng.IntN(100)), illnesses[ill[(c*k+i)%4]], drugs[drug[(c*k+i)%3]]}
					for j, text := range record {
						code, why := dicts[j].Encode([]byte(text))
						require.Equal(t, equivclass.Accepted, why)
						codes[j] = append(codes[j], code)
					}
					members = append(members, equivclass.RecordID(len(e.Records)))
					e.Records = append(e.Records, record)
				}
				in.Classes = append(in.Classes, render.Class{Born: release, Bucket: bucket, Members: members})
			}
		}
	}
	columns := func(postcode equivclass.Attribute, of ...int) (out render.Columns) {
		var attributes []equivclass.Attribute
		for _, j := range of {
			a, d, column := all[j], dicts[j].Frozen(), equivclass.ColumnOf(codes[j])
			if a.Name == "postcode" {
				a = postcode
				own := equivclass.NewDictionary(a)
				var renumbered []equivclass.Code
				for _, record := range e.Records {
					code, _ := own.Encode([]byte(record[j]))
					renumbered = append(renumbered, code)
				}
				d, column = own.Frozen(), equivclass.ColumnOf(renumbered)
			}
			attributes, out.Dictionaries = append(attributes, a), append(out.Dictionaries, d)
			if a.Role == equivclass.Sensitive {
				out.SA = append(out.SA, column)
				continue
			}
			out.QI = append(out.QI, column)
			out.Scale = append(out.Scale, map[string]equivclass.Range{"age": {Hi: 100}, "income": {Hi: 5000}}[a.Name])
		}
		var err error
		out.Schema, err = equivclass.NewSchema(attributes, equivclass.RefuseMissing)
		require.NoError(t, err)
		return out
	}
	policy := snapshot.Policy{K: 2, L: 2, Republication: "append", SubjectRepeat: "first"}
	former := &render.Settings{Dataset: "hospital", Policy: policy, Recoding: render.Buckets(), Seed: render.Secret{1},
		Hierarchies: []render.HierarchyFile{{Attribute: "postcode", File: "postcode.csv", Content: []byte(Postcodes)}}}
	e.Settings = &render.Settings{Dataset: "hospital", Policy: policy, Recoding: render.DrawnValues([32]byte{1}), Seed: render.Secret{1},
		Promises: map[int]*promise.Promise{3: {Most: promise.NewRatio(1, 2)}}, Tables: [][2]string{{"illness", "drug"}},
		Hierarchies: []render.HierarchyFile{{Attribute: "postcode", File: "postcode.csv", Content: []byte(CoarsePostcodes), Grown: true}}}
	e.Settings.Policy.K = 3
	in.Former = []render.Era{{Until: 2, Settings: former, Columns: columns(fine, 0, 1, 2, 4)}}
	in.Columns = columns(coarse, 0, 1, 3, 4, 5)
	e.Input = in
	return e
}

// Publish publishes all releases into a directory.
func (e *Eras) Publish(t testing.TB, dir string) (out *render.Rendered) {
	t.Helper()
	p := publish.Publisher{FS: snapshot.OS(), Dir: dir, Ledger: filepath.Join(t.TempDir(), "ledger"), Gate: OpenGate{}}
	require.NoError(t, p.Open())
	for release := uint32(1); release <= e.Input.Release; release++ {
		var err error
		out, err = p.Publish(e.At(release), e.Settings)
		require.NoError(t, err)
	}
	return out
}

// Withdraw has buckets leave with releases.
func (e *Eras) Withdraw(died map[uint32]uint32) {
	kept := e.Input.Classes[:0]
	for _, c := range e.Input.Classes {
		if c.Died = died[c.Bucket]; c.Died > 0 {
			e.Input.Dead = append(e.Input.Dead, c)
		} else {
			kept = append(kept, c)
		}
	}
	e.Input.Classes = kept
}

// At is what a release shows, whose whole history is there.
func (e *Eras) At(release uint32) *render.Input {
	in := *e.Input
	in.Release, in.CreatedAt, in.Classes, in.Dead = release, 1_700_000_000+int64(release), nil, nil
	if e.Window > 0 {
		in.Past = func(release uint32) render.Past {
			return render.Past{CreatedAt: 1_700_000_000 + int64(release), Expired: release - min(release, e.Window), Births: true}
		}
		in.Expired = in.Past(release).Expired
	}
	for _, c := range e.Input.Classes {
		if c.Born <= release && c.Born > in.Expired {
			in.Classes = append(in.Classes, c)
		}
	}
	for _, c := range e.Input.Dead {
		switch {
		case c.Born > release:
		case c.Died > release:
			c.Died = 0
			in.Classes = append(in.Classes, c)
		default:
			in.Dead = append(in.Dead, c)
		}
	}
	return &in
}
