// Package histories measures what publishing each visit of a person on its own tells of people who are ill for long, and what publishing
// whole histories tells.
//
// Guarantee: the seed fixes all numbers.
//
// Method: people of a synthetic feed have 50 values and six visits; the value of a visit is that of the visit before with probability
// .9, and drawn anew otherwise. The quasi-identifiers of a visit are drawn anew, as a length of stay is, so that a person's buckets are of
// different people. The daemon's machine publishes them at level L2 twice: each visit as if it were another person, in a bucket of its own
// (which no configuration does that names the subject), and each person's six values at once, as one value (subject.repeat: history). The
// attacker knows everybody's buckets and the law of the feed. Of visits the belief that a value ever occurs in a history is found exactly,
// by a forward pass for each value, where buckets are taken as independent. Of histories it is the share of the bucket's people in whose
// history the value occurs (Theorem DS).
//
// Difference from the papers: none has this figure.
//
// Cost: a minute.
//
// Source: ours (docs/PROOFS.md, Histories).
package histories

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/settle"
	"anond/incremental/state"
	"anond/internal/ops/chart"
	"anond/lab/figures"
)

const (
	paper  = "The engine's own measure (lab/docs/FIGURES.md)"
	about  = "10,000 synthetic people with six visits each, 50 values, .9 of them as at the visit before; k = 10, l = 5"
	k, l   = 10, 5
	values = 50
	visits = 6
	stay   = .9
	people = 10_000
	least  = 3_000
	once   = 500 // further people, who come once
)

// Figures is the one figure.
func Figures() []figures.Figure {
	return []figures.Figure{{ID: "histories", Paper: paper, Data: about, Run: run,
		Title: "What is told of people who come again: visits on their own, and histories"}}
}

func run(ctx context.Context, in figures.Input) (*figures.Result, error) {
	f := newFeed(in)
	r := &result{people: len(f.of)}
	in.Step(fmt.Sprintf("%d visits, each in a bucket of its own", visits))
	shares, err := f.apart(ctx)
	if err != nil {
		return nil, err
	}
	in.Step("what buckets of visits tell")
	for n := range visits {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.apart = append(r.apart, f.told(func(person int) []float64 { return f.ever(shares[person][:n+1]) }, n+1))
	}
	in.Step(fmt.Sprintf("histories of %d visits", visits))
	whole, err := f.whole()
	if err != nil {
		return nil, err
	}
	r.whole = f.told(func(person int) []float64 { return whole[person] }, visits)
	out := &figures.Result{Panels: []figures.Panel{r.panel()}, Claims: r.claims(), Notes: notes}
	of, err := diabetes(ctx, in)
	if err != nil {
		return nil, err
	}
	if of == nil {
		out.Notes = append(slices.Clone(notes), "The encounters of "+encounters+" were not measured: that takes scale 1, and the file below the "+
			"directory that "+elsewhere+" names.")
	} else {
		out.Panels, out.Claims = append(out.Panels, encounterPanel(of)), append(out.Claims, encounterClaim(of))
	}
	return out, nil
}

// feed is who has which values.
type feed struct {
	share []float64 // of values drawn anew
	of    [][visits]int
	at    [][visits][2]int // quasi-identifiers of each visit
}

// newFeed draws people. Values are as frequent as the square root of their rank says, so that the most frequent one has .08.
func newFeed(in figures.Input) *feed {
	f, rng := &feed{}, rand.New(rand.NewPCG(in.Seed, 6))
	sum := 0.0
	for v := range values {
		f.share = append(f.share, 1/math.Sqrt(float64(v+1)))
		sum += f.share[v]
	}
	for v := range f.share {
		f.share[v] /= sum
	}
	draw := func() int {
		x := rng.Float64()
		for v, share := range f.share {
			if x -= share; x < 0 {
				return v
			}
		}
		return values - 1
	}
	for range in.Rows(people, least) {
		var h [visits]int
		var at [visits][2]int
		for i := range h {
			at[i] = [2]int{rng.IntN(90), rng.IntN(1000)}
			if i > 0 && rng.Float64() < stay {
				h[i] = h[i-1]
			} else {
				h[i] = draw()
			}
		}
		f.of, f.at = append(f.of, h), append(f.at, at)
	}
	return f
}

// machine is the daemon's, at level L2.
func (f *feed) machine(subject bool, rule settle.Rule) (*incremental.Machine, error) {
	attributes := []equivclass.Attribute{{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "area", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}}
	if subject {
		attributes = append(attributes, equivclass.Attribute{Name: "person", Role: equivclass.Subject, Type: equivclass.Categorical})
	}
	schema, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	if err != nil {
		return nil, err
	}
	policy := state.Policy{Requirement: equivclass.Requirement{K: k, L: l}, Level: state.L2, Republication: state.Append, Threshold: k - 1,
		HoldInCuts: true, Neighbours: 32, Similar: 8, OnRefusal: state.QuarantineRefused, Workers: 1, Settle: rule}
	return incremental.Open(memstore.New(), incremental.Options{Schema: schema, Policy: policy, Seed: [32]byte{1}, Seeded: true})
}

