package snapshot

import (
	"slices"

	"anond/equivclass"
)

// gather numbers the records of an input's classes anew, side by side in the
// order of the classes, and copies their values: what follows reads memory in
// order and holds nothing by record of a whole state. ids are their numbers in the
// state, which draws, placements and the last tie between classes go by.
//
// A column that is too short stays so, and is refused. A record of a dead class and of a newer one gets two numbers. Cost: n d for n
// records of d attributes, one attribute a worker.
func (in *Input) gather(workers int) *Input {
	g := *in
	g.intent = nil // its cut counts records of the state
	g.Classes, g.Dead = g.renumber(in.Classes), g.renumber(in.Dead)
	lists := append([]equivclass.Column{in.SA}, in.QI...)
	each(workers, len(lists), func(_, from, to int) {
		for i := from; i < to; i++ {
			lists[i] = equivclass.Pick(&lists[i], g.ids)
		}
	})
	g.SA, g.QI = lists[0], lists[1:]
	return &g
}

// renumber gives the members of classes the next numbers.
func (in *Input) renumber(classes []Class) []Class {
	out := slices.Clone(classes)
	records := 0
	for i := range classes {
		records += len(classes[i].Members)
	}
	numbers := make([]Record, records)
	in.ids = slices.Grow(in.ids, records)
	for i := range out {
		n := len(out[i].Members)
		for k := range n {
			numbers[k] = Record(len(in.ids) + k)
		}
		in.ids = append(in.ids, out[i].Members...)
		out[i].Members, numbers = numbers[:n:n], numbers[n:]
	}
	return out
}
