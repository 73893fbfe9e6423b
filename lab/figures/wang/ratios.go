package wang

import (
	"context"
	"slices"

	"anond/lab/figures"
	"anond/lab/literal"
)

// timedBatches is how many updates of a setting are timed.
const timedBatches = 5

// ratios are what the incremental update costs, as shares of what the full
// update over the same records and by the same close-k costs.
type ratios struct {
	of    []setting
	times map[string]*figures.Lines // by batch: processor time
	reach *figures.Lines            // records partitioned anew
}

func newRatios(xs []float64, of ...setting) *ratios {
	r := &ratios{of: of, times: map[string]*figures.Lines{}}
	names, reach, seen := map[string][]string{}, []string{fullName}, map[string]bool{}
	for _, s := range of {
		b := s.batch.name
		if names[b] == nil {
			names[b] = []string{fullName}
		}
		names[b] = append(names[b], s.times())
		if !seen[s.reach()] {
			reach, seen[s.reach()] = append(reach, s.reach()), true
		}
	}
	for b, list := range names {
		r.times[b] = figures.NewLines(xs, list, nil)
	}
	r.reach = figures.NewLines(xs, reach, nil)
	return r
}

// measure takes every setting at the i-th x, right after the full update.
func (r *ratios) measure(ctx context.Context, i int, g growth, k int) error {
	base := map[string]growing{}
	for _, s := range r.of {
		size, same := s.batch.of(g, k), s.batch.name+s.cost.name
		if _, known := base[same]; !known {
			f, err := g.run(ctx, update{method: literal.Full, by: s.by}, k, size, timedBatches)
			if err != nil {
				return err
			}
			base[same] = f
		}
		m, err := g.run(ctx, s.reading.update(s.by), k, size, timedBatches)
		if err != nil {
			return err
		}
		f := base[same]
		r.times[s.batch.name].Times(s.times(), i, []float64{m.seconds / f.seconds})
		if len(r.reach.Of(s.reach()).Runs[i]) == 0 {
			r.reach.Add(s.reach(), i, float64(m.records)/float64(f.records))
		}
	}
	for _, l := range r.times {
		l.Times(fullName, i, []float64{1})
	}
	r.reach.Add(fullName, i, 1)
	return nil
}

// quicker says whether the full update takes clearly more time at every x.
func (r *ratios) quicker(s setting) figures.Finding {
	l := r.times[s.batch.name]
	v := l.Of(s.times()).Values()
	at := figures.Compare(figures.Gap(figures.ClearGap), l.Of(s.times()), l.Of(fullName))
	f := figures.Found(at.Verdict(), "%s of the full update's time, clearly less at %d of %d", between(v), at.Count(figures.Holds), len(v))
	if n := at.Count(figures.Undecided); n > 0 {
		return figures.Found(at.Verdict(), "%s, not clear at %d", f.Numbers, n)
	}
	return f
}

// between writes the least and the greatest value.
func between(v []float64) string {
	return figures.Short(slices.Min(v)) + " to " + figures.Short(slices.Max(v))
}
