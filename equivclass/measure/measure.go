// Package measure has the measures by which papers compare whole partitions. suppressed counts the records that
// are in no class; they are part of the table and cost the most a record can.
// The papers write |D| for all records, |E| for the size of a class.
package measure

import "anond/equivclass"

// Sizes returns the number of records of each class.
func Sizes(groups [][]int32) []int {
	sizes := make([]int, len(groups))
	for i, g := range groups {
		sizes[i] = len(g)
	}
	return sizes
}

func total(sizes []int) int {
	n := 0
	for _, s := range sizes {
		n += s
	}
	return n
}

// CDM is the discernability metric (Bayardo and Agrawal, ICDE 2005; Wang, Xu
// and Sun, eq. 17): a record costs the size of its class, and |D| if it is
// suppressed or its class is smaller than k. Smaller is better.
func CDM(sizes []int, suppressed, k int) int64 {
	all := int64(total(sizes) + suppressed)
	cost := all * int64(suppressed)
	for _, s := range sizes {
		if s >= k {
			cost += int64(s) * int64(s)
		} else {
			cost += all * int64(s)
		}
	}
	return cost
}

// CAVG is the normalized average size of a class (LeFevre, DeWitt and
// Ramakrishnan, ICDE 2006; Wang, Xu and Sun, eq. 18): records over classes
// over k. It is at least 1 if every class has k records; 1 is best. Suppressed
// records are in no class and do not count. No class: 0.
func CAVG(sizes []int, k int) float64 {
	if len(sizes) == 0 {
		return 0
	}
	return float64(total(sizes)) / float64(len(sizes)) / float64(k)
}

// CMDM is the modified metric of Wang, Xu and Sun (eq. 19): the sum over
// classes of (|E| - k)^2, 0 if every class has exactly k records.
func CMDM(sizes []int, k int) int64 {
	var sum int64
	for _, s := range sizes {
		sum += int64(s-k) * int64(s-k)
	}
	return sum
}

// IntervalNCP is equivclass.NCP with every dimension taken as a number, (hi-lo) of its
// scaled coordinates, whatever its kind: the measure in which partitioners that
// know no hierarchies are compared (the frontier experiment's ncp_interval).
func IntervalNCP(p *equivclass.Pool, groups [][]int32, suppressed int) float64 {
	box := equivclass.NewBox(p.D())
	return equivclass.MeanLoss(groups, suppressed, func(rows []int32) float64 {
		p.Box(rows, box)
		var sum float64
		for j := range box.Lo {
			sum += float64(box.Hi[j] - box.Lo[j])
		}
		return sum / float64(p.D())
	})
}
