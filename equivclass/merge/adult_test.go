package merge

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/tier"
)

// adult returns the bags of classes of exactly k Adult records that kd cuts form
// from quasi-identifiers alone.
func adult(t testing.TB, n, k int) []Bag {
	t.Helper()
	n -= n % k
	pool := equivtest.AdultPool(t, n, "occupation", "age", "workclass", "education-num", "marital-status", "race", "sex", "native-country")
	order := orderOf(pool.SA)
	var bags []Bag
	for _, class := range kd(pool, equivtest.Rows(n), k) {
		bags = append(bags, BagOf(order, pool.SA, class))
	}
	return bags
}

// orderOf names codes by numbers, whose order as texts differs from that of codes.
func orderOf(codes []equivclass.Code) Order {
	texts := make([]string, slices.Max(codes)+1)
	for i := range texts {
		texts[i] = strconv.Itoa(i)
	}
	return NewOrder(texts)
}

// kd cuts rows at a multiple of k near the median of the widest dimension.
func kd(p *equivclass.Pool, rows []int32, k int) [][]int32 {
	if len(rows) < 2*k {
		return [][]int32{rows}
	}
	widest, width := 0, float32(-1)
	for j := range p.Space.Dims {
		lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
		for _, r := range rows {
			lo, hi = min(lo, p.At(r)[j]), max(hi, p.At(r)[j])
		}
		if hi-lo > width {
			widest, width = j, hi-lo
		}
	}
	slices.SortFunc(rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(p.At(a)[widest], p.At(b)[widest]), cmp.Compare(a, b))
	})
	half := len(rows) / k / 2 * k
	return append(kd(p, rows[:half:half], k), kd(p, rows[half:], k)...)
}

// shape is how fine the buckets of a pool are.
type shape struct {
	median, most, largest int     // the records in the bucket of the median person and at 95 % of the people, and in the largest
	energy                float64 // the mean of a part
}

func shapeOf(bags []Bag, size int, buckets [][]int32) (of shape) {
	buckets = slices.Clone(buckets)
	slices.SortFunc(buckets, func(a, b []int32) int { return len(a) - len(b) })
	people := 0
	for _, b := range buckets {
		people += len(b)
		if of.median == 0 && 2*people >= len(bags) {
			of.median = len(b) * size
		}
		if of.most == 0 && 20*people >= 19*len(bags) {
			of.most = len(b) * size
		}
		of.largest = max(of.largest, len(b)*size)
		whole := sum(pick(bags, b))
		for _, c := range whole {
			of.energy -= float64(c.N) * float64(c.N) / float64(len(b))
		}
	}
	for _, b := range bags {
		for _, c := range b {
			of.energy += float64(c.N) * float64(c.N)
		}
	}
	of.energy /= float64(len(bags))
	return of
}

// adultSettings are those of the product's targets: the median person's bucket has at
// most that many people.
var adultSettings = []struct{ k, l, median int }{{10, 5, 50}, {5, 3, 20}}

// TestAdultBuckets: the buckets of a part of Adult, and of all of it in the full tier.
func TestAdultBuckets(t *testing.T) {
	tier.NotShort(t, "seconds of annealing")
	n := tier.Of(t, 6000, 6000, 30162)
	for _, c := range adultSettings {
		for _, subPools := range []int{1, 3} {
			bags := adult(t, n, c.k)
			_, each := Blocks(len(bags), len(bags)/subPools, 0)
			bags = bags[:each*subPools]
			r := Requirement{Caps: Frequency(c.l)}
			buckets, ok := Pool(bags, c.k, subPools, r, seeded(1), Run{Workers: 2})
			require.True(t, ok)
			checkGroups(t, bags, r, buckets)
			of := shapeOf(bags, c.k, buckets)
			t.Logf("k=%d l=%d, %d sub-pools: %d classes, %d buckets; the median person's has %d people, the largest %d; energy %.3f a class",
				c.k, c.l, subPools, len(bags), len(buckets), of.median, of.largest, of.energy)
			assert.LessOrEqual(t, of.median, c.median)
		}
	}
}

// BenchmarkMergeAdult is the time of one Merge over all classes of Adult, on one core.
func BenchmarkMergeAdult(b *testing.B) {
	for _, c := range adultSettings {
		bags := adult(b, 30162, c.k)
		b.Run(strconv.Itoa(len(bags))+"classes", func(b *testing.B) {
			for b.Loop() {
				Merge(bags, c.k, Requirement{Caps: Frequency(c.l)}, seeded(1))
			}
			b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N*len(bags)), "s/1000classes")
		})
	}
}

// BenchmarkPool is a pool of 100,000 classes in sub-pools, which are contiguous in the order
// of the cuts where they should hold near classes.
func BenchmarkPool(b *testing.B) {
	for _, c := range adultSettings {
		var bags []Bag
		for len(bags) < 100_000 {
			bags = append(bags, adult(b, 30162, c.k)...)
		}
		fit, each := Blocks(100_000, SubPoolClasses, 0)
		bags = bags[:fit*each]
		subPools, near := Division(len(bags), SubPoolClasses, c.l)
		if near {
			spread := make([]Bag, len(bags))
			for i := range bags {
				spread[i] = bags[i%subPools*(len(bags)/subPools)+i/subPools]
			}
			bags = spread
		}
		b.Run(fmt.Sprintf("k=%d,l=%d", c.k, c.l), func(b *testing.B) {
			for b.Loop() {
				Pool(bags, c.k, subPools, Requirement{Caps: Frequency(c.l)}, seeded(1), Run{Workers: runtime.NumCPU()})
			}
		})
	}
}
