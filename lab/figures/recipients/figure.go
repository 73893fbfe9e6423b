// Package recipients measures what two recipients learn who put together what they have: two datasets on the same people, or two views
// of one dataset.
//
// Guarantee: the seed fixes all numbers.
//
// Method: UCI Adult's people are published once with seven quasi-identifiers, and once more, by a dataset of its own with other draws, with
// four of them; and the first dataset has views of these four. The attacker knows everybody's classes. Of a person whose buckets of both
// datasets are known, the candidates are the values that both have, and the belief in a value is the product of its shares over its share
// of all people. Views are made from the published files by package snapshot/views, and the auditor, which shares no code with it,
// compares them with the releases.
//
// Difference from the papers: none has this figure.
//
// Cost: seconds.
//
// Source: ours (docs/PROOFS.md, Views).
package recipients

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/state"
	"anond/internal/ops/chart"
	"anond/lab/figures"
	"anond/lab/figures/dataset"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/publish"
	"anond/snapshot/render"
	"anond/snapshot/views"
)

const (
	paper = "The engine's own measure (lab/docs/FIGURES.md)"
	about = "20,000 people of UCI Adult's training part, drawn by the seed; sensitive is the occupation; k = 10, l = 5"
	k, l  = 10, 5
)

// all are the quasi-identifiers of the dataset, shared those of the second dataset and of the view.
var (
	all    = []string{"age", "workclass", "education-num", "marital-status", "race", "sex", "native-country"}
	shared = []string{"age", "education-num", "race", "sex"}
	// weights are those of what is not shared; the first is the usual one.
	weights = []float64{1, .5, .25, .1}
)

const (
	sensitive = "occupation"
	people    = 20_000
	trainRows = 30_162
	least     = 1500
)

// Figures is the one figure.
func Figures() []figures.Figure {
	return []figures.Figure{{ID: "recipients", Paper: paper, Data: about, Run: run,
		Title: "What recipients learn who put together what they have: views, and two datasets"}}
}

func run(ctx context.Context, in figures.Input) (*figures.Result, error) {
	top, err := os.MkdirTemp("", "anond-recipients-")
	if err != nil {
		return nil, err
	}
	r, err := measure(ctx, in, top)
	if err = errors.Join(err, os.RemoveAll(top)); err != nil {
		return nil, err
	}
	return &figures.Result{Panels: []figures.Panel{r.panel()}, Claims: r.claims(), Notes: notes}, nil
}

// result is what was measured.
type result struct {
	people          int
	one, two, views told
	loss            []weighted
	own, cells      float64 // loss of the second dataset, and of a view of coarser cells
	differs         int     // findings of the auditor
}

// weighted is the loss of the dataset and of its view of what is shared, where everything else has a weight.
type weighted struct{ weight, whole, view float64 }

// told is what an attacker knows of people.
type told struct {
	candidates []int // people by number of values that they may have
	right      int   // whose likeliest value is theirs, if several are the share of theirs among these
}

// lossOf is quality.ncp of the newest release of a directory.
func lossOf(dir string) (float64, error) {
	m, err := snapshot.Show(snapshot.OS(), dir, 0)
	if err != nil {
		return 0, err
	}
	return m.Quality.NCP, nil
}

// below are the people with fewer candidates than l.
func (t told) below() (n int) {
	for c := range min(l, len(t.candidates)) {
		n += t.candidates[c]
	}
	return n
}

// sample reads people as numbers: categories by the order in which they appear.
func sample(in figures.Input) (*equivclass.Table, []int, error) {
	var columns []dataset.Column
	for _, name := range append(slices.Clone(all), sensitive) {
		c := dataset.Column{Name: name, Type: equivclass.Categorical}
		if name == "age" || name == "education-num" {
			c.Type = equivclass.Integer
		}
		columns = append(columns, c)
	}
	t, err := in.Data.Adult(trainRows, columns...)
	if err != nil {
		return nil, nil, err
	}
	return t, rand.New(rand.NewPCG(in.Seed, 5)).Perm(t.Len())[:in.Rows(people, least)], nil
}

// published is a dataset: its one release, and who is in which bucket.
type published struct {
	dir    string
	bucket []state.BucketID // by person
	bags   map[state.BucketID]map[equivclass.Code]int
	sizes  map[state.BucketID]int
}

// openGate lets everything pass: the auditor sees the chains afterwards.
type openGate struct{}

// Check implements publish.Gate.
func (openGate) Check(string, []render.Placement) error { return nil }

