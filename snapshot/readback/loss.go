package readback

import (
	"anond/equivclass"
	"anond/equivclass/query"
)

// Losses are the information losses of the quasi-identifiers, in their order: of each the mean over the records of what their cell
// covers, from 0 (one value) to 1. Their mean is quality.ncp of the manifest; all are 0 where cells are exact.
func (r *Release) Losses() []float64 {
	out := make([]float64, len(r.Dicts)-1)
	if len(r.Cells) == 0 {
		return out
	}
	sizes, records := r.Sizes(), float64(r.Start[len(r.Start)-1])
	for j := range out {
		domain := r.domain(j)
		for i := range r.Cells {
			out[j] += float64(sizes[i]) / records * lossOf(r.Dicts[j], &r.Cells[i][j], domain)
		}
	}
	return out
}

// domain is the width that a loss of 1 stands for: all leaves but one, the scale of the schema, or all values but one that the cells have.
func (r *Release) domain(j int) float64 {
	switch d := r.Dicts[j]; d.Kind() {
	case equivclass.Tree:
		return float64(d.Attribute().Hierarchy.Leaves() - 1)
	case equivclass.Number:
		for _, e := range r.Manifest.Schema {
			if e.Name == d.Attribute().Name {
				return e.Scale
			}
		}
		return 0
	default:
		seen := map[equivclass.Code]bool{}
		for i := range r.Cells {
			for _, c := range r.Cells[i][j].Codes {
				seen[c] = true
			}
		}
		return float64(len(seen) - 1)
	}
}

func lossOf(d *equivclass.Dictionary, c *query.Cell, domain float64) float64 {
	width, lacks := c.Hi-c.Lo, c.Lacks
	switch d.Kind() {
	case equivclass.Tree:
		h := d.Attribute().Hierarchy
		lo, hi := h.Span(c.Node)
		width, lacks = float64(hi-lo), h.Label(c.Node) == equivclass.MissingText
	case equivclass.Set:
		width = float64(len(c.Codes) - 1)
		for _, code := range c.Codes {
			lacks = lacks || d.Text(code) == equivclass.MissingText
		}
	}
	switch {
	case lacks:
		return 1
	case domain <= 0:
		return 0
	}
	return min(1, width/domain)
}
