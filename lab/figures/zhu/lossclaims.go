package zhu

import (
	"fmt"
	"math"

	"anond/lab/figures"
)

// under asks the same under every reading.
func (z *loss) under(ask func(g *figures.Lines) figures.Finding) (out []figures.Reading) {
	for k, r := range z.readings {
		of := figures.Reading{Words: r.words, Finding: ask(z.glp[k])}
		if r.distinct {
			of.Against = against
		}
		out = append(out, of)
	}
	return out
}

// trend asks whether the losses of the paper's methods rise (fall, if up is
// false).
func trend(g *figures.Lines, up bool) figures.Finding {
	paper, _ := namesOf(methods)
	return figures.Join(figures.Each(paper, func(n string) figures.Finding { return g.Of(n).Steps(up, 0) })...)
}

// below asks whether each of some series lies below another.
func below(g *figures.Lines, low []string, other string) figures.Finding {
	return figures.Join(figures.Each(low, func(n string) figures.Finding { return g.Below(figures.Pairs, n, other) })...)
}

var refined = []string{"arp", "ng"}

// claims are those that figures 2, 4 and 6 share. Comparisons are made from the
// point `from` on: with one attribute GLP is next to nothing.
func (z *loss) claims(trendText string, up bool, from int) []figures.Claim {
	ask := func(low []string, other string) []figures.Reading {
		return z.under(func(g *figures.Lines) figures.Finding { return below(g.From(from), low, other) })
	}
	worst := ask([]string{"arp", "ng", "aip"}, "anatomy")
	apart := ask(refined, "anatomy")
	return []figures.Claim{
		figures.ClaimUnder(trendText, whyNotTrend, z.under(func(g *figures.Lines) figures.Finding { return trend(g, up) })...),
		figures.ClaimUnder("The GLP of AT is always maximal.", whyNotAnatomy, worst...).NeedsToHold(toHold(worst)),
		figures.ClaimUnder("The GLP of ARP and NG is always less than that of AIP.", whyNotRefined, ask(refined, "aip")...).
			NeedsToHold("One draw in which both lose next to nothing would have to be left out: from d = 3 on it holds.",
				below(z.glp[0].From(from+1), refined, "aip")),
		figures.ClaimUnder("The GLP of ARP and NG is always less than that of AT.", z.whyNotARP(), apart...).NeedsToHold(toHold(apart)),
		figures.ClaimUnder("The GLP of ARP and NG are almost the same in statistical sense (within 5 %).", z.whyNotRing(from),
			z.under(func(g *figures.Lines) figures.Finding { return g.From(from).Like("arp", "ng", 0.05) })...).
			NeedsToHold("The difference would have to be taken in GLP, on its scale from 0 to 1, and not as a share.", z.apart(from, 0.05)),
	}
}

// toHold says that more and smaller blocks would do, and what the variants
// with them found.
func toHold(readings []figures.Reading) string {
	text := "Algorithm 1 would have to end with more and smaller blocks, as it does where a block needs only l different values, " +
		"which definition 1 excludes; then, by variant: "
	for _, r := range readings {
		if r.Against != "" {
			text += fmt.Sprintf("%s, %s; ", r.Words, r.Verdict)
		}
	}
	return text[:len(text)-2] + "."
}

const (
	whyNotTrend = "Draws differ."

	whyNotAnatomy = "Under definition 1 not anatomy but aip is the worst: a block of Algorithm 1 that is not l-diverse is merged and never " +
		"cut again, and a large block links its records to more wrong values than a group of l does. Where a block needs only l different " +
		"values, anatomy is the worst, but then arp is not below aip (see the notes): no reading has the paper's whole order everywhere."

	whyNotRefined = "With few attributes nearly every value goes with every combination: the loss of each is next to nothing, and draws " +
		"disagree."

	whyNotZero = "A rare value of the sensitive attribute that one value of the attribute does not have."
)

