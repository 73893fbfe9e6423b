package attack

import (
	"fmt"
	"strings"

	"anond/lab/attacker"
	"anond/lab/figures"
)

// notes say how to read the numbers.
var notes = []string{
	"Everybody's place and class are taken as known. low and high are intervals of 95 %: Wilson's for shares, where the people of one " +
		"class or bucket count as dependent. guess is the share of people whose most probable value is theirs, share what that would be " +
		"if the attacker believed the published bags alone. truth is the mean probability of the true value, truth_by_shares its mean " +
		"share in the published bags.",
	"Panel a: an exchange inside a class, and one of two whole classes of a bucket with their secret draws, are the exchanges from which " +
		"Theorem E follows. They lead from everybody in a bucket to everybody else, so that all of them have the bucket's shares. An " +
		"exchange of two values between two classes of a bucket changes both bags, and may change the buckets. Theorem E does not need " +
		"it, and it tells nothing: the worlds that it excludes come in sets in which each person of the bucket has each value equally " +
		"often.",
	"Panel b: of extract the attacker uses that no exchange of two records between neighbouring classes lowers the loss and is allowed; " +
		"of Mondrian, that a cut was not made because a side would not have been diverse; of level L2, that no exchange or move of classes " +
		"between buckets lowers the energy of Merge and is allowed. How far such a condition can be trusted is measured on values that " +
		"the attacker draws. extract works in parts of about 1,000 classes, and which classes were in one part is not public: so at " +
		"k = 5 the conditions of larger tables are trusted less.",
	"Panel c: the attacker runs the program again, on worlds that agree with all published bags. Only those count that give the observed " +
		"classes and buckets. At level L2 the publisher's secret draws are drawn as well.",
}

func (f *figure) claims() []figures.Claim {
	return []figures.Claim{
		figures.NewClaim("extract is not symmetric in the values: often an exchange of two values of a class changes what it publishes.", "",
			f.swapped(attacker.Extract(), func(e attacker.Estimate) bool { return e.High < 1 })),
		figures.NewClaim("Level L2 is symmetric: no exchange inside a class, and no exchange of two classes of a bucket with their draws, "+
			"changes anything.", "", f.swapped(attacker.Buckets(), func(e attacker.Estimate) bool { return e.Value == 1 })),
		figures.NewClaim("Without running the program, an attacker of extract tells some people's values with more than .9, and guesses more "+
			"than the published shares give.", "At this number of people the intervals are wide.",
			scoredBy(f.largestOnly(), attacker.Extract(), func(r scoreRow) bool {
				return r.Above9.Value > 0 && r.Guess.Low > r.Share.Value
			})),
		figures.NewClaim("An attacker of level L2 tells nobody's value with more than .5, and guesses no more than the published shares give.",
			"", scoredBy(f.optimum, attacker.Buckets(), nothing)),
		figures.NewClaim("Running the program again tells much more about a small pool of extract.", "Too few worlds were found at this scale.",
			scoredBy(f.replay, attacker.Extract(), func(r scoreRow) bool { return r.Gain.Low > 0 })),
		figures.NewClaim("It tells nothing about a small pool of level L2.", "", scoredBy(f.replay, attacker.Buckets(), nothing)),
	}
}

// noise is what the mean probability of the true value may differ from its share: a
// sampled belief varies. For the same reason a few people in 10,000 may seem to be told
// with more than .5. An interval of 99.9 % is so many times as wide as one of
// 95 %; several are looked at.
const (
	noise = .01
	stray = .0005
	wider = 1.7
)

// nothing reports whether an attack told nothing beyond the published shares.
func nothing(r scoreRow) bool {
	guess := r.Guess.Value-r.Share.Value <= wider*(r.Guess.Value-r.Guess.Low)
	return r.Records > 0 && r.Above5.Value <= stray && guess && (r.Gain.Low <= 0 || r.Gain.Value < noise)
}

// swapped judges the exchanges from which the promise of a program follows.
func (f *figure) swapped(by attacker.Program, so func(attacker.Estimate) bool) figures.Finding {
	all := true
	var numbers []string
	for _, r := range f.swaps {
		if r.method == by.Name() && r.exchange != attacker.InBucket {
			all = all && so(r.share)
			numbers = append(numbers, fmt.Sprintf("%s, n=%d, %s: %s (%s to %s)", at(r.want), r.n, r.exchange, figures.Short(r.share.Value),
				figures.Short(r.share.Low), figures.Short(r.share.High)))
		}
	}
	return figures.Found(figures.If(all), "unchanged: %s", strings.Join(numbers, "; "))
}

// scoredBy judges what attacks on a program told.
func scoredBy(rows []scoreRow, by attacker.Program, so func(scoreRow) bool) figures.Finding {
	all := true
	var numbers []string
	for _, r := range rows {
		if r.method == by.Name() {
			all = all && so(r)
			numbers = append(numbers, fmt.Sprintf("%s, n=%d: above .9 %s %%, of them right %s %%; guess %s, share %s; true value %s, by shares %s",
				at(r.want), r.n, figures.Short(100*r.Above9.Value), figures.Short(100*r.Right9.Value), figures.Short(r.Guess.Value),
				figures.Short(r.Share.Value), figures.Short(r.Truth.Value), figures.Short(r.TruthShare.Value)))
		}
	}
	return figures.Found(figures.If(all), "%s", strings.Join(numbers, "; "))
}
