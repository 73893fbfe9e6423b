package figures

import (
	"fmt"
	"math"
	"slices"
)

// paPrivacyClaims judges figure 1: generated panels in pairs (OCC-d, SAL-d), then
// the real data.
func paPrivacyClaims(generated, real []*paSweep, why *paStudy) []Claim {
	all := append(slices.Clone(generated), real...)
	rises, risesText := paTrend(paPermutation, 1, all...)
	on, onReal := paCompare(paPermutation, paAnatomy, generated...), paCompare(paPermutation, paAnatomy, real...)
	_, worst := paExtremes(paPermutation, generated...)
	least, most := paExtremes(paAnatomy, generated...)
	var occs, sals []*paSweep
	for i, s := range generated {
		if i%2 == 0 {
			occs = append(occs, s)
		} else {
			sals = append(sals, s)
		}
	}
	return []Claim{
		{Text: "The error grows with l.", Verdict: rises, Numbers: "Permutation, from the least l to the greatest: " + risesText + "."},
		{
			Text:    "Permutation answers with less error than anatomy in all cases.",
			Verdict: paVersus{on.less + onReal.less, on.alike + onReal.alike, on.more + onReal.more}.verdict(),
			Numbers: fmt.Sprintf("Permutation has on generated CENSUS %s; on ACS and Adult %s. Mean error over anatomy's: %s.", on, onReal, paRatios(paPermutation, all)),
			Why:     paWhyShuffling(all, why),
		},
		{Text: "The error of permutation is consistently below 14 %.", Verdict: paHolds(worst < .14), Numbers: "Largest mean error on generated CENSUS: " + paPercent(worst) + "; on ACS and Adult: " + paPercent(paMost(paPermutation, real)) + ".",
			Why: paUnless(worst < .14, "The shuffling loses what records of rare values have in common (see the claim before); the error grows with the number of quasi-identifiers.")},
		{Text: "Anatomy has 14 to 25 % error.", Verdict: paHolds(least >= .14 && most <= .25), Numbers: fmt.Sprintf("On generated CENSUS %s to %s; on ACS and Adult to %s.", paPercent(least), paPercent(most), paPercent(paMost(paAnatomy, real))),
			Why: paUnless(least >= .14 && most <= .25, "Anatomy's error is what the sensitive attribute depends on the quasi-identifiers, which is a property of the data: where there is no dependence it has none. The generated records, and the public ones, depend less than the paper's extract, which is not public; nothing was tuned to meet its level.")},
		paSalaryClaim(occs, sals),
		{Text: "Against anatomy, permutation reduces the error by about 25 % on SAL and 30 % on OCC.", Verdict: paHolds(math.Abs(paRatio(paPermutation, paAnatomy, sals...)-.75) < .1 && math.Abs(paRatio(paPermutation, paAnatomy, occs...)-.7) < .1),
			Numbers: fmt.Sprintf("Permutation's error over anatomy's, over all l and d: SAL %.2f, OCC %.2f. With straight cuts: SAL %.2f, OCC %.2f; permutation-near: SAL %.2f, OCC %.2f.",
				paRatio(paPermutation, paAnatomy, sals...), paRatio(paPermutation, paAnatomy, occs...), paRatio(paStraight, paAnatomy, sals...), paRatio(paStraight, paAnatomy, occs...), paRatio(paNear, paAnatomy, sals...), paRatio(paNear, paAnatomy, occs...)),
			Why: "As for the second claim: the grouping gains, the shuffling loses more."},
	}
}

func paSalaryClaim(occs, sals []*paSweep) Claim {
	lower, all := 0, 0
	for i := range occs {
		for j := range occs[i].at {
			all++
			if sals[i].at[j][paPermutation].mean() < occs[i].at[j][paPermutation].mean() {
				lower++
			}
		}
	}
	return Claim{
		Text:    "Permutation has less error on SAL-d than on OCC-d, whose commonest sensitive value is more frequent.",
		Verdict: paHolds(lower == all),
		Numbers: fmt.Sprintf("Less on SAL-d at %d of %d pairs of l and d; over all, %.2f of the error on OCC-d.", lower, all, paTotal(paPermutation, sals)/paTotal(paPermutation, occs)),
		Why:     paUnless(lower == all, "The order is that of how much the two attributes depend on the quasi-identifiers here; the pairs that differ lie close together."),
	}
}

// paWhyShuffling is the finding on permutation against anatomy, with the run's
// numbers.
func paWhyShuffling(all []*paSweep, why *paStudy) string {
	none := why.sweep.at[0]
	over := func(m int) float64 { return none[m].mean() / none[paAnatomy].mean() }
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
		first, last := s.at[0], s.at[len(s.at)-1]
		text += fmt.Sprintf(" %s at l = %v permutation %s, anatomy %s; at l = %v permutation %s, anatomy %s.", s.table,
			s.x[0], paRange(first[paPermutation]), paRange(first[paAnatomy]), s.x[len(s.x)-1], paRange(last[paPermutation]), paRange(last[paAnatomy]))
	}
	return text
}

