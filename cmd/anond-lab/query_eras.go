package main

import (
	"errors"
	"math"
	"slices"

	"anond/equivclass/query"
	"anond/internal/cli"
	"anond/snapshot/readback"
)

// over answers from the eras of a release together: bounds, estimates and intervals of counts and sums are added up. A mean is that of the
// eras, weighted by their counts, and its bounds and interval hold those of each.
//
// Guarantee: bounds hold. A column that the parts of an era do not have may have any value there, so nobody of them must match, and all may
// who match otherwise; of those as many are estimated as in the eras that have the column.
func (f *asking) over(eras []*readback.Release, q query.Query) (*answer, error) {
	if len(f.by) > 0 {
		return nil, cli.Usage("ask with conditions, value by value",
			"--by does not know a release whose parts were published under several settings")
	}
	var out *answer
	var answers, weights []*answer
	for i, r := range slices.Backward(eras) {
		asked, open := r.AskedOf(q, eras)
		if named := q.Sum; named != "" && (open || !r.Publishes(named) && i < len(eras)-1) {
			return nil, cli.Usage("ask for a count",
				"parts of the release do not have each column that is asked for: its sum and mean have no bounds")
		}
		a, err := f.of(r, asked)
		if errors.Is(err, errNobody) {
			continue
		} else if err != nil {
			return nil, err
		}
		if out == nil {
			first := *a
			out = &first
		}
		if open {
			if err := f.anyValue(a, q, asked, r, eras); err != nil {
				return nil, err
			}
		} else {
			out.Absent = slices.DeleteFunc(slices.Clone(out.Absent), func(v query.AbsentValue) bool { return !slices.Contains(a.Absent, v) })
		}
		answers = append(answers, a)
		if q.Mean {
			w, err := f.of(r, query.Query{Where: asked.Where})
			if err != nil {
				return nil, err
			}
			weights = append(weights, w)
		}
	}
	if out == nil {
		return nil, errNobody
	}
	out.Numbers = together(answers, weights)
	return out, nil
}

// anyValue makes the answer without conditions on columns that an era does not have one with them.
func (f *asking) anyValue(a *answer, q, asked query.Query, r *readback.Release, eras []*readback.Release) error {
	with, without := 0., 0.
	for _, o := range eras {
		whole, open := o.AskedOf(q, eras)
		if open {
			continue
		}
		part := query.Query{Where: slices.DeleteFunc(slices.Clone(whole.Where), func(c query.Condition) bool {
			return !r.Publishes(c.Attribute)
		})}
		for sum, q := range map[*float64]query.Query{&with: whole, &without: part} {
			b, err := f.of(o, q)
			if err != nil {
				return err
			}
			if b.Estimate != nil {
				*sum += *b.Estimate
			}
		}
	}
	none := 0.
	a.Lower = &none
	if a.Low != nil {
		a.Low, a.High = a.Lower, a.Upper
	}
	if a.Hidden = a.Hidden || without == 0; a.Hidden {
		a.Estimate = nil
		return nil
	}
	estimate := *a.Estimate * min(1, with/without)
	a.Estimate = &estimate
	return nil
}

// together adds answers up; with weights it is their mean.
func together(answers, weights []*answer) *Numbers {
	out, sums, weight := &Numbers{}, [5]float64{}, 0.
	for i, a := range answers {
		if a.Hidden {
			out.Hidden = true
		}
		w := 1.
		if weights != nil {
			if w = 0; weights[i].Estimate != nil {
				w = *weights[i].Estimate
			}
		}
		weight += w
		for at, v := range []*float64{a.Estimate, a.Low, a.High, a.Lower, a.Upper} {
			switch {
			case v == nil:
			case weights == nil || at == 0:
				sums[at] += w * *v
			case i == 0:
				sums[at] = *v
			case at == 1 || at == 3:
				sums[at] = math.Min(sums[at], *v)
			default:
				sums[at] = math.Max(sums[at], *v)
			}
		}
	}
	if weights != nil {
		sums[0] /= weight
	}
	if !out.Hidden {
		out.Estimate = &sums[0]
	}
	if answers[0].Low != nil {
		out.Low, out.High = &sums[1], &sums[2]
	}
	out.Lower, out.Upper = &sums[3], &sums[4]
	return out
}
