package extract

import (
	"anond/equivclass"
)

// kdSplit cuts rows by medians of the dimension in which they vary most into
// parts of at most size, and visits them in order. turn moves the first cut: to
// the turn-th dimension and, if odd, from a half to a third, so that several
// calls see different borders. The rows are reordered. Cost: n log(n/size).
func kdSplit(coords []float32, d int, rows []int32, size, turn int, visit func(part []int32)) {
	if len(rows) <= size {
		visit(rows)
		return
	}
	at := len(rows) / 2
	if turn%2 == 1 {
		at = len(rows) / 3
	}
	selectRows(coords, d, varying(coords, d, rows, turn), rows, at)
	kdSplit(coords, d, rows[:at], size, 0, visit)
	kdSplit(coords, d, rows[at:], size, 0, visit)
}

// firstBucket returns the part that kdSplit would visit first, at the cost of
// cutting that part's ancestors only.
func (x *extraction) firstBucket(rows []int32, size int) []int32 {
	for len(rows) > size {
		selectRows(x.p.X, x.d, varying(x.p.X, x.d, rows, 0), rows, len(rows)/2)
		rows = rows[:len(rows)/2]
	}
	return rows
}

// varianceSample bounds the rows looked at to choose a dimension.
const varianceSample = 512

// varying returns the dimension with the largest variance of the rows, or the
// one turn places behind it among those with any variance.
func varying(coords []float32, d int, rows []int32, turn int) int {
	step := max(1, len(rows)/varianceSample)
	var room [16]float32
	variance := append(room[:0], make([]float32, d)...)
	for j := range variance {
		variance[j] = varianceOf(coords, d, rows, j, step)
	}
	best := argmax(variance)
	for ; turn > 0; turn-- {
		variance[best] = 0
		next := argmax(variance)
		if variance[next] == 0 {
			break
		}
		best = next
	}
	return best
}

func argmax(list []float32) int {
	best := 0
	for j, v := range list {
		if v > list[best] {
			best = j
		}
	}
	return best
}

func varianceOf(coords []float32, d int, rows []int32, j, step int) float32 {
	var sum float32
	n := 0
	for a := 0; a < len(rows); a += step {
		sum += coords[int(rows[a])*d+j]
		n++
	}
	mean := sum / float32(n)
	var variance float32
	for a := 0; a < len(rows); a += step {
		gap := coords[int(rows[a])*d+j] - mean
		variance += float32(gap * gap)
	}
	return variance
}

// selectRows moves the n smallest rows, by coordinate j and then by number, to
// the front.
func selectRows(coords []float32, d, j int, rows []int32, n int) {
	equivclass.Select(rows, n, func(a, b int32) bool {
		ca, cb := coords[int(a)*d+j], coords[int(b)*d+j]
		return ca < cb || ca == cb && a < b
	})
}
