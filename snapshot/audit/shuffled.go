package audit

import (
	"math"
	"slices"
)

// trueJoins looks for slices that were not shuffled. Under recoding slicing a
// row shows a sensitive value next to a tuple of each slice by chance alone. If the
// rows were true, the file would disclose everybody's value, although bags,
// frequencies and counts are correct. With the exports the auditor can see how
// often a row is true.
//
// A group shows the truth when its pairs of tuple and value are its members'.
// Under an independent uniform shuffle, with n rows, m_a rows of tuple a, r_av
// members with tuple a and value v, and c_v rows of value v, that happens with
// probability
//
//	prod over a of (m_a! / prod over v of r_av!)  /  (n! / prod over v of c_v!).
//
// A slice is reported when all groups born in a release show the truth and the
// product of their probabilities is below improbable.
type trueJoins struct {
	log []float64 // per slice: logarithm of the product so far
	lie []bool    // per slice: some group does not show the truth
}

// improbable is e^-20, about 2e-9.
const improbable = -20

func (j *trueJoins) add(m *microdataCheck, c int, who []uint32) {
	t := m.rel.tab
	if j.log == nil {
		j.log, j.lie = make([]float64, len(t.slices)), make([]bool, len(t.slices))
	}
	d := len(m.s.qi)
	for i, columns := range t.slices {
		var mine, shown [][]uint32
		for k, rec := range who {
			mine = append(mine, append(pick(m.recs.qi[int(rec)*d:][:d], columns), m.recs.sa[rec]))
			shown = append(shown, append(pick(t.row(t.start[c]+uint32(k)), columns), t.pairsOf(c)[k]))
		}
		slices.SortFunc(mine, slices.Compare[[]uint32])
		slices.SortFunc(shown, slices.Compare[[]uint32])
		if !slices.EqualFunc(mine, shown, slices.Equal[[]uint32]) {
			j.lie[i] = true
			continue
		}
		j.log[i] += logTrue(mine)
	}
}

// logTrue is the logarithm of the probability above; rows are sorted, the value
// last.
func logTrue(rows [][]uint32) float64 {
	last := len(rows[0]) - 1
	sum := -logFactorial(len(rows))
	values := map[uint32]int{}
	tuple, pair := 0, 0 // rows so far with the tuple, and the pair, at hand
	for i, row := range rows {
		values[row[last]]++
		if i > 0 && slices.Equal(row[:last], rows[i-1][:last]) {
			tuple++
		} else {
			tuple = 1
		}
		if i > 0 && slices.Equal(row, rows[i-1]) {
			pair++
		} else {
			pair = 1
		}
		sum += math.Log(float64(tuple)) - math.Log(float64(pair)) // m_a! and r_av!, factor by factor
	}
	for _, n := range values {
		sum += logFactorial(n)
	}
	return sum
}

func logFactorial(n int) float64 {
	x, _ := math.Lgamma(float64(n) + 1)
	return x
}

func (j *trueJoins) report(m *microdataCheck) {
	for i, x := range j.log {
		if !j.lie[i] && x < improbable {
			m.f.add("F", kindNotShuffled, m.rel.num, 0, m.s.qi[m.rel.tab.slices[i][0]].name,
				"every group shows its members' own sensitive values next to their own values of this slice: it was not shuffled")
		}
	}
}
