package extract

import (
	"fmt"
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/measure"
)

// smallPool is a pool of the size that a stream's have, and a requirement.
type smallPool struct {
	p    *equivclass.Pool
	want equivclass.Requirement
	kind int // of smallKinds
}

var smallKinds = []string{"Adult, k=10", "Adult, k=5", "made, both"}

// smallPools are 300, 1,000 and 2,000 records of Adult, drawn five times, and 1,000 made ones:
// like Adult and clustered.
func smallPools(tb testing.TB) (out []smallPool) {
	adult := equivtest.AdultPool(tb, 30000, "occupation", "age", "workclass", "education-num", "marital-status", "race", "sex",
		"native-country")
	for i, want := range []equivclass.Requirement{{K: 10, L: 5}, {K: 5, L: 3}} {
		for seed := range uint64(5) {
			for _, n := range []int{300, 1000, 2000} {
				out = append(out, smallPool{drawnRows(adult, seed, n), want, i})
			}
		}
		for seed := range uint64(2) {
			out = append(out, smallPool{censusPool(seed, 1000), want, 2},
				smallPool{clusteredPool(rand.New(rand.NewPCG(seed, 1)), 1000, 7, 14), want, 2})
		}
	}
	return out
}

func drawnRows(p *equivclass.Pool, seed uint64, n int) *equivclass.Pool {
	out := &equivclass.Pool{Space: p.Space}
	for _, i := range rand.New(rand.NewPCG(seed, 77)).Perm(p.Len())[:n] {
		out.X, out.SA = append(out.X, p.At(int32(i))...), append(out.SA, p.SA[i])
	}
	return out
}

// blindWith is Blind, one goroutine, with other divisions.
func blindWith(p equivclass.Points, k, rounds, passes int) [][]int32 {
	rows := equivtest.Rows(p.Len() / k * k)
	groups, others := equalClasses(p, rows, k)
	x := newExtraction(gather(p, others), equivclass.Requirement{K: k, L: 1})
	x.size, x.most, x.workers = k, k, 1
	x.fixed = newFixed(x.losses)
	x.cutExact(blindEffort(len(others), leaps(p.Space)), rounds, passes)
	for _, g := range x.groups() {
		for i, r := range g {
			g[i] = others[r]
		}
		groups = append(groups, g)
	}
	return groups
}

// BenchmarkDividings prints what more and fewer divisions in small pools take, next to Extract,
// and what they lose, next to Blind (rig/docs/CLASSES.md, "Which classes are divided anew").
func BenchmarkDividings(b *testing.B) {
	pools := smallPools(b)
	for b.Loop() {
		printDividings(pools)
	}
}

func printDividings(pools []smallPool) {
	extract := processorTime(func() {
		for _, s := range pools {
			Extract{Workers: 1}.Partition(s.p, s.want)
		}
	})
	fmt.Printf("\n| rounds x passes | time over Extract's |")
	for _, kind := range smallKinds {
		fmt.Printf(" loss, %s |", kind)
	}
	fmt.Println()
	base := make([]float64, len(pools))
	for at, e := range [][2]int{{3, 4}, {6, 6}, {4, 6}, {4, 4}, {2, 4}, {2, 2}, {0, 0}} {
		loss := make([]float64, len(pools))
		took := processorTime(func() {
			for i, s := range pools {
				loss[i] = measure.IntervalNCP(s.p, blindWith(s.p.Points(), s.want.K, e[0], e[1]), 0)
			}
		})
		if at == 0 {
			base = loss
		}
		fmt.Printf("| %d x %d | %.2f |", e[0], e[1], float64(took)/float64(extract))
		for kind := range smallKinds {
			sum, n := 0.0, 0
			for i, s := range pools {
				if s.kind == kind {
					sum, n = sum+math.Log(loss[i]/base[i]), n+1
				}
			}
			fmt.Printf(" %.3f |", math.Exp(sum/float64(n)))
		}
		fmt.Println()
	}
}

// processorTime is the least of three times.
func processorTime(do func()) time.Duration {
	least := time.Duration(math.MaxInt64)
	for range 3 {
		began := processorNow()
		do()
		least = min(least, processorNow()-began)
	}
	return least
}

func processorNow() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