// publishOne publishes people with some quasi-identifiers by the daemon's machine at level L2.
// weight is that of what is not shared.
func publishOne(t *equivclass.Table, who []int, quasi []string, dir string, seed byte, weight float64) (*published, error) {
	var attributes []equivclass.Attribute
	at := map[string]int{}
	for i, name := range append(slices.Clone(all), sensitive) {
		at[name] = i
	}
	for _, name := range quasi {
		a := equivclass.Attribute{Name: name, Role: equivclass.Quasi, Type: equivclass.Integer}
		if weight < 1 && !slices.Contains(shared, name) {
			a.Weight = weight
		}
		attributes = append(attributes, a)
	}
	schema, err := equivclass.NewSchema(append(attributes,
		equivclass.Attribute{Name: sensitive, Role: equivclass.Sensitive, Type: equivclass.Categorical}), equivclass.RefuseMissing)
	if err != nil {
		return nil, err
	}
	policy := state.Policy{Requirement: equivclass.Requirement{K: k, L: l}, Level: state.L2, Republication: state.Append, Threshold: k - 1,
		HoldInCuts: true, Neighbours: 32, Similar: 8, OnRefusal: state.QuarantineRefused, Workers: 1}
	m, err := incremental.Open(memstore.New(), incremental.Options{Schema: schema, Policy: policy, Seed: [32]byte{seed}, Seeded: true})
	if err != nil {
		return nil, err
	}
	for i, row := range who {
		var record equivclass.Row
		for _, name := range quasi {
			d, code := t.Dicts[at[name]], t.Codes[at[name]][row]
			text := d.Text(code)
			if d.Kind() != equivclass.Number {
				text = strconv.Itoa(int(code))
			}
			record = append(record, []byte(text))
		}
		record = append(record, []byte(t.Dicts[at[sensitive]].Text(t.Codes[at[sensitive]][row])))
		out, err := m.Apply(state.Partition{Source: "adult"}, int64(i), record)
		if err != nil || out != (incremental.Outcome{}) {
			return nil, fmt.Errorf("person %d was not taken in: %w (reason %q)", i, err, out.Reason)
		}
	}
	intent, err := m.Cut(1_700_000_000, [32]byte{})
	if err != nil || intent == nil {
		return nil, fmt.Errorf("nothing was published: %w", err)
	}
	v, err := m.Releases().View(intent.Release)
	if err != nil {
		return nil, err
	}
	p := publish.Publisher{FS: snapshot.OS(), Dir: dir, Gate: openGate{}}
	if err := p.Open(); err != nil {
		return nil, err
	}
	if _, err := p.Publish(publish.Of(v), &render.Settings{Dataset: "adult", Recoding: render.Buckets(), Policy: snapshot.Policy{K: k, L: l,
		Republication: "append", SubjectRepeat: "first"}}); err != nil {
		return nil, err
	}
	out := &published{dir: dir, bucket: make([]state.BucketID, len(who)), bags: map[state.BucketID]map[equivclass.Code]int{},
		sizes: map[state.BucketID]int{}}
	for _, c := range v.Classes {
		for _, member := range c.Members {
			out.bucket[member] = c.Bucket
			if out.bags[c.Bucket] == nil {
				out.bags[c.Bucket] = map[equivclass.Code]int{}
			}
			out.bags[c.Bucket][t.Codes[at[sensitive]][who[member]]]++
			out.sizes[c.Bucket]++
		}
	}
	return out, nil
}

func measure(ctx context.Context, in figures.Input, top string) (*result, error) {
	t, who, err := sample(in)
	if err != nil {
		return nil, err
	}
	r := &result{people: len(who)}
	shown := func(dir string, of *published, d views.Definition) (float64, error) {
		dir = filepath.Join(top, dir)
		view := &views.View{Definition: d, Dir: dir, Ledger: dir + ".ledger"}
		if err := view.Follow(publish.Directory{FS: snapshot.OS(), Dir: of.dir}); err != nil {
			return 0, err
		}
		return lossOf(dir)
	}
	four := views.Definition{Name: "columns", Columns: append(slices.Clone(shared), sensitive)}
	var first *published
	for _, w := range weights {
		in.Step(fmt.Sprintf("%d people, %d quasi-identifiers, those that are not shared of weight %g, and a view", len(who), len(all), w))
		of, err := publishOne(t, who, all, filepath.Join(top, fmt.Sprintf("releases-%g", w)), 1, w)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = of
		}
		x := weighted{weight: w}
		if x.whole, err = lossOf(of.dir); err == nil {
			x.view, err = shown(fmt.Sprintf("columns-%g", w), of, four)
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		r.loss = append(r.loss, x)
	}
	in.Step(fmt.Sprintf("a second dataset of %d of them", len(shared)))
	second, err := publishOne(t, who, shared, filepath.Join(top, "second"), 2, 1)
	if err != nil {
		return nil, err
	}
	if r.own, err = lossOf(second.dir); err != nil {
		return nil, err
	}
	if r.cells, err = shown("cells", first, views.Definition{Name: "cells", Columns: append(slices.Clone(all), sensitive),
		Cells: map[string]string{"age": "10", "education-num": "4"}}); err != nil {
		return nil, err
	}
	report, err := audit.Dir(audit.Options{Releases: first.dir, Views: []string{filepath.Join(top, "columns-1"), filepath.Join(top, "cells")}})
	if err != nil {
		return nil, err
	}
	for _, v := range report.Violations {
		if v.View != "" {
			r.differs++
		}
	}
	truth := make([]equivclass.Code, len(who))
	for i, row := range who {
		truth[i] = t.Codes[len(all)][row]
	}
	r.one, r.two = attack(truth, first), attack(truth, first, second)
	r.views = r.one // a view has the bags of the dataset's buckets, which the auditor has compared
	return r, nil
}

