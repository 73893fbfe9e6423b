package incremental_test

import (
	"anond/incremental/state"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/extract"
	"anond/incremental"
	"anond/incremental/memstore"
)

// medians cuts a pool at medians, whatever the values: a partition of a million
// records in seconds, for benchmarks of what comes after it.
type medians struct{}

func (medians) Name() string { return "medians" }

func (medians) Partition(p *equivclass.Pool, want equivclass.Requirement) (groups [][]int32, rest []int32) {
	rows := make([]int32, p.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	var cut func(rows []int32, dim int)
	cut = func(rows []int32, dim int) {
		if len(rows) < 2*want.K {
			if want.Holds(p.Bag(rows)) {
				groups = append(groups, rows)
			} else {
				rest = append(rest, rows...)
			}
			return
		}
		slices.SortFunc(rows, func(a, b int32) int {
			if x, y := p.At(a)[dim], p.At(b)[dim]; x != y {
				if x < y {
					return -1
				}
				return 1
			}
			return int(a - b)
		})
		cut(rows[:len(rows)/2], (dim+1)%p.D())
		cut(rows[len(rows)/2:], (dim+1)%p.D())
	}
	cut(rows, 0)
	return groups, rest
}

// census draws records of seven quasi-identifiers that depend on each other.
type census struct {
	rng    *rand.Rand
	schema *equivclass.Schema
}

func newCensus(t testing.TB) *census {
	var as []equivclass.Attribute
	for j := range 7 {
		a := equivclass.Attribute{Name: fmt.Sprint("q", j), Role: equivclass.Quasi, Type: equivclass.Integer}
		if j > 4 {
			a.Type = equivclass.Categorical
		}
		as = append(as, a)
	}
	as = append(as, equivclass.Attribute{Name: "value", Role: equivclass.Sensitive, Type: equivclass.Categorical})
	s, err := equivclass.NewSchema(as, equivclass.RefuseMissing)
	require.NoError(t, err)
	return &census{rand.New(rand.NewPCG(7, 7)), s}
}

func (c *census) row() equivclass.Row {
	kind := c.rng.IntN(12)
	var row equivclass.Row
	for _, n := range []int{73, 16, 40, 200, 9, 5, 8} {
		x := (kind*n/12 + int(c.rng.NormFloat64()*float64(n)/8) + 2*n) % n
		if len(row) > 4 {
			row = append(row, fmt.Append(nil, "c", x))
		} else {
			row = append(row, fmt.Append(nil, x))
		}
	}
	return append(row, fmt.Append(nil, "v", c.rng.IntN(20)))
}

func (c *census) rows(n int) []equivclass.Row {
	out := make([]equivclass.Row, n)
	for i := range out {
		out[i] = c.row()
	}
	return out
}

// censusPolicies are those of the benchmarks: level L1, and level L2 with a trigger that
// does not ask where records lie, and with one that does.
var censusPolicies = []string{"L1", "L2", "L2-update"}

func censusPolicy(name string) state.Policy {
	p := policy(10, 5)
	if name == "L1" {
		p.Republication, p.Initial, p.Local = state.Regroup, medians{}, extract.Extract{}
		return p
	}
	p.Level, p.Workers, p.OnUpdate = state.L2, runtime.GOMAXPROCS(0), name == "L2-update"
	return p
}

// grownOf is a number of records under a policy.
type grownOf struct {
	n      int
	policy string
}

func (g grownOf) String() string { return fmt.Sprintf("%s/records=%d", g.policy, g.n) }

// grownSizes are the states that benchmarks grow; at level L2 a million would spend a
// minute of processor time in Merge first.
func grownSizes() (out []grownOf) {
	for _, name := range censusPolicies {
		for _, n := range sizes {
			if name == "L1" || n < 1e6 {
				out = append(out, grownOf{n, name})
			}
		}
	}
	return out
}

// grown holds states of several sizes with one release, built once.
var grown = struct {
	sync.Mutex
	of map[grownOf]*memstore.Store
}{of: map[grownOf]*memstore.Store{}}

// grow returns a machine with records in state, published but for a few.
func grow(b *testing.B, g grownOf) (*incremental.Machine, *census, *memstore.Store) {
	grown.Lock()
	defer grown.Unlock()
	c, n := newCensus(b), g.n
	store := grown.of[g]
	if store == nil {
		store = memstore.New()
		m := openCensus(b, c, store, g.policy)
		for i := range n {
			_, err := m.Apply(source, int64(i), c.row())
			require.NoError(b, err)
			if i%50000 == 0 {
				require.NoError(b, m.Commit())
			}
		}
		intent, err := m.Cut(1, [32]byte{})
		require.NoError(b, err)
		require.NoError(b, m.Published(intent.Release, [32]byte{1}))
		grown.of[g] = store
	}
	store = store.Clone()
	return openCensus(b, c, store, g.policy), c, store
}

func openCensus(b *testing.B, c *census, store *memstore.Store, policy string) *incremental.Machine {
	m, err := incremental.Open(store, incremental.Options{Schema: c.schema, Policy: censusPolicy(policy), Seeded: true})
	require.NoError(b, err)
	return m
}

var sizes = []int{1e4, 1e5, 1e6}

// BenchmarkApply: one record through validation, while up to a tenth of the state waits
// (goal: 10 us on average). Nothing asks for its position; what that costs is measured in
// internal/nearest, and what local updates cost by BenchmarkLocalUpdate.
func BenchmarkApply(b *testing.B) {
	for _, g := range grownSizes() {
		b.Run(g.String(), func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			m, c, store := grow(b, g)
			next, _ := m.Intake().Next(source)
			rows := c.rows(g.n / 10)
			var took time.Duration
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; i += len(rows) {
				if i > 0 { // begin again with nothing waiting
					b.StopTimer()
					m, _, store = grow(b, g)
					b.StartTimer()
				}
				start := threadTime()
				for j, row := range rows[:min(len(rows), b.N-i)] {
					if _, err := m.Apply(source, next+int64(j), row); err != nil {
						b.Fatal(err)
					}
				}
				took += threadTime() - start
			}
			b.StopTimer()
			runtime.KeepAlive(store)
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "cpu-ns/record")
		})
	}
}

