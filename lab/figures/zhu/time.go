package zhu

import (
	"context"
	"fmt"
	"slices"

	"anond/equivclass"
	"anond/internal/ops/chart"
	"anond/lab/figures"
	"anond/lab/figures/dataset"
)

const (
	timeRuns = 7    // of each time, at the paper's sizes
	clearGap = 0.10 // a clear difference of times
)

// times is seconds as lines.
type times struct {
	seconds *figures.Lines
	runs    int
}

func newTimes(xs []float64, runs int) times {
	paper, ours := namesOf(methods)
	return times{figures.NewLines(xs, paper, ours), runs}
}

// measure times every method at the i-th x, in turn.
func (z times) measure(ctx context.Context, i int, p *equivclass.Pool, l int, seed uint64) error {
	times := map[string][]float64{}
	for range z.runs {
		for _, m := range methods {
			if err := ctx.Err(); err != nil {
				return err
			}
			times[m.name] = append(times[m.name], figures.Seconds(func() { m.publish(p, l, seed) }))
		}
	}
	for name, t := range times {
		z.seconds.Times(name, i, t)
	}
	return nil
}

func (z times) panel(title, x string) []figures.Panel {
	return []figures.Panel{z.seconds.Panel("", title, chart.Axis{Label: x}, chart.Axis{Label: "seconds", Log: true})}
}

// spread is the largest run over the smallest of each method, at the x at which
// that is greatest.
func (z times) spread(name string) float64 {
	most := 0.0
	for _, runs := range z.seconds.Of(name).Runs {
		most = max(most, slices.Max(runs)/slices.Min(runs))
	}
	return most
}

// exponent is the slope of the time over x, both in logarithms, end to end.
func (z times) exponent(name string) float64 {
	return figures.Exponent(z.seconds.X, z.seconds.Of(name).Values())
}

func (z times) ng() figures.Claim {
	return figures.NewClaim("The execution time of NG is always maximal.",
		"What NG does beyond Algorithm 1, a ring for each block and a cell for each record, is linear in n and cheap next to sorting and "+
			"cutting, which all but anatomy share; arp's assignment of records costs as much.",
		z.seconds.Below(figures.Gap(clearGap), "arp", "ng"), z.seconds.Below(figures.Gap(clearGap), "aip", "ng"),
		z.seconds.Below(figures.Gap(clearGap), "anatomy", "ng")).
		NeedsToHold("Writing a cell for each record would have to cost more than assigning the records of a block; the paper prints neither " +
			"NG's algorithm nor its program, so that this is not tested.")
}

func (z times) arp() figures.Claim {
	return figures.NewClaim("The execution time of ARP is more than that of AIP and AT.",
		"Assigning the records of a block is linear; most of the time of both arp and aip goes to phi^2, sorting "+
			"and Algorithm 1, so the difference is small.",
		z.seconds.Below(figures.Gap(clearGap), "aip", "arp"), z.seconds.Below(figures.Gap(clearGap), "anatomy", "arp")).
		NeedsToHold("Assigning the records of a block would have to be a larger share of the time, as where values are counted anew for each " +
			"group (figure 5 tests such an assignment).")
}

func (z times) notes() []string {
	return []string{
		fmt.Sprintf("Times are processor seconds of one thread, the median of %d runs, the methods in turn; they include the recoding in "+
			"memory: bucketization for arp, aip, anatomy and arp-up, the cells of each record for ng. Gaps below %.0f %% decide nothing.", z.runs,
			100*clearGap),
		"The paper's times are those of a Delphi program of 2014: what is compared is their order and shape.",
		"arp-up is ours.",
	}
}

func (z times) trend(up bool) []figures.Finding {
	paper, _ := namesOf(methods)
	return figures.Each(paper, func(n string) figures.Finding { return z.seconds.Of(n).Ends(up, clearGap) })
}

func figure1(ctx context.Context, in figures.Input) (*figures.Result, error) {
	t, err := adult(in.Data)
	if err != nil {
		return nil, err
	}
	n, z := in.Rows(fixedN, 2000), newTimes(lAxis, in.Rows(timeRuns, 1))
	p := pool(dataset.Shuffled(t, n, in.Seed), allAttributes)
	for i, l := range figures.Ints(lAxis) {
		in.Step(fmt.Sprintf("l = %d", l))
		if err := z.measure(ctx, i, p, l, in.Seed); err != nil {
			return nil, err
		}
	}
	return &figures.Result{
		Panels: z.panel(fmt.Sprintf("Execution time by l, n = %d", n), "l"),
		Claims: []figures.Claim{
			figures.NewClaim("With l increasing, the execution times of the four approaches are increasing.",
				"A larger l means fewer and larger blocks, and fewer groups: less to cut and less to assign. Here blocks are judged by counts that "+
					"are kept while runs are merged, not counted again, so larger blocks cost no more.",
				z.trend(true)...).
				NeedsToHold("Judging a block would have to count its values anew, and anatomy to take longer over fewer, larger groups; neither is " +
					"needed, so it is not tested."),
			z.ng(), z.arp(),
			figures.NewClaim("AIP needs more time than AT.", "", z.seconds.Below(figures.Gap(clearGap), "anatomy", "aip")),
			z.fluctuations(),
		},
		Notes: z.notes(),
	}, nil
}

