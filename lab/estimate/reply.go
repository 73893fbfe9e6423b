package estimate

import (
	"math"
	"slices"

	"anond/equivclass"
	"anond/equivclass/query"
)

// What makes intervals hold, as measured (TestIntervalsCover).
const (
	sigmas   = 1.96
	inflated = 1.3 // what the variances leave out
	doubt    = .3  // of the difference between model and shares
	inside   = .15 // of the people whose cells match in part
	// An answer is hidden if model and shares are more than two standard errors apart, and also more than such a part of the answer, or
	// if the part of those in question who have a value that is asked for is larger than in any bucket.
	hiddenErrors, hiddenPart = 2, .4
	beyond                   = 2. // times the difference: how far the truth may lie beyond a hidden estimate
)

// Reply is the answer of a model to a query: estimate and bounds, and an interval that holds the truth 95 times of 100.
//
// The interval is estimate +- 1.96 sqrt(s^2 + (.3 d)^2), within the bounds. d is the difference between the model and the shares of
// buckets: the engine evens out buckets, which hides a part of each relation from the model too. s^2 is 1.69 times three variances:
//
//   - of the estimates of the replicates;
//   - of the people given the model, added up over buckets, where it is the lesser of two sums: over classes, of M z2 - (M z1)^2 / people
//     of the class, with M z summed over responses, and over responses, of the same summed over classes, per people with the
//     response. M is here times the share of the cells that is asked for; z1 and z2 are the mean and the mean square of what a person
//     of the bucket with the response adds: 1 for a count, the number for a sum, and for a mean the number less the mean, each only
//     of values that are asked for;
//   - of the spread inside cells: the square of .15 times the sum of M z1 (1 - share of the cells that is asked for).
//
// Of a mean the last two are divided by the square of the count. A hidden answer's interval reaches as far as the estimate plus 2 d, on the
// side where the shares are not.
type Reply struct {
	query.Answer
	Shares    float64 // what the shares of buckets say
	Low, High float64 // the interval
	// Hidden tells that the promise hides the answer: the estimate is what a model makes of it, and the interval is all that is known.
	Hidden bool

	variance float64 // s^2
}

// reply completes an answer. unshown tells that no bucket shows such a part.
func reply(estimate, variance float64, unshown bool, shares query.Answer) Reply {
	r := Reply{Answer: shares, Shares: shares.Estimate, variance: inflated * inflated * variance}
	if math.IsNaN(estimate) {
		estimate = shares.Estimate
	}
	r.Estimate = min(max(estimate, r.Lower), r.Upper)
	d := math.Abs(r.Estimate - r.Shares)
	half := sigmas * math.Sqrt(r.variance+doubt*doubt*d*d)
	r.Hidden = d > hiddenErrors*math.Sqrt(r.variance) && (unshown || d > hiddenPart*math.Abs(r.Estimate))
	below, above := half, half
	if r.Hidden && r.Estimate < r.Shares {
		below = max(half, beyond*d)
	} else if r.Hidden {
		above = max(half, beyond*d)
	}
	r.Low, r.High = max(r.Lower, r.Estimate-below), min(r.Upper, r.Estimate+above)
	return r
}

// Estimate is the model's answer alone. It may lie outside of the bounds.
func (m *Model) Estimate(q *query.Bound) float64 {
	asked := []*ask{m.ask(q)}
	return asked[0].answer(m.tallies(&m.fitted, asked, nil)[0])
}

