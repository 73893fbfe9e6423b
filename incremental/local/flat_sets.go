package local

import (
	"slices"

	"anond/equivclass"
	"anond/incremental/state"
)

// flatSets returns how many records of each value of the signature wait.
func (r *regrouper) flatSets(sig []equivclass.Code, waiting []state.RecordID) int {
	n := make([]int, len(sig))
	for _, rec := range waiting {
		if i, ok := slices.BinarySearch(sig, r.records.Value(rec)); ok && r.records.MayHave(rec, sig) {
			n[i]++
		}
	}
	return slices.Min(n)
}

// pick returns as many records of each value of the signature as sets says, the
// nearest to the first class first: flat, as rule P (pure classes) demands.
func (r *regrouper) pick(sig []equivclass.Code, waiting []state.RecordID, sets int, first state.ClassID) []state.RecordID {
	d := r.records.Schema.D()
	box := boxAt(boxOf(r.records, r.place.Space, r.classes[first].Members), d, 0)
	type candidate struct {
		rec  state.RecordID
		dist float32
	}
	byValue := make([][]candidate, len(sig))
	x := make([]float32, d)
	for _, rec := range waiting {
		if i, ok := slices.BinarySearch(sig, r.records.Value(rec)); ok && r.records.MayHave(rec, sig) {
			r.records.Coords(r.place.Space, rec, x)
			byValue[i] = append(byValue[i], candidate{rec, box.Distance2(x)})
		}
	}
	var out []state.RecordID
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
