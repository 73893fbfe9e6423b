package merge

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

// contract is a line of testdata/contract.txt, which the definition in proof/Table.v computes: a requirement, and which bags
// satisfy it.
type contract struct {
	name        string
	values      int
	requirement Requirement
	holds       map[string]bool // by the counts of the values
}

// tablePeople is how many people a bag of the table has at most: those of six classes of three.
const tablePeople = 18

func contracts(t *testing.T) (out []contract) {
	f, err := os.Open("testdata/contract.txt")
	require.NoError(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Split(lines.Text(), "|")
		require.Len(t, fields, 5)
		c := contract{name: strings.Join(fields[:4], "|"), holds: map[string]bool{}}
		c.values, err = strconv.Atoi(fields[0])
		require.NoError(t, err)
		for v, ratio := range strings.Fields(fields[1]) {
			num, den, _ := strings.Cut(ratio, "/")
			limit := Cap{Value: uint32(v), Num: number(t, num), Den: number(t, den)}
			limit.Partial = fields[2] == "partial" && v > 0
			c.requirement.Caps = append(c.requirement.Caps, limit)
		}
		if n := number(t, fields[3]); n > 1 {
			c.requirement.Extra = []principle{Distinct(n)}
		}
		i := 0
		for people := 1; people <= tablePeople; people++ {
			for _, counts := range countsOf(c.values, people) {
				c.holds[string(counts)] = fields[4][i] == '1'
				i++
			}
		}
		require.Len(t, fields[4], i)
		out = append(out, c)
	}
	require.Len(t, out, 46)
	return out
}

func number(t *testing.T, text string) int64 {
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return int64(n)
}

// countsOf lists the counts of so many values among so many people, ascending.
func countsOf(values, people int) (out [][]byte) {
	if values == 1 {
		return [][]byte{{byte(people)}}
	}
	for n := range people + 1 {
		for _, rest := range countsOf(values-1, people-n) {
			out = append(out, append([]byte{byte(n)}, rest...))
		}
	}
	return out
}

func bagOfCounts(counts []byte) (b Bag) {
	for v, n := range counts {
		if n > 0 {
			b = append(b, Count{uint32(v), uint32(n)})
		}
	}
	return b
}

// listed calls do with every ascending list of m of the bags.
func listed(bags [][]byte, m int, list [][]byte, do func([][]byte)) {
	if m == 0 {
		do(list)
		return
	}
	for i, b := range bags {
		listed(bags[i:], m-1, append(list, b), do)
	}
}

// settled is what Merge makes of a list whose parts are drawn in a given order.
func settled(bags []Bag, size int, requirement Requirement, order []int32) [][]int32 {
	return Merge(bags, size, requirement, AllDraws(Key{}, func(Key, int) []int32 { return order }))
}

// renamed names places by the parts that stand there.
func renamed(groups [][]int32, at []int32) [][]int32 {
	out := make([][]int32, len(groups))
	for i, g := range groups {
		out[i] = pick32(at, g)
	}
	return inOrder(out)
}

func pick32(at, places []int32) (out []int32) {
	for _, p := range places {
		out = append(out, at[p])
	}
	return out
}

// TestContractHolds: a requirement means what the proofs mean by it.
func TestContractHolds(t *testing.T) {
	for _, c := range contracts(t) {
		for counts, holds := range c.holds {
			b := bagOfCounts([]byte(counts))
			if c.requirement.Holds(b, b.Total()) != holds {
				assert.Fail(t, "differs from the table", "%s %v", c.name, b)
			}
		}
	}
}

// TestContract: for all lists of up to six classes of two or three people, with two or three values, and all requirements of
// the table, Merge keeps the contract of which the proofs make the theorems (proof/Contract.v): (a) equal to "draw an order,
// then let a function group the list in that order", so it is equivariant: part at[i] of a list, drawn at place i, is treated as
// part i of the list in that order; (b) its groups partition the parts; (c) if the requirement holds for all parts together, it
// holds for each group, by the table.
//
// Each list is an ascending one whose places are renamed, and an order of draws matters only where bags are equal. So (a) goes
// through the ascending lists and all renamings, drawn in their own order: that covers every list with every
// way to stand equal bags. For short lists all orders of draws are tried besides.
func TestContract(t *testing.T) {
	most, split := tier.Of(t, 2, 4, 6), 0
	for _, c := range contracts(t) {
		for size := 2; size <= 3; size++ {
			for m := 1; m <= most; m++ {
				split += c.check(t, size, m)
			}
		}
	}
	assert.Greater(t, split, 100, "nearly all lists are one group: the test shows nothing")
}

// check returns how many lists were divided into several groups.
func (c contract) check(t *testing.T, size, m int) (split int) {
	listed(countsOf(c.values, size), m, nil, func(counts [][]byte) {
		list := make([]Bag, m)
		total := make([]byte, c.values)
		for i, n := range counts {
			list[i] = bagOfCounts(n)
			add(total, n)
		}
		groups := settled(list, size, c.requirement, rows(0, m))
		split += min(1, len(groups)-1)
		parts := slices.Sorted(slices.Values(slices.Concat(groups...)))
		if !slices.Equal(parts, rows(0, m)) {
			assert.Fail(t, "no partition", "%s %v: %v", c.name, list, groups)
		}
		for _, g := range groups {
			bag := make([]byte, c.values)
			for _, part := range g {
				add(bag, counts[part])
			}
			if !c.holds[string(bag)] && (c.holds[string(total)] || len(groups) > 1) {
				assert.Fail(t, "not kept", "%s %v: %v", c.name, list, groups)
			}
		}
		for i, at := range permutations[m] {
			if m == 6 && c.values == 3 && i%60 != int(total[0])%60 {
				continue // 12 renamings of each list: all would take an hour
			}
			c.equivariant(t, list, size, groups, at, at)
			if m <= 3 {
				for _, draw := range permutations[m] {
					c.equivariant(t, list, size, nil, at, draw)
				}
			}
		}
	})
	return split
}

func add(bag, more []byte) {
	for v, n := range more {
		bag[v] += n
	}
}

// equivariant compares Merge of a list whose part i is called at[i], with a draw, to Merge of the list in the drawn order; nil
// groups are computed.
func (c contract) equivariant(t *testing.T, list []Bag, size int, groups [][]int32, at, draw []int32) {
	called := make([]Bag, len(list))
	for i, part := range at {
		called[part] = list[i]
	}
	if groups == nil {
		groups = settled(pick(called, draw), size, c.requirement, rows(0, len(list)))
	}
	got, want := settled(called, size, c.requirement, draw), renamed(groups, draw)
	if !slices.EqualFunc(got, want, slices.Equal[[]int32]) {
		assert.Fail(t, "not equivariant", "%s %v drawn %v: %v in place of %v", c.name, called, draw, got, want)
	}
}
