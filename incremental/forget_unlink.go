package incremental

import (
	"slices"

	"anond/equivclass"
)

// unlink assigns the values of each bag that has an ownerless row again: ascending, in the order of
// the records. So the bag stays, and nothing says who of it has which value: else the value of
// the row would be the bag less the values of the others.
func (p *erasing) unlink() {
	for _, members := range p.bags() {
		values := make([]equivclass.Code, len(members))
		for i, r := range members {
			values[i] = p.records.value(r)
		}
		slices.Sort(values)
		for i, r := range members {
			p.values[r] = values[i]
			if s := p.slots[r]; s != nil {
				s.value = values[i]
			} else if !p.of.Unlinked(p.records.classOf[r]) {
				p.Unlinked++
			}
		}
	}
}

// bags returns the members of each bucket, at level L1 of each class, that has an ownerless row,
// ascending.
func (p *erasing) bags() (out [][]RecordID) {
	classes, wanted := p.from.history.classes, map[BucketID]bool{}
	open := map[ClassID]bool{}
	for _, s := range p.slots {
		if s.class != none {
			open[s.class] = true
			wanted[classes[s.class].Bucket] = true
		}
	}
	of := map[BucketID][]RecordID{}
	var order []BucketID
	moved := p.from.history.moved()
	for _, c := range classes {
		switch {
		case c.Died != 0:
		case c.Bucket == 0 && open[c.ID]:
			if moved(c) {
				p.derivable(c)
				continue
			}
			out = append(out, c.Members)
		case c.Bucket != 0 && wanted[c.Bucket]:
			if of[c.Bucket] == nil {
				order = append(order, c.Bucket)
			}
			of[c.Bucket] = append(of[c.Bucket], c.Members...)
		}
	}
	for _, id := range order {
		slices.Sort(of[id])
		out = append(out, of[id])
	}
	return out
}

// moved tells of a living class whether one of its people was in another class before: then
// their values follow from the flat classes of earlier releases, and dealing them anew would
// contradict those.
func (h *history) moved() func(*Class) bool {
	before := map[RecordID]bool{}
	for _, ids := range h.died {
		for _, id := range ids {
			for _, r := range h.classes[id].Members {
				before[r] = true
			}
		}
	}
	return func(c *Class) bool { return slices.ContainsFunc(c.Members, func(r RecordID) bool { return before[r] }) }
}

// derivable counts the people of a class whose values stay with their rows.
func (p *erasing) derivable(c *Class) {
	for _, r := range c.Members {
		if s := p.slots[r]; s != nil && s.fresh {
			p.Derivable++
		}
	}
}

// unlinked are the classes of which state does not know any more who has which value.
func (h *history) unlinked() map[ClassID]bool {
	out, buckets := map[ClassID]bool{}, map[BucketID]bool{}
	var moved func(*Class) bool
	for _, c := range h.classes {
		switch {
		case !c.Ownerless || c.Died != 0:
		case c.Bucket != 0:
			buckets[c.Bucket] = true
		default:
			if moved == nil {
				moved = h.moved()
			}
			out[c.ID] = !moved(c)
		}
	}
	for _, c := range h.classes {
		if buckets[c.Bucket] {
			out[c.ID] = true
		}
	}
	return out
}
