package topdown

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

// A plain twin of the top-down partition, for requirements of k and p: maps for
// cells, counts from scratch, no tally and no sorted bag.
type sunTwin struct {
	p       *equivclass.Pool
	want    equivclass.Requirement
	ladders []*ladder
	bySaved bool
}

type sunTwinClass struct {
	rows  []int32
	depth map[int]int // a dimension that is missing is closed
}

func (s *sunTwin) run(c sunTwinClass) [][]int32 {
	children := s.best(c)
	if children == nil {
		return [][]int32{c.rows}
	}
	var out [][]int32
	for _, child := range children {
		out = append(out, s.run(child)...)
	}
	return out
}

type sunTwinOffer struct {
	dim, moved  int
	saved       float64
	parts, stay [][]int32
}

func (s *sunTwin) best(c sunTwinClass) []sunTwinClass {
	var offers []sunTwinOffer
	for j := range s.p.D() {
		depth, open := c.depth[j]
		if !open || depth == s.ladders[j].height() {
			continue
		}
		byCell := map[int][]int32{}
		for _, r := range c.rows {
			cell := int(s.ladders[j].cell[depth+1][s.ladders[j].value.Codes[r]])
			byCell[cell] = append(byCell[cell], r)
		}
		o := sunTwinOffer{dim: j}
		for cell := range 100 {
			if rows := byCell[cell]; twinHolds(s.p, s.want, rows) {
				o.parts = append(o.parts, rows)
				o.moved += len(rows)
				for _, r := range rows {
					v := s.ladders[j].value.Codes[r]
					o.saved += s.ladders[j].loss[depth][v] - s.ladders[j].loss[depth+1][v]
				}
			} else if rows != nil {
				o.stay = append(o.stay, rows)
			}
		}
		if o.moved > 0 {
			offers = append(offers, o)
		}
	}
	sort.SliceStable(offers, func(a, b int) bool {
		x, y := offers[a], offers[b]
		if s.bySaved && math.Abs(x.saved-y.saved) > 1e-9 {
			return x.saved > y.saved
		}
		if x.moved != y.moved {
			return x.moved > y.moved
		}
		if len(x.parts) != len(y.parts) {
			return len(x.parts) < len(y.parts)
		}
		return x.saved > y.saved+1e-9
	})
	for _, o := range offers {
		if out := s.accept(c, o); out != nil {
			return out
		}
	}
	return nil
}

func (s *sunTwin) accept(c sunTwinClass, o sunTwinOffer) (out []sunTwinClass) {
	var stay []int32
	for _, rows := range o.stay {
		stay = append(stay, rows...)
	}
	for len(stay) > 0 && !twinHolds(s.p, s.want, stay) {
		if !s.drawOne(&o, &stay) {
			least := 0
			for i := range o.parts {
				if len(o.parts[i]) < len(o.parts[least]) {
					least = i
				}
			}
			stay = append(stay, o.parts[least]...)
			o.parts = append(append([][]int32{}, o.parts[:least]...), o.parts[least+1:]...)
		}
		if len(o.parts) == 0 {
			return nil
		}
	}
	for _, rows := range o.parts {
		out = append(out, sunTwinClass{rows, s.depths(c, o.dim, true)})
	}
	if len(stay) > 0 {
		out = append(out, sunTwinClass{stay, s.depths(c, o.dim, false)})
	}
	return out
}

func (s *sunTwin) depths(c sunTwinClass, dim int, down bool) map[int]int {
	depth := map[int]int{}
	for j, d := range c.depth {
		switch {
		case j != dim:
			depth[j] = d
		case down:
			depth[j] = d + 1
		}
	}
	return depth
}

// drawOne moves the record that the parent needs most from the largest branch
// that holds without it.
func (s *sunTwin) drawOne(o *sunTwinOffer, stay *[]int32) bool {
	order := make([]int, len(o.parts))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return len(o.parts[order[a]]) > len(o.parts[order[b]]) })
	have := map[equivclass.Code]int{}
	for _, r := range *stay {
		have[s.p.SA[r]]++
	}
	for _, i := range order {
		best := -1
		for k, r := range o.parts[i] {
			without := append(append([]int32{}, o.parts[i][:k]...), o.parts[i][k+1:]...)
			if !twinHolds(s.p, s.want, without) {
				continue
			}
			a := s.p.SA[r]
			if best >= 0 {
				if b := s.p.SA[o.parts[i][best]]; have[a] > have[b] || have[a] == have[b] && a >= b {
					continue
				}
			}
			best = k
		}
		if best >= 0 {
			*stay = append(*stay, o.parts[i][best])
			o.parts[i] = append(append([]int32{}, o.parts[i][:best]...), o.parts[i][best+1:]...)
			return true
		}
	}
	return false
}

func TestSunTopDownTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 6))
	cut := 0
	for range 150 {
		p := sunPool(t, rng, 10+rng.IntN(90), 1+rng.IntN(3), 4)
		want := equivclass.Requirement{K: 2 + rng.IntN(4), L: 1}
		twin := &sunTwin{p: p, want: sensitiveTo(want, 2)}
		root := sunTwinClass{equivtest.Rows(p.Len()), map[int]int{}}
		for j := range p.D() {
			twin.ladders = append(twin.ladders, newLadder(p, j))
			root.depth[j] = 0
		}
		groups, rest := PSensitive{P: 2}.Partition(p, want)
		if len(rest) > 0 {
			continue
		}
		require.Equal(t, equivtest.Sorted(twin.run(root)), equivtest.Sorted(groups))
		groups, _ = PSensitiveNCP{P: 2}.Partition(p, want)
		twin.bySaved = true
		require.Equal(t, equivtest.Sorted(twin.run(root)), equivtest.Sorted(groups))
		if len(groups) > 3 {
			cut++
		}
	}
	require.Greater(t, cut, 60)
}

// A plain twin of multi: taxonomies by walking up from every leaf.
func TestSunMultiTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 6))
	trees := 0
	for range 150 {
		p := sunPool(t, rng, 10+rng.IntN(90), 1+rng.IntN(3), 4)
		want := sensitiveTo(equivclass.Requirement{K: 2 + rng.IntN(4), L: 1}, 2)
		groups, rest := Multi{P: 2}.Partition(p, equivclass.Requirement{K: want.K, L: 1})
		if len(rest) > 0 {
			continue
		}
		require.Equal(t, equivtest.Sorted(sunTwinMulti(p, want, equivtest.Rows(p.Len()), &trees)), equivtest.Sorted(groups))
	}
	require.Greater(t, trees, 100)
}

func sunTwinMulti(p *equivclass.Pool, want equivclass.Requirement, rows []int32, trees *int) [][]int32 {
	dims := []int{}
	for j := range p.D() {
		if p.DimLoss(j, rows) > 0 {
			dims = append(dims, j)
		}
	}
	sort.SliceStable(dims, func(a, b int) bool { return p.DimLoss(dims[a], rows) > p.DimLoss(dims[b], rows) })
	for _, j := range dims {
		var parts [][]int32
		if dim := p.Space.Dims[j]; dim.Kind == equivclass.Tree {
			parts = sunTwinBranches(p, &dim, rows, j)
		} else {
			low, high := equivtest.NaiveSplit(p, rows, j, equivtest.NaiveColumn(p, rows, j)[len(rows)/2-1])
			parts = [][]int32{low, high}
		}
		ok := true
		for _, part := range parts {
			ok = ok && twinHolds(p, want, part)
		}
		if !ok {
			continue
		}
		if p.Space.Dims[j].Kind == equivclass.Tree {
			*trees++
		}
		var out [][]int32
		for _, part := range parts {
			out = append(out, sunTwinMulti(p, want, part, trees)...)
		}
		return out
	}
	return [][]int32{rows}
}

// sunTwinBranches groups rows at the first depth at which they differ.
func sunTwinBranches(p *equivclass.Pool, dim *equivclass.Dim, rows []int32, j int) (parts [][]int32) {
	for depth := 0; len(parts) < 2; depth++ {
		parts = nil
		at := map[int]int{}
		for _, r := range rows {
			node, _ := ancestor(dim.Tree, dim.Code(p.At(r)[j]), depth)
			if _, ok := at[node]; !ok {
				at[node] = len(parts)
				parts = append(parts, nil)
			}
			parts[at[node]] = append(parts[at[node]], r)
		}
	}
	return parts
}
