package extract

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestExtractEndsEarly: once it is told to stop it does little more, and a stop
// that is never asked for changes nothing.
func TestExtractEndsEarly(t *testing.T) {
	p := clusteredPool(rand.New(rand.NewPCG(3, 19)), 7000, 4, 9)
	want := equivclass.Requirement{K: 5, L: 3}
	groups, rest := Extract{Workers: 2}.Partition(p, want)
	var asked atomic.Int64
	g, r := Extract{Workers: 2}.WithStop(func() bool { asked.Add(1); return false }).Partition(p, want)
	require.Equal(t, groups, g)
	require.Equal(t, rest, r)
	all := asked.Load()
	require.Greater(t, all, int64(10), "it asks while it works")
	asked.Store(0)
	Extract{Workers: 2}.WithStop(func() bool { return asked.Add(1) > 3 }).Partition(p, want)
	require.Less(t, asked.Load(), all, "what remains is left out")
}
