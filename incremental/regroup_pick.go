package incremental

import (
	"slices"

	"anond/equivclass"
)

// flatSets returns how many records of each value of the signature wait.
func (r *regrouper) flatSets(sig []equivclass.Code, waiting []RecordID) int {
	n := make([]int, len(sig))
	for _, rec := range waiting {
		if i, ok := slices.BinarySearch(sig, r.records.value(rec)); ok && r.records.mayHave(rec, sig) {
			n[i]++
		}
	}
	return slices.Min(n)
}

// pick returns as many records of each value of the signature as sets says, the
// nearest to the first class first: flat, as rule P (pure classes) demands.
func (r *regrouper) pick(sig []equivclass.Code, waiting []RecordID, sets int, first ClassID) []RecordID {
	d := r.records.schema.D()
	box := boxAt(r.records.box(r.planner.space, r.classes[first].Members), d, 0)
	type candidate struct {
		rec  RecordID
		dist float32
	}
	byValue := make([][]candidate, len(sig))
	x := make([]float32, d)
	for _, rec := range waiting {
		if i, ok := slices.BinarySearch(sig, r.records.value(rec)); ok && r.records.mayHave(rec, sig) {
			r.records.coords(r.planner.space, rec, x)
			byValue[i] = append(byValue[i], candidate{rec, box.Distance2(x)})
		}
	}
	var out []RecordID
	for _, list := range byValue {
		slices.SortFunc(list, func(a, b candidate) int {
			if a.dist != b.dist {
				if a.dist < b.dist {
					return -1
				}
				return 1
			}
			return int(a.rec) - int(b.rec)
		})
		for _, c := range list[:sets] {
			out = append(out, c.rec)
		}
	}
	return out
}
