package main

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/lab/methods"
	"anond/snapshot"
)

// opinion is what a reader without knowledge of this program finds, who takes equal
// rows of a release as a class, as pyCANON does (Sainz-Pardo Diaz and Lopez Garcia,
// Scientific Data 2022).
type opinion struct {
	k, distinct int
	entropy, t  float64
	frequency   float64
	recursive   func(c float64) int
}

// filedRows reads a release as (what makes a class, sensitive value) pairs.
func filedRows(t *testing.T, dir, recoding string, alike bool) (keys, values []string) {
	t.Helper()
	rows := func(name string) [][]string {
		f, err := os.Open(filepath.Join(dir, "000001", "part-000001", name))
		require.NoError(t, err)
		defer f.Close()
		all, err := csv.NewReader(f).ReadAll()
		require.NoError(t, err)
		return all[1:]
	}
	switch recoding {
	case snapshot.NameGeneralization:
		for _, r := range rows("data.csv") {
			key := r[len(r)-1]
			if alike {
				key = strings.Join(r[:len(r)-2], "\x00")
			}
			keys, values = append(keys, key), append(values, r[len(r)-2])
		}
	case snapshot.NameAnatomy:
		for _, r := range rows("st.csv") {
			n, err := strconv.Atoi(r[2])
			require.NoError(t, err)
			for range n {
				keys, values = append(keys, r[0]), append(values, r[1])
			}
		}
	case snapshot.NamePermutation:
		for _, r := range rows("pst.csv") {
			keys, values = append(keys, r[0]), append(values, r[1])
		}
	}
	return keys, values
}

// judge computes each principle from its definition, class by class and value by
// value, over every pair: slow and plain. all is the table before.
func judge(keys, values, all []string) opinion {
	var classes []string
	for _, k := range keys {
		if !slices.Contains(classes, k) {
			classes = append(classes, k)
		}
	}
	count := func(in []string, v string) (n int) {
		for _, x := range in {
			if x == v {
				n++
			}
		}
		return n
	}
	domain := slices.Compact(slices.Sorted(slices.Values(all)))
	o := opinion{k: math.MaxInt, distinct: math.MaxInt, entropy: math.Inf(1)}
	var bags [][]string
	for _, c := range classes {
		var bag []string
		for i := range keys {
			if keys[i] == c {
				bag = append(bag, values[i])
			}
		}
		bags = append(bags, bag)
		distinct, h, gap := 0, 0.0, 0.0
		for _, v := range domain {
			share := float64(count(bag, v)) / float64(len(bag))
			gap += math.Abs(share - float64(count(all, v))/float64(len(all)))
			if share > 0 {
				distinct++
				h -= share * math.Log2(share)
				o.frequency = max(o.frequency, share)
			}
		}
		o.k, o.distinct = min(o.k, len(bag)), min(o.distinct, distinct)
		o.entropy, o.t = min(o.entropy, math.Exp2(h)), max(o.t, gap/2)
	}
	o.recursive = func(c float64) int {
		for l := 1; ; l++ {
			for _, bag := range bags {
				var n []int
				for _, v := range slices.Compact(slices.Sorted(slices.Values(bag))) {
					n = append(n, count(bag, v))
				}
				slices.SortFunc(n, func(a, b int) int { return b - a })
				tail := 0
				for i := l - 1; i < len(n); i++ {
					tail += n[i]
				}
				if float64(n[0]) >= c*float64(tail) {
					return l - 1
				}
			}
		}
	}
	return o
}

// TestASecondOpinionOnEveryMethod: k, l and t that a report states are what the
// files say to a second, naive implementation. Where rows of two classes look
// alike, a reader sees one class: never less private than reported.
func TestASecondOpinionOnEveryMethod(t *testing.T) {
	w := newWard(t, 300)
	var all []string
	for _, r := range w.first() {
		all = append(all, r[5])
	}
	for _, m := range methods.All() {
		if m.Only || !slices.Contains(recodings, m.Recoding) {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			r := w.report("admissions.csv", m.Name, "--method", m.Name, "-k", "5", "-l", "2")
			keys, values := filedRows(t, w.path(m.Name), m.Recoding, false)
			require.Len(t, keys, r.Published)
			o := judge(keys, values, all)
			assert.Equal(t, o.k, r.Achieved.K)
			assert.Equal(t, o.distinct, r.Achieved.DistinctL)
			assert.InDelta(t, o.entropy, r.Achieved.EntropyL, 1e-9)
			assert.InDelta(t, o.frequency, r.Achieved.MaxFrequency, 1e-12)
			assert.Equal(t, o.recursive(r.Achieved.RecursiveC), r.Achieved.RecursiveL)
			assert.InDelta(t, o.t, r.Achieved.T[0].T, 1e-9)
			if m.Recoding == snapshot.NameGeneralization {
				keys, values := filedRows(t, w.path(m.Name), m.Recoding, true)
				seen := judge(keys, values, all)
				assert.GreaterOrEqual(t, seen.k, o.k)
				assert.LessOrEqual(t, seen.frequency, o.frequency+1e-12)
				assert.LessOrEqual(t, seen.t, o.t+1e-12, "the distance is convex")
			}
		})
	}
}