// Answers answers queries together, which costs little more than one.
func (m *Model) Answers(queries []*query.Bound) []Reply {
	m.Replicate()
	asked := make([]*ask, len(queries))
	for i, q := range queries {
		asked[i] = m.ask(q)
	}
	first := m.tallies(&m.fitted, asked, nil)
	means, sums, squares := make([]float64, len(asked)), make([]float64, len(asked)), make([]float64, len(asked))
	for i, a := range asked {
		if a.q.Mean {
			means[i] = a.answer(first[i])
		}
	}
	variances, partly, group, most := make([]float64, len(asked)), make([]float64, len(asked)), make([]float64, len(asked)),
		make([]float64, len(asked))
	m.tallies(&m.fitted, asked, &residual{means, variances, partly, group, most})
	for _, f := range m.again {
		for i, t := range m.tallies(&f, asked, nil) {
			d := asked[i].answer(t) - asked[i].answer(first[i])
			sums[i], squares[i] = sums[i]+d, squares[i]+d*d
		}
	}
	out := make([]Reply, len(asked))
	for i, a := range asked {
		if variances[i] += inside * inside * partly[i] * partly[i]; a.q.Mean {
			variances[i] /= max(1, first[i].people*first[i].people)
		}
		again := (squares[i] - sums[i]*sums[i]/Replicates) / (Replicates - 1)
		if math.IsNaN(again) { // a mean of people whom a replicate does not see
			again = 0
		}
		unshown := a.q.Sum < 0 && first[i].people > most[i]*group[i]*(1+1e-9)
		out[i] = reply(a.answer(first[i]), max(0, again)+variances[i], unshown, m.r.Estimate(a.q))
	}
	return out
}

// ask is a query with how it fits each different cell.
type ask struct {
	q      *query.Bound
	parts  []askedColumn
	summed *askedColumn // of a quasi-identifier; its moments count
	worth  []float64    // of each sensitive value: what it adds; NaN: it is not asked for
}

// askedColumn is the part of each different cell that a query asks for.
type askedColumn struct {
	column  int
	spreads []spread
	table   []float64 // different cell x response: the share that is asked for, or the mean number
}

// tally is the sum of a query and the number of people who match.
type tally struct{ sum, people float64 }

// residual collects the variances of people given the model, and the people whose cells match in part.
// The others are of counts: people whom only the value may exclude, and the largest part of a bucket with a value that is asked for.
type residual struct{ means, variances, partly, group, most []float64 }

func (a *ask) answer(t tally) float64 {
	if a.q.Mean {
		return t.sum / t.people
	}
	return t.sum
}

func (m *Model) ask(q *query.Bound) *ask {
	a := &ask{q: q, worth: make([]float64, m.r.Dicts[m.r.Sensitive].Len())}
	for v := range a.worth {
		if a.worth[v] = 1; q.Sum == m.r.Sensitive {
			a.worth[v] = query.Worth(m.r.Dicts[q.Sum], equivclass.Code(v))
		}
	}
	var summed *query.Predicate
	for i := range q.Preds {
		p := &q.Preds[i]
		if p.Attribute == m.r.Sensitive {
			for v, match := range p.Match {
				if !match {
					a.worth[v] = math.NaN()
				}
			}
			continue
		}
		if p.Attribute == q.Sum {
			summed = p
		}
		a.parts = append(a.parts, m.askedColumn(p.Attribute, p))
	}
	if q.Sum >= 0 && q.Sum != m.r.Sensitive {
		c := m.askedColumn(q.Sum, summed)
		a.summed = &c
	}
	return a
}

func (m *Model) askedColumn(j int, p *query.Predicate) askedColumn {
	c := m.columns[j]
	out := askedColumn{column: j, spreads: c.spreads, table: make([]float64, len(c.spreads)*m.responses)}
	if p != nil {
		out.spreads = make([]spread, len(c.pieces))
		for x := range c.pieces {
			part := c.asked(&c.pieces[x], p)
			out.spreads[x] = c.spread(&part)
		}
	}
	return out
}

