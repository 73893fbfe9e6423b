package extract

import (
	"slices"
)

// draftPair is two neighbouring drafts, by number.
type draftPair struct{ a, b int32 }

// search is step 4 of Extract: rounds of exchange between neighbours, until a
// round that considers all neighbours finds nothing.
func (x *extraction) search(e effort) {
	for turn := 0; turn < e.rounds && len(x.drafts) > 1; turn++ {
		done := x.descend(min(e.near, len(x.drafts)-1), e.part, turn, e.passes)
		if done == 0 && len(x.drafts) <= e.part || len(x.drafts)-1 <= e.near {
			return
		}
	}
}

// descend cuts the drafts into parts of at most part, by other borders for
// another turn, and lets each part descend; it returns the number of exchanges.
// A part touches its own drafts only, so the parts may be processed in parallel
// with the result of doing one after the other.
func (x *extraction) descend(near, part, turn, passes int) int32 {
	done := make([]int32, len(x.drafts)) // by part, of which there are fewer
	x.eachPart(near, part, turn, func(w *extraction, i int, pairs []draftPair) {
		for _, p := range pairs { // for the gains that hopeless compares
			w.fillLacking(w.drafts[p.a])
			w.fillLacking(w.drafts[p.b])
		}
		done[i] = w.exchanger().descend(pairs, passes)
	})
	x.clock += slices.Max(done) + 1
	var all int32
	for _, n := range done {
		all += n
	}
	return all
}

// eachPart cuts the drafts into parts of at most part and calls do for each with
// its number and the pairs of neighbours in it.
func (x *extraction) eachPart(near, part, turn int, do func(w *extraction, i int, pairs []draftPair)) {
	mid, ids := x.middles()
	parts := kdSplit(mid, x.d, ids, part, turn, x.workers)
	lists := make([][]nearby, len(x.drafts))
	room := make([]nearby, len(x.drafts)*near)
	x.each(len(parts), func(w *extraction, i int) {
		w.drafts, w.clock, w.workers = x.drafts, x.clock, x.workers/len(parts) // those that have no part
		do(w, i, w.pairs(mid, parts[i], lists, room, near))
	})
}

// pairs lists for each draft of a part the drafts whose cells have the nearest
// middles.
func (x *extraction) pairs(mid []float32, ids []int32, lists [][]nearby, room []nearby, near int) []draftPair {
	newNeighbours(mid, x.d, ids).each(near, x.workers, func(place int32, list []nearby) {
		a := int(ids[place])
		lists[a] = room[a*near : a*near : (a+1)*near]
		for _, c := range list {
			lists[a] = append(lists[a], nearby{c.dist, ids[c.id]})
		}
	})
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return uniquePairs(ids, lists, near)
}

// uniquePairs turns lists of neighbours into pairs, each once.
func uniquePairs(ids []int32, lists [][]nearby, near int) []draftPair {
	out := make([]draftPair, 0, len(ids)*near*3/4)
	for _, a := range ids {
		for _, b := range lists[a] {
			if a < b.id || !slices.ContainsFunc(lists[b.id], func(c nearby) bool { return c.id == a }) {
				out = append(out, draftPair{a, b.id})
			}
		}
	}
	return out
}

func (x *extraction) exchanger() *exchanger {
	return &exchanger{losses: x.losses, eligibility: x.eligibility, drafts: x.drafts, most: x.most, equalOnly: x.equalOnly, clock: x.clock}
}
