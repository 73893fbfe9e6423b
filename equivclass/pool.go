package equivclass

// Pool is a set of records as a partitioner sees them: points in the scaled
// quasi-identifier space, each with a sensitive code. Row i has the
// coordinates X[i*D : (i+1)*D].
type Pool struct {
	Space *Space
	X     []float32
	SA    []Code
	// Subject groups the records of one person (0: a person of its own); a
	// class holds at most one record of a subject. nil if none is declared.
	Subject []uint64
}

// Len returns the number of records in the pool.
func (p *Pool) Len() int { return len(p.SA) }

// D returns the number of dimensions.
func (p *Pool) D() int { return len(p.Space.Dims) }

// At returns the coordinates of row i.
func (p *Pool) At(i int32) []float32 {
	d := len(p.Space.Dims)
	return p.X[int(i)*d : int(i)*d+d]
}

// Loss returns the information loss of publishing the rows as one class: the
// mean over dimensions of the cell's NCP. Cost: len(rows) x D.
func (p *Pool) Loss(rows []int32) float64 {
	var sum float64
	for j := range p.Space.Dims {
		sum += float64(p.DimLoss(j, rows))
	}
	return sum / float64(len(p.Space.Dims))
}

// DimLoss returns the NCP of the cell of the rows in dimension j.
func (p *Pool) DimLoss(j int, rows []int32) float32 {
	dim, d := &p.Space.Dims[j], len(p.Space.Dims)
	if dim.Kind == Set {
		return dim.SetLoss(p.distinct(j, rows))
	}
	lo, hi := p.X[int(rows[0])*d+j], p.X[int(rows[0])*d+j]
	for _, r := range rows[1:] {
		x := p.X[int(r)*d+j]
		lo, hi = min(lo, x), max(hi, x)
	}
	return dim.RangeLoss(lo, hi)
}

// distinct counts different coordinates; classes are small, so the quadratic
// scan beats a map until about a hundred rows.
func (p *Pool) distinct(j int, rows []int32) int {
	d, n := len(p.Space.Dims), 0
	if len(rows) > 64 {
		seen := make(map[float32]struct{}, 16)
		for _, r := range rows {
			seen[p.X[int(r)*d+j]] = struct{}{}
		}
		return len(seen)
	}
next:
	for i, r := range rows {
		x := p.X[int(r)*d+j]
		for _, q := range rows[:i] {
			if p.X[int(q)*d+j] == x {
				continue next
			}
		}
		n++
	}
	return n
}

// Bag returns the bag of the rows' sensitive values.
func (p *Pool) Bag(rows []int32) Bag {
	return BagOf(p.SA, rows)
}

// DistinctSubjects reports whether no two of the rows belong to one subject.
func (p *Pool) DistinctSubjects(rows []int32) bool {
	if p.Subject == nil {
		return true
	}
	for i, r := range rows {
		for _, q := range rows[:i] {
			if s := p.Subject[r]; s != 0 && s == p.Subject[q] {
				return false
			}
		}
	}
	return true
}

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
