package equivclass

// Select moves the n smallest rows under less, a strict order, to the front:
// Hoare's selection with the median of three. The order of the rows on either
// side is a function of their order before. Expected cost: len(rows).
func Select(rows []int32, n int, less func(a, b int32) bool) {
	lo, hi := 0, len(rows)-1
	for lo < hi {
		pivot := medianOfThree(rows, lo, hi, less)
		a, b := lo, hi
		for a <= b {
			for less(rows[a], pivot) {
				a++
			}
			for less(pivot, rows[b]) {
				b--
			}
			if a <= b {
				rows[a], rows[b] = rows[b], rows[a]
				a, b = a+1, b-1
			}
		}
		switch {
		case n <= b:
			hi = b
		case n >= a:
			lo = a
		default:
			return
		}
	}
}

// medianOfThree sorts the first, middle and last row and returns the middle one.
func medianOfThree(rows []int32, lo, hi int, less func(a, b int32) bool) int32 {
	mid := (lo + hi) / 2
	if less(rows[mid], rows[lo]) {
		rows[lo], rows[mid] = rows[mid], rows[lo]
	}
	if less(rows[hi], rows[lo]) {
		rows[lo], rows[hi] = rows[hi], rows[lo]
	}
	if less(rows[hi], rows[mid]) {
		rows[mid], rows[hi] = rows[hi], rows[mid]
	}
	return rows[mid]
}

// SelectKeys is Select of numbers, by their size: the same order comes out, several
// times faster.
func SelectKeys(keys []uint64, n int) {
	lo, hi := 0, len(keys)-1
	for lo < hi {
		pivot := medianKey(keys, lo, hi)
		a, b := lo, hi
		for a <= b {
			for keys[a] < pivot {
				a++
			}
			for pivot < keys[b] {
				b--
			}
			if a <= b {
				keys[a], keys[b] = keys[b], keys[a]
				a, b = a+1, b-1
			}
		}
		switch {
		case n <= b:
			hi = b
		case n >= a:
			lo = a
		default:
			return
		}
	}
}

// medianKey sorts the first, middle and last key and returns the middle one.
func medianKey(keys []uint64, lo, hi int) uint64 {
	mid := (lo + hi) / 2
	if keys[mid] < keys[lo] {
		keys[lo], keys[mid] = keys[mid], keys[lo]
	}
	if keys[hi] < keys[lo] {
		keys[lo], keys[hi] = keys[hi], keys[lo]
	}
	if keys[hi] < keys[mid] {
		keys[mid], keys[hi] = keys[hi], keys[mid]
	}
	return keys[mid]
}
