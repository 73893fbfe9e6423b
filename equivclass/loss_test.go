package equivclass_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/measure"
)

// Ten records, k = 3: classes of 3, 4 and 2, one record suppressed.
func TestWangEquation17(t *testing.T) {
	// 3^2 + 4^2 + 10 x 2 (smaller than k) + 10 x 1 (suppressed) = 55
	require.Equal(t, int64(55), measure.CDM([]int{3, 4, 2}, 1, 3))
	require.Equal(t, int64(100), measure.CDM(nil, 10, 3), "all suppressed: |D|^2")
	require.Equal(t, int64(100), measure.CDM([]int{10}, 0, 3), "as is one class of all")
}

func TestWangEquation18(t *testing.T) {
	require.InDelta(t, 12.0/3/3, measure.CAVG([]int{3, 4, 5}, 3), 1e-12)
	require.Equal(t, 1.0, measure.CAVG([]int{3, 3}, 3))
	require.Zero(t, measure.CAVG(nil, 3))
}

func TestWangEquation19(t *testing.T) {
	require.Equal(t, int64(0+1+4), measure.CMDM([]int{3, 4, 5}, 3))
}

func TestNCPOfAPartition(t *testing.T) {
	// Dimension 0 is a number, dimension 1 a set of five categories.
	p := equivtest.Pool([]float32{0, 0}, []float32{0.5, 1}, []float32{0.5, 0.25}, []float32{1, 0.25})
	p.Space.Dims[1] = equivclass.Dim{Kind: equivclass.Set, Size: 5}
	groups := [][]int32{{0, 1}, {2, 3}}
	// {0,1}: (0.5 + (2-1)/(5-1))/2 = 0.375; {2,3}: (0.5 + 0)/2 = 0.25
	require.InDelta(t, 0.3125, equivclass.NCP(p, groups, 0), 1e-12)
	require.InDelta(t, (2*0.375+2*0.25+1)/5, equivclass.NCP(p, groups, 1), 1e-12)
	// as numbers {0,1} costs (0.5+1)/2 = 0.75
	require.InDelta(t, 0.5, measure.IntervalNCP(p, groups, 0), 1e-12)
	require.InDelta(t, (2*0.75+2*0.25+2)/6, measure.IntervalNCP(p, groups, 2), 1e-12)
	require.Equal(t, 1.0, equivclass.NCP(p, nil, 4))
	require.Zero(t, equivclass.NCP(p, nil, 0))
}
