package extract

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/equivclass/equivtest"
)

// cellPeople is the size of the cells that BenchmarkPools compares with whole pools.
const cellPeople = 2000

// BenchmarkPools tells what one core takes for the classes of a whole pool, and what they lose
// (rig/docs/CLASSES.md): by Extract, by Blind, and by Blind in each of the cells of about 2,000 people into
// which medians cut the pool.
func BenchmarkPools(b *testing.B) {
	adult := func(n int) *equivclass.Pool {
		return equivtest.AdultPool(b, n, "occupation", "age", "workclass", "education-num", "marital-status", "race", "sex", "native-country")
	}
	sizes := []int{1000, 10_000, 45_000, 160_000, 333_000, 1_600_000}
	for _, data := range []struct {
		name  string
		pool  func(n int) *equivclass.Pool
		sizes []int
	}{
		{"adult", adult, sizes[:3]},
		{"census", func(n int) *equivclass.Pool { return censusPool(1, n) }, sizes},
		{"clustered", func(n int) *equivclass.Pool { return clusteredPool(rand.New(rand.NewPCG(1, 1)), n, 7, 14) }, sizes},
	} {
		for _, n := range data.sizes {
			p := data.pool(n)
			for _, by := range []struct {
				name    string
				classes func(k int) [][]int32
			}{
				{"Extract", func(k int) [][]int32 {
					groups, _ := Extract{Workers: 1}.Partition(p, equivclass.Requirement{K: k, L: k / 2})
					return groups
				}},
				{"Blind", func(k int) [][]int32 { return wholeOrCells(p, k, n) }},
				{"cells", func(k int) [][]int32 { return wholeOrCells(p, k, cellPeople) }},
			} {
				for _, k := range []int{10, 5} {
					b.Run(fmt.Sprintf("%s/%s/k=%d/n=%d", data.name, by.name, k, n), func(b *testing.B) {
						var groups [][]int32
						var took time.Duration
						for b.Loop() {
							began := processorNow()
							groups = by.classes(k)
							took += processorNow() - began
						}
						b.ReportMetric(float64(took.Nanoseconds())/1000/float64(b.N*n), "cpu-us/record")
						b.ReportMetric(equivclass.NCP(p, groups, 0), "ncp")
					})
				}
			}
		}
	}
}

// wholeOrCells is Blind, one goroutine, in each of the cells of at most so many people.
func wholeOrCells(p *equivclass.Pool, k, people int) (groups [][]int32) {
	multiple := func(n int) int { return n / 2 / k * k }
	rows := cut.Identity(p.Len() / k * k)
	if len(rows) <= people {
		groups, _ = Blind{Workers: 1}.Classes(p.Points(), k)
		return groups
	}
	for _, cell := range (splitter{p.X, p.D(), people, multiple}).split(rows, 0, 1, make([]uint64, len(rows))) {
		classes, _ := Blind{Workers: 1}.Classes(gather(p.Points(), cell).Points(), k)
		for _, c := range classes {
			for i, r := range c {
				c[i] = cell[r]
			}
		}
		groups = append(groups, classes...)
	}
	return groups
}