// BenchmarkLocalUpdate: the local updates that a cut carries out while a tenth
// of the state waits (goal: at 1e7, which the full tier adds, at most 1.5 times that at
// 1e4, p50 and p99).
func BenchmarkLocalUpdate(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 1e6, 1e7}[:tier.Of(b, 3, 3, 4)] {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			m, c, store := grow(b, grownOf{n, "L1"})
			next, _ := m.Intake().Next(source)
			waiting := c.rows(n / 10)
			for i, row := range waiting {
				if _, err := m.Apply(source, next+int64(i), row); err != nil {
					b.Fatal(err)
				}
			}
			var each []time.Duration
			b.ResetTimer()
			for range b.N {
				m.EachLocalUpdate(func(update func()) {
					start := threadTime()
					update()
					each = append(each, threadTime()-start)
				})
			}
			b.StopTimer()
			runtime.KeepAlive(store)
			slices.Sort(each)
			b.ReportMetric(float64(each[len(each)/2].Microseconds()), "p50-us")
			b.ReportMetric(float64(each[len(each)*99/100].Microseconds()), "p99-us")
			b.ReportMetric(float64(len(each))/float64(b.N)/float64(len(waiting)), "updates/record")
		})
	}
}

// BenchmarkPools: what waits is planned as one pool, or by local updates and a pool of what
// these leave; as many wait as are published. Both use all processors.
func BenchmarkPools(b *testing.B) {
	for _, n := range []int{5e4, 2.5e5} {
		c, store := newCensus(b), memstore.New()
		p := censusPolicy("L1")
		p.Workers = runtime.GOMAXPROCS(0)
		p.Initial, p.Local = extract.Extract{Workers: p.Workers}, extract.Extract{Workers: p.Workers}
		m, err := incremental.Open(store, incremental.Options{Schema: c.schema, Policy: p, Seeded: true})
		require.NoError(b, err)
		for i := range 2 * n {
			if i == n {
				intent, err := m.Cut(1, [32]byte{})
				require.NoError(b, err)
				require.NoError(b, m.Published(intent.Release, [32]byte{1}))
			}
			_, err := m.Apply(source, int64(i), c.row())
			require.NoError(b, err)
		}
		for _, local := range []bool{true, false} {
			b.Run(fmt.Sprintf("waiting=%d/local=%t", n, local), func(b *testing.B) {
				began := processTime()
				for range b.N {
					b.ReportMetric(m.PlanLoss(local), "loss")
				}
				b.ReportMetric((processTime()-began).Seconds()/float64(b.N), "cpu-s")
			})
		}
	}
}

// BenchmarkApplyWithoutRelease: many times the state's own size arrives before
// the next release. The number waiting must not raise the cost of a record.
func BenchmarkApplyWithoutRelease(b *testing.B) {
	for _, n := range []int{1e4, 5e4, 1e5} {
		b.Run(fmt.Sprintf("waiting=%d", n), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				m, c, _ := grow(b, grownOf{1e4, "L1"})
				next, _ := m.Intake().Next(source)
				rows := c.rows(n)
				b.StartTimer()
				for i, row := range rows {
					if _, err := m.Apply(source, next+int64(i), row); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/record")
		})
	}
}

// BenchmarkMemory: the heap that a machine holds per record (goal: 250 bytes at
// seven quasi-identifiers), and how long it takes to open.
func BenchmarkMemory(b *testing.B) {
	for _, g := range grownSizes() {
		b.Run(g.String(), func(b *testing.B) {
			_, c, store := grow(b, g)
			var before, after runtime.MemStats
			for range b.N {
				runtime.GC()
				runtime.ReadMemStats(&before)
				start := time.Now()
				m := openCensus(b, c, store, g.policy)
				took := time.Since(start)
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(g.n), "bytes/record")
				b.ReportMetric(float64(took.Milliseconds()), "open-ms")
				runtime.KeepAlive(m)
			}
		})
	}
}
