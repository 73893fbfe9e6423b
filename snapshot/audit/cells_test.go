package audit

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/audittest"
	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
)

func ids(t *testing.T, a *format.Attribute, values ...string) []uint32 {
	var out []uint32
	for _, v := range values {
		id, reason := a.InternValue([]byte(v))
		require.Empty(t, reason, v)
		out = append(out, id)
	}
	return out
}

func TestTightCells(t *testing.T) {
	h, err := format.ParseHierarchy("city.csv", []byte(testHierarchy))
	require.NoError(t, err)
	number := func(digits int, steps ...float64) *format.Attribute {
		a := format.NewAttribute("n", format.TypeNumber, nil)
		a.Whole, a.Digits = digits == 0, digits
		var ok bool
		a.Steps, ok = a.Units(steps)
		require.True(t, ok)
		return a
	}
	day := format.NewAttribute("d", format.TypeDate, nil)
	day.Whole, day.Steps = true, []int64{7}
	for _, c := range []struct {
		name   string
		a      *format.Attribute
		values []string
		want   string
	}{
		{"one value", number(0), []string{"7", "7"}, "7"},
		{"range", number(0), []string{"9", "-3", "10"}, "[-3,10]"},
		{"decimals", number(4), []string{"0.5", "2"}, "[0.5,2]"},
		{"smallest step", number(0, 10, 100), []string{"12", "19"}, "[10,19]"},
		{"next step", number(0, 10, 100), []string{"19", "21"}, "[0,99]"},
		{"widest steps joined", number(0, 10, 100), []string{"7", "250"}, "[0,299]"},
		{"below zero", number(0, 10), []string{"-1", "-10"}, "[-10,-1]"},
		{"decimal step", number(4, 0.5), []string{"1.1", "1.2"}, "[1,1.5]"},
		{"tenths", number(4, 0.1), []string{"39.7", "39.8"}, "[39.7,39.9]"},
		{"a step of 1.1 about 0", number(1, 1.1), []string{"-0.1", "1"}, "[-1.1,1.1]"},
		{"end of the type", number(4, 7), []string{"99999999999.9999", "100000000000"}, "[99999999995,100000000000]"},
		{"step of one value", number(0, 10), []string{"12", "12"}, "12"},
		{"dates", format.NewAttribute("d", format.TypeDate, nil), []string{"2024-03-01", "2024-02-29"}, "[2024-02-29,2024-03-01]"},
		{"weeks", day, []string{"1970-01-09", "1970-01-10"}, "[1970-01-08,1970-01-14]"},
		{"label", format.NewAttribute("c", format.TypeCategory, h), []string{"north-1", "north-2"}, "north"},
		{"root", format.NewAttribute("c", format.TypeCategory, h), []string{"north-1", "south-2"}, "*"},
		{"set", format.NewAttribute("j", format.TypeCategory, nil), []string{"nurse", "clerk", "nurse"}, "{clerk|nurse}"},
		{"set with missing value", format.NewAttribute("j", format.TypeCategory, nil), []string{"nurse", ""}, "{|nurse}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			values := ids(t, c.a, c.values...)
			var scratch format.TightScratch
			id := c.a.Tight(values, &scratch)
			require.Equal(t, c.want, c.a.Cells[id].Text)
			for _, v := range values {
				require.True(t, c.a.Contains(id, v))
			}
		})
	}
}

func TestPrinciples(t *testing.T) {
	for _, c := range []struct {
		p      format.Principle
		counts []int
		want   bool
	}{
		{format.Principle{Kind: "distinct", L: 3, C: 0}, []int{5, 1, 1}, true},
		{format.Principle{Kind: "distinct", L: 4, C: 0}, []int{5, 1, 1}, false},
		{format.Principle{Kind: "frequency", L: 2, C: 0}, []int{3, 2, 1}, true},
		{format.Principle{Kind: "frequency", L: 3, C: 0}, []int{3, 2, 1}, false},
		{format.Principle{Kind: "entropy", L: 3, C: 0}, []int{2, 2, 2}, true}, // uniform: exactly log 3
		{format.Principle{Kind: "entropy", L: 3, C: 0}, []int{3, 2, 2}, false},
		{format.Principle{Kind: "recursive", L: 2, C: 2}, []int{1, 3, 1}, true},  // 3 < 2 (1+1)
		{format.Principle{Kind: "recursive", L: 3, C: 3}, []int{1, 3, 1}, false}, // 3 < 3 (1) fails
	} {
		size := 0
		for _, n := range c.counts {
			size += n
		}
		require.Equal(t, c.want, c.p.Holds(c.counts, size), "%+v", c)
	}
}

// TestTrajectoryKAndRowLinkAgainstTwin: K2 by comparing every pair of records,
// K1 by the definition P(value)/count over every row, on certified chains.
func TestTrajectoryKAndRowLinkAgainstTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 23))
	certified := 0
	for range 400 {
		world, k, l := audittest.PureChain(r)
		if r.IntN(2) == 0 {
			world, k, l = audittest.RandomChain(r)
		}
		a, links := auditChain(world, k, l)
		require.Equal(t, twinTrajectoryK(world), links.TrajectoryK())
		all, roots := chain.Components(a.views, links)
		c := &certificates{}
		for _, root := range roots {
			a.certify(c, all[root])
		}
		if c.OtherRecords > 0 {
			continue
		}
		certified++
		truth, err := audittest.Posteriors(world)
		require.NoError(t, err)
		require.InDelta(t, truth.Max(), c.MaxPosterior, 1e-9)
		require.InDelta(t, twinRowLink(world, truth), c.RowLink, 1e-9)
	}
	require.Greater(t, certified, 50)
}

func trajectory(c audittest.Chain, rec int) []int {
	var out []int
	for _, r := range c.Releases {
		class := -1
		for j, x := range r.Classes {
			for _, m := range x.Members {
				if m == rec {
					class = j
				}
			}
		}
		out = append(out, class)
	}
	return out
}

func twinTrajectoryK(c audittest.Chain) int {
	least := 0
	for x := range c.Records {
		n := 0
		mine := trajectory(c, x)
		for y := range c.Records {
			same := true
			for i, class := range trajectory(c, y) {
				same = same && class == mine[i]
			}
			if same {
				n++
			}
		}
		if mine[len(mine)-1] >= 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

func twinRowLink(c audittest.Chain, truth *audittest.Worlds) float64 {
	top := 0.0
	for _, r := range c.Releases {
		for _, x := range r.Classes {
			count := map[int]int{}
			for _, v := range x.Bag {
				count[v]++
			}
			for _, m := range x.Members {
				for v, n := range count {
					top = max(top, truth.P(m, v)/float64(n))
				}
			}
		}
	}
	return top
}
