package permutation

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"anond/equivclass"
	"anond/lab/figures"
	"anond/lab/figures/dataset"
)

// figure1 is the error by l, on generated and on real records.
func figure1(ctx context.Context, in figures.Input) (*figures.Result, error) {
	generated, err := figure1Generated(ctx, in)
	if err != nil {
		return nil, err
	}
	real, err := figure1Real(ctx, in)
	if err != nil {
		return nil, err
	}
	open, err := studyChoices(ctx, in)
	if err != nil {
		return nil, err
	}
	all := append(slices.Clone(generated), real...)
	r := &figures.Result{Panels: panels("l", all...)}
	r.Panels = append(r.Panels, readingsPanel(string(rune('a'+len(all))), generated, real), open.panel(string(rune('b'+len(all)))))
	r.Claims = privacyClaims(generated, real, open)
	r.Notes = []string{
		noteDefaults,
		noteReadings,
		fmt.Sprintf("Panels of d = 5, industry and occupation (Adult): %d seeds of everything random (records or their order, queries, the "+
			"permutation's tries) with %d queries each; the other panels one seed.", seedsEach, queriesAsked(in)),
		noteOurs,
		noteEmpty(all),
		nearNote(all),
		seedsText(append(generated[2:4:4], real...)),
	}
	return r, nil
}

// seedsEach is how often a setting with several seeds is measured.
const seedsEach = 3

var levels = []float64{2, 4, 6, 8, 10}

func figure1Generated(ctx context.Context, in figures.Input) ([]*sweep, error) {
	var tables []*equivclass.Table
	for seed := in.Seed; seed < in.Seed+seedsEach; seed++ {
		tables = append(tables, dataset.Generated(dataset.Census(), in.Rows(usualN, 2000), seed))
	}
	var sweeps []*sweep
	for _, d := range []int{3, 5, 7} {
		for _, view := range []func(*equivclass.Table, int) paperTable{occ, sal} {
			s := newSweep(view(tables[0], d).name, levels)
			for i, table := range tables {
				if d != 5 && i > 0 {
					break
				}
				if err := s.levels(ctx, in, view(table, d), in.Seed+uint64(i)); err != nil {
					return nil, err
				}
			}
			sweeps = append(sweeps, s)
		}
	}
	return sweeps, nil
}

// levels measures a table at every l of the sweep, with the same queries.
func (s *sweep) levels(ctx context.Context, in figures.Input, t paperTable, seed uint64) error {
	w := t.workloads(ctx, usualW, usualVolume, queriesAsked(in), seed)
	for i, l := range s.x {
		in.Step(fmt.Sprintf("%s, l = %v, seed %d", t.name, l, seed))
		if err := s.measure(ctx, i, t, w, s.cut(t, int(l), seed)); err != nil {
			return err
		}
	}
	return nil
}

func panels(x string, sweeps ...*sweep) []figures.Panel {
	var panels []figures.Panel
	for i, s := range sweeps {
		panels = append(panels, s.panel(string(rune('a'+i)), x))
	}
	return panels
}

// bothViews is OCC-d and SAL-d of the same generated records for several d.
func bothViews(in figures.Input, n int, ds ...int) []paperTable {
	t := dataset.Generated(dataset.Census(), n, in.Seed)
	var out []paperTable
	for _, d := range ds {
		out = append(out, occ(t, d), sal(t, d))
	}
	return out
}

// figure2 is the error by the number of predicates.
func figure2(ctx context.Context, in figures.Input) (*figures.Result, error) {
	var sweeps []*sweep
	for _, t := range bothViews(in, in.Rows(usualN, 2000), 5, 6, 7) {
		var ws []float64
		for w := usualW; w <= t.sensitive()+1; w++ {
			ws = append(ws, float64(w))
		}
		s := newSweep(t.name, ws)
		groups := s.cut(t, usualL, in.Seed)
		for i, w := range ws {
			in.Step(fmt.Sprintf("%s, w = %v", t.name, w))
			if err := s.measure(ctx, i, t, t.workloads(ctx, int(w), usualVolume, queriesAsked(in), in.Seed), groups); err != nil {
				return nil, err
			}
		}
		sweeps = append(sweeps, s)
	}
	return &figures.Result{Panels: panels("w", sweeps...), Claims: dimensionClaims(sweeps),
		Notes: []string{noteDefaults, noteReadings, noteOurs, noteEmpty(sweeps), nearNote(sweeps)}}, nil
}

