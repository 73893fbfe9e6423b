package merge

import (
	"cmp"
	"math/bits"
	"slices"
)

// Cap is the share that a value may have of a bucket: Num of Den of its people, exactly. In a list, ascending by
// value, it holds from its value on until the next. Values before the first have none, nor have those with Num = Den.
type Cap struct {
	Value    uint32
	Num, Den int64 // 0 <= Num <= Den < 2^62, Den > 0
	// Partial: the share is of the people who do not have the value Without, which stands for "no value".
	Partial bool
	Without uint32
}

// Frequency is frequency l-diversity: no value has more than 1/l of a bucket.
func Frequency(l int) []Cap { return []Cap{{Num: 1, Den: int64(max(1, l))}} }

// capOf is the cap of a value.
func (r Requirement) capOf(value uint32) Cap {
	i, found := slices.BinarySearchFunc(r.Caps, value, func(c Cap, v uint32) int { return cmp.Compare(c.Value, v) })
	if found {
		return r.Caps[i]
	} else if i > 0 {
		return r.Caps[i-1]
	}
	return Cap{Num: 1, Den: 1}
}

// Holds reports whether n of so many people may have the value.
func (c Cap) Holds(n, of int) bool {
	hi, lo := bits.Mul64(uint64(n), uint64(c.Den))
	mostHi, most := bits.Mul64(uint64(c.Num), uint64(of))
	return hi < mostHi || hi == mostHi && lo <= most
}

// within is the largest share with a denominator up to a limit that is not above the cap. Of as many people or fewer, just as
// many may have the value: n/size is not above the cap if and only if it is not above that share.
//
// Method: the path to the cap in the tree of Stern and Brocot, a run of steps to one side at once.
func (c Cap) within(most int64) share {
	lo, hi := share{num: 0, den: 1}, share{num: 1, den: 0} // lo <= cap < hi
	num, den := c.Num, c.Den
	for {
		// The steps to the right: lo + steps * hi <= cap, of the cap's rest num/den.
		steps := num / den
		if hi.den > 0 {
			steps = min(steps, (most-lo.den)/hi.den)
		}
		lo.num, lo.den = lo.num+steps*hi.num, lo.den+steps*hi.den
		if num -= steps * den; num == 0 || num >= den {
			return lo
		}
		// The steps to the left: hi + steps * lo > cap.
		steps = min((den-1)/num, (most-hi.den)/lo.den)
		hi.num, hi.den = hi.num+steps*lo.num, hi.den+steps*lo.den
		if den -= steps * num; den > num || hi.den+lo.den > most {
			return lo
		}
	}
}

// share is a part of a bucket: num of den people. Caps of a search have denominators up to the people of its pool, so that
// all products fit.
type share struct {
	num, den int64
	without  int32 // the place of the value whose people do not count; -1: all count
}

// slack is what is below the cap if so many of so many records have the value, in
// units of 1/den; negative above the cap.
func (c share) slack(n, of int64) int64 { return c.num*of - c.den*n }

// above is how many records are above the cap, in units, rounded up, if the slack is negative.
func (c share) above(slack int64) int64 {
	records, rest := -slack/c.den, -slack%c.den
	return records*unit + (rest*unit+c.den-1)/c.den
}

// sharesOf translates the caps of a requirement to the places of values, as far as groups of so many people need them.
func (x *instance) sharesOf(requirement Requirement, people int64) []share {
	out := make([]share, len(x.values))
	for i, v := range x.values {
		c := requirement.capOf(v)
		out[i] = c.within(people)
		if out[i].without = -1; c.Partial {
			if at, found := slices.BinarySearch(x.values, c.Without); found {
				out[i].without = int32(at)
			}
		}
	}
	return out
}

// slackIn is what a part has below a cap of a value.
func (x *instance) slackIn(c share, v int32, p int) int64 {
	of := x.size
	if c.without >= 0 {
		of -= x.counts.at(int(c.without), p)
	}
	return c.slack(x.counts.at(int(v), p), of)
}

// lanes sums what groups have below the caps of several values in one word: one addition
// for all of them, and one mask tells whether one is negative. Each lane has a sign bit that is set
// as long as its sum is not negative.
type lanes struct {
	each  int // lanes in a word
	bits  int // of a lane
	signs uint64
}

// laneMost is how many parts a group has at most whose sums fit.
const laneMost = 32

// fewMost is how many people a group has whose caps lanes add up exactly. Of larger ones somewhat less may be allowed: with at
// least 8 parts of a group exact, four lanes in a word are worth more.
func fewMost(size int64) int64 {
	if narrow := (1<<15/laneMost - 1) / size; narrow >= 8*size {
		return narrow
	}
	return laneMost * size
}

func newLanes(caps []share, size int64) lanes {
	var most int64
	for _, c := range caps {
		most = max(most, c.slack(0, size), -c.slack(size, size))
	}
	l := lanes{each: 4}
	for l.bits = 16; l.bits < 64 && laneMost*most >= 1<<(l.bits-1); l.bits *= 2 {
		l.each /= 2
	}
	for i := range l.each {
		l.signs |= 1 << (i*l.bits + l.bits - 1)
	}
	return l
}

// lane puts a sum into its place; adding the results adds in all lanes.
func (l *lanes) lane(slack int64, i int) uint64 { return uint64(slack) << (i * l.bits) }

// slackOf packs what a part has below the caps of some values, one word after the other.
func (x *instance) slackOf(p int32, values []int32, words []uint64) {
	for i, v := range values {
		words[i/x.lanes.each] += x.lanes.lane(x.slackIn(x.few[v], v, int(p)), i%x.lanes.each)
	}
}
