package estimate

import (
	"math"
	"math/rand/v2"

	"anond/equivclass"
)

// sweeps is how often each person of a bucket is asked to exchange values, in an imputation.
const sweeps = 30

// Impute makes complete tables from the release: imputation 0 has what the release says of each person for certain, and empty texts, and
// each of 1 to n has a value for everything. Rows are people by bucket and class; columns the attributes of the release.
//
// The values of a bucket are those of its bag, for each sensitive attribute. Who has which is drawn by exchanges (Metropolis) from the
// parameters of replicate number i, so that the tables differ by what the model does not know too. Values inside cells are drawn given
// the sensitive ones. Each attribute follows its own model: what two sensitive ones have together beyond the quasi-identifiers, as a pair
// table may say, is not in the tables. The same release and seed give the same tables on the same processor.
func (j *Joint) Impute(n int, seed uint64, row func(imputation, row int, class, bucket int32, values []string) error) error {
	for i := range j.r.Sensitive {
		j.Model(i).Replicate()
	}
	for i := range n + 1 {
		if err := j.impute(i, rand.New(rand.NewPCG(seed, uint64(i))), row); err != nil {
			return err
		}
	}
	return nil
}

func (j *Joint) impute(imputation int, rng *rand.Rand, row func(imputation, row int, class, bucket int32, values []string) error) error {
	first, d := j.models[0], len(j.r.Dicts)-len(j.r.Sensitive)
	fits, works := make([]*fit, len(j.models)), make([]*work, len(j.models))
	for i, m := range j.models {
		fits[i], works[i] = &m.again[max(0, imputation-1)%Replicates], m.newWork()
		works[i].cells(fits[i])
	}
	person, values := 0, make([]string, len(j.r.Dicts))
	for b := range j.r.Bags {
		classes := first.classes[first.start[b]:first.start[b+1]]
		drawn := make([][]equivclass.Code, len(j.models))
		for i, m := range j.models {
			works[i].bucket(fits[i], b, 0)
			drawn[i] = m.exchange(works[i], b, rng)
		}
		at := 0
		for _, class := range classes {
			for range first.r.Size[class] {
				for i, m := range j.models {
					dict, bag := m.r.Dicts[d], m.r.Bags[b].Counts
					if values[d+i] = dict.Text(drawn[i][at]); imputation == 0 && len(bag) > 1 {
						values[d+i] = ""
					}
				}
				for q := range d {
					c := first.columns[q]
					p := &c.pieces[c.of[class]]
					switch {
					case len(p.points) == 1 && len(p.runs) == 0:
						values[q] = c.text(p.points[0].value)
					case imputation == 0:
						values[q] = ""
					default:
						values[q] = c.text(c.draw(p, rng, func(bin int) float64 {
							weight := 1.
							for i, m := range j.models {
								weight *= fits[i].theta[q][bin*m.responses+int(m.response[drawn[i][at]])]
							}
							return weight
						}))
					}
				}
				if err := row(imputation, person, class, int32(b), values); err != nil {
					return err
				}
				person, at = person+1, at+1
			}
		}
	}
	return nil
}

// exchange deals the values of a bucket out to its people, in the order of classes.
func (m *Model) exchange(w *work, b int, rng *rand.Rand) (values []equivclass.Code) {
	for _, c := range m.r.Bags[b].Counts {
		for range c.N {
			values = append(values, c.Code)
		}
	}
	rng.Shuffle(len(values), func(i, k int) { values[i], values[k] = values[k], values[i] })
	var of []int // class of each person
	for i, class := range m.classes[m.start[b]:m.start[b+1]] {
		for range m.r.Size[class] {
			of = append(of, i)
		}
	}
	for range sweeps * len(values) {
		p, q := rng.IntN(len(values)), rng.IntN(len(values))
		x, y := int(m.response[values[p]]), int(m.response[values[q]])
		if of[p] == of[q] || x == y {
			if x == y { // inside a response all orders are equally likely
				values[p], values[q] = values[q], values[p]
			}
			continue
		}
		one, two := rowOf(w.likely, of[p], m.responses), rowOf(w.likely, of[q], m.responses)
		if rng.Float64()*one[x]*two[y] < one[y]*two[x] {
			values[p], values[q] = values[q], values[p]
		}
	}
	return values
}

// draw draws a value of a piece, of which each bin has a weight.
func (x *axis) draw(p *piece, rng *rand.Rand, weight func(bin int) float64) float64 {
	type part struct{ lo, hi, upTo float64 }
	var parts []part
	all := 0.
	for _, f := range p.points {
		all += f.weight * weight(x.binOf(f.value))
		parts = append(parts, part{f.value, f.value, all})
	}
	for _, r := range p.runs {
		for from, b := r[0], x.binOf(r[0]); from < r[1]; b++ {
			end := r[1]
			if b < len(x.edges) {
				end = min(end, x.edges[b])
			}
			all += p.density * (end - from) * weight(b)
			parts = append(parts, part{from, end, all})
			from = end
		}
	}
	u := rng.Float64() * all
	for i, s := range parts {
		if u < s.upTo || i == len(parts)-1 {
			v := s.lo + rng.Float64()*(s.hi-s.lo)
			if s.lo < s.hi && x.half > 0 {
				v = min(max(math.Round(v), s.lo+x.half), s.hi-x.half)
			}
			return v
		}
	}
	return math.NaN()
}

// text writes a value; missing ones are empty.
func (x *axis) text(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	if x.dict.Kind() == equivclass.Number {
		a := x.dict.Attribute()
		units, _ := a.Units(v)
		return a.FormatNumber(units)
	}
	return x.dict.Text(equivclass.Code(v))
}