// figure3 is the error by the volume of queries.
func figure3(ctx context.Context, in figures.Input) (*figures.Result, error) {
	var sweeps []*sweep
	volumes := []float64{.1, .15, .2, .25, .3}
	for _, t := range bothViews(in, in.Rows(usualN, 2000), 3, 5, 7) {
		s := newSweep(t.name, volumes)
		groups := s.cut(t, usualL, in.Seed)
		for i, v := range volumes {
			in.Step(fmt.Sprintf("%s, s = %v", t.name, v))
			if err := s.measure(ctx, i, t, t.workloads(ctx, usualW, v, queriesAsked(in), in.Seed), groups); err != nil {
				return nil, err
			}
		}
		sweeps = append(sweeps, s)
	}
	return &figures.Result{Panels: panels("volume s", sweeps...), Claims: volumeClaims(sweeps),
		Notes: []string{noteDefaults, noteReadings, noteOurs, noteEmpty(sweeps), nearNote(sweeps)}}, nil
}

// allSizes are the paper's numbers of records, at the scale asked for.
func allSizes(in figures.Input) []float64 {
	var out []float64
	for i := 1; i <= 5; i++ {
		out = append(out, float64(in.Rows(100_000*i, 1000*i)))
	}
	return out
}

// figure4 is the error by the number of records.
func figure4(ctx context.Context, in figures.Input) (*figures.Result, error) {
	sizes := allSizes(in)
	whole := dataset.Generated(dataset.Census(), int(sizes[len(sizes)-1]), in.Seed)
	var sweeps []*sweep
	for _, view := range []func(*equivclass.Table, int) paperTable{occ, sal} {
		s := newSweep("", sizes)
		for i, n := range sizes {
			t := view(dataset.First(whole, int(n)), 5)
			s.table = t.name
			in.Step(fmt.Sprintf("%s, n = %v", t.name, n))
			if err := s.measure(ctx, i, t, t.workloads(ctx, usualW, usualVolume, queriesAsked(in), in.Seed), s.cut(t, usualL, in.Seed)); err != nil {
				return nil, err
			}
		}
		sweeps = append(sweeps, s)
	}
	return &figures.Result{Panels: panels("records n", sweeps...), Claims: recordClaims(sweeps),
		Notes: []string{noteDefaults, noteReadings, noteOurs, nearNote(sweeps)}}, nil
}

const noteReadings = "Readings. Corners: Algorithm 2 grows two boxes from tuples t1, t2 \"in G with each attribute taking the " +
	"maximal/minimal value of the corresponding domains\" (section 3.1): the values of the sub-table G, or the domains of the table. " +
	"A_w: the query is printed with \"A_w = b_w\", so b_w is a value; the volume \"determines the length ... of b_i (1 <= i <= w)\" " +
	"(section 4.2), so b_w is an interval as b_1 to b_(w-1) are. The charts show the first of each; the files have all. A value is " +
	"drawn from the domain, where each is as likely as another."

const noteOurs = "Dashed, no method of the paper: permutation's own groups published as anatomy publishes them (its grouping without its " +
	"shuffling), and the corners of the table. Near groups is permutation-near."

// noteEmpty says how many queries found nothing.
func noteEmpty(sweeps []*sweep) string {
	empty, asked := 0, 0
	for _, s := range sweeps {
		empty, asked = empty+s.empty, asked+s.asked
	}
	return strconv.Itoa(empty) + " of " + strconv.Itoa(asked) + " queries match no record and have no relative error; they are left out."
}
