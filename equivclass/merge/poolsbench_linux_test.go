package merge

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/extract"
)

// machinePool is a pool as the machine hands it to Merge: bags of blind classes, in
// sub-pools that hold near classes where Division says so.
type machinePool struct {
	name string
	k, l int
	pool func(testing.TB) *equivclass.Pool
}

// machinePools are those that the limits of BenchmarkMergePools are about.
var machinePools = []machinePool{
	{"14values", 10, 5, func(testing.TB) *equivclass.Pool {
		return people(20_000, func(rng *rand.Rand, education int) int { return (education/3 + rng.IntN(11)) % 14 })
	}},
	{"20zipf", 10, 5, func(testing.TB) *equivclass.Pool { return people(20_000, zipf(20, .5)) }},
	{"1000values", 10, 5, func(testing.TB) *equivclass.Pool { return people(20_000, zipf(1000, .87)) }},
	{"adult", 10, 5, adultPeople},
	{"adult", 5, 3, adultPeople},
	{"diabetes130", 10, 5, diabetesPeople},
	{"diabetes130", 5, 3, diabetesPeople},
}

// people have the quasi-identifiers of the benchmarks of the daemon.
func people(n int, value func(rng *rand.Rand, education int) int) *equivclass.Pool {
	rng := equivtest.Rand(1)
	skewed := func(n int) int { return min(rng.IntN(n), rng.IntN(n), rng.IntN(n)) }
	p := &equivclass.Pool{Space: &equivclass.Space{}}
	for _, width := range []float64{73, 7, 15, 6, 4, 1, 40} {
		p.Space.Dims = append(p.Space.Dims, equivclass.Dim{Kind: equivclass.Number, Width: width})
	}
	for range n {
		education := rng.IntN(16)
		for j, v := range []int{skewed(74), skewed(8), education, rng.IntN(7), skewed(5), rng.IntN(2), skewed(41)} {
			p.X = append(p.X, p.Space.Dims[j].Scale(float64(v)))
		}
		p.SA = append(p.SA, equivclass.Code(value(rng, education)))
	}
	return p
}

// zipf draws value i with a probability like 1/(i+1)^s.
func zipf(values int, s float64) func(*rand.Rand, int) int {
	var up []float64
	var all float64
	for i := range values {
		all += math.Pow(float64(i+1), -s)
		up = append(up, all)
	}
	return func(rng *rand.Rand, _ int) int {
		at, _ := slices.BinarySearch(up, rng.Float64()*all)
		return min(at, values-1)
	}
}

func adultPeople(t testing.TB) *equivclass.Pool {
	return equivtest.AdultPool(t, 30162, "occupation", "age", "workclass", "education-num", "marital-status", "race", "sex", "native-country")
}

// diabetesPeople are the first encounters of the patients of the file in the directory that
// ANOND_DATA names.
func diabetesPeople(t testing.TB) *equivclass.Pool {
	t.Helper()
	dir := os.Getenv("ANOND_DATA")
	if dir == "" {
		t.Skip("SKIPPED: ANOND_DATA does not name the directory of diabetes130.csv.gz")
	}
	f, err := os.Open(filepath.Join(dir, "diabetes130.csv.gz"))
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	rows, err := csv.NewReader(z).ReadAll()
	require.NoError(t, err)
	column, seen := map[string]int{}, map[string]bool{}
	for i, name := range rows[0] {
		column[name] = i
	}
	rows = slices.DeleteFunc(rows[1:], func(r []string) bool {
		known := seen[r[column["patient_nbr"]]]
		seen[r[column["patient_nbr"]]] = true
		return known
	})
	var quasi []int
	for _, name := range []string{"race", "gender", "age", "admission_type_id", "admission_source_id", "time_in_hospital",
		"number_diagnoses"} {
		quasi = append(quasi, column[name])
	}
	return equivtest.NumberPool(rows, column["diag_1"], quasi)
}

// bags forms classes without a look at values, and divides them as the machine does.
func (c *machinePool) bags(t testing.TB) (bags []Bag, subPools int) {
	p := c.pool(t)
	classes, _ := extract.Blind{Workers: 2}.Classes(p.Points(), c.k)
	fit, each := Blocks(len(classes), SubPoolClasses, 0)
	classes = classes[:fit*each]
	subPools, near := Division(len(classes), SubPoolClasses, c.l)
	if near {
		classes = extract.Blind{Workers: 2}.Near(p.Points(), classes, subPools)
	}
	order := orderOf(p.SA)
	for _, rows := range classes {
		bags = append(bags, BagOf(order, p.SA, rows))
	}
	return bags, subPools
}

