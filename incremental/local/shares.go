package local

import (
	"math"
	"slices"

	"anond/incremental/plan"
	"anond/incremental/state"
)

// localPool bounds the records of a local update, in multiples of k. Where more
// wait, their plans are good already, and to partition all of them again every few
// updates would make the cost of a record grow with the number waiting.
const localPool = 6

// share is what a local update takes of a slot: the newest of the records in no
// plan, and the newest plans.
type share struct {
	slot        int32
	here, plans int
}

// share divides the room of a local update among the slots, first come first served.
func (p *localUpdates) share(slots []int32) []share {
	room := localPool * p.policy.Requirement.K
	out := p.scratch.shares[:0]
	for _, n := range slots {
		sl := &p.slots[n]
		sh := share{slot: n, here: min(len(sl.here), room)}
		room -= sh.here
		for i := len(sl.plans) - 1; i >= 0 && len(sl.plans[i].Members) <= room; i-- {
			room -= len(sl.plans[i].Members)
			sh.plans++
		}
		out = append(out, sh)
	}
	p.scratch.shares = out
	return out
}

// taken returns the waiting records and the planned classes that a share of the local updates consists of.
func (p *localUpdates) taken(sh share) (here []state.RecordID, plans []plan.Plan) {
	sl := &p.slots[sh.slot]
	return sl.here[len(sl.here)-sh.here:], sl.plans[len(sl.plans)-sh.plans:]
}

// gather returns the records of the shares in order of arrival.
func (p *localUpdates) gather(shares []share) []state.RecordID {
	pool := p.scratch.members[:0]
	for _, sh := range shares {
		here, plans := p.taken(sh)
		pool = append(pool, here...)
		for _, pl := range plans {
			pool = append(pool, pl.Members...)
		}
	}
	slices.Sort(pool)
	p.scratch.members = pool
	return pool
}

func (p *localUpdates) cost(shares []share) float64 {
	sum := 0.0
	for _, sh := range shares {
		here, plans := p.taken(sh)
		sum += plan.Cost(plans, len(here))
	}
	return sum
}

// remove takes the shares out of their slots.
func (p *localUpdates) remove(shares []share) {
	for _, sh := range shares {
		here, plans := p.taken(sh)
		sl := &p.slots[sh.slot]
		sl.here = sl.here[:len(sl.here)-len(here)]
		sl.plans = sl.plans[:len(sl.plans)-len(plans)]
	}
}

// settleAt puts each plan at the slot that lies nearest to its first record. If all
// stayed at one slot, they would accumulate there.
func (p *localUpdates) settleAt(slots []int32, plans []plan.Plan) {
	for _, pl := range plans {
		p.records.Coords(p.space, pl.Members[0], p.scratch.at)
		sl := &p.slots[p.nearest(slots, p.scratch.at)]
		sl.plans = append(sl.plans, pl)
	}
}

// nearest returns the slot whose box lies nearest to a point, of equals the first.
func (p *localUpdates) nearest(slots []int32, at []float32) int32 {
	best, dist := slots[0], float32(math.MaxFloat32)
	for _, n := range slots {
		if d := p.box(n).Distance2(at); d < dist {
			best, dist = n, d
		}
	}
	return best
}
