package figures

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLikeAndNotAbove(t *testing.T) {
	l := linesOf([]float64{1, 2, 3}, []float64{1.05, 3, 4}, []float64{2, 4, 2.5})
	require.Equal(t, Holds, l.NotAbove("a", "c", 0.21).Verdict)
	require.Equal(t, HoldsNot, l.NotAbove("a", "c", 0.19).Verdict)
	require.Equal(t, Holds, l.Like("a", "b", 0.34).Verdict)
	require.Equal(t, HoldsNot, l.Like("a", "b", 0.3).Verdict)
	require.Equal(t, HoldsNot, l.Like("b", "a", 0.4).Verdict)
}

func TestTimesThatFallAndRise(t *testing.T) {
	l := linesOf([]float64{3, 1, 2}, []float64{1, 1.05, 1.1}, []float64{1, 2, 3})
	a, b, c := l.Of("a"), l.Of("b"), l.Of("c")
	require.Equal(t, Found(Holds, "a is least at 2, 0.333 of the first and 0.5 of the last"), a.Valley(0.1))
	require.Equal(t, HoldsNot, b.Valley(0.1).Verdict)
	require.Equal(t, HoldsNot, c.Valley(0.1).Verdict)
	require.Equal(t, Undecided, made("", []float64{1.05}, []float64{1}, []float64{2}).Valley(0.1).Verdict)
	require.Equal(t, Found(Holds, "the greatest b is 1.1 of the least"), b.Level(0.2))
	require.Equal(t, Undecided, b.Level(0.06).Verdict)
	require.Equal(t, HoldsNot, c.Level(0.2).Verdict)
	require.Equal(t, Found(Holds, "b is 1.00000"), b.AtMost(0, 1))
	require.Equal(t, HoldsNot, b.AtMost(1, 1).Verdict)
}

func TestWithin(t *testing.T) {
	s := made("s", []float64{2}, []float64{3}, []float64{4})
	assert.Equal(t, Holds, Within(2, s).Verdict)
	assert.Equal(t, HoldsNot, Within(1.9, s).Verdict)
	assert.Equal(t, "s 2 to 4; asked: the largest at most 2 times the smallest", Within(2, s).Numbers)
}