func (f *feed) row(person, visit int, value string) equivclass.Row {
	at := f.at[person][visit]
	return equivclass.Row{strconv.AppendInt(nil, int64(at[0]), 10), strconv.AppendInt(nil, int64(at[1]), 10), []byte(value)}
}

// valueName is the text of a value.
func valueName(v int) string { return "v" + strconv.Itoa(v) }

// bags are the shares of values, or of values that ever occur, among the people of each class's bucket.
func (f *feed) bags(classes []state.ClassView, history func(member state.RecordID) []int) (of map[state.RecordID][]float64) {
	type bucket struct {
		members []state.RecordID
		share   []float64
	}
	buckets := map[state.BucketID]*bucket{}
	for _, c := range classes {
		b := buckets[c.Bucket]
		if b == nil {
			b = &bucket{share: make([]float64, values)}
			buckets[c.Bucket] = b
		}
		for _, m := range c.Members {
			b.members = append(b.members, m)
			for _, v := range slices.Compact(slices.Sorted(slices.Values(history(m)))) {
				b.share[v]++
			}
		}
	}
	of = map[state.RecordID][]float64{}
	for _, b := range buckets {
		for v := range b.share {
			b.share[v] /= float64(len(b.members))
		}
		for _, m := range b.members {
			of[m] = b.share
		}
	}
	return of
}

