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
	g.Local = in.gatherLocal(&g)
	lists := []equivclass.Column{in.SA}
	lists = append(lists, in.QI...)
	for _, l := range in.Local {
		lists = append(lists, l.Codes)
	}
	each(workers, len(lists), func(_, from, to int) {
		for i := from; i < to; i++ {
			lists[i] = equivclass.Pick(&lists[i], g.ids)
		}
	})
	g.SA, g.QI = lists[0], lists[1:1+len(in.QI)]
	for i := range g.Local {
		g.Local[i].Codes = lists[1+len(in.QI)+i]
	}
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

// gatherLocal renumbers the members of local buckets. Who is in a bucket and in no
// class is numbered too, and found later.
func (in *Input) gatherLocal(g *Input) []Local {
	if len(in.Local) == 0 {
		return nil
	}
	number := make([]Record, in.SA.Len()) // + 1
	for i, id := range g.ids {
		if int(id) < len(number) {
			number[id] = Record(i) + 1
		}
	}
	out := slices.Clone(in.Local)
	for i := range out {
		buckets := make([][]Record, len(out[i].Buckets))
		for j, members := range out[i].Buckets {
			buckets[j] = make([]Record, len(members))
			for k, m := range members {
				buckets[j][k] = g.numberOf(number, m)
			}
		}
		out[i].Buckets = buckets
	}
	return out
}

func (in *Input) numberOf(number []Record, id Record) Record {
	if int(id) >= len(number) {
		return noRecord
	}
	if number[id] == 0 {
		in.ids = append(in.ids, id)
		number[id] = Record(len(in.ids))
	}
	return number[id] - 1
}

// noRecord is the number of no record.
const noRecord = ^Record(0)
