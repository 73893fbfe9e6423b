package figures

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// curvesOf is curves over 1, 2, 3 with the series a, b, c.
func curvesOf(a, b, c []float64) *curves {
	s := newCurves(floats(1, 2, 3), "a", "b", "c")
	for i := range a {
		s.add("a", i, a[i])
		s.add("b", i, b[i])
		s.add("c", i, c[i])
	}
	return s
}

func TestTrends(t *testing.T) {
	s := curvesOf([]float64{1, 2, 3}, []float64{3, 2.99, 3.5}, []float64{2, 2, 2})
	require.Equal(t, finding{Holds, "a goes from 1 to 3"}, s.rises("a", 0))
	require.Equal(t, HoldsNot, s.falls("a", 0).verdict)
	require.Equal(t, finding{HoldsNot, "b goes from 3 to 3.5, 1 of 2 steps back"}, s.rises("b", 0))
	require.Equal(t, Holds, s.rises("b", 0.02).verdict, "a step back of 0.3 % is not counted")
	require.Equal(t, HoldsNot, s.rises("c", 0).verdict, "what stays does not rise")
	require.Equal(t, HoldsNot, s.falls("c", 0).verdict)
	require.Equal(t, Holds, s.tends("a", true, 0.1).verdict)
	require.Equal(t, HoldsNot, s.tends("a", false, 0.1).verdict)
	require.Equal(t, Undecidable, s.tends("c", true, 0.1).verdict)
	require.Equal(t, Undecidable, s.tends("c", false, 0.1).verdict)
	f := curvesOf([]float64{9, 5, 1}, []float64{9, 5, 3}, []float64{9, 5, 1})
	require.Equal(t, Holds, f.fallsFaster("a", "b").verdict)
	require.Equal(t, HoldsNot, f.fallsFaster("b", "a").verdict)
	require.Equal(t, HoldsNot, f.fallsFaster("a", "c").verdict)
}

func TestComparisons(t *testing.T) {
	s := curvesOf([]float64{1, 2, 3}, []float64{1.05, 3, 4}, []float64{2, 4, 2.5})
	require.Equal(t, finding{Holds, "a is 0.667 to 0.952 of b (below at 3 of 3)"}, s.below("a", 0, "b"))
	require.Equal(t, Undecidable, s.below("a", 0.1, "b").verdict, "5 % is no clear gap in time")
	require.Equal(t, finding{HoldsNot, "a is 0.5 to 1.2 of c (below at 2 of 3)"}, s.below("a", 0.1, "c"))
	require.Equal(t, HoldsNot, s.below("a", 0, "b", "c").verdict, "the worst of all decides")
	require.Equal(t, HoldsNot, s.below("a", 0, "a").verdict, "equal is not below")
	require.Equal(t, Holds, s.from(2).below("a", 0, "b").verdict)
	require.Equal(t, HoldsNot, s.from(2).below("a", 0, "c").verdict)
	require.Equal(t, Holds, s.notAbove("a", "c", 0.21).verdict)
	require.Equal(t, HoldsNot, s.notAbove("a", "c", 0.19).verdict)
	require.Equal(t, Holds, s.like("a", "b", 0.34).verdict)
	require.Equal(t, HoldsNot, s.like("a", "b", 0.3).verdict)
	require.Equal(t, HoldsNot, s.like("b", "a", 0.4).verdict)
}

func TestDrawsAreComparedInPairs(t *testing.T) {
	s := curvesOf([]float64{1, 1, 1}, []float64{2, 2, 2}, []float64{3, 3, 3})
	s.add("a", 1, 5) // mean 3
	s.add("b", 1, 6) // mean 4
	s.add("c", 1, 4) // mean 3.5
	require.Equal(t, 3.0, s.values["a"][1])
	require.Equal(t, Holds, s.below("a", 0, "b").verdict)
	require.Equal(t, finding{Undecidable, "a is 0.333 to 0.857 of c (below at 2 of 3, not clear at 1)"}, s.below("a", 0, "c"))
	require.Equal(t, HoldsNot, s.below("b", 0, "a").verdict)
	require.Equal(t, Holds, s.from(2).below("a", 0, "c").verdict)
	s.addTimes("a", 0, []float64{1, 1, 9})
	s.addTimes("b", 0, []float64{2, 2, 8})
	require.Equal(t, 1.0, s.values["a"][0])
	require.Equal(t, Holds, s.from(0).below("a", 0.1, "b").verdict, "the middle of three")
}

func TestTimesThatFallAndRise(t *testing.T) {
	s := curvesOf([]float64{3, 1, 2}, []float64{1, 1.05, 1.1}, []float64{1, 2, 3})
	require.Equal(t, finding{Holds, "a is least at 2, 0.333 of the first and 0.5 of the last"}, s.valley("a", 0.1))
	require.Equal(t, HoldsNot, s.valley("b", 0.1).verdict)
	require.Equal(t, HoldsNot, s.valley("c", 0.1).verdict)
	require.Equal(t, Undecidable, curvesOf([]float64{1.05, 1, 2}, []float64{1, 1, 1}, []float64{1, 1, 1}).valley("a", 0.1).verdict)
	require.Equal(t, finding{Holds, "the greatest b is 1.1 of the least"}, s.level("b", 0.2))
	require.Equal(t, Undecidable, s.level("b", 0.06).verdict)
	require.Equal(t, HoldsNot, s.level("c", 0.2).verdict)
	require.Equal(t, finding{Holds, "b is 1.00000"}, s.zeroAt("b", 0, 1))
	require.Equal(t, HoldsNot, s.zeroAt("b", 1, 1).verdict)
}

func TestClaimJoinsFindings(t *testing.T) {
	yes, no, maybe := finding{Holds, "1"}, finding{HoldsNot, "2"}, finding{Undecidable, "3"}
	require.Equal(t, Claim{Text: "t", Verdict: Holds, Numbers: "1; x 1"}, claim("t", "w", yes, yes.of("x ")))
	require.Equal(t, Claim{Text: "t", Verdict: HoldsNot, Numbers: "1; 2; 3", Why: "w"}, claim("t", "w", yes, no, maybe))
	require.Equal(t, Claim{Text: "t", Verdict: Undecidable, Numbers: "3; 1", Why: "w"}, claim("t", "w", maybe, yes))
}

func TestAsides(t *testing.T) {
	require.Equal(t, "Not in the paper: a wins. That does not hold: 2. w", aside(claim("a wins.", "w", finding{HoldsNot, "2"})))
	require.Equal(t, "Not in the paper: a wins. That holds: 1.", aside(claim("a wins.", "w", finding{Holds, "1"})))
	yes, no := finding{verdict: Holds}, finding{verdict: HoldsNot}
	require.Equal(t, "", failing([]string{"a", "b"}, []finding{yes, yes}))
	require.Equal(t, "It fails for b alone. ", failing([]string{"a", "b"}, []finding{yes, no}))
	require.Equal(t, "It fails for all of them. ", failing([]string{"a", "b"}, []finding{no, no}))
}

func TestNumbers(t *testing.T) {
	require.Equal(t, []string{"123456789", "0.5", "1.23457"}, []string{number(123456789), number(0.5), number(1.234567)})
	require.Equal(t, []string{"0.667", "1235", "+Inf"}, []string{short(2. / 3), short(1234.6), short(math.Inf(1))})
	require.Equal(t, 1.0, ratio(0, 0))
	require.Equal(t, 2.0, median([]float64{3, 1, 2}))
}
