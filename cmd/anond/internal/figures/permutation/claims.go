package permutation

import (
	"fmt"
	"math"
	"slices"

	"anond/cmd/anond/internal/figures"
)

// paPrivacyClaims judges figure 1: generated panels in pairs (OCC-d, SAL-d), then
// the real data.
func paPrivacyClaims(generated, real []*paSweep, why *paStudy) []figures.Claim {
	all := append(slices.Clone(generated), real...)
	on, onReal := paCompare(paPermutation, paAnatomy, generated...), paCompare(paPermutation, paAnatomy, real...)
	var occs, sals []*paSweep
	for i, s := range generated {
		if i%2 == 0 {
			occs = append(occs, s)
		} else {
			sals = append(sals, s)
		}
	}
	rises := paTrend(paPermutation, true, all...)
	return []figures.Claim{
		figures.NewClaim("The error grows with l.", "", figures.Found(rises.Verdict, "Permutation, from the least l to the greatest: %s.", rises.Numbers)),
		figures.NewClaim("Permutation answers with less error than anatomy in all cases.", paWhyShuffling(all, why),
			figures.Found(paVersus{on.less + onReal.less, on.alike + onReal.alike, on.more + onReal.more}.verdict(),
				"Permutation has on generated CENSUS %s; on ACS and Adult %s. Mean error over anatomy's: %s.", on, onReal, paRatios(paPermutation, all))),
		paBelow14Claim(generated, real),
		paAnatomyClaim(generated, real),
		paSalaryClaim(occs, sals),
		paReductionClaim(occs, sals),
	}
}

func paBelow14Claim(generated, real []*paSweep) figures.Claim {
	_, worst := paExtremes(paPermutation, generated...)
	return figures.NewClaim("The error of permutation is consistently below 14 %.",
		"The shuffling loses what records of rare values have in common (see the claim before); the error grows with the number of quasi-identifiers.",
		figures.Found(figures.If(worst < .14), "Largest mean error on generated CENSUS: %s; on ACS and Adult: %s.", paPercent(worst), paPercent(paMost(paPermutation, real))))
}

func paAnatomyClaim(generated, real []*paSweep) figures.Claim {
	least, most := paExtremes(paAnatomy, generated...)
	return figures.NewClaim("Anatomy has 14 to 25 % error.",
		"Anatomy's error is what the sensitive attribute depends on the quasi-identifiers, which is a property of the data: where there is no dependence it has none. "+
			"The generated records, and the public ones, depend less than the paper's extract, which is not public; nothing was tuned to meet its level.",
		figures.Found(figures.If(least >= .14 && most <= .25), "On generated CENSUS %s to %s; on ACS and Adult to %s.",
			paPercent(least), paPercent(most), paPercent(paMost(paAnatomy, real))))
}

func paReductionClaim(occs, sals []*paSweep) figures.Claim {
	sal, occ := func(m int) float64 { return paRatio(m, paAnatomy, sals...) }, func(m int) float64 { return paRatio(m, paAnatomy, occs...) }
	return figures.NewClaim("Against anatomy, permutation reduces the error by about 25 % on SAL and 30 % on OCC.",
		"As for the second claim: the grouping gains, the shuffling loses more.",
		figures.Found(figures.If(math.Abs(sal(paPermutation)-.75) < .1 && math.Abs(occ(paPermutation)-.7) < .1),
			"Permutation's error over anatomy's, over all l and d: SAL %.2f, OCC %.2f. With straight cuts: SAL %.2f, OCC %.2f; permutation-near: SAL %.2f, OCC %.2f.",
			sal(paPermutation), occ(paPermutation), sal(paStraight), occ(paStraight), sal(paNear), occ(paNear)))
}

func paSalaryClaim(occs, sals []*paSweep) figures.Claim {
	lower, all := 0, 0
	for i := range occs {
		for j := range occs[i].x {
			all++
			if sals[i].mean(paPermutation, j) < occs[i].mean(paPermutation, j) {
				lower++
			}
		}
	}
	return figures.NewClaim("Permutation has less error on SAL-d than on OCC-d, whose commonest sensitive value is more frequent.",
		"The order is that of how much the two attributes depend on the quasi-identifiers here; the pairs that differ lie close together.",
		figures.Found(figures.If(lower == all), "Less on SAL-d at %d of %d pairs of l and d; over all, %.2f of the error on OCC-d.",
			lower, all, paTotal(paPermutation, sals)/paTotal(paPermutation, occs)))
}

// paWhyShuffling is the finding on permutation against anatomy, with the run's
// numbers.
func paWhyShuffling(all []*paSweep, why *paStudy) string {
	over := func(m int) float64 { return why.sweep.mean(m, 0) / why.sweep.mean(paAnatomy, 0) }
	return fmt.Sprintf("It is not the grouping. Its own groups with the quasi-identifiers of a record kept together, as anatomy publishes them, have %.2f of anatomy's error (%s); shuffled they have %.2f. "+
		"And it is not only that real quasi-identifiers depend on each other: where they are drawn independently (last panel, 0), shuffling still takes the error from %.2f to %.2f of anatomy's, because Algorithm 2 makes them dependent. "+
		"It grows two boxes from opposite corners, and a record joins the one that it enlarges less; so a sub-table takes a rare value only with records that fit it otherwise, and queries on rare values (race with marital status) lose most. "+
		"With straight cuts (Mondrian's, one attribute at a time) before the same Algorithm 1, permutation has %.2f of anatomy's error there, and %.2f over all panels (%s); permutation-near has %.2f (%s).",
		paRatio(paGroups, paAnatomy, all...), paCompare(paGroups, paAnatomy, all...), paRatio(paPermutation, paAnatomy, all...),
		over(paGroups), over(paPermutation),
		over(paStraight), paRatio(paStraight, paAnatomy, all...), paCompare(paStraight, paAnatomy, all...), paRatio(paNear, paAnatomy, all...), paCompare(paNear, paAnatomy, all...))
}