// apart publishes each visit as if it were another person, all first visits together, then all second ones, and gives of each person the
// shares of the values in the bucket of each visit.
func (f *feed) apart(ctx context.Context) (shares [][][]float64, err error) {
	m, err := f.machine(false, settle.Rule{})
	if err != nil {
		return nil, err
	}
	n := len(f.of)
	for visit := range visits {
		for person := range n {
			out, err := m.Apply(state.Partition{Source: "feed"}, int64(visit*n+person), f.row(person, visit, valueName(f.of[person][visit])))
			if err != nil || out != (incremental.Outcome{}) {
				return nil, fmt.Errorf("a visit was not taken in: %w (reason %q)", err, out.Reason)
			}
		}
		if intent, err := m.Cut(1_700_000_000+int64(visit), [32]byte{}); err != nil || intent == nil {
			return nil, fmt.Errorf("nothing was published: %w", err)
		}
		if err := m.Published(uint32(visit+1), [32]byte{}); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	view, err := m.Releases().View(visits)
	if err != nil {
		return nil, err
	}
	of := f.bags(view.Classes, func(r state.RecordID) []int { return []int{f.of[int(r)%n][int(r)/n]} })
	shares = make([][][]float64, n)
	for person := range shares {
		for visit := range visits {
			shares[person] = append(shares[person], of[state.RecordID(visit*n+person)])
		}
	}
	return shares, nil
}

// whole publishes each person's visits as one value, and gives of each person the shares of values that ever occur in their bucket.
func (f *feed) whole() (shares [][]float64, err error) {
	m, err := f.machine(true, settle.Rule{End: true, Max: visits})
	if err != nil {
		return nil, err
	}
	accept := func(number, person int, history []int) error {
		var texts []string
		for _, v := range history {
			texts = append(texts, valueName(v))
		}
		row := append(f.row(person, len(history)-1, equivclass.Joined(texts)), strconv.AppendInt(nil, int64(number), 10))
		out, err := m.Accept(state.Partition{Source: "feed"}, int64(number), row, settle.Stratum(len(history)))
		if err != nil || out != (incremental.Outcome{}) {
			return fmt.Errorf("a history was not taken in: %w (reason %q)", err, out.Reason)
		}
		return nil
	}
	for person := range f.of {
		if err := accept(person, person, f.of[person][:]); err != nil {
			return nil, err
		}
	}
	for i := range once { // the first pool is of people with one record
		if err := accept(len(f.of)+i, i, f.of[i][:1]); err != nil {
			return nil, err
		}
	}
	for release := range uint32(2) {
		intent, err := m.Cut(1_700_000_000+int64(release), [32]byte{})
		if err != nil || intent == nil {
			return nil, fmt.Errorf("nothing was published: %w", err)
		}
		if err := m.Published(intent.Release, [32]byte{}); err != nil {
			return nil, err
		}
	}
	view, err := m.Releases().View(2)
	if err != nil {
		return nil, err
	}
	of := f.bags(view.Classes, func(r state.RecordID) []int {
		if int(r) >= len(f.of) {
			return f.of[int(r)-len(f.of)][:1]
		}
		return f.of[r][:]
	})
	shares = make([][]float64, len(f.of))
	for person := range shares {
		shares[person] = of[state.RecordID(person)]
	}
	return shares, nil
}

// ever is the belief, by value, that it occurs at some of the visits whose buckets have these shares; one that is not published has none.
func (f *feed) ever(shares [][]float64) []float64 {
	out := make([]float64, values)
	all := f.without(shares, -1)
	for v := range out {
		out[v] = 1 - f.without(shares, v)/all
	}
	return out
}

// without is the weight of all histories in which a value does not occur, given the buckets of the visits.
func (f *feed) without(shares [][]float64, never int) (total float64) {
	var now [values]float64
	for visit, of := range shares {
		total = 0
		for _, w := range now {
			total += w
		}
		for v := range now {
			w := f.share[v]
			if visit > 0 {
				w = stay*now[v] + (1-stay)*f.share[v]*total
			}
			if of != nil {
				w *= of[v] / f.share[v]
			}
			if v == never {
				w = 0
			}
			now[v] = w
		}
	}
	total = 0
	for _, w := range now {
		total += w
	}
	return total
}

// told is what beliefs are of people who were published.
type told struct {
	published, aboveCap, aboveHalf, above, right int // above: .9; right: of these, where the value does occur
	most                                         float64
}

// told looks at the largest belief of each person that some value occurs in their first visits.
func (f *feed) told(beliefs func(person int) []float64, first int) (out told) {
	for person, h := range f.of {
		belief := beliefs(person)
		if belief == nil {
			continue
		}
		out.published++
		best := 0
		for v, p := range belief {
			if p > belief[best] {
				best = v
			}
		}
		p := belief[best]
		if out.most = max(out.most, p); p > 1./l+1e-9 {
			out.aboveCap++
		}
		if p > .5 {
			out.aboveHalf++
		}
		if p > .9 {
			out.above++
			if slices.Contains(h[:first], best) {
				out.right++
			}
		}
	}
	return out
}

// result is what was measured.
type result struct {
	people int
	apart  []told // by number of visits
	whole  told
}

func (t told) share(n int) string {
	return figures.Short(100*float64(n)/float64(max(1, t.published))) + " %"
}

var notes = []string{
	"Belief: that a value occurs at any of the person's visits so far. The attacker knows everybody's buckets, and the law by which values " +
		"are drawn and stay. For visits apart it is exact but for taking a person's buckets as independent.",
	"The prior alone reaches .1 for the most frequent value in six visits: what is above 1/l was told by the releases.",
	"Visits apart are what a dataset without the role subject would publish, where the source sends visits. With a subject, and " +
		"subject.repeat: first, only the first visit is published.",
}

func (r *result) panel() figures.Panel {
	p := figures.Panel{Name: "a", Header: []string{"published", "visits", "people", "above 1/l", "above .5", "above .9", "right", "largest"},
		Chart: chart.NewChart("People of whom a value is told", chart.Axis{Label: "visits"}, chart.Axis{Label: "people above .9"})}
	line := chart.Series{Name: "visits apart"}
	row := func(name string, n int, t told) {
		p.Rows = append(p.Rows, []string{name, strconv.Itoa(n), strconv.Itoa(t.published), strconv.Itoa(t.aboveCap), strconv.Itoa(t.aboveHalf),
			strconv.Itoa(t.above), strconv.Itoa(t.right), figures.Number(t.most, 4)})
	}
	for i, t := range r.apart {
		row(line.Name, i+1, t)
		line.Points = append(line.Points, chart.Point{X: float64(i + 1), Y: float64(t.above)})
	}
	row("histories", visits, r.whole)
	p.Chart.Add(line)
	p.Chart.Add(chart.Series{Name: "histories", Points: []chart.Point{{X: visits, Y: float64(r.whole.above)}}})
	return p
}

func (r *result) claims() []figures.Claim {
	last := r.apart[len(r.apart)-1]
	return []figures.Claim{
		figures.NewClaim("Visits in buckets of their own tell the illness of people who are ill for long, each release keeping l.", "",
			figures.Found(figures.If(r.apart[0].aboveCap == 0 && last.above*10 > last.published && last.right*10 > 9*last.above),
				"after 1 visit %s have a value above 1/%d; after %d visits %s do, and %s one above .9 (right for %d of %d)",
				r.apart[0].share(r.apart[0].aboveCap), l, visits, last.share(last.aboveCap), last.share(last.above), last.right, last.above)),
		figures.NewClaim("Histories tell of nobody that a value ever occurs with more than the cap.", "",
			figures.Found(figures.If(r.whole.published > 0 && r.whole.aboveCap == 0), "%d of %d people published, %d above 1/%d, the largest %s",
				r.whole.published, r.people, r.whole.aboveCap, l, figures.Short(r.whole.most))),
	}
}
