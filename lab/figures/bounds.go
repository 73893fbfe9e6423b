package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Like says whether two series differ by at most the share at every point.
func (l *Lines) Like(a, b string, share float64) Finding {
	lo, hi := l.ratios(a, b)
	return Found(If(lo >= 1-share && hi <= 1+share), "%s is %s of %s", a, span(lo, hi), b)
}

// NotAbove says whether a series exceeds another by at most the share.
func (l *Lines) NotAbove(a, b string, share float64) Finding {
	lo, hi := l.ratios(a, b)
	f := Found(Holds, "%s is %s of %s", a, span(lo, hi), b)
	of := l.Of(b).Values()
	for i, v := range l.Of(a).Values() {
		if v > of[i]*(1+share) {
			f.Verdict = HoldsNot
		}
	}
	return f
}

// ratios are the least and the greatest of a series over another.
func (l *Lines) ratios(a, b string) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	of := l.Of(b).Values()
	for i, v := range l.Of(a).Values() {
		r := ratio(v, of[i])
		lo, hi = min(lo, r), max(hi, r)
	}
	return lo, hi
}

// Valley says whether a time falls at first and then rises: its least value,
// inside, is less than both ends by more than the share.
func (s *Series) Valley(share float64) Finding {
	v := s.Values()
	least, first, last := slices.Min(v), v[0], v[len(v)-1]
	at := slices.Index(v, least)
	f := Found(worse(smaller(least/first, share), smaller(least/last, share)), "%s is least at %s, %s of the first and %s of the last",
		s.Name, Number(s.X[at], 6), Short(least/first), Short(least/last))
	if at == 0 || at == len(v)-1 {
		f.Verdict = HoldsNot
	}
	return f
}

// Level says whether a time stays within the share of its least value. Up to
// twice the share decides nothing.
func (s *Series) Level(share float64) Finding {
	lo, hi := slices.Min(s.Values()), slices.Max(s.Values())
	f := Found(Undecided, "the greatest %s is %s of the least", s.Name, Short(hi/lo))
	switch {
	case hi <= lo*(1+share):
		f.Verdict = Holds
	case hi > lo*(1+2*share):
		f.Verdict = HoldsNot
	}
	return f
}

// AtMost says whether a series is at most a limit at the i-th point.
func (s *Series) AtMost(i int, limit float64) Finding {
	v := s.Values()[i]
	return Found(If(v <= limit), "%s is %.5f", s.Name, v)
}

// Within says whether the largest value of each series is at most factor times
// its smallest.
func Within(factor float64, series ...*Series) Finding {
	v := Holds
	var numbers []string
	for _, s := range series {
		lo, hi := slices.Min(s.Values()), slices.Max(s.Values())
		v = worse(v, If(hi <= factor*lo))
		numbers = append(numbers, fmt.Sprintf("%s %s to %s", s.Name, Number(lo, 4), Number(hi, 4)))
	}
	return Found(v, "%s; asked: the largest at most %g times the smallest", strings.Join(numbers, "; "), factor)
}