// paSeedsText says how far the seeds differ at the least and the greatest l.
func paSeedsText(sweeps []*paSweep) string {
	text := "By seed:"
	for _, s := range sweeps {
		last := len(s.x) - 1
		permutation, anatomy := s.seeds[paPermutation].Runs, s.seeds[paAnatomy].Runs
		text += fmt.Sprintf(" %s at l = %v permutation %s, anatomy %s; at l = %v permutation %s, anatomy %s.", s.table,
			s.x[0], paRange(permutation[0]), paRange(anatomy[0]), s.x[last], paRange(permutation[last]), paRange(anatomy[last]))
	}
	return text
}

// paLess is the claim that permutation has less error than anatomy.
func paLess(text, why string, sweeps []*paSweep) figures.Claim {
	v := paCompare(paPermutation, paAnatomy, sweeps...)
	return figures.NewClaim(text, why, figures.Found(v.verdict(), "Permutation has %s. Mean error over anatomy's: %s; with straight cuts: %s; permutation-near: %s.",
		v, paRatios(paPermutation, sweeps), paRatios(paStraight, sweeps), paRatios(paNear, sweeps)))
}

func paDimensionClaims(sweeps []*paSweep) []figures.Claim {
	falls, anatomy := paTrend(paPermutation, false, sweeps...), paTrend(paAnatomy, false, sweeps...)
	if anatomy.Verdict == figures.HoldsNot {
		falls.Verdict = figures.HoldsNot
	}
	return []figures.Claim{
		figures.NewClaim("The error falls as w grows, for both methods.",
			"Longer intervals on more attributes leave the expected answer alike, so nothing falls by itself. Permutation must guess which of the shuffled values met in a record: "+
				"each further predicate multiplies by one more share of the group, and what the attributes have to do with each other within a group is lost each time. "+
				"Anatomy keeps the quasi-identifiers of a record together, so for it a further one costs nothing. With straight cuts: "+paTrend(paStraight, false, sweeps...).Numbers+".",
			figures.Found(falls.Verdict, "From the least w to the greatest, permutation: %s. Anatomy: %s.", falls.Numbers, anatomy.Numbers)),
		paLess("Permutation has less error than anatomy at every w.", "The shuffling, as in figure 1; the more so, the more quasi-identifiers a query joins.", sweeps),
	}
}

func paVolumeClaims(sweeps []*paSweep) []figures.Claim {
	falls, anatomy := paTrend(paPermutation, false, sweeps...), paTrend(paAnatomy, false, sweeps...)
	if falls.Verdict == figures.Holds {
		falls.Verdict = anatomy.Verdict
	}
	return []figures.Claim{
		figures.NewClaim("The larger the volume of queries, the less error, for both methods.", "",
			figures.Found(falls.Verdict, "From s = 0.1 to 0.3, permutation: %s. Anatomy: %s.", falls.Numbers, anatomy.Numbers)),
		paLess("Permutation produces significantly more useful data than anatomy at every s.", "The shuffling, as in figure 1.", sweeps),
	}
}

func paRecordClaims(sweeps []*paSweep) []figures.Claim {
	falls := paTrend(paPermutation, false, sweeps...)
	anatomy, near := paTrend(paAnatomy, false, sweeps...), paTrend(paNear, false, sweeps...)
	return []figures.Claim{
		figures.NewClaim("The error falls as n grows, since more records share the same or similar quasi-identifiers.",
			"More records are nearer to each other, but only a grouping that seeks near ones gains by it. Faithful permutation deals each sub-table by Algorithm 1 blind to the quasi-identifiers, "+
				"and where Algorithm 2 stops depends on which values are too common for l, not on n. Anatomy never looks at the quasi-identifiers. "+
				"Permutation-near does, and has far less error at every n.",
			figures.Found(falls.Verdict, "From the least n to the greatest, permutation: %s. Anatomy: %s. Permutation-near: %s.", falls.Numbers, anatomy.Numbers, near.Numbers)),
		paLess("Permutation has significantly less error than anatomy in all cases.", "The shuffling, as in figure 1.", sweeps),
	}
}

// paRatios is a method's error over anatomy's, table by table.
func paRatios(method int, sweeps []*paSweep) string {
	text := ""
	for _, s := range sweeps {
		text += fmt.Sprintf("%s%s %.2f", map[bool]string{true: "", false: ", "}[text == ""], s.table, paRatio(method, paAnatomy, s))
	}
	return text
}

func paTotal(method int, sweeps []*paSweep) (sum float64) {
	for _, s := range sweeps {
		for i := range s.x {
			sum += s.mean(method, i)
		}
	}
	return sum
}

// paExtremes is the least and the greatest mean error of a method.
func paExtremes(method int, sweeps ...*paSweep) (least, most float64) {
	least = math.Inf(1)
	for _, s := range sweeps {
		for i := range s.x {
			least, most = min(least, s.mean(method, i)), max(most, s.mean(method, i))
		}
	}
	return least, most
}

func paMost(method int, sweeps []*paSweep) float64 {
	_, most := paExtremes(method, sweeps...)
	return most
}
