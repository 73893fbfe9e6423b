package posterior

import (
	"maps"
	"slices"
)

// closureLimit bounds the sets the difference closure keeps per component and
// closureWork the pairs it looks at; beyond either the closure is incomplete,
// which loses alarms but never adds one.
const (
	closureLimit = 4096
	closureWork  = 20_000_000
)

// closePairs extends the known sets by differences: X inside Y gives Y - X and
// its bag (docs/PROOFS.md, Lemma D). Every set found is derivable by
// anyone who knows the memberships, so every alarm raised on it is true.
// Cost: for each round, the pairs of sets that share a type.
func (p *problem) closePairs() {
	p.sets = append(p.sets, p.unions...)
	known := map[string]bool{}
	var buf []byte
	for i := range p.sets {
		buf = p.sets[i].key(buf)
		known[string(buf)] = true
	}
	limit := max(closureLimit, 2*len(p.sets))
	at := make([][]int, len(p.n)) // type -> sets that hold it
	work := 0
	for i := 0; i < len(p.sets) && len(p.sets) < limit && work < closureWork; i++ {
		met := map[int]int{} // earlier set -> common types
		for _, t := range p.sets[i].types {
			for _, j := range at[t] {
				met[j]++
			}
			work += len(at[t])
			at[t] = append(at[t], i)
		}
		for _, j := range slices.Sorted(maps.Keys(met)) {
			for _, pair := range [2][2]int{{i, j}, {j, i}} {
				in, out := &p.sets[pair[0]], &p.sets[pair[1]]
				if met[j] != len(in.types) || len(in.types) == len(out.types) {
					continue
				}
				d := out.minus(in)
				buf = d.key(buf)
				if !known[string(buf)] {
					known[string(buf)] = true
					p.sets = append(p.sets, d)
				}
			}
		}
	}
}

// minus is out - in for in inside out.
func (out *knownSet) minus(in *knownSet) knownSet {
	d := knownSet{bag: make([]int, len(out.bag))}
	i := 0
	for _, t := range out.types {
		if i < len(in.types) && in.types[i] == t {
			i++
			continue
		}
		d.types = append(d.types, t)
	}
	for v := range d.bag {
		d.bag[v] = out.bag[v] - in.bag[v]
	}
	return d
}
