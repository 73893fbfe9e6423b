package estimate

import (
	"math"
	"slices"

	"anond/equivclass"
)

// Proportional fitting ends when every count is met within fitClose records, or
// after fitRounds. No value has less than leastShare of its mean share in a class:
// a regression may predict less than nothing.
const (
	fitRounds  = 50
	fitClose   = 1e-4
	leastShare = 0.02
)

// fit scales the predicted shares, bucket by bucket, so that each class has one
// value for each record, and each value occurs as often as the bucket shows. Only
// the factors of the values are kept; those of the classes make their shares sum
// to 1.
func (m *model) fit() {
	m.scaleAt = make([]int, len(m.r.Bags)+1)
	for b, bag := range m.r.Bags {
		m.scaleAt[b+1] = m.scaleAt[b] + len(bag.Counts)
	}
	m.scale = slices.Repeat([]float64{1}, m.scaleAt[len(m.r.Bags)])
	var row, shown []float64
	for b, bag := range m.r.Bags {
		row = slices.Grow(row[:0], len(bag.Counts))[:len(bag.Counts)]
		shown = slices.Grow(shown[:0], len(bag.Counts))[:len(bag.Counts)]
		m.fitBucket(b, row, shown)
	}
}

func (m *model) scales(b int) []float64 { return m.scale[m.scaleAt[b]:m.scaleAt[b+1]] }

func (m *model) fitBucket(b int, row, shown []float64) {
	counts, scales := m.r.Bags[b].Counts, m.scales(b)
	for range fitRounds {
		clear(shown)
		for _, i := range m.classes[m.start[b]:m.start[b+1]] {
			m.predict(i, counts, row)
			records := float64(m.r.Size[i]) / product(row, scales)
			for v, p := range row {
				shown[v] += records * p * scales[v]
			}
		}
		far := 0.0
		for v, c := range counts {
			far = max(far, math.Abs(shown[v]-float64(c.N)))
			scales[v] *= float64(c.N) / shown[v]
		}
		if far < fitClose {
			return
		}
	}
}

// predict predicts the shares that some values have in a class.
func (m *model) predict(class int32, counts []equivclass.Count, to []float64) {
	for k, c := range counts {
		to[k] = m.base[c.Code]
	}
	for j, x := range m.axes {
		if x != nil {
			m.addEffect(&m.bins[j][m.r.Columns[j].Of[class]], 1, counts, to)
		}
	}
	m.clip(counts, to)
}

// addEffect adds the effect of features on the shares of values.
func (m *model) addEffect(f *features, times float64, counts []equivclass.Count, to []float64) {
	for k, at := range f.at {
		slope, w := rowOf(m.slope, int(at), m.responses), times*f.w[k]
		for v, c := range counts {
			to[v] += w * slope[m.response[c.Code]] * m.within[c.Code]
		}
	}
}

func (m *model) clip(counts []equivclass.Count, shares []float64) {
	for v, c := range counts {
		shares[v] = max(shares[v], leastShare*m.base[c.Code])
	}
}
