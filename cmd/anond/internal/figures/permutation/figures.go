package permutation

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"anond/cmd/anond/internal/figures"
	"anond/cmd/anond/internal/figures/dataset"
)

// paPrivacy is figure 1.
func paPrivacy(ctx context.Context, in figures.Input) (*figures.Result, error) {
	generated, err := paPrivacyGenerated(ctx, in)
	if err != nil {
		return nil, err
	}
	real, err := paPrivacyReal(ctx, in)
	if err != nil {
		return nil, err
	}
	why, err := paWhy(ctx, in)
	if err != nil {
		return nil, err
	}
	r := &figures.Result{Panels: paPanels("l", append(slices.Clone(generated), real...)...)}
	r.Panels = append(r.Panels, why.panel(string(rune('a'+len(r.Panels)))))
	r.Claims = paPrivacyClaims(generated, real, why)
	r.Notes = []string{
		paDefaults,
		fmt.Sprintf("Panels of d = 5, industry and occupation (Adult): %d seeds of everything random (records or their order, queries, the permutation's tries) with %d queries each; the other panels one seed.", paSeeds, paAskedQueries(in)),
		paOurs,
		paSeedsText(append(generated[2:4:4], real...)),
	}
	return r, nil
}

// paSeeds is how often a setting with several seeds is measured.
const paSeeds = 3

var paLevels = []float64{2, 4, 6, 8, 10}

func paPrivacyGenerated(ctx context.Context, in figures.Input) ([]*paSweep, error) {
	var tables []*dataset.Table
	for seed := in.Seed; seed < in.Seed+paSeeds; seed++ {
		tables = append(tables, dataset.Generated(dataset.Census(), in.Rows(paN, 2000), seed))
	}
	var sweeps []*paSweep
	for _, d := range []int{3, 5, 7} {
		for _, view := range []func(*dataset.Table, int) paTable{occ, sal} {
			s := newPASweep(view(tables[0], d).name, paLevels)
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
func (s *paSweep) levels(ctx context.Context, in figures.Input, t paTable, seed uint64) error {
	w := t.workload(ctx, paW, paS, paAskedQueries(in), seed)
	for i, l := range s.x {
		in.Step(fmt.Sprintf("%s, l = %v, seed %d", t.name, l, seed))
		if err := s.measure(ctx, i, t, w, s.cut(t, int(l), seed)); err != nil {
			return err
		}
	}
	return nil
}

func paPanels(x string, sweeps ...*paSweep) []figures.Panel {
	var panels []figures.Panel
	for i, s := range sweeps {
		panels = append(panels, s.panel(string(rune('a'+i)), x))
	}
	return panels
}

// paBoth is OCC-d and SAL-d of the same generated records for several d.
func paBoth(in figures.Input, n int, ds ...int) []paTable {
	t := dataset.Generated(dataset.Census(), n, in.Seed)
	var out []paTable
	for _, d := range ds {
		out = append(out, occ(t, d), sal(t, d))
	}
	return out
}

// paDimensions is figure 2.
func paDimensions(ctx context.Context, in figures.Input) (*figures.Result, error) {
	var sweeps []*paSweep
	for _, t := range paBoth(in, in.Rows(paN, 2000), 5, 6, 7) {
		var ws []float64
		for w := paW; w <= t.sensitive()+1; w++ {
			ws = append(ws, float64(w))
		}
		s := newPASweep(t.name, ws)
		groups := s.cut(t, paL, in.Seed)
		for i, w := range ws {
			in.Step(fmt.Sprintf("%s, w = %v", t.name, w))
			if err := s.measure(ctx, i, t, t.workload(ctx, int(w), paS, paAskedQueries(in), in.Seed), groups); err != nil {
				return nil, err
			}
		}
		sweeps = append(sweeps, s)
	}
	return &figures.Result{Panels: paPanels("w", sweeps...), Claims: paDimensionClaims(sweeps), Notes: []string{paDefaults, paOurs, paEmpty(sweeps)}}, nil
}

// paVolume is figure 3.
func paVolume(ctx context.Context, in figures.Input) (*figures.Result, error) {
	var sweeps []*paSweep
	volumes := []float64{.1, .15, .2, .25, .3}
	for _, t := range paBoth(in, in.Rows(paN, 2000), 3, 5, 7) {
		s := newPASweep(t.name, volumes)
		groups := s.cut(t, paL, in.Seed)
		for i, v := range volumes {
			in.Step(fmt.Sprintf("%s, s = %v", t.name, v))
			if err := s.measure(ctx, i, t, t.workload(ctx, paW, v, paAskedQueries(in), in.Seed), groups); err != nil {
				return nil, err
			}
		}
		sweeps = append(sweeps, s)
	}
	return &figures.Result{Panels: paPanels("volume s", sweeps...), Claims: paVolumeClaims(sweeps), Notes: []string{paDefaults, paOurs, paEmpty(sweeps)}}, nil
}

// paSizes are the paper's numbers of records, at the scale asked for.
func paSizes(in figures.Input) []float64 {
	var out []float64
	for i := 1; i <= 5; i++ {
		out = append(out, float64(in.Rows(100_000*i, 1000*i)))
	}
	return out
}

// paRecords is figure 4.
func paRecords(ctx context.Context, in figures.Input) (*figures.Result, error) {
	sizes := paSizes(in)
	whole := dataset.Generated(dataset.Census(), int(sizes[len(sizes)-1]), in.Seed)
	var sweeps []*paSweep
	for _, view := range []func(*dataset.Table, int) paTable{occ, sal} {
		s := newPASweep("", sizes)
		for i, n := range sizes {
			t := view(whole.First(int(n)), 5)
			s.table = t.name
			in.Step(fmt.Sprintf("%s, n = %v", t.name, n))
			if err := s.measure(ctx, i, t, t.workload(ctx, paW, paS, paAskedQueries(in), in.Seed), s.cut(t, paL, in.Seed)); err != nil {
				return nil, err
			}
		}
		sweeps = append(sweeps, s)
	}
	return &figures.Result{Panels: paPanels("records n", sweeps...), Claims: paRecordClaims(sweeps), Notes: []string{paDefaults, paOurs}}, nil
}

const paOurs = "Beside the paper's two methods: permutation's own groups published as anatomy publishes them (its grouping without its shuffling); straight cuts, permutation that divides the table by Mondrian's median cuts before Algorithm 1; and near groups, which is permutation-near. The last two shuffle as permutation does."

// paEmpty says how many queries found nothing.
func paEmpty(sweeps []*paSweep) string {
	empty, asked := 0, 0
	for _, s := range sweeps {
		empty, asked = empty+s.empty, asked+s.asked
	}
	return strconv.Itoa(empty) + " of " + strconv.Itoa(asked) + " queries match no record and have no relative error; they are left out."
}
