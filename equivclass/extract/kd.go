package extract

import (
	"anond/equivclass"
)

// kdSplit cuts rows by medians of the dimension in which they vary most into
// parts of at most size, and returns them in order. turn moves the first cut: to
// the turn-th dimension and, if odd, from a half to a third, so that several
// calls see different borders. The rows are reordered. Cost: n log(n/size), on up to
// so many goroutines.
func kdSplit(coords []float32, d int, rows []int32, size, turn, workers int) [][]int32 {
	return splitter{coords, d, size, func(n int) int { return n / 2 }}.split(rows, turn, workers, make([]uint64, len(rows)))
}

// splitter cuts rows by medians.
type splitter struct {
	coords []float32
	d      int
	size   int             // of a part
	half   func(n int) int // where n rows are cut
}

// splitAlone is how many rows are not worth a goroutine.
const splitAlone = 1 << 14

func (s splitter) split(rows []int32, turn, workers int, keys []uint64) [][]int32 {
	n := len(rows)
	if n <= s.size {
		return [][]int32{rows}
	}
	at := s.half(n)
	if turn%2 == 1 {
		at = n / 3
	}
	selectRows(s.coords, s.d, varying(s.coords, s.d, rows, turn), rows, at, keys)
	if workers < 2 || n < splitAlone {
		return append(s.split(rows[:at], 0, 1, keys[:at]), s.split(rows[at:], 0, 1, keys[at:])...)
	}
	var left [][]int32
	done := make(chan struct{})
	go func() {
		defer close(done)
		left = s.split(rows[:at], 0, workers/2, keys[:at])
	}()
	right := s.split(rows[at:], 0, workers-workers/2, keys[at:])
	<-done
	return append(left, right...)
}

// firstBucket returns the part that kdSplit would visit first, at the cost of
// cutting that part's ancestors only.
func (x *extraction) firstBucket(rows []int32, size int) []int32 {
	for len(rows) > size {
		selectRows(x.p.X, x.d, varying(x.p.X, x.d, rows, 0), rows, len(rows)/2, nil)
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
// the front. The order on either side is that of equivclass.SelectKeys.
func selectRows(coords []float32, d, j int, rows []int32, n int, keys []uint64) {
	keys = grown(keys, len(rows))
	for i, r := range rows {
		keys[i] = uint64(key(coords[int(r)*d+j]))<<32 | uint64(uint32(r))
	}
	equivclass.SelectKeys(keys, n)
	for i, k := range keys {
		rows[i] = int32(uint32(k))
	}
}
