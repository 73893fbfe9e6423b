package lgb

import (
	"anond/equivclass"
	"anond/equivclass/flagged"
	"anond/equivclass/query"
	"anond/lab/estimate"
	"anond/lab/lgb"
)

// printedNCP is the NCP of section 3.2.2 as printed: a category costs
// size(v*)/|A|, "the number of the leaf nodes that are the descendants of v*"
// over the number of values. The text leaves open whether an exact value is its
// own descendant (one) or has none. A number costs its range over that of all;
// a withheld record costs 1 for each QI value.
func printedNCP(f *flagged.Table, cut *lgb.Result) (one, none float64) {
	ranges := make([]float64, len(f.Dicts))
	for j, d := range f.Dicts {
		if d.Kind() == equivclass.Number {
			all := query.CellOf(d, f.Codes[j])
			ranges[j] = max(all.Hi-all.Lo, 1e-300)
		}
	}
	r := estimate.NewLocalRelease(f, cut)
	for g, rows := range cut.Groups {
		n := float64(len(rows))
		for _, j := range f.QuasiOf(cut.Flags[g]) {
			cell := r.Cells[g][j]
			if ranges[j] > 0 {
				one, none = one+n*(cell.Hi-cell.Lo)/ranges[j], none+n*(cell.Hi-cell.Lo)/ranges[j]
				continue
			}
			size, all := leaves(f.Dicts[j], cell)
			one += n * size / all
			if size > 1 {
				none += n * size / all
			}
		}
	}
	for _, row := range cut.Rest {
		n := float64(len(f.QuasiOf(f.Flags[row])))
		one, none = one+n, none+n
	}
	return one, none
}

// leaves are the values below a category's cell, and all of the attribute.
func leaves(d *equivclass.Dictionary, c query.Cell) (size, all float64) {
	if d.Kind() != equivclass.Tree {
		return float64(len(c.Codes)), float64(d.Len())
	}
	h := d.Attribute().Hierarchy
	lo, hi := h.Span(c.Node)
	return float64(hi-lo) + 1, float64(h.Leaves())
}
