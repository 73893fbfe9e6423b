package oneoff

import (
	"encoding/binary"
	"fmt"
	"time"

	"anond/equivclass"
	"anond/incremental"
	"anond/snapshot"
	"anond/snapshot/audit"
)

// Options is what a one-off release is asked to be.
type Options struct {
	Method   Method
	Recoding string
	Want     equivclass.Requirement
	T        float64 // t-closeness, beside that in Want; 0: not asked
	Ground   string  // its ground distance
	// References are the declared distributions of t-closeness, by attribute of
	// the schema; without one, it is to the values published.
	References  map[int][]equivclass.ValueCount
	Dataset     string
	Hierarchies []snapshot.HierarchyFile
	Dir         string
	Seed        [32]byte // rule R: keys every draw, never written anywhere
	Seeded      bool     // the seed was given, not drawn
	Now         func() time.Time
}

// Report is what a run did, in numbers.
type Report struct {
	Method   string `json:"method"`
	Recoding string `json:"recoding"`
	Dir      string `json:"dir"`
	K        int    `json:"k"`
	L        int    `json:"l"`
	// Extra principles by name.
	Extra     []string  `json:"extra,omitempty"`
	Seeded    bool      `json:"seeded"`
	Read      int       `json:"read"`
	Published int       `json:"published"`
	Held      Held      `json:"held"`
	Refused   []Refused `json:"refused"`
	Classes   Sizes     `json:"classes"`
	Achieved  Achieved  `json:"achieved"`
	Loss      Loss      `json:"loss"`
	K1        string    `json:"k1"`
	Seconds   float64   `json:"seconds"` // of the partitioning alone
}

// Held is what was read and is not published, by reason.
type Held struct {
	NoClass       int `json:"no_class"` // the method found no class that may take them
	SubjectRepeat int `json:"subject_repeat"`
	Refused       int `json:"refused"`
}

// Anonymize cuts the table, writes the release and reports it.
//
// Guarantee: what is written satisfies the requirement in each class, checked
// before (checkGroups) and after it is rendered (the auditor, reading the
// files); on an error nothing is named a release.
func Anonymize(t *Table, o Options) (*Report, error) {
	if err := o.addCloseness(t); err != nil {
		return nil, err
	}
	references, err := o.declared(t)
	if err != nil {
		return nil, err
	}
	asked := o.Want
	o.Want = asked.WithReference(bagOf(t.SA))
	if err := feasible(t, o.Want); err != nil {
		return nil, err
	}
	p := t.Pool()
	start := o.Now()
	groups, rest := o.Method.partitioner(binary.LittleEndian.Uint64(o.Seed[:])).Partition(p, o.Want)
	seconds := o.Now().Sub(start).Seconds()
	if asked.NeedsReference() {
		groups, rest, references = o.published(t, p, asked, groups, rest)
	}
	if err := checkGroups(p, groups, rest, o.Want); err != nil {
		return nil, err
	}
	if len(groups) == 0 {
		return nil, &InfeasibleError{What: fmt.Sprintf("method %s found no class that satisfies what was asked", o.Method.Name), Hint: "the table as one class satisfies it, and --method mondrian starts from there"}
	}
	k1, err := publish(t, groups, references, o)
	if err != nil {
		return nil, err
	}
	r := report(t, p, groups, len(rest), references, o)
	r.Seconds, r.K1 = seconds, k1
	return r, nil
}

func report(t *Table, p *equivclass.Pool, groups [][]int32, rest int, references map[int]equivclass.Bag, o Options) *Report {
	bags := make([]equivclass.Bag, len(groups))
	for i, g := range groups {
		bags[i] = p.Bag(g)
	}
	all := bagOf(t.SA)
	if b, ok := references[t.Schema.SensitiveIndex()]; ok {
		all = b
	}
	r := &Report{
		Method: o.Method.Name, Recoding: o.Recoding, Dir: o.Dir, K: o.Want.K, L: o.Want.L, Seeded: o.Seeded, Read: t.Read,
		Published: t.Len() - rest, Held: Held{NoClass: rest, SubjectRepeat: t.Repeats, Refused: len(t.Refused)}, Refused: t.Refused,
		Classes:  sizesOf(equivclass.Sizes(groups)),
		Achieved: achieved(bags, all, askedC(o.Want.Extra), equivclass.Grounds(t.Schema.Attributes()[t.Schema.SensitiveIndex()])),
		Loss:     lossOf(t, p, groups, rest, o.Want, o.Recoding),
	}
	if r.Refused == nil {
		r.Refused = []Refused{}
	}
	for _, e := range o.Want.Extra {
		r.Extra = append(r.Extra, e.Name())
	}
	return r
}

// publish writes release 1 through the steps of the daemon, gate included. A
// chain of one release needs no ledger.
func publish(t *Table, groups [][]int32, references map[int]equivclass.Bag, o Options) (k1 string, err error) {
	recoding, err := snapshot.ParseRecoding(o.Recoding, snapshot.RecodingOptions{Seed: o.Seed})
	if err != nil {
		return "", err
	}
	settings := &snapshot.Settings{Dataset: o.Dataset, Recoding: recoding, Hierarchies: o.Hierarchies, Policy: snapshot.Policy{
		K: o.Want.K, L: o.Want.L, Diversity: snapshot.DiversityOf(o.Want.Extra), Republication: "append", SubjectRepeat: "first"}}
	budget := 0
	publisher := &snapshot.Publisher{FS: snapshot.OS(), Dir: o.Dir,
		Gate: gate{audit.NewGate(audit.Policy{K: o.Want.K, L: o.Want.L, Republication: "append", MaxRegroups: &budget})}}
	if err := publisher.Open(); err != nil {
		return "", err
	}
	v := viewOf(t, groups, o)
	v.References = references
	out, err := publisher.Publish(v, settings)
	if err != nil {
		return "", err
	}
	return out.Manifest.Privacy.K1, nil
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
