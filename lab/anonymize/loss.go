package anonymize

import (
	"anond/equivclass"
	"anond/equivclass/measure"
	"anond/lab/bucketize"
	"anond/snapshot"
)

// loss is the information loss of a release, by each measure that its source
// records allow. Held records count as suppressed.
type loss struct {
	CDM  int64   `json:"c_dm"`  // eq. 17 of Wang, Xu and Sun
	CAVG float64 `json:"c_avg"` // eq. 18
	CMDM int64   `json:"c_mdm"` // eq. 19
	// NCP is of the classes' cells, whatever the recoding: what a class blurs.
	NCP float64 `json:"ncp"`
	GLP float64 `json:"glp"`      // definition 3 of Zhu et al.
	RE  float64 `json:"re"`       // reconstruction error of Zhu et al.
	RCE float64 `json:"rce"`      // of Xiao and Tao
	Low float64 `json:"re_bound"` // the least RE and RCE that l allows
	// phi2 compares how strongly each quasi-identifier and the sensitive
	// attribute are correlated before and after.
	Phi2 []phi2 `json:"phi2"`
	// presence is under permutation only.
	Presence *presence `json:"presence,omitempty"`
}

// phi2 is the correlation of a quasi-identifier with the sensitive attribute.
type phi2 struct {
	Attribute string  `json:"attribute"`
	Original  float64 `json:"original"`
	Preserved float64 `json:"preserved"`
}

// presence is the probability that the permuted table shows a person's whole
// QI in some row (PresenceExact), and delta of lemma 1 of Li, He, Cao and Chen.
type presence struct {
	MeanDelta float64 `json:"mean_delta"`
	MaxDelta  float64 `json:"max_delta"`
	MeanExact float64 `json:"mean_exact"`
	MaxExact  float64 `json:"max_exact"`
	Measured  int     `json:"records_measured"` // in groups of largestExact at most
}

// largestExact bounds the groups whose presence is computed: the cost is cubic
// in their size.
const largestExact = 64

// bins is how many intervals a number is cut into for phi^2, as in Zhu et al.
const bins = 10

func lossOf(t *inputTable, p *equivclass.Pool, groups [][]int32, suppressed int, want equivclass.Requirement, recoding string) loss {
	sizes := measure.Sizes(groups)
	l := loss{
		CDM: measure.CDM(sizes, suppressed, want.K), CAVG: measure.CAVG(sizes, want.K), CMDM: measure.CMDM(sizes, want.K),
		NCP: equivclass.NCP(p, groups, suppressed), GLP: bucketize.NewCorrespondence(p).GLP(groups, suppressed),
		RE: bucketize.RE(p, groups, suppressed), RCE: bucketize.RCE(p, groups, suppressed), Low: bucketize.REBound(p.Len(), want.L),
	}
	for j, i := range t.Schema.Quasi() {
		l.Phi2 = append(l.Phi2, phi2{Attribute: t.Schema.Attributes()[i].Name,
			Original: bucketize.Phi2(p, j, bins), Preserved: bucketize.Phi2Preserved(p, groups, j, bins)})
	}
	if recoding == snapshot.NamePermutation {
		l.Presence = presenceOf(p, groups)
	}
	return l
}

// presenceOf measures each record of the groups that are small enough.
func presenceOf(p *equivclass.Pool, groups [][]int32) *presence {
	out := &presence{}
	counts := make([]int, p.D())
	for _, g := range groups {
		if len(g) > largestExact {
			continue
		}
		for _, r := range g {
			for j := range counts {
				counts[j] = equalIn(p, g, r, j)
			}
			delta, exact := bucketize.PresenceProbability(counts, len(g)), bucketize.PresenceExact(counts, len(g))
			out.MeanDelta, out.MaxDelta = out.MeanDelta+delta, max(out.MaxDelta, delta)
			out.MeanExact, out.MaxExact = out.MeanExact+exact, max(out.MaxExact, exact)
			out.Measured++
		}
	}
	if out.Measured > 0 {
		out.MeanDelta /= float64(out.Measured)
		out.MeanExact /= float64(out.Measured)
	}
	return out
}

// equalIn counts the rows of a group that agree with a row in a dimension.
func equalIn(p *equivclass.Pool, group []int32, row int32, j int) int {
	n, x := 0, p.At(row)[j]
	for _, q := range group {
		if p.At(q)[j] == x {
			n++
		}
	}
	return n
}
