package permutation

import (
	"fmt"
	"math"
	"slices"

	"anond/lab/figures"
)

// privacyClaims judges figure 1: generated panels in pairs (OCC-d, SAL-d), then
// the real data.
func privacyClaims(generated, real []*sweep, open *choices) []figures.Claim {
	var occs, sals []*sweep
	for i, s := range generated {
		if i%2 == 0 {
			occs = append(occs, s)
		} else {
			sals = append(sals, s)
		}
	}
	all := append(slices.Clone(generated), real...)
	return []figures.Claim{
		underReadings("The error grows with l.", whyLevels, func(r reading) figures.Finding { return trend(r, true, all...) }),
		lessClaim("Permutation answers with less error than anatomy in all cases.", whyReadings(all), generated),
		lessClaim("Permutation has less error than anatomy on public data too, which the paper does not measure.",
			whyAdult, real).NeedsToHold(needAdult(real[len(real)-1])),
		below14Claim(generated, real, open),
		anatomyClaim(generated, real, open),
		salaryClaim(occs, sals),
		reductionClaim(occs, sals),
	}
}

func below14Claim(generated, real []*sweep, open *choices) figures.Claim {
	return underReadings("The error of permutation is consistently below 14 %.", whyLevel(open), func(r reading) figures.Finding {
		_, worst := extremes(r, generated...)
		_, onReal := extremes(r, real...)
		return figures.Found(figures.If(worst < .14), "at most %s on generated CENSUS, %s on ACS and Adult", percent(worst), percent(onReal))
	})
}

func anatomyClaim(generated, real []*sweep, open *choices) figures.Claim {
	c := underConditions("Anatomy has 14 to 25 % error.", whyAnatomy, func(on condition) figures.Finding {
		least, most := extremes(reading{byAnatomy, on}, generated...)
		_, onReal := extremes(reading{byAnatomy, on}, real...)
		return inSpan(least, most).Of("generated CENSUS ").And(figures.Found(figures.Holds, "at most %s on ACS and Adult", percent(onReal)))
	})
	least, most := open.extremes(byRecords, func(p pair) float64 { return p.anatomy })
	c.Readings = append(c.Readings, figures.Reading{Words: "A_w is the value of a random record", Finding: inSpan(least, most).
		Of("OCC-5 and SAL-5 ")})
	return c.NeedsToHold(needAnatomy)
}

// inSpan judges the paper's 14 to 25 %.
func inSpan(least, most float64) figures.Finding {
	return figures.Found(figures.If(least >= .14 && most <= .25), "%s to %s", percent(least), percent(most))
}

func reductionClaim(occs, sals []*sweep) figures.Claim {
	return underReadings("Against anatomy, permutation reduces the error by about 25 % on SAL and 30 % on OCC.", whyReduction(sals, occs),
		func(r reading) figures.Finding {
			sal, occ := ratio(r, sals...), ratio(r, occs...)
			return figures.Found(figures.If(math.Abs(sal-.75) < .1 && math.Abs(occ-.7) < .1), "SAL %.2f of anatomy's error, OCC %.2f", sal, occ)
		}).NeedsToHold(needReduction)
}

func salaryClaim(occs, sals []*sweep) figures.Claim {
	return underReadings("Permutation has less error on SAL-d than on OCC-d, whose commonest sensitive value is more frequent.",
		whySalary(occs, sals), func(r reading) figures.Finding {
			lower, all := 0, 0
			for i := range occs {
				for j := range occs[i].x {
					all++
					if sals[i].mean(r, j) < occs[i].mean(r, j) {
						lower++
					}
				}
			}
			return figures.Found(figures.If(lower == all), "less on SAL-d at %d of %d pairs of l and d; over all, %.2f of the error on OCC-d",
				lower, all, total(r, sals)/total(r, occs))
		})
}

