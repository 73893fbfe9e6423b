package anonymize

import (
	"context"
	"errors"
	"fmt"
	"math"

	"anond/equivclass"
	"anond/equivclass/flagged"
	"anond/equivclass/measure"
	"anond/internal/abandon"
	"anond/internal/fault"
	"anond/internal/profile"
	"anond/lab/bucketize"
	"anond/lab/estimate"
	"anond/lab/lgb"
	"anond/snapshot"
)

// localReport is a bucketed attribute of a release by LGB.
type localReport struct {
	Attribute string     `json:"attribute"`
	Promise   string     `json:"promise"`
	Sensitive int        `json:"sensitive"` // values in buckets
	Known     int        `json:"known"`     // of them, values that are not flagged but protected as well
	Buckets   classSizes `json:"buckets"`
	L         int        `json:"l"` // kept by every bucket, asked for or not; 0: there is none
	// T is the largest distance of a bucket from the reference, under a promise by t.
	T     *closeness `json:"t,omitempty"`
	Width float64    `json:"width"` // mean NCP of a bucket: how far apart its values are
}

// localRun is one run of LGB over a table.
type localRun struct {
	t       *inputTable
	o       Options
	flagged *flagged.Table
	run     lgb.LGB
	cut     *lgb.Result
}

// anonymizeLocal is Run by LGB: k holds for the classes, l for the buckets
// of the sensitive attribute, and each semi-sensitive attribute keeps its own
// promise (corollaries 1 to 3 of Li, He and Sun).
func anonymizeLocal(ctx context.Context, t *inputTable, o Options) (*Report, error) {
	r := &localRun{t: t, o: o}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	start := o.Now()
	var err error
	r.cut, err = abandon.At(ctx, func() (*lgb.Result, error) { return r.run.Run(r.flagged) })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, r.explained(err)
	}
	seconds := o.Now().Sub(start).Seconds()
	if len(r.cut.Groups) == 0 {
		return nil, fault.Errorf(fault.Privacy, "lower k, or flag fewer attributes",
			"no k = %d records have the same values flagged, so none can be published", o.Want.K)
	}
	if err := r.checkExtra(); err != nil {
		return nil, err
	}
	out := r.report()
	if err := r.kept(out); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := r.write(); err != nil {
		return nil, err
	}
	out.Seconds, out.K1, out.Level = seconds, "rows", r.level()
	return out, nil
}

// prepare makes the flagged table and the promises, by published column.
func (r *localRun) prepare() error {
	t, o := r.t, &r.o
	dicts := t.published().Dicts
	if len(dicts) > flagged.MaxAttributes {
		return fmt.Errorf("the schema publishes %d attributes, LGB takes at most %d: drop some", len(dicts), flagged.MaxAttributes)
	}
	if o.T > 0 || o.Want.NeedsReference() {
		return fault.Errorf(fault.Privacy, "ask for -l; a semi-sensitive attribute may have promise: {t: …}",
			"t-closeness of the sensitive attribute is not kept by LGB, which cuts its buckets by l")
	}
	if t.Len() < o.Want.K {
		return feasible(t, equivclass.Requirement{K: o.Want.K, L: 1})
	}
	r.flagged = t.flagged()
	r.run = lgb.LGB{K: o.Want.K, Promises: make([]lgb.LocalPromise, len(dicts)), Fold: o.Method.Fold, Nested: o.Method.Nested, Seed: o.Seed,
		Local: o.partitioner()}
	last := len(dicts) - 1
	for at, i := range t.shown() {
		p, semi := t.semi[i]
		if !semi {
			continue
		}
		promise, err := localPromise(dicts[at], p)
		if err != nil {
			return err
		}
		r.run.Promises[at] = promise
	}
	r.run.Promises[last] = lgb.LocalPromise{L: max(1, o.Want.L)}
	return nil
}

func localPromise(d *equivclass.Dictionary, p semi) (lgb.LocalPromise, error) {
	if p.L > 0 {
		return lgb.LocalPromise{L: p.L}, nil
	}
	close := equivclass.TClose{T: p.T, Ground: groundOf(d, p.Distance), Declared: len(p.Reference) > 0}
	var err error
	close.Reference, err = referenceOf(d, p)
	return lgb.LocalPromise{Principle: close}, err
}

