package topdown

import (
	"math"
	"slices"

	"anond/equivclass"
	"anond/lab/split"
)

// valueMap is the mapping of Wang, Xu and Sun, section III.B.d: the points of
// the multi-dimensional space mapped to each dimension. A coordinate is held as
// its rank among the different values of its dimension in the pool, so that
// counting points by value is counting by a small number.
//
// Their preprocessing (eq. 1, min-max scaling) is the pool's: its coordinates
// are in [0,1] already.
type valueMap struct {
	rank   [][]int32 // by dimension, then row
	values []int     // different values by dimension
}

// mapValues costs n log n x D.
func mapValues(p *equivclass.Pool) *valueMap {
	m := &valueMap{rank: make([][]int32, p.D()), values: make([]int, p.D())}
	keys := make([]uint64, p.Len())
	for j := range m.rank {
		for i := range keys {
			keys[i] = split.OrderedBits(p.X[i*p.D()+j])<<32 | uint64(i)
		}
		slices.Sort(keys)
		m.rank[j] = make([]int32, p.Len())
		for i, k := range keys {
			if i > 0 && k>>32 != keys[i-1]>>32 {
				m.values[j]++
			}
			m.rank[j][uint32(k)] = int32(m.values[j])
		}
		if len(keys) > 0 {
			m.values[j]++
		}
	}
	return m
}

// spread sums up how the points of a set are mapped to one dimension.
//
// Pro (eq. 2) is the number of different values. As printed, each column of a
// matrix of differences is multiplied out, which gives 0 if the value occurs
// again later, and the columns that are not 0 are counted. The printed sum ends
// at n-1, which would leave out the last point, always the last of its value;
// we sum to n.
//
// PPA (eq. 3) is, for each of the Pro values, how many points have it. DEP
// needs only its sum, which is the number of points, and the sum of its
// squares.
type spread struct {
	pro     int
	points  int64
	squares int64
}

// add adds one more value, which y points have.
func (s *spread) add(y int64) {
	s.pro++
	s.points += y
	s.squares += y * y
}

// lose takes out one point of a value that y points hold.
func (s *spread) lose(y int64) {
	s.points--
	s.squares -= 2*y - 1
	if y == 1 {
		s.pro--
	}
}

// density is the sum over the values of y_i / x, the first term of eq. 4: the
// mean number of points to a value.
func (s spread) density() float64 { return float64(s.points) / float64(s.pro) }

// dispersion is the sample standard deviation of PPA, the second term of eq. 4.
// Its n is read as the number of values, Pro. With one value it is 0.
func (s spread) dispersion() float64 {
	if s.pro < 2 {
		return 0
	}
	mean := s.density()
	return math.Sqrt(max(0, float64(s.squares)-mean*float64(s.points)) / float64(s.pro-1))
}

// dependency fills dep with the information dependency of each dimension
// (eq. 4-6):
//
//	DEP = w1 * density / k  +  w2 * dispersion / k
//	w1  = the greatest density or dispersion of any dimension,  w2 = 1 / w1
//
// Eq. 5 is read as one maximum over both terms and all dimensions.
func dependency(dims []spread, k int, dep []float64) {
	var w1 float64
	for _, s := range dims {
		w1 = max(w1, s.density(), s.dispersion())
	}
	for j, s := range dims {
		dep[j] = (w1*s.density() + s.dispersion()/w1) / float64(k)
	}
}

// dimensionArray fills da with the dimensions in ascending order of dependency,
// equals by number: the dimension-selecting array DA.
func dimensionArray(dep []float64, da []int) {
	for j := range da {
		da[j] = j
	}
	slices.SortStableFunc(da, func(a, b int) int {
		switch {
		case dep[a] < dep[b]:
			return -1
		case dep[a] > dep[b]:
			return 1
		default:
			return 0
		}
	})
}

// wangSelector finds the dimension-selecting array of any set of rows.
type wangSelector struct {
	m      *valueMap
	k      int
	counts [][]int32 // by dimension and rank; all zero between calls
	dims   []spread
	dep    []float64
	da     []int
}

func newWangSelector(p *equivclass.Pool, k int) *wangSelector {
	d := p.D()
	s := &wangSelector{m: mapValues(p), k: max(k, 1), counts: make([][]int32, d), dims: make([]spread, d), dep: make([]float64, d),
		da: make([]int, d)}
	for j, n := range s.m.values {
		s.counts[j] = make([]int32, n)
	}
	return s
}

// order returns DA of the rows. Cost: len(rows) x D.
func (s *wangSelector) order(rows []int32) []int {
	for j := range s.dims {
		s.dims[j] = s.spreadOf(rows, j)
	}
	return s.orderOf(s.dims)
}

// orderOf returns DA of known spreads. Cost: D log D.
func (s *wangSelector) orderOf(dims []spread) []int {
	dependency(dims, s.k, s.dep)
	dimensionArray(s.dep, s.da)
	return s.da
}

func (s *wangSelector) spreadOf(rows []int32, j int) spread {
	var out spread
	counts, rank := s.counts[j], s.m.rank[j]
	for _, r := range rows {
		counts[rank[r]]++
	}
	for _, r := range rows {
		if n := counts[rank[r]]; n > 0 {
			out.add(int64(n))
			counts[rank[r]] = 0
		}
	}
	return out
}

// splitRank moves the rows of rank at most c to the front and counts them.
func splitRank(rows, rank []int32, c int32) int {
	left := 0
	for i, r := range rows {
		if rank[r] <= c {
			rows[i], rows[left] = rows[left], r
			left++
		}
	}
	return left
}