func (z *loss) whyNotARP() string {
	return "Where the first attribute has a value that is not l-diverse by itself (26 % of the women have one occupation, so that with sex " +
		"first from l = 4 on), Algorithm 1 ends with one block (see the notes), and arp on one block is anatomy by another draw. In " +
		"ascending order blocks remain up to l = 5, and arp is a little below anatomy there. arp-up, ours, needs no eligible blocks: " +
		z.glp[0].Below(figures.Pairs, "arp-up", "arp", "anatomy").Numbers + "."
}

// gap is the largest difference of arp and ng in GLP itself.
func (z *loss) gap(from int) (most float64) {
	g := z.glp[0].From(from)
	ng := g.Of("ng").Values()
	for i, v := range g.Of("arp").Values() {
		most = max(most, math.Abs(v-ng[i]))
	}
	return most
}

func (z *loss) apart(from int, limit float64) figures.Finding {
	return figures.Found(figures.If(z.gap(from) <= limit), "under the first reading at most %.3f", z.gap(from))
}

// whyNotRing says how far arp and ng are apart.
func (z *loss) whyNotRing(from int) string {
	return fmt.Sprintf("Both leave l values to a record, but not the same ones: ng orders a block by frequency, arp takes the l values "+
		"with most records left. With few attributes GLP counts only the few values that a combination lacks, so a small difference is a "+
		"large share; in GLP itself it is at most %.3f.", z.gap(from))
}

func (z *loss) notes(axis string, from int) []string {
	return []string{
		fmt.Sprintf("Each value is the mean of %d draws of records and random numbers; a comparison is decided if all draws agree.", z.draws),
		z.blocksNote(axis),
		"NG is measured on its rings: a record has its own value or one of the l-1 places before it.",
		figures.Aside(figures.NewClaim("arp-up, which forms groups from the bottom up, has less GLP than all four.",
			"Where sex alone decides, no method loses anything.",
			z.glp[0].From(from).Below(figures.Pairs, "arp-up", "arp", "ng", "aip", "anatomy"))),
		z.orderNote(axis, from),
		"A block that needs only l different values bounds nobody's risk by 1/l, and properties 2 and 4 fail: a record may be left whose value " +
			"all sub-blocks of its block have. It joins the smallest of them; leaving such records out instead does not lower arp's loss.",
	}
}

// orderNote says where the paper's whole order appears, reading by reading.
func (z *loss) orderNote(axis string, from int) string {
	text := "The paper's whole order, arp and ng below aip and aip below anatomy in every draw, appears"
	for k, r := range z.readings {
		var at []string
		for i, x := range z.glp[k].X {
			g := z.glp[k].From(i)
			if i >= from && wholeOrder(g) {
				at = append(at, figures.Number(x, 6))
			}
		}
		text += fmt.Sprintf(" with %s: %s;", r.words, where(axis, at))
	}
	return text[:len(text)-1] + "."
}

func where(axis string, at []string) string {
	if len(at) == 0 {
		return "nowhere"
	}
	text := "at " + axis + " ="
	for _, x := range at {
		text += " " + x
	}
	return text
}

// wholeOrder asks for the order at the first point.
func wholeOrder(g *figures.Lines) bool {
	lower := func(a, b string) bool { return figures.Pairs(g.Of(a).Runs[0], g.Of(b).Runs[0]) == figures.Holds }
	return lower("arp", "aip") && lower("ng", "aip") && lower("aip", "anatomy")
}

func (z *loss) blocksNote(axis string) string {
	text := fmt.Sprintf("Blocks of the initial partition (Algorithm 1) by %s:", axis)
	for k, r := range z.readings {
		text += fmt.Sprintf(" %s: %s;", r.words, list(z.blocks[k]))
	}
	return text[:len(text)-1] + "."
}

// addedNote is about the order in which figures 5 and 6 add attributes.
const addedNote = "d takes the attributes in descending order of phi^2 with the sensitive one unless a reading says otherwise. Section " +
	"5.3 prints \"in ascending are A_1, A_2, ..., A_7\", but calls those of A_1 \"more interrelated with SA\", as section 4.1 does."
