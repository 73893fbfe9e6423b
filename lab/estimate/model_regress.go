package estimate

import "anond/equivclass"

// folds is how many parts of the buckets the penalty is chosen by.
const folds = 4

// penalties are those tried, in records.
var penalties = []float64{2, 8, 32, 128, 512, 2048}

// regress finds the coefficients of the shares of values in a bucket on its
// features. At level L2 classes share a bucket because of their values, which makes
// such coefficients too large. A correction by the variances of shares over classes
// and over buckets was tried and left out: on Adult it made large counts better at
// k=5, l=3 (.030 to .026) and worse at k=10, l=5 (.044 to .052). The penalty and the
// fitting limit what it costs.
//
// The penalty is the one with which each quarter of the buckets is predicted best
// from the others.
func (m *model) regress(n int) {
	var parts [folds]*equations
	for f := range parts {
		parts[f] = newEquations(n, m.responses)
	}
	shares, dense := m.responseShares(), make([]float64, n)
	seen := make([]float64, m.responses)
	for b, bag := range m.r.Bags {
		for v := range seen {
			seen[v] = -float64(bag.Total) * shares[v]
		}
		for _, c := range bag.Counts {
			seen[m.response[c.Code]] += float64(c.N)
		}
		parts[b%folds].add(m.bucketFeatures(b, dense), float64(bag.Total), seen)
	}
	whole := newEquations(n, m.responses)
	for _, p := range parts {
		whole.Plus(p, 1)
	}
	coupled := m.coupled()
	best, least := penalties[0], 0.0
	for i, penalty := range penalties {
		loss := 0.0
		for _, p := range parts {
			whole.Plus(p, -1)
			loss += p.loss(whole.solve(penalty, coupled))
			whole.Plus(p, 1)
		}
		if i == 0 || loss < least {
			best, least = penalty, loss
		}
	}
	m.slope = whole.solve(best, coupled)
}

func (m *model) responseShares() []float64 {
	out := make([]float64, m.responses)
	for v, share := range m.base {
		out[m.response[v]] += share
	}
	return out
}

// bucketFeatures is the mean over the records of a bucket. It uses dense.
func (m *model) bucketFeatures(b int, dense []float64) (out features) {
	clear(dense)
	all := 0.0
	for _, i := range m.classes[m.start[b]:m.start[b+1]] {
		n := float64(m.r.Size[i])
		all += n
		for j, x := range m.axes {
			if x == nil {
				continue
			}
			f := &m.bins[j][m.r.Columns[j].Of[i]]
			for k, at := range f.at {
				dense[at] += n * f.w[k]
			}
		}
	}
	for at, w := range dense {
		if w > 0 {
			out.at, out.w = append(out.at, int32(at)), append(out.w, w/all)
		}
	}
	return out
}

// coupled are the neighbouring bins of numbers, whose coefficients are alike.
func (m *model) coupled() (out [][2]int) {
	for _, x := range m.axes {
		if x == nil || x.dict.Kind() != equivclass.Number {
			continue
		}
		for b := 1; b < x.bins; b++ {
			out = append(out, [2]int{x.first + b, x.first + b - 1})
		}
	}
	return out
}