// explained says which attribute cannot keep its promise, and what can be kept.
func (r *localRun) explained(err error) error {
	var bad *lgb.InfeasibleError
	if !errors.As(err, &bad) {
		return err
	}
	name := r.flagged.Dicts[bad.Attribute].Attribute().Name
	if bad.Promise.L == 0 {
		return fault.Errorf(fault.Privacy, "raise t, or leave the reference out: it is then what is published",
			"not even all %d sensitive values of %q in one bucket satisfy %s against the declared "+
				"reference", bad.Total, name, bad.Promise.Principle.Name())
	}
	share := 100 * float64(bad.Count) / float64(bad.Total)
	return fault.Errorf(fault.Privacy, reachable(bad.Reachable()),
		"the most frequent sensitive value of %q has %.1f %% of the %d sensitive values (%d), more "+
			"than 1/l = %.1f %%: no release of all of them can keep l = %d",
		name, share, bad.Total, bad.Count, 100/float64(bad.Promise.L), bad.Promise.L)
}

// kept holds what is written against what is promised, whatever the method says of it.
func (r *localRun) kept(out *Report) error {
	kept := out.Classes.Min >= r.o.Want.K
	local := out.Local
	for at, i := range r.t.shown() {
		p, semi := r.t.semi[i]
		if !semi && i != r.t.Schema.SensitiveIndex() {
			continue
		}
		x := local[0]
		local = local[1:]
		kept = kept && (x.Buckets.Count == 0 || x.L >= r.run.Promises[at].L) && (x.T == nil || x.T.T <= p.T+1e-9)
	}
	if !kept {
		return errors.New("the method made a class or a bucket that does not keep what was asked: nothing was written")
	}
	return nil
}

// checkExtra checks the further principles on each bucket of the sensitive
// attribute: no value has more than 1/l of it, so most follow.
func (r *localRun) checkExtra() error {
	for _, p := range r.o.Want.Extra {
		for _, b := range r.bags(len(r.flagged.Dicts) - 1) {
			if !p.Holds(b) {
				return fault.Errorf(fault.Privacy, "raise -l: the principle is tested on the buckets",
					"a local bucket that keeps l = %d does not satisfy %s", r.o.Want.L, p.Name())
			}
		}
	}
	return nil
}

func (r *localRun) bags(attribute int) []equivclass.Bag {
	out := make([]equivclass.Bag, len(r.cut.Buckets[attribute]))
	for i, rows := range r.cut.Buckets[attribute] {
		out[i] = equivclass.BagOf(r.flagged.Codes[attribute], rows)
	}
	return out
}

// levelRows: the promise holds for an adversary who counts the arrangements of people in
// rows, and not for one who counts each assignment of values once.
const levelRows = "rows"

// level is L0+L1 where each bucket lies inside one class or is a union of whole classes.
func (r *localRun) level() string {
	class := make([]int, r.t.Len())
	for c, rows := range r.cut.Groups {
		for _, row := range rows {
			class[row] = c
		}
	}
	for _, buckets := range r.cut.Buckets {
		for _, rows := range buckets {
			of := map[int]int{}
			for _, row := range rows {
				of[class[row]]++
			}
			for c, n := range of {
				if len(of) > 1 && n < len(r.cut.Groups[c]) {
					return levelRows
				}
			}
		}
	}
	return snapshot.LevelL0L1
}

// reference is the reference of a promise by t: declared, or all values that are
// published in the attribute's buckets.
func (r *localRun) reference(at int) equivclass.Bag {
	if c := r.run.Promises[at].Principle.(equivclass.TClose); c.Declared {
		return c.Reference
	}
	var all []int32
	for _, rows := range r.cut.Buckets[at] {
		all = append(all, rows...)
	}
	return equivclass.BagOf(r.flagged.Codes[at], all)
}