// attack puts together the buckets that several datasets have of people.
func attack(truth []equivclass.Code, of ...*published) (out told) {
	prior := map[equivclass.Code]float64{}
	for _, v := range truth {
		prior[v] += 1 / float64(len(truth))
	}
	var right float64
	for i, own := range truth {
		candidates, best, ties, hit := 0, 0.0, 0.0, 0.0
		for v, p := range prior {
			belief := p
			for _, d := range of {
				b := d.bucket[i]
				if b == 0 {
					continue // the dataset has not published the person
				}
				belief *= float64(d.bags[b][v]) / float64(d.sizes[b]) / p
			}
			if belief == 0 {
				continue
			}
			candidates++
			switch {
			case belief > best*(1+1e-9):
				best, ties, hit = belief, 1, 0
			case belief > best*(1-1e-9):
				ties++
			default:
				continue
			}
			if v == own {
				hit = 1
			}
		}
		right += hit / ties
		for len(out.candidates) <= candidates {
			out.candidates = append(out.candidates, 0)
		}
		out.candidates[candidates]++
	}
	out.right = int(right + .5)
	return out
}

var notes = []string{
	"Everybody's classes are taken as known. Candidates are the values that each of the person's buckets has. The belief in a value is the " +
		"product of its shares in these buckets over its share of all people, and a guess is the value with the largest belief; of several, " +
		"one by chance.",
	"A view's buckets have the people and the bags of the dataset's buckets. So whoever has the dataset and all of its views has no bucket " +
		"besides, and is counted as whoever has the dataset alone. The auditor compares each bucket of the views with the release.",
	"loss is quality.ncp of the release, in which nothing is weighted: the mean over its own quasi-identifiers, which are numbers here.",
}

func (r *result) panel() figures.Panel {
	p := figures.Panel{Name: "a", Header: []string{"known", "candidates", "people", "guessed"},
		Chart: chart.NewChart("People by number of values that they may have", chart.Axis{Label: "candidates"}, chart.Axis{Label: "people"})}
	for _, x := range []struct {
		name string
		told
	}{{"one dataset", r.one}, {"one dataset and its views", r.views}, {"two datasets", r.two}} {
		line := chart.Series{Name: x.name}
		for c, n := range x.candidates {
			if c > 0 {
				line.Points = append(line.Points, chart.Point{X: float64(c), Y: float64(n)})
				p.Rows = append(p.Rows, []string{x.name, strconv.Itoa(c), strconv.Itoa(n),
					figures.Number(float64(x.right)/float64(r.people), 4)})
			}
		}
		p.Chart.Add(line)
	}
	return p
}

func (r *result) claims() []figures.Claim {
	share := func(n int) string { return figures.Short(100*float64(n)/float64(r.people)) + " %" }
	usual, least, lost := r.loss[0], r.loss[len(r.loss)-1], ""
	for _, x := range r.loss {
		lost += fmt.Sprintf("weight %g: the dataset %s, its view %s; ", x.weight, figures.Short(x.whole), figures.Short(x.view))
	}
	return []figures.Claim{
		figures.NewClaim("Two datasets on the same people leave people with fewer candidates than l.", "",
			figures.Found(figures.If(r.two.below() > 0 && r.two.right > r.one.right),
				"%d of %d (%s); best guess right for %s, of one dataset for %s", r.two.below(), r.people, share(r.two.below()),
				share(r.two.right), share(r.one.right))),
		figures.NewClaim("A dataset and its views leave nobody so.", "", figures.Found(figures.If(r.views.below() == 0 && r.differs == 0),
			"%d people; the auditor finds %d buckets of views that the release has not; best guess right for %s", r.views.below(), r.differs,
			share(r.views.right))),
		figures.NewClaim("A view of four columns loses more than a dataset of these four.", "",
			figures.Found(figures.If(usual.view > r.own), "%s, a dataset of these four %s; a view of coarser cells %s", figures.Short(usual.view),
				figures.Short(r.own), figures.Short(r.cells))),
		figures.NewClaim("It loses less if what it leaves out has less weight, and the dataset more.", "",
			figures.Found(figures.If(least.view < usual.view && least.whole > usual.whole), "%s", strings.TrimSuffix(lost, "; "))),
	}
}
