package promise

import (
	"anond/equivclass/merge"
)

// Need is how large a pool has to be.
type Need struct {
	People    int
	Possible  bool
	Kept      bool   // every share is below its cap, so that a pool may keep all promises, whether it is large enough or not
	Attribute string // the one that asks most, or for which no pool is large enough; empty: none asks for anything
}

// Need returns how many people a pool needs, so that with a probability of 1 - 1e-6 it keeps all promises, if its values are drawn like
// those of so many people. It is not possible if nobody is known.
func (all Attributes) Need(bag merge.Bag, people int) Need {
	if people == 0 {
		return Need{}
	}
	type asked struct {
		share
		attribute, of int
	}
	var list []asked
	for i, a := range all {
		shares, valued := all.shares(i, bag, people)
		for _, s := range shares {
			s.cap = a.Promise.fixed(a.Values[s.value-all.offset(i)])
			if s.cap.Less(one) {
				list = append(list, asked{s, i, valued})
			}
		}
	}
	out := Need{People: 1, Possible: true, Kept: true}
	for _, s := range list {
		out.Kept = out.Kept && NewRatio(int64(s.n), int64(s.of)).Less(s.cap)
		n, possible := merge.Enough(s.n, s.of, merge.Cap{Num: s.cap.Num(), Den: s.cap.Den()}, len(list))
		n = (n*people + s.of - 1) / s.of
		switch {
		case !possible && out.Possible:
			out.People, out.Possible, out.Attribute = 0, false, all[s.attribute].Name
		case out.Possible && n > out.People:
			out.People, out.Attribute = n, all[s.attribute].Name
		}
	}
	return out
}

// fixed is the cap that a value has whatever the pool: a pool's own share is never above the cap that gain makes of it.
func (p *Promise) fixed(value string) Ratio {
	if p.Gain != (Ratio{}) && p.Reference == nil {
		return p.most(value, one)
	}
	return p.Cap(value, 0, 1)
}

// ReachableL is the largest l that people with these counts allow, with pools of up to so many people; 1 if there is none.
func ReachableL(shares merge.Bag, people, pool int) (l int) {
	for l = 1; l < maxL; l++ {
		n, possible := merge.Enough(shares.Max(), people, merge.Frequency(l + 1)[0], len(shares))
		if !possible || n > pool {
			break
		}
	}
	return l
}

// LeastGain is the least gain that can be kept with pools of up to so many people, if these counts are declared as the reference and
// pools are drawn like them. ok is false if there is none.
func LeastGain(shares merge.Bag, people, pool int) (gain Ratio, ok bool) {
	return least(1001, maxGain*1000, func(c Ratio) bool {
		p := Promise{Gain: c}
		for _, s := range shares {
			r := p.base(int64(s.N), int64(people))
			if n, possible := merge.Enough(int(s.N), people, merge.Cap{Num: r.Num(), Den: r.Den()}, len(shares)); !possible || n > pool {
				return false
			}
		}
		return true
	})
}

// LeastCap is the least share that a value which n of so many people have can be held below with pools of up to so many people, one of
// so many capped values.
func LeastCap(n, people, capped, pool int) (most Ratio, ok bool) {
	return least(1, 1000, func(c Ratio) bool {
		need, possible := merge.Enough(n, people, merge.Cap{Num: c.Num(), Den: c.Den()}, capped)
		return possible && need <= pool
	})
}

// least is the least number of thousandths for which something holds that holds for all larger ones.
func least(lo, hi int64, holds func(Ratio) bool) (Ratio, bool) {
	if !holds(thousandths(hi)) {
		return Ratio{}, false
	}
	for lo < hi {
		if mid := (lo + hi) / 2; holds(thousandths(mid)) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return thousandths(lo), true
}