// BenchmarkMergePools tells what buckets cost and how fine they are.
func BenchmarkMergePools(b *testing.B) {
	for _, c := range machinePools {
		b.Run(fmt.Sprintf("%s/k=%d,l=%d", c.name, c.k, c.l), func(b *testing.B) {
			bags, subPools := c.bags(b)
			var buckets [][]int32
			was := processorTime(b)
			for b.Loop() {
				buckets, _ = Pool(bags, c.k, subPools, Requirement{Caps: Frequency(c.l)}, seeded(1), Run{})
			}
			used := processorTime(b) - was
			checkGroups(b, bags, Requirement{Caps: Frequency(c.l)}, slices.Clone(buckets))
			of := shapeOf(bags, c.k, buckets)
			b.ReportMetric(float64(used.Microseconds())/float64(b.N*len(bags)), "cpu-us/class")
			b.ReportMetric(of.energy, "energy/class")
			b.ReportMetric(float64(of.median), "median")
			b.ReportMetric(float64(of.most), "95%")
			b.ReportMetric(float64(of.largest), "largest")
		})
	}
}

// BenchmarkMergeOnCores is one sub-pool on one core and on two.
func BenchmarkMergeOnCores(b *testing.B) {
	for _, c := range machinePools[:4] {
		bags, subPools := c.bags(b)
		var sub []Bag
		for i := 0; i < len(bags); i += subPools {
			sub = append(sub, bags[i])
		}
		for workers := range 2 {
			b.Run(fmt.Sprintf("%s/k=%d,l=%d/cores=%d", c.name, c.k, c.l, workers+1), func(b *testing.B) {
				was := processorTime(b)
				for b.Loop() {
					Pool(sub, c.k, 1, Requirement{Caps: Frequency(c.l)}, seeded(1), Run{Workers: workers + 1})
				}
				used := processorTime(b) - was
				b.ReportMetric(float64(used.Microseconds())/float64(b.N*len(sub)), "cpu-us/class")
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(sub)), "us/class")
			})
		}
	}
}

// severalAttributes are the classes of Adult with the bags of its first d attributes, occupation with l = 5, and income and hours a week
// with 1/5 or twice the odds of the whole pool, whichever is more.
func severalAttributes(t testing.TB, d, k int) (bags []Bag, requirement Requirement) {
	p := adultPeople(t)
	classes, _ := extract.Blind{Workers: 2}.Classes(p.Points(), k)
	columns := [][]equivclass.Code{p.SA, equivtest.AdultPool(t, 30162, "income", "age").SA,
		equivtest.AdultPool(t, 30162, "hours-per-week", "age").SA}
	for i, hours := range columns[2] {
		at, found := slices.BinarySearch([]equivclass.Code{1, 35, 40, 41, 50}, hours)
		if !found {
			at--
		}
		columns[2][i] = equivclass.Code(at)
	}
	for _, rows := range classes {
		var bag Bag
		for a, column := range columns[:d] {
			for _, c := range BagOf(orderOf(column), column, rows) {
				bag = append(bag, Count{uint32(a*100) + c.Value, c.N})
			}
		}
		bags = append(bags, bag)
	}
	requirement.Caps = Frequency(5)
	for _, c := range sum(bags) {
		if n := int64(c.N); c.Value >= 100 {
			up := Cap{Value: c.Value, Num: 2 * n, Den: int64(len(p.SA)) + n}
			if up.Num*5 < up.Den {
				up.Num, up.Den = 1, 5
			}
			requirement.Caps = append(requirement.Caps, up)
		}
	}
	return bags, requirement
}

// BenchmarkMergeAttributes tells what further attributes cost.
func BenchmarkMergeAttributes(b *testing.B) {
	for d := 1; d <= 3; d++ {
		bags, requirement := severalAttributes(b, d, 10)
		subPools, _ := Division(len(bags), SubPoolClasses, 5)
		bags = bags[:len(bags)/subPools*subPools]
		b.Run(fmt.Sprintf("adult/d=%d", d), func(b *testing.B) {
			var buckets [][]int32
			was := processorTime(b)
			for b.Loop() {
				buckets, _ = Pool(bags, 10, subPools, requirement, seeded(1), Run{})
			}
			used := processorTime(b) - was
			of := shapeOf(bags, 10, buckets)
			b.ReportMetric(float64(used.Microseconds())/float64(b.N*len(bags)), "cpu-us/class")
			b.ReportMetric(of.energy, "energy/class")
			b.ReportMetric(float64(of.median), "median")
			b.ReportMetric(float64(of.most), "95%")
			b.ReportMetric(float64(of.largest), "largest")
		})
	}
}

func processorTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