func (r *localRun) report() *Report {
	t, o, sa := r.t, &r.o, len(r.flagged.Dicts)-1
	sizes, rest := measure.Sizes(r.cut.Groups), len(r.cut.Rest)
	var published []equivclass.Code
	for _, g := range r.cut.Groups {
		for _, row := range g {
			published = append(published, r.flagged.Codes[sa][row])
		}
	}
	out := &Report{Method: o.Method.Name, Recoding: o.Recoding, Dir: o.Dir, K: o.Want.K, L: o.Want.L, Seeded: o.Seeded, Read: t.Read,
		Blank: t.Blank, Unterminated: t.Unread.Unterminated,
		Published: t.Len() - rest, Held: Held{NoClass: rest, SubjectRepeat: t.Repeats, Refused: len(t.Refused)}, Refused: t.Refused,
		Classes: sizesOf(sizes)}
	if out.Refused == nil {
		out.Refused = []profile.Refused{}
	}
	for _, e := range o.Want.Extra {
		out.Extra = append(out.Extra, e.Name())
	}
	out.Achieved = achieved(r.bags(sa), bagOf(published), askedC(o.Want.Extra),
		equivclass.Grounds(t.Schema.Attributes()[t.Schema.SensitiveIndex()]))
	out.Achieved.K = out.Classes.Min
	out.Loss = r.loss(sizes, rest)
	for at, i := range t.shown() {
		if _, semi := t.semi[i]; semi || i == t.Schema.SensitiveIndex() {
			out.Local = append(out.Local, r.local(at, t.semi[i]))
		}
	}
	return out
}

func (r *localRun) loss(sizes []int, rest int) loss {
	sum, values := estimate.LocalNCP(r.flagged, r.cut)
	p := &equivclass.Pool{SA: r.t.SA()}
	buckets := r.cut.Buckets[len(r.flagged.Dicts)-1]
	return loss{CDM: measure.CDM(sizes, rest, r.o.Want.K), CAVG: measure.CAVG(sizes, r.o.Want.K),
		CMDM: measure.CMDM(sizes, r.o.Want.K),
		NCP:  sum / float64(max(1, values)), RE: bucketize.RE(p, buckets, rest), RCE: bucketize.RCE(p, buckets, rest),
		Low: bucketize.REBound(r.t.Len(), max(1, r.o.Want.L))}
}

func (r *localRun) local(at int, p semi) localReport {
	d := r.flagged.Dicts[at]
	out := localReport{Attribute: d.Attribute().Name, Promise: promiseText(p, r.run.Promises[at].L),
		Width: estimate.BucketWidth(r.flagged, r.cut, at)}
	bags := r.bags(at)
	sizes := make([]int, len(bags))
	for i, b := range bags {
		sizes[i] = b.Total
		out.Sensitive += b.Total
	}
	for _, rows := range r.cut.Buckets[at] {
		for _, row := range rows {
			if r.flagged.Flags[row]>>at&1 == 0 {
				out.Known++
			}
		}
	}
	out.Buckets = sizesOf(sizes)
	out.L, out.T = bucketPromise(d, p, bags)
	if out.T != nil {
		out.T.T = farthest(groundOf(d, p.Distance), bags, r.reference(at))
	}
	return out
}

// bucketPromise is the l that every bucket keeps, and a place for its t under a
// promise by t.
func bucketPromise(d *equivclass.Dictionary, p semi, bags []equivclass.Bag) (l int, t *closeness) {
	l = math.MaxInt
	for _, b := range bags {
		l = min(l, b.Total/b.Max())
	}
	if len(bags) == 0 {
		l = 0
	}
	if p.T > 0 {
		t = &closeness{Ground: groundOf(d, p.Distance).Name()}
	}
	return l, t
}

// farthest is the largest distance of a bucket from the reference.
func farthest(ground equivclass.Ground, bags []equivclass.Bag, reference equivclass.Bag) (most float64) {
	if reference.Total == 0 {
		return 0
	}
	for _, b := range bags {
		most = max(most, ground.Distance(b, reference))
	}
	return most
}

func promiseText(p semi, l int) string {
	if l > 0 {
		return fmt.Sprintf("l = %d", l)
	}
	return fmt.Sprintf("t = %g (%s)", p.T, p.Distance)
}
