package permutation

import (
	"fmt"
	"math"
	"slices"

	"anond/cmd/anond/internal/figures"
)

// privacyClaims judges figure 1: generated panels in pairs (OCC-d, SAL-d), then
// the real data.
func privacyClaims(generated, real []*sweep, why *study) []figures.Claim {
	all := append(slices.Clone(generated), real...)
	on, onReal := compare(byPermutation, byAnatomy, generated...), compare(byPermutation, byAnatomy, real...)
	var occs, sals []*sweep
	for i, s := range generated {
		if i%2 == 0 {
			occs = append(occs, s)
		} else {
			sals = append(sals, s)
		}
	}
	rises := trend(byPermutation, true, all...)
	return []figures.Claim{
		figures.NewClaim("The error grows with l.", "", figures.Found(rises.Verdict, "Permutation, from the least l to the greatest: %s.",
			rises.Numbers)),
		figures.NewClaim("Permutation answers with less error than anatomy in all cases.", whyShuffling(all, why),
			figures.Found(versus{on.less + onReal.less, on.alike + onReal.alike, on.more + onReal.more}.verdict(),
				"Permutation has on generated CENSUS %s; on ACS and Adult %s. Mean error over anatomy's: %s.", on, onReal, ratios(byPermutation, all))),
		below14Claim(generated, real),
		anatomyClaim(generated, real),
		salaryClaim(occs, sals),
		reductionClaim(occs, sals),
	}
}

func below14Claim(generated, real []*sweep) figures.Claim {
	_, worst := extremes(byPermutation, generated...)
	return figures.NewClaim("The error of permutation is consistently below 14 %.",
		"The shuffling loses what records of rare values have in common (see the claim before); the error grows with the number of "+
			"quasi-identifiers.",
		figures.Found(figures.If(worst < .14), "Largest mean error on generated CENSUS: %s; on ACS and Adult: %s.", percent(worst),
			percent(greatest(byPermutation, real))))
}

func anatomyClaim(generated, real []*sweep) figures.Claim {
	least, most := extremes(byAnatomy, generated...)
	return figures.NewClaim("Anatomy has 14 to 25 % error.",
		"Anatomy's error is what the sensitive attribute depends on the quasi-identifiers, which is a property of the data: where there is "+
			"no dependence it has none. "+
			"The generated records, and the public ones, depend less than the paper's extract, which is not public; nothing was tuned to meet "+
			"its level.",
		figures.Found(figures.If(least >= .14 && most <= .25), "On generated CENSUS %s to %s; on ACS and Adult to %s.",
			percent(least), percent(most), percent(greatest(byAnatomy, real))))
}

func reductionClaim(occs, sals []*sweep) figures.Claim {
	sal, occ := func(m int) float64 { return ratio(m, byAnatomy, sals...) }, func(m int) float64 { return ratio(m, byAnatomy, occs...) }
	return figures.NewClaim("Against anatomy, permutation reduces the error by about 25 % on SAL and 30 % on OCC.",
		"As for the second claim: the grouping gains, the shuffling loses more.",
		figures.Found(figures.If(math.Abs(sal(byPermutation)-.75) < .1 && math.Abs(occ(byPermutation)-.7) < .1),
			"Permutation's error over anatomy's, over all l and d: SAL %.2f, OCC %.2f. With straight cuts: SAL %.2f, OCC %.2f; "+
				"permutation-near: SAL %.2f, OCC %.2f.",
			sal(byPermutation), occ(byPermutation), sal(byStraightCuts), occ(byStraightCuts), sal(byNearGroups), occ(byNearGroups)))
}

func salaryClaim(occs, sals []*sweep) figures.Claim {
	lower, all := 0, 0
	for i := range occs {
		for j := range occs[i].x {
			all++
			if sals[i].mean(byPermutation, j) < occs[i].mean(byPermutation, j) {
				lower++
			}
		}
	}
	return figures.NewClaim("Permutation has less error on SAL-d than on OCC-d, whose commonest sensitive value is more frequent.",
		"The order is that of how much the two attributes depend on the quasi-identifiers here; the pairs that differ lie close together.",
		figures.Found(figures.If(lower == all), "Less on SAL-d at %d of %d pairs of l and d; over all, %.2f of the error on OCC-d.",
			lower, all, total(byPermutation, sals)/total(byPermutation, occs)))
}

// whyShuffling is the finding on permutation against anatomy, with the run's
// numbers.
func whyShuffling(all []*sweep, why *study) string {
	over := func(m int) float64 { return why.sweep.mean(m, 0) / why.sweep.mean(byAnatomy, 0) }
	return fmt.Sprintf("It is not the grouping. Its own groups with the quasi-identifiers of a record kept together, as anatomy publishes "+
		"them, have %.2f of anatomy's error (%s); shuffled they have %.2f. "+
		"And it is not only that real quasi-identifiers depend on each other: where they are drawn independently (last panel, 0), shuffling "+
		"still takes the error from %.2f to %.2f of anatomy's, because Algorithm 2 makes them dependent. "+
		"It grows two boxes from opposite corners, and a record joins the one that it enlarges less; so a rare value is in a sub-table only "+
		"with records that fit its box otherwise, and queries on rare values (race with marital status) lose most. "+
		"With straight cuts (Mondrian's, one attribute at a time) before the same Algorithm 1, permutation has %.2f of anatomy's error "+
		"there, and %.2f over all panels (%s); permutation-near has %.2f (%s).",
		ratio(byItsGroups, byAnatomy, all...), compare(byItsGroups, byAnatomy, all...), ratio(byPermutation, byAnatomy, all...),
		over(byItsGroups), over(byPermutation),
		over(byStraightCuts), ratio(byStraightCuts, byAnatomy, all...), compare(byStraightCuts, byAnatomy, all...),
		ratio(byNearGroups, byAnatomy, all...), compare(byNearGroups, byAnatomy, all...))
}

