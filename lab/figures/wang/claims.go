package wang

import (
	"fmt"
	"slices"

	"anond/lab/figures"
)

func (c *choices) claims() []figures.Claim {
	return []figures.Claim{c.nearer(), c.asGood(), c.quicker()}
}

// nearer is about C_AVG against I3M.
func (c *choices) nearer() figures.Claim {
	var judged []figures.Reading
	for _, r := range []reading{exists8, exists1, global, nearest8} {
		judged = append(judged, belowI3M(c.cavg, 0, r))
	}
	for _, r := range readings {
		judged = append(judged, belowI3M(c.cavg, 1, r))
	}
	if c.many != nil {
		many := belowI3M(c.many.cavg, 0, nearest8)
		many.Words += fmt.Sprintf(", %d values an attribute", valuesMany)
		judged = append(judged, many)
	}
	return figures.ClaimUnder("Full update and incremental update have a lower information loss than I3M (C_AVG nearer to 1).",
		"What decides is the smallest k, of which the text names none. At k = 2 full update and I3M are close, and which of them is nearer to "+
			"1 depends on the table: normal records with 20 and 1,000 values an attribute are I3M's, with 50, 100 and 200 values the full "+
			"update has 1.09, 1.03 and 1.05, I3M 1.10, 1.09 and 1.09. From k = 5 on I3M, which cuts each class alone, is the worst.", judged...).
		NeedsToHold("The figure would have to begin above k = 2, which the readings test.")
}

// belowI3M is one reading from the i-th k on: the full update and the
// incremental one under r are nearer to 1.
func belowI3M(l *figures.Lines, i int, r reading) figures.Reading {
	l = l.From(i)
	both := figures.Join(l.Below(figures.Pairs, fullName, i3mName), l.Below(figures.Pairs, r.name, i3mName))
	return figures.Reading{Against: r.against, Words: fmt.Sprintf("k from %s on, %s", figures.Short(l.X[0]), r.name),
		Finding: figures.Found(both.Verdict, "full-update %s, incremental %s of i3m", over(l, fullName, i3mName), over(l, r.name, i3mName))}
}

// over writes the least and the greatest of a line over another.
func over(l *figures.Lines, name, of string) string {
	shares, b := l.Of(name).Values(), l.Of(of).Values()
	for i := range shares {
		shares[i] /= b[i]
	}
	return between(shares)
}

// asGood is about C_AVG against the full update, in each reading.
func (c *choices) asGood() figures.Claim {
	var parts []figures.Reading
	for _, r := range readings {
		parts = append(parts, figures.Reading{Against: r.against, Words: r.name, Finding: c.cavg.NotAbove(r.name, fullName, 0.05)})
	}
	return figures.ClaimUnder("The incremental update is with better anonymity quality: its C_AVG is not above that of the full update by "+
		"more than 5 %.", "It has most of the table cut again in small parts, each with an end of its own that is no multiple of k.", parts...).
		NeedsToHold("The update would have to cut larger parts at once, as with a larger topN.", c.cavg.NotAbove(exists8.name, fullName, 0.05))
}

// quicker is about time.
func (c *choices) quicker() figures.Claim {
	var judged []figures.Reading
	for _, s := range settings {
		judged = append(judged, figures.Reading{Against: s.against, Words: s.words(), Finding: c.ratios.quicker(s)})
	}
	if c.many != nil {
		for _, s := range c.many.ratios.of {
			words := fmt.Sprintf("%d values an attribute, %s", valuesMany, s.words())
			judged = append(judged, figures.Reading{Against: s.against, Words: words, Finding: c.many.ratios.quicker(s)})
		}
	}
	return figures.ClaimUnder("Full update spends much more time in updating all the dataset than the incremental update.", c.whyTime(),
		judged...).
		NeedsToHold("An update would have to take in few records, as with the threshold of section IV.A, and a new record to bring in few " +
			"similar sets; the rest follows from what the full update costs.")
}

// whyTime says what the time depends on.
func (c *choices) whyTime() string {
	at := slices.Index(updateKs, fixedK)
	reach := func(b batch, r reading) string {
		return figures.Short(c.ratios.reach.Of(setting{b, stored, r}.reach()).Values()[at])
	}
	return fmt.Sprintf("It depends most on how many records an update takes in, because each brings in its class and topN others. At k = %d "+
		"an update partitions %s of the table anew for every k records, %s in batches of 1 %% and %s with all records at once (nearest, topN 1; "+
		"with topN 8 in batches of 1 %% %s). The search for similar sets comes in addition: under \"exists j\" and all of R each class of a "+
		"new record is compared with the whole table, which alone takes longer than a full update. And close-k step by step costs n^2/k only "+
		"if no value has much more than k records; with few values an attribute it costs no more than with stored counts.",
		fixedK, reach(everyK, nearest1), reach(onePercent, nearest1), reach(atOnce, nearest1), reach(onePercent, nearest8))
}