func paDimensionClaims(sweeps []*paSweep) []Claim {
	falls, text := paTrend(paPermutation, -1, sweeps...)
	anatomy, anatomyText := paTrend(paAnatomy, -1, sweeps...)
	_, straight := paTrend(paStraight, -1, sweeps...)
	if anatomy == HoldsNot {
		falls = HoldsNot
	}
	v := paCompare(paPermutation, paAnatomy, sweeps...)
	return []Claim{
		{Text: "The error falls as w grows, for both methods.", Verdict: falls, Numbers: "From the least w to the greatest, permutation: " + text + ". Anatomy: " + anatomyText + ".",
			Why: paUnless(falls == Holds, "Longer intervals on more attributes leave the expected answer alike, so nothing falls by itself. Permutation must guess which of the shuffled values met in a record: each further predicate multiplies by one more share of the group, and what the attributes have to do with each other within a group is lost each time. Anatomy keeps the quasi-identifiers of a record together, so for it a further one costs nothing. With straight cuts: "+straight+".")},
		{Text: "Permutation has less error than anatomy at every w.", Verdict: v.verdict(), Numbers: "Permutation has " + v.String() + ". Mean error over anatomy's: " + paRatios(paPermutation, sweeps) + "; with straight cuts: " + paRatios(paStraight, sweeps) + "; permutation-near: " + paRatios(paNear, sweeps) + ".",
			Why: paUnless(v.verdict() == Holds, "The shuffling, as in figure 1; the more so, the more quasi-identifiers a query joins.")},
	}
}

func paVolumeClaims(sweeps []*paSweep) []Claim {
	falls, text := paTrend(paPermutation, -1, sweeps...)
	anatomy, anatomyText := paTrend(paAnatomy, -1, sweeps...)
	if falls == Holds {
		falls = anatomy
	}
	v := paCompare(paPermutation, paAnatomy, sweeps...)
	return []Claim{
		{Text: "The larger the volume of queries, the less error, for both methods.", Verdict: falls, Numbers: "From s = 0.1 to 0.3, permutation: " + text + ". Anatomy: " + anatomyText + "."},
		{Text: "Permutation produces significantly more useful data than anatomy at every s.", Verdict: v.verdict(), Numbers: "Permutation has " + v.String() + ". Mean error over anatomy's: " + paRatios(paPermutation, sweeps) + "; with straight cuts: " + paRatios(paStraight, sweeps) + "; permutation-near: " + paRatios(paNear, sweeps) + ".",
			Why: paUnless(v.verdict() == Holds, "The shuffling, as in figure 1.")},
	}
}

func paRecordClaims(sweeps []*paSweep) []Claim {
	falls, text := paTrend(paPermutation, -1, sweeps...)
	_, anatomyText := paTrend(paAnatomy, -1, sweeps...)
	_, nearText := paTrend(paNear, -1, sweeps...)
	v := paCompare(paPermutation, paAnatomy, sweeps...)
	return []Claim{
		{Text: "The error falls as n grows, since more records share the same or similar quasi-identifiers.", Verdict: falls, Numbers: "From the least n to the greatest, permutation: " + text + ". Anatomy: " + anatomyText + ". Permutation-near: " + nearText + ".",
			Why: paUnless(falls == Holds, "More records are nearer to each other, but only a grouping that seeks near ones gains by it. Faithful permutation deals each sub-table by Algorithm 1 blind to the quasi-identifiers, and where Algorithm 2 stops depends on which values are too common for l, not on n. Anatomy never looks at the quasi-identifiers. Permutation-near does, and has far less error at every n.")},
		{Text: "Permutation has significantly less error than anatomy in all cases.", Verdict: v.verdict(), Numbers: "Permutation has " + v.String() + ". Mean error over anatomy's: " + paRatios(paPermutation, sweeps) + "; with straight cuts: " + paRatios(paStraight, sweeps) + "; permutation-near: " + paRatios(paNear, sweeps) + ".",
			Why: paUnless(v.verdict() == Holds, "The shuffling, as in figure 1.")},
	}
}

func paHolds(yes bool) Verdict {
	if yes {
		return Holds
	}
	return HoldsNot
}

func paUnless(holds bool, why string) string {
	if holds {
		return ""
	}
	return why
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
		for _, row := range s.at {
			sum += row[method].mean()
		}
	}
	return sum
}

// paExtremes is the least and the greatest mean error of a method.
func paExtremes(method int, sweeps ...*paSweep) (least, most float64) {
	least = math.Inf(1)
	for _, s := range sweeps {
		for _, row := range s.at {
			least, most = min(least, row[method].mean()), max(most, row[method].mean())
		}
	}
	return least, most
}

func paMost(method int, sweeps []*paSweep) float64 {
	_, most := paExtremes(method, sweeps...)
	return most
}