// seedsText says how far the seeds differ at the least and the greatest l.
func seedsText(sweeps []*sweep) string {
	text := "By seed:"
	for _, s := range sweeps {
		last := len(s.x) - 1
		permutation, anatomy := s.seeds[byPermutation].Runs, s.seeds[byAnatomy].Runs
		text += fmt.Sprintf(" %s at l = %v permutation %s, anatomy %s; at l = %v permutation %s, anatomy %s.", s.table,
			s.x[0], spanOf(permutation[0]), spanOf(anatomy[0]), s.x[last], spanOf(permutation[last]), spanOf(anatomy[last]))
	}
	return text
}

// lessClaim is the claim that permutation has less error than anatomy.
func lessClaim(text, why string, sweeps []*sweep) figures.Claim {
	v := compare(byPermutation, byAnatomy, sweeps...)
	return figures.NewClaim(text, why, figures.Found(v.verdict(), "Permutation has %s. Mean error over anatomy's: %s; with straight cuts: "+
		"%s; permutation-near: %s.",
		v, ratios(byPermutation, sweeps), ratios(byStraightCuts, sweeps), ratios(byNearGroups, sweeps)))
}

func dimensionClaims(sweeps []*sweep) []figures.Claim {
	falls, anatomy := trend(byPermutation, false, sweeps...), trend(byAnatomy, false, sweeps...)
	if anatomy.Verdict == figures.HoldsNot {
		falls.Verdict = figures.HoldsNot
	}
	return []figures.Claim{
		figures.NewClaim("The error falls as w grows, for both methods.",
			"Longer intervals on more attributes leave the expected answer the same, so nothing falls by itself. Permutation must guess "+
				"which of the shuffled values belong to one record: "+
				"each further predicate multiplies by one more share of the group, and the dependence between the attributes within a "+
				"group is lost each time. "+
				"Anatomy keeps the quasi-identifiers of a record together, so for it a further one costs nothing. "+
				"With straight cuts: "+trend(byStraightCuts, false, sweeps...).Numbers+".",
			figures.Found(falls.Verdict, "From the least w to the greatest, permutation: %s. Anatomy: %s.", falls.Numbers, anatomy.Numbers)),
		lessClaim("Permutation has less error than anatomy at every w.",
			"The shuffling, as in figure 1; the more so, the more quasi-identifiers a query joins.", sweeps),
	}
}

func volumeClaims(sweeps []*sweep) []figures.Claim {
	falls, anatomy := trend(byPermutation, false, sweeps...), trend(byAnatomy, false, sweeps...)
	if falls.Verdict == figures.Holds {
		falls.Verdict = anatomy.Verdict
	}
	return []figures.Claim{
		figures.NewClaim("The larger the volume of queries, the less error, for both methods.", "",
			figures.Found(falls.Verdict, "From s = 0.1 to 0.3, permutation: %s. Anatomy: %s.", falls.Numbers, anatomy.Numbers)),
		lessClaim("Permutation produces significantly more useful data than anatomy at every s.", "The shuffling, as in figure 1.", sweeps),
	}
}

func recordClaims(sweeps []*sweep) []figures.Claim {
	falls := trend(byPermutation, false, sweeps...)
	anatomy, near := trend(byAnatomy, false, sweeps...), trend(byNearGroups, false, sweeps...)
	return []figures.Claim{
		figures.NewClaim("The error falls as n grows, since more records share the same or similar quasi-identifiers.",
			"More records lie closer together, but only a grouping that looks for near records gains by it. Faithful permutation forms the groups "+
				"of a sub-table by Algorithm 1 without regard to the quasi-identifiers, "+
				"and where Algorithm 2 stops depends on which values are too common for l, not on n. Anatomy never looks at the quasi-identifiers. "+
				"Permutation-near does, and has far less error at every n.",
			figures.Found(falls.Verdict, "From the least n to the greatest, permutation: %s. Anatomy: %s. Permutation-near: %s.", falls.Numbers,
				anatomy.Numbers, near.Numbers)),
		lessClaim("Permutation has significantly less error than anatomy in all cases.", "The shuffling, as in figure 1.", sweeps),
	}
}

// ratios is a method's error over anatomy's, table by table.
func ratios(method int, sweeps []*sweep) string {
	text := ""
	for _, s := range sweeps {
		text += fmt.Sprintf("%s%s %.2f", map[bool]string{true: "", false: ", "}[text == ""], s.table, ratio(method, byAnatomy, s))
	}
	return text
}

func total(method int, sweeps []*sweep) (sum float64) {
	for _, s := range sweeps {
		for i := range s.x {
			sum += s.mean(method, i)
		}
	}
	return sum
}

// extremes is the least and the greatest mean error of a method.
func extremes(method int, sweeps ...*sweep) (least, most float64) {
	least = math.Inf(1)
	for _, s := range sweeps {
		for i := range s.x {
			least, most = min(least, s.mean(method, i)), max(most, s.mean(method, i))
		}
	}
	return least, most
}

func greatest(method int, sweeps []*sweep) float64 {
	_, most := extremes(method, sweeps...)
	return most
}
