package permutation

import "fmt"

// The reasons where a claim does not hold, or not under every reading; and (need...)
// what would have to be different for it to hold, as far as it was tested.

// whyReadings says where the main claim hangs on the reading.
func whyReadings(all []*sweep) string {
	return fmt.Sprintf("Corners of the table keep the categories of t1 and t2 in every sub-table. A record of another category costs a box "+
		"that whole attribute, so a category divides the table once, and sub-tables stay large. "+
		"An interval on A_w covers 63 %% of the sensitive values; anatomy then has little error, and what is lost by shuffling shows where "+
		"there are seven quasi-identifiers. Permutation's own groups with the quasi-identifiers of a record kept together have, over all "+
		"panels: A_w an interval, %s; A_w a value, %s.",
		compare(byItsGroups, byAnatomy, anInterval, all...), compare(byItsGroups, byAnatomy, aValue, all...))
}

const whyLevels = "Where the least and the greatest l lie within two standard errors, a few queries on rare values decide the mean."

const whyAdult = "On Adult, Algorithm 2 hardly divides the table from l = 4 on, into one to four sub-tables where they were counted: in " +
	"few of its orders both sides have at most 1/l of every occupation; the commonest has 13.4 %. The corners do not matter " +
	"there, since the first G is the table. More tries do not suffice: 100 divide it at l = 4, 5 and 6, into 196, 16 and 3 " +
	"sub-tables, and have more error than anatomy where 5 have."

// needAdult says what nearer groups reach where the claim fails under most readings.
func needAdult(adult *sweep) string {
	const four = 2 // the place of l = 4
	over := func(method int, on condition) float64 { return ratio(reading{method, on}, adult.from(four)) }
	return fmt.Sprintf("It would have to group near records where it cannot divide, as permutation-near does: from l = 4 on that has %.2f of "+
		"anatomy's error on Adult with a value (permutation %.2f), and %.2f with an interval (%.2f).", over(byNearGroups, aValue),
		over(byPermutation, aValue), over(byNearGroups, anInterval), over(byPermutation, anInterval))
}

// whyLevel says what the level of permutation's error goes with.
func whyLevel(open *choices) string {
	least, most := open.extremes(byRecords, func(p pair) float64 { return p.permutation })
	return fmt.Sprintf("The level depends on the workload: a single rare value has a small answer and a large relative error. If b_w is the "+
		"value of a random record, so that common values are asked for more often, OCC-5 and SAL-5 have %s to %s (corners of each "+
		"sub-table; last panel).", percent(least), percent(most))
}

const (
	whyAnatomy = "The level depends on the workload: the paper's lies between that of intervals and that of values. How the paper draws b_w " +
		"is not said, and its records are not public."
	needAnatomy = "Common values would have to be asked for more often than rare ones: it is nearly met if b_w is the value of a " +
		"random record."
)

// whyReduction says how the reduction goes with l.
func whyReduction(sals, occs []*sweep) string {
	first, last := 0, len(levels)-1
	r := readings()[0]
	return fmt.Sprintf("The reduction depends on how often Algorithm 2 can divide, and so on l: with the corners of each sub-table and a "+
		"value, SAL has %.2f of anatomy's error at l = 2 and %.2f at l = 10, OCC %.2f and %.2f. The paper gives one number for all l.",
		ratioAt(r, first, sals), ratioAt(r, last, sals), ratioAt(r, first, occs), ratioAt(r, last, occs))
}

const needReduction = "The paper would have to say for which l: between l = 2 and l = 10 the reduction passes through the one that it " +
	"gives for OCC, and stays above the one for SAL."

// whySalary says what else than the commonest value decides.
func whySalary(occs, sals []*sweep) string {
	over := func(on condition) float64 {
		return total(reading{byAnatomy, on}, sals) / total(reading{byAnatomy, on}, occs)
	}
	return fmt.Sprintf("The commonest value decides how often Algorithm 2 can divide. If A_w is a value, the rarest decide the mean error, "+
		"and those of SAL are rarer: anatomy's error on SAL-d is %.2f of that on OCC-d, and %.2f if A_w is an interval.", over(aValue),
		over(anInterval))
}

// whyDimension says why the error does not fall with w.
func whyDimension(sweeps []*sweep) string {
	kept := func(on condition) string { return trend(reading{byItsGroups, on}, false, sweeps...).Numbers }
	return "Longer intervals are not the only effect of a larger w. There is also one more interval: " +
		"together they ask for s^((w-1)/(w+1)) of the " +
		"quasi-identifiers' combinations, 25 % at w = 4 and 17 % at w = 8, so answers become smaller. Shuffling is not the only reason either: " +
		"permutation's groups, published as anatomy publishes them, have, A_w a value, " + kept(aValue) + "; an interval, " +
		kept(anInterval) + "."
}

const (
	needDimension = "Only the lengths would have to grow: w = 4 with the lengths of w = 8 is volume 0.28, and from 0.1 to 0.3 the error " +
		"falls (figure 3)."
	whyDimensions  = "The more quasi-identifiers a query joins, the more is lost by shuffling them in a group."
	needDimensions = "It would have to keep more of a record together, or form nearer groups. "
)

const whyVolume = "No table has more error at s = 0.3 than at 0.1. Where the two lie within two standard errors, a few queries on rare " +
	"values decide the mean, or the error is small at both; more than the paper's 1,000 queries would be needed."

// whyRecords says why the error need not fall with n.
func whyRecords(sweeps []*sweep) string {
	near := func(on condition) string { return trend(reading{byNearGroups, on}, false, sweeps...).Numbers }
	return "With more records there are more sub-tables (SAL-5: 1,260 at n = 100,000, 2,196 at 200,000). But whether one of five tries " +
		"divides a sub-table is chance, and a sub-table that is not divided has a weight by its size: " +
		"the largest of OCC-5 has 10,646 records of 100,000 and " +
		"45,586 of 200,000. Anatomy never looks at the quasi-identifiers. It would have to group near records in what it cannot divide, as " +
		"permutation-near does: A_w a value, " + near(aValue) + "; an interval, " + near(anInterval) + ". The paper prints that \"the accuracy " +
		"descends as n grows\"; the reason that it gives implies less error, and this is what is judged."
}

// together says what permutation's grouping has without its shuffling, and what
// nearer groups have with it.
func together(sweeps []*sweep) string {
	over := func(method int, on condition) float64 { return ratio(reading{method, on}, sweeps...) }
	return fmt.Sprintf("Permutation's groups with the quasi-identifiers of a record kept together have %.2f of anatomy's error if A_w is a "+
		"value, %.2f if it is an interval; the nearer groups of permutation-near, shuffled, %.2f and %.2f.", over(byItsGroups, aValue),
		over(byItsGroups, anInterval), over(byNearGroups, aValue), over(byNearGroups, anInterval))
}
