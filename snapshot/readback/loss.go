package readback

import (
	"math"

	"anond/equivclass"
)

// Losses are the information losses of the quasi-identifiers, in their order: of each the mean over the records of what their cell
// covers, from 0 (one value) to 1. Their mean is quality.ncp of the manifest; all are 0 where cells are exact.
func (r *Release) Losses() []float64 {
	out, sizes := make([]float64, len(r.Dicts)-1), r.Sizes()
	for j := range out {
		d := r.Dicts[j]
		h, seen := d.Attribute().Hierarchy, map[equivclass.Code]bool{}
		lacking, width, domain := 0., 0., 0. // a loss of 1 stands for a width of domain
		for _, e := range r.Manifest.Schema {
			if e.Name == d.Attribute().Name {
				domain = e.Scale
			}
		}
		for i := range r.Cells {
			c, n := r.Cells[i][j], float64(sizes[i])
			lacks, covers := c.Lacks, math.Min(domain, c.Hi-c.Lo)
			switch d.Kind() {
			case equivclass.Tree:
				lo, hi := h.Span(c.Node)
				lacks, covers = h.Label(c.Node) == equivclass.MissingText, float64(hi-lo)
			case equivclass.Set:
				for _, code := range c.Codes {
					seen[code], lacks = true, lacks || d.Text(code) == equivclass.MissingText
				}
				covers = float64(len(c.Codes) - 1)
			}
			if lacks {
				lacking += n
			} else {
				width += n * covers
			}
		}
		switch d.Kind() {
		case equivclass.Tree:
			domain = float64(h.Leaves() - 1)
		case equivclass.Set:
			domain = float64(len(seen) - 1)
		}
		if domain > 0 {
			lacking += width / domain
		}
		out[j] = lacking / float64(r.Start[len(r.Start)-1])
	}
	return out
}