// seedsText says how far the seeds differ at the least and the greatest l.
func seedsText(sweeps []*sweep) string {
	text := "By seed, A_w a value:"
	for _, s := range sweeps {
		last := len(s.x) - 1
		permutation, anatomy := s.seeds[aValue][byPermutation].Runs, s.seeds[aValue][byAnatomy].Runs
		text += fmt.Sprintf(" %s at l = %v permutation %s, anatomy %s; at l = %v permutation %s, anatomy %s.", s.table,
			s.x[0], spanOf(permutation[0]), spanOf(anatomy[0]), s.x[last], spanOf(permutation[last]), spanOf(anatomy[last]))
	}
	return text
}

// lessClaim is the claim that permutation has less error than anatomy.
func lessClaim(text, why string, sweeps []*sweep) figures.Claim {
	return underReadings(text, why, func(r reading) figures.Finding {
		v := compare(r.method, byAnatomy, r.on, sweeps...)
		return figures.Found(v.inAllCases(), "%s; over anatomy's: %s", v, ratios(r, sweeps))
	})
}

// fallClaim is the claim that the error of both methods falls along the axis.
// Anatomy has no corners: its numbers stand with the first of them.
func fallClaim(text, why string, sweeps []*sweep) figures.Claim {
	return underReadings(text, why, func(r reading) figures.Finding {
		anatomy := trend(reading{byAnatomy, r.on}, false, sweeps...).Of("anatomy ")
		if r.method == byTableCorners {
			anatomy.Numbers = "anatomy as above"
		}
		return trend(r, false, sweeps...).Of("permutation ").And(anatomy)
	})
}

func dimensionClaims(sweeps []*sweep) []figures.Claim {
	return []figures.Claim{
		fallClaim("The error falls as w grows, for both methods.", whyDimension(sweeps), sweeps).NeedsToHold(needDimension),
		lessClaim("Permutation has less error than anatomy at every w.", whyDimensions, sweeps).NeedsToHold(needDimensions + together(sweeps)),
	}
}

func volumeClaims(sweeps []*sweep) []figures.Claim {
	return []figures.Claim{
		fallClaim("The larger the volume of queries, the less error, for both methods.", whyVolume, sweeps),
		lessClaim("Permutation produces significantly more useful data than anatomy at every s.", "As in figure 1. "+together(sweeps), sweeps),
	}
}

func recordClaims(sweeps []*sweep) []figures.Claim {
	return []figures.Claim{
		underReadings("The error falls as n grows, since more records share the same or similar quasi-identifiers.", whyRecords(sweeps),
			func(r reading) figures.Finding {
				permutation, anatomy := trend(r, false, sweeps...), trend(reading{byAnatomy, r.on}, false, sweeps...)
				if r.method == byTableCorners {
					anatomy.Numbers = "as above"
				}
				return figures.Found(permutation.Verdict, "permutation %s; anatomy %s", permutation.Numbers, anatomy.Numbers)
			}),
		lessClaim("Permutation has significantly less error than anatomy in all cases.", "As in figure 1. "+together(sweeps), sweeps),
	}
}

// ratios is a method's error over anatomy's, table by table.
func ratios(r reading, sweeps []*sweep) string {
	text := ""
	for _, s := range sweeps {
		text += fmt.Sprintf("%s%s %.2f", map[bool]string{true: "", false: ", "}[text == ""], s.table, ratio(r, s))
	}
	return text
}

func total(r reading, sweeps []*sweep) (sum float64) {
	for _, s := range sweeps {
		for i := range s.x {
			sum += s.mean(r, i)
		}
	}
	return sum
}

// extremes is the least and the greatest mean error of a method.
func extremes(r reading, sweeps ...*sweep) (least, most float64) {
	least = math.Inf(1)
	for _, s := range sweeps {
		for i := range s.x {
			least, most = min(least, s.mean(r, i)), max(most, s.mean(r, i))
		}
	}
	return least, most
}