// prepare computes the tables of a query for some parameters.
func (w *work) prepare(a *ask, f *fit) {
	for _, c := range a.parts {
		clear(c.table)
		for x := range c.spreads {
			row := rowOf(c.table, x, w.responses)
			sumBins(&c.spreads[x], c.spreads[x].w, f.theta[c.column], row)
			for k, u := range rowOf(w.u[c.column], x, w.responses) {
				row[k] = min(1, row[k]/max(least, u))
			}
		}
	}
	if c := a.summed; c != nil {
		clear(c.table)
		weights := make([]float64, w.responses)
		for x := range c.spreads {
			row := rowOf(c.table, x, w.responses)
			clear(weights)
			sumBins(&c.spreads[x], c.spreads[x].w, f.theta[c.column], weights)
			sumBins(&c.spreads[x], c.spreads[x].moments, f.theta[c.column], row)
			for k := range row {
				row[k] /= max(least, weights[k])
			}
		}
	}
}

// tallies answers queries by some parameters; with to it adds up variances in place of sums.
func (m *Model) tallies(f *fit, asked []*ask, to *residual) []tally {
	w, out := m.newWork(), make([]tally, len(asked))
	w.cells(f)
	for _, a := range asked {
		w.prepare(a, f)
	}
	share, first, second := make([]float64, m.responses), make([]float64, m.responses), make([]float64, m.responses)
	one, two := make([]float64, m.responses), make([]float64, m.responses)
	for b := range m.r.Bags {
		have := m.people(w, f, b)
		for i, a := range asked {
			mean := 0.
			if to != nil {
				mean = to.means[i]
			}
			w.payoffs(a, b, mean, share, first, second)
			clear(one)
			clear(two)
			byClass := 0.
			for at, class := range m.classes[m.start[b]:m.start[b+1]] {
				sum, square := 0., 0.
				for k, n := range rowOf(have, at, m.responses) {
					if share[k] == 0 && to == nil || n == 0 {
						continue
					}
					whole := n
					for _, c := range a.parts {
						n *= c.table[int(m.columns[c.column].of[class])*m.responses+k]
					}
					x, y := n*first[k], n*second[k]
					if c := a.summed; c != nil {
						v := c.table[int(m.columns[c.column].of[class])*m.responses+k] - mean
						x, y = n*share[k]*v, n*share[k]*v*v
					}
					out[i].sum, out[i].people = out[i].sum+x, out[i].people+n*share[k]
					if to != nil {
						to.partly[i] += (1 - n/whole) * x
						to.group[i] += n
					}
					sum, square, one[k], two[k] = sum+x, square+y, one[k]+x, two[k]+y
				}
				byClass += square - sum*sum/float64(m.r.Size[class])
			}
			if to == nil {
				continue
			}
			byValue, part := 0., 0.
			for k, n := range rowOf(m.counts, b, m.responses) {
				if part += n * share[k] / float64(m.r.Bags[b].Total); n > 0 {
					byValue += two[k] - one[k]*one[k]/n
				}
			}
			to.most[i] = max(to.most[i], part)
			to.variances[i] += max(0, min(byClass, byValue))
		}
	}
	return out
}

// people are those of the classes of a bucket by response. What the model itself says is kept.
func (m *Model) people(w *work, f *fit, b int) []float64 {
	if f != &m.fitted {
		w.bucket(f, b, 0)
		return w.have
	}
	if m.kept == nil {
		m.kept = make([][]float64, len(m.r.Bags))
	}
	if m.kept[b] == nil {
		w.bucket(f, b, 0)
		m.kept[b] = slices.Clone(w.have[:int(m.start[b+1]-m.start[b])*m.responses])
	}
	return m.kept[b]
}

// payoffs says of the people of a bucket with each response: which share has a value that is asked for, and what a person adds in the
// mean, and the square of it.
func (w *work) payoffs(a *ask, b int, mean float64, share, first, second []float64) {
	clear(share)
	clear(first)
	clear(second)
	for _, c := range w.r.Bags[b].Counts {
		v, k := a.worth[c.Code], w.response[c.Code]
		if !math.IsNaN(v) {
			part := float64(c.N) / w.counts[b*w.responses+int(k)]
			share[k] += part
			first[k] += part * (v - mean)
			second[k] += part * (v - mean) * (v - mean)
		}
	}
}
