package erase

import (
	"slices"

	"anond/equivclass"
	"anond/incremental/state"
)

// unlink assigns the values of each bag that has an ownerless row again: ascending, in the order of
// the records; those of one person stay together. So every bag stays, and every table of pairs, and nothing says who of it
// has which value: else the value of the row would be the bag less the values of the others.
func (p *erasing) unlink() {
	for _, members := range p.bags() {
		values := make([][]equivclass.Code, len(members))
		for i, r := range members {
			values[i] = p.records.Codes(p.records.Schema.Sensitive(), r)
		}
		slices.SortFunc(values, slices.Compare)
		for i, r := range members {
			p.values[r] = values[i]
			if s := p.slots[r]; s != nil {
				for k, attribute := range p.records.Schema.Sensitive() {
					s.codes[p.records.StoreOf(attribute)] = values[i][k]
				}
			} else if !p.of.Unlinked(p.records.ClassOf[r]) {
				p.Unlinked++
			}
		}
	}
}

// bags returns the members of each bucket, at level L1 of each class, that has an ownerless row,
// ascending.
func (p *erasing) bags() (out [][]state.RecordID) {
	classes, wanted := p.from.History.Classes, map[state.BucketID]bool{}
	open := map[state.ClassID]bool{}
	for _, s := range p.slots {
		if s.class != state.None {
			open[s.class] = true
			wanted[classes[s.class].Bucket] = true
		}
	}
	of := map[state.BucketID][]state.RecordID{}
	var order []state.BucketID
	moved := p.from.History.Moved()
	for _, c := range classes {
		switch {
		case !c.Holds():
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

// derivable counts the people of a class whose values stay with their rows.
func (p *erasing) derivable(c *state.Class) {
	for _, r := range c.Members {
		if s := p.slots[r]; s != nil && s.fresh {
			p.Derivable++
		}
	}
}
