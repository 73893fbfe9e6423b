package anonymize

import (
	"context"
	"encoding/binary"
	"time"

	"anond/equivclass"
	"anond/equivclass/measure"
	"anond/internal/abandon"
	"anond/internal/fault"
	"anond/internal/profile"
	"anond/lab/bucketize"
	"anond/lab/methods"
	"anond/snapshot"
	"anond/snapshot/render"
)

// Options are the settings of a one-off release.
type Options struct {
	Method   methods.Method
	Recoding string
	Want     equivclass.Requirement
	T        float64 // t-closeness, in addition to that in Want; 0: none
	Ground   string  // its ground distance
	// References are the declared distributions of t-closeness, by attribute of
	// the schema; without one, it is to the values published.
	References  map[int][]equivclass.ValueCount
	Dataset     string
	Hierarchies []render.HierarchyFile
	Dir         string
	Seed        [32]byte // rule R (randomness): keys every draw, never stored
	Seeded      bool     // the seed was given, not drawn
	Now         func() time.Time
	Slices      [][]string      // recoding slicing
	Semi        map[string]semi // recoding lgb
	Retention   float64         // recoding randomization
	// Progress is told how many records the method has dealt with, if it says so; may be nil.
	Progress func(done, all int)
}

// Report is what a run did, in numbers.
type Report struct {
	Method   string `json:"method"`
	Recoding string `json:"recoding"`
	Dir      string `json:"dir"`
	K        int    `json:"k"`
	L        int    `json:"l"`
	// Extra principles by name.
	Extra  []string `json:"extra,omitempty"`
	Seeded bool     `json:"seeded"`
	Read   int      `json:"read"`
	Blank  int      `json:"blank"`
	// Unterminated lines at the end of the file may be incomplete: left unread.
	Unterminated int               `json:"unterminated"`
	Published    int               `json:"published"`
	Held         Held              `json:"held"`
	Refused      []profile.Refused `json:"refused"`
	Classes      classSizes        `json:"classes"`
	Achieved     Achieved          `json:"achieved"`
	Loss         loss              `json:"loss"`
	K1           string            `json:"k1"`
	Level        string            `json:"level"`   // privacy.level of the manifest
	Seconds      float64           `json:"seconds"` // of the partitioning alone
	// Across is acrossNone if the table has no promise 1/l; Why gives the reason.
	Across string `json:"across_releases,omitempty"`
	Why    string `json:"why_no_promise,omitempty"`
	// localReport is by bucketed attribute, under lgb only.
	Local []localReport `json:"local,omitempty"`
}

// acrossNone is Report.Across of a table without a promise.
const acrossNone = "none"

// Held is what was read and is not published, by reason.
type Held struct {
	NoClass       int `json:"no_class"` // the method found no class that may take them
	SubjectRepeat int `json:"subject_repeat"`
	Refused       int `json:"refused"`
}

// Run partitions the table, writes the release and reports it.
//
// Guarantee: what is written satisfies the requirement in each class, checked
// before (checkGroups) and after it is rendered (the auditor, reading the
// files); on an error nothing is named a release. A run that is interrupted
// before it writes leaves nothing.
func Run(ctx context.Context, t *inputTable, o Options) (*Report, error) {
	if o.Recoding == recodingLGB {
		return anonymizeLocal(ctx, t, o)
	}
	if err := o.addCloseness(t); err != nil {
		return nil, err
	}
	references, err := o.declared(t)
	if err != nil {
		return nil, err
	}
	asked := o.Want
	o.Want = asked.WithReference(bagOf(t.SA()))
	if err := feasible(t, o.Want); err != nil {
		return nil, err
	}
	p := t.Points()
	start := o.Now()
	cut, err := abandon.At(ctx, func() (c partition, _ error) {
		c.groups, c.rest = o.partitioner().Partition(p, o.Want)
		return c, nil
	})
	if err != nil {
		return nil, err
	}
	groups, rest := cut.groups, cut.rest
	seconds := o.Now().Sub(start).Seconds()
	if asked.NeedsReference() {
		groups, rest, references = o.published(t, p, asked, groups, rest)
	}
	if err := checkGroups(p, groups, rest, o.Want); err != nil {
		return nil, err
	}
	if len(groups) == 0 {
		return nil, fault.Errorf(fault.Privacy, "the table as one class satisfies it, and --method mondrian starts from there",
			"method %s found no class that satisfies the requirement", o.Method.Name)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := report(t, p, groups, len(rest), references, o)
	r.Seconds = seconds
	sa := t.SA()
	if o.Recoding == recodingRandomization {
		sa = bucketize.Randomize(p, groups, o.Retention, o.draws("randomization"))
	}
	r.Loss.shown(p, groups, rest, sa, o)
	if plain(o.Recoding, o.Method.Name) {
		r.K1, r.Level = "sensitive-only", snapshot.LevelL0L1
		if r.Why, err = o.writePlain(t, p, groups, sa); r.Why != "" {
			r.Across, r.Level = acrossNone, "none"
		}
		if o.rings() {
			r.K1 = "none"
		}
		return r, err
	}
	in := inputOf(t, groups, o)
	in.References = references
	m, err := writeRelease(in, o)
	if err != nil {
		return nil, err
	}
	r.K1, r.Level = m.Privacy.K1, m.Privacy.Level
	return r, nil
}

// partition is what a method makes of a table.
type partition struct {
	groups [][]int32
	rest   []int32
}

// seedOf is the part of the seed that partitioners draw from.
func seedOf(seed [32]byte) uint64 { return binary.LittleEndian.Uint64(seed[:]) }

func report(t *inputTable, p *equivclass.Pool, groups [][]int32, rest int, references map[int]equivclass.Bag, o Options) *Report {
	bags := make([]equivclass.Bag, len(groups))
	for i, g := range groups {
		bags[i] = p.Bag(g)
	}
	all := bagOf(t.SA())
	if b, ok := references[t.Schema.SensitiveIndex()]; ok {
		all = b
	}
	r := &Report{
		Method: o.Method.Name, Recoding: o.Recoding, Dir: o.Dir, K: o.Want.K, L: o.Want.L, Seeded: o.Seeded, Read: t.Read,
		Blank: t.Blank, Unterminated: t.Unread.Unterminated,
		Published: t.Len() - rest, Held: Held{NoClass: rest, SubjectRepeat: t.Repeats, Refused: len(t.Refused)}, Refused: t.Refused,
		Classes:  sizesOf(measure.Sizes(groups)),
		Achieved: achieved(bags, all, askedC(o.Want.Extra), equivclass.Grounds(t.Schema.Attributes()[t.Schema.SensitiveIndex()])),
		Loss:     lossOf(t, p, groups, rest, o.Want, o.Recoding),
	}
	if r.Refused == nil {
		r.Refused = []profile.Refused{}
	}
	for _, e := range o.Want.Extra {
		r.Extra = append(r.Extra, e.Name())
	}
	return r
}
