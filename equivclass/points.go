package equivclass

// Points is what a partitioner that is blind to values sees of a pool: where
// its records lie. It has no sensitive values, so nothing that is computed from
// it alone can depend on them (rule B, buckets). Row i has the coordinates
// X[i*D : (i+1)*D]; rows are in order of arrival.
type Points struct {
	Space *Space
	X     []float32
}

// Points returns where the records of the pool lie.
func (p *Pool) Points() Points { return Points{Space: p.Space, X: p.X} }

// Len returns the number of points.
func (p Points) Len() int {
	if len(p.Space.Dims) == 0 {
		return 0
	}
	return len(p.X) / len(p.Space.Dims)
}
