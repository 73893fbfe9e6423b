package extract

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// told gathers what a run tells.
type told struct {
	mu   sync.Mutex
	done []int
	all  int
}

func (s *told) tell(done, all int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done, s.all = append(s.done, done), all
}

// check demands that all was told of, in steps, and only at the end.
func (s *told) check(t *testing.T, rows int) {
	t.Helper()
	require.Equal(t, rows, s.all)
	last := len(s.done) - 1
	require.Greater(t, last, 10, "in steps")
	for _, n := range s.done[:last] {
		require.Less(t, n, rows)
		require.GreaterOrEqual(t, n, 0)
	}
	require.Equal(t, rows, s.done[last])
	require.Greater(t, s.done[last-1], s.done[0])
}

// TestProgress: runs say how far they are, and form the same classes.
func TestProgress(t *testing.T) {
	p := clusteredPool(rand.New(rand.NewPCG(3, 20)), 7000, 4, 9)
	want := equivclass.Requirement{K: 5, L: 3}
	groups, rest := Extract{Workers: 2}.Partition(p, want)
	var s told
	g, r := Extract{Workers: 2}.WithProgress(s.tell).Partition(p, want)
	require.Equal(t, groups, g)
	require.Equal(t, rest, r)
	s.check(t, 7000)

	p = clusteredPool(rand.New(rand.NewPCG(3, 20)), 50000, 4, 9)
	groups, rest = Blind{Workers: 2}.Classes(p.Points(), 5)
	s = told{}
	g, r = Blind{Workers: 2}.WithProgress(s.tell).Classes(p.Points(), 5)
	require.Equal(t, groups, g)
	require.Equal(t, rest, r)
	s.check(t, 50000)

	s = told{}
	Extract{}.WithProgress(s.tell).Partition(clusteredPool(rand.New(rand.NewPCG(3, 21)), 3, 4, 9), want)
	require.Equal(t, []int{3}, s.done, "a pool that makes no class is done too")
}