// fluctuations states the spread of the runs, which cannot be told from that of
// the machine: the others' is as large.
func (z times) fluctuations() figures.Claim {
	f := figures.Found(figures.Undecided, "largest run over smallest, at worst:")
	others := 0.0
	for _, m := range methods[:4] {
		f.Numbers += fmt.Sprintf(" %s %s", m.name, figures.Short(z.spread(m.name)))
		if m.name != "anatomy" {
			others = max(others, z.spread(m.name))
		}
	}
	if z.spread("anatomy") < others {
		f.Verdict = figures.HoldsNot
	}
	return figures.NewClaim("There are fluctuations in the execution time of AT (more than in that of the others).",
		"Times vary with the load of the machine, the shortest most. Anatomy draws as many random numbers in every run, so nothing "+
			"of the method itself makes it vary.", f)
}

func figure3(ctx context.Context, in figures.Input) (*figures.Result, error) {
	t, err := adult(in.Data)
	if err != nil {
		return nil, err
	}
	ns := sizes(in)
	z := newTimes(ns, in.Rows(timeRuns, 1))
	for i, n := range figures.Ints(ns) {
		in.Step(fmt.Sprintf("%d records", n))
		if err := z.measure(ctx, i, pool(dataset.Shuffled(t, n, in.Seed), allAttributes), fixedL, in.Seed); err != nil {
			return nil, err
		}
	}
	exponents := "Time grows as n to the power of"
	for _, m := range methods {
		exponents += fmt.Sprintf(" %.2f (%s)", z.exponent(m.name), m.name)
	}
	return &figures.Result{
		Panels: z.panel(fmt.Sprintf("Execution time by the number of records, l = %d", fixedL), "n"),
		Claims: []figures.Claim{
			figures.NewClaim("With n increasing, the execution times of the four methods are increasing.", "", z.trend(true)...),
			z.ng(), z.arp(),
			figures.NewClaim("The execution times of AT and AIP are less than those of NG and ARP.",
				"Anatomy's is. Algorithm 1 is nearly all of what arp and ng take, so that aip's gap to them is small.",
				z.seconds.Below(figures.Gap(clearGap), "anatomy", "ng", "arp"), z.seconds.Below(figures.Gap(clearGap), "aip", "ng", "arp")),
		},
		Notes: append(z.notes(), exponents+"; the paper's cost is n log n."),
	}, nil
}

func figure5(ctx context.Context, in figures.Input) (*figures.Result, error) {
	t, err := adult(in.Data)
	if err != nil {
		return nil, err
	}
	n, z := in.Rows(fixedN, 2000), newTimes(attributeAxis, in.Rows(timeRuns, 1))
	part, order := dataset.Shuffled(t, n, in.Seed), correlationOrder(t)
	for i, d := range figures.Ints(attributeAxis) {
		in.Step(fmt.Sprintf("%d attributes", d))
		if err := z.measure(ctx, i, pool(part, order[:d]), fixedL, in.Seed); err != nil {
			return nil, err
		}
	}
	slow, err := slowAssignments(ctx, part, order, in.Seed)
	if err != nil {
		return nil, err
	}
	return &figures.Result{
		Panels: z.panel(fmt.Sprintf("Execution time by the number of attributes, n = %d, l = %d", n, fixedL), "d"),
		Claims: []figures.Claim{
			figures.NewClaim("With d increasing, the execution time of AIP increases.", "", z.seconds.Of("aip").Ends(true, clearGap)),
			figures.NewClaim("With d increasing, the execution time of AT is invariable (within 25 %).", "Anatomy does not look at the "+
				"attributes; what varies is the machine and what it has in its caches.", z.seconds.Of("anatomy").Level(0.25)),
			figures.NewClaim("With d increasing, the execution times of ARP and NG decrease at first, and then increase.",
				"Assigning a record of a large block costs no more than one of a small block here: values are kept in order of their records left. "+
					"What remains grows with d: phi^2 and sorting, attribute by attribute.",
				z.seconds.Of("arp").Valley(clearGap), z.seconds.Of("ng").Valley(clearGap)).
				NeedsToHold("Assigning a record would have to cost more in a larger block, and blocks would have to get smaller as d grows.",
					slow...),
			z.ng(),
			figures.NewClaim("The execution time of AIP is always lowest.",
				"Anatomy's is: it neither sorts nor looks at an attribute. The paper's figures 1 and 3 say so themselves.",
				z.seconds.Below(figures.Gap(clearGap), "aip", "arp", "ng", "anatomy")).
				NeedsToHold("Anatomy, which section 5.1 itself calls quicker (\"Comparing with AT, the partition approach of AIP need spend more "+
					"time\"), would have to be left out.", z.seconds.Below(figures.Gap(clearGap), "aip", "arp", "ng")),
			z.arp(),
		},
		Notes: append(z.notes(), addedNote),
	}, nil
}
