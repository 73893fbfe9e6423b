package readback

import (
	"anond/equivclass"
	"anond/equivclass/query"
)

// cellEstimator: values uniform inside the cells of a class.
func (r *Release) cellEstimator() query.Estimator {
	bags := make([]equivclass.Bag, len(r.Cells))
	for i := range bags {
		bags[i] = r.Bag(i)
	}
	return &query.CellRelease{Dicts: r.Dicts, Sensitive: len(r.Dicts) - 1, Cells: r.Cells, Bags: bags, Grain: query.Grains(r.Dicts)}
}
