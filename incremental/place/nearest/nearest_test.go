package nearest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

// twin answers by looking at every box.
type twin struct {
	d     int
	scale []float64
	boxes map[int32][]int64
}

func (t *twin) numbers() (out []int32) {
	for id := range t.boxes {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

func (t *twin) nearest(at []int64) int32 {
	best, dist := int32(-1), uint64(far)
	gauges := t.gauges(1)
	for _, id := range t.numbers() {
		b, sum := t.boxes[id], uint64(0)
		for j, v := range at {
			if gap := max(b[j]-v, v-b[t.d+j]); gap > 0 {
				sum += gauges[j].square(uint64(gap))
			}
		}
		if best < 0 || sum < dist {
			best, dist = id, sum
		}
	}
	return best
}

func (t *twin) gauges(steps float64) (out []gauge) {
	for _, s := range t.scale {
		out = append(out, newGauge(s/steps))
	}
	return out
}

func (t *twin) neighbours(doubled []int64, n int) (out []found) {
	gauges := t.gauges(2)
	for _, id := range t.numbers() {
		b, sum := t.boxes[id], uint64(0)
		for j, v := range doubled {
			if gap := b[j] + b[t.d+j] - v; gap != 0 {
				sum += gauges[j].square(uint64(max(gap, -gap)))
			}
		}
		out = append(out, found{id, sum})
	}
	slices.SortStableFunc(out, func(a, b found) int {
		switch {
		case a.dist < b.dist:
			return -1
		case a.dist > b.dist:
			return 1
		}
		return 0
	})
	return out[:min(n, len(out))]
}

// life lets an index and its twin live through the same changes, which the numbers of
// draw decide, and compares their answers all along.
func life(t testing.TB, draw func(n int) int, size lifeSize) {
	d := 1 + draw(9)
	if draw(8) == 0 {
		d = 30 + draw(40)
	}
	scale := make([]float64, d)
	ranges := make([]int, d)
	for j := range scale {
		ranges[j] = []int{1, 2, 5, 70, 300, 70000, 1 << 30}[draw(7)]
		scale[j] = 1 / float64(ranges[j])
		if draw(10) == 0 {
			scale[j] = 0 // a domain of one value
		}
	}
	x, w := New(scale), twin{d, scale, map[int32][]int64{}}
	value := func(j int) int64 { return int64(draw(ranges[j]+1) - ranges[j]/3) }
	next := int32(0)
	for range size.steps {
		switch draw(10) {
		case 0, 1: // many boxes at once, or a few
			n := 1 + draw(30)
			if draw(3) == 0 {
				n += size.many
			}
			var ids []int32
			var boxes []int64
			for range n {
				box := make([]int64, 2*d)
				for j := range d {
					a := value(j)
					box[j], box[d+j] = a, a+int64(draw(3)*draw(1+ranges[j]/4))
				}
				next += int32(1 + draw(2))
				ids, boxes = append(ids, next), append(boxes, box...)
				w.boxes[next] = box
			}
			x.Add(ids, boxes)
		case 2: // some die
			for _, id := range w.numbers() {
				if draw(4) == 0 {
					x.Remove(id)
					delete(w.boxes, id)
				}
			}
		case 3: // a domain grows
			j := draw(d)
			ranges[j] = 2*ranges[j] + 1
			scale[j] = 1 / float64(ranges[j])
			x.Rescale(scale)
		default:
			compare(t, x, &w, draw, value, size.points)
		}
		require.Equal(t, len(w.boxes), x.Len())
		x.check(t)
	}
}

// lifeSize is how long a life is, how many boxes come at once, and for how many points answers are compared. A fuzzer
// learns little from a life that takes a second.
type lifeSize struct{ steps, many, points int }

func compare(t testing.TB, x *Index, w *twin, draw func(int) int, value func(int) int64, points int) {
	answers(t, x, w, draw, value, draw(points))
}

func answers(t testing.TB, x *Index, w *twin, draw func(int) int, value func(int) int64, n int) {
	points := make([][]int64, n)
	for i := range points {
		points[i] = make([]int64, w.d)
		for j := range w.d {
			points[i][j] = value(j)
			if draw(20) == 0 {
				points[i][j] *= 3 // outside all that was seen
			}
		}
		if i > 0 && draw(4) == 0 {
			copy(points[i], points[draw(i)])
		}
	}
	got := x.Nearest(n, func(i int, into []int64) { copy(into, points[i]) }, 1+draw(3))
	for i, at := range points {
		require.Equal(t, w.nearest(at), got[i])
	}
	for i := 1; i < n/8; i++ {
		box := slices.Concat(points[i-1], points[i]) // its centre is what counts
		doubled := slices.Clone(points[i-1])
		for j, v := range points[i] {
			box[j], box[w.d+j] = min(box[j], v), max(box[j], v)
			doubled[j] += v
		}
		require.Equal(t, w.neighbours(doubled, 7), x.Neighbours(box, 7, nil))
	}
}

// check holds the tree against what it promises of itself.
func (x *Index) check(t testing.TB) {
	seen := 0
	var under func(n, parent int32)
	under = func(n, parent int32) {
		require.Equal(t, parent, x.nodes[n].parent)
		require.LessOrEqual(t, x.nodes[n].n, int32(fan))
		for i := range x.nodes[n].n {
			if x.nodes[n].leaf {
				require.Equal(t, n, x.home[x.ref[int(n)*fan+int(i)]])
				seen++
				continue
			}
			all := slices.Concat(x.box(n, i), x.core(n, i), []uint64{uint64(x.least[int(n)*fan+int(i)])})
			x.tighten(n, i)
			require.Equal(t, all, slices.Concat(x.box(n, i), x.core(n, i), []uint64{uint64(x.least[int(n)*fan+int(i)])}), "bounds are tight")
			under(x.ref[int(n)*fan+int(i)], n)
		}
	}
	under(x.root, -1)
	require.Equal(t, x.boxes, seen)
}

// TestIndexAgreesWithItsTwin: whatever comes, dies or grows, each search gives what a look
// at every box gives.
func TestIndexAgreesWithItsTwin(t *testing.T) {
	for seed := range tier.Of(t, 15, 60, 60) {
		rng := rand.New(rand.NewPCG(uint64(seed), 14))
		life(t, rng.IntN, lifeSize{steps: 40, many: 200, points: 40})
	}
}

// FuzzIndex is the same with numbers that a fuzzer chooses.
func FuzzIndex(f *testing.F) {
	f.Add([]byte{3, 1, 4, 1, 5, 9, 2, 6})
	f.Fuzz(func(t *testing.T, numbers []byte) {
		i := 0
		life(t, func(n int) int {
			if i+1 >= len(numbers) {
				i++
				return (i * 7919) % n
			}
			v := int(numbers[i])<<8 | int(numbers[i+1])
			i++
			return v % n
		}, lifeSize{steps: 8, many: 30, points: 12})
	})
}

// TestAnswersDoNotDependOnTheShape: boxes that came one by one, in any order, with others
// that died since, give the answers of a tree that was built at once.
func TestAnswersDoNotDependOnTheShape(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	c := newClustered(rng, 3000, 7)
	built, grown := New(c.scale), New(c.scale)
	built.Add(c.numbers, c.boxes)
	for _, i := range rng.Perm(len(c.numbers)) {
		grown.Add([]int32{int32(10000 + i)}, c.boxes[14*i:14*i+14])
		grown.Add(c.numbers[i:i+1], c.boxes[14*i:14*i+14])
	}
	for i := range c.numbers {
		grown.Remove(int32(10000 + i))
	}
	grown.check(t)
	points := c.points(20000)
	want := built.Nearest(len(points), at(points), 1)
	require.Equal(t, want, grown.Nearest(len(points), at(points), 2))
	for _, p := range points[:200] {
		box := slices.Concat(p, p)
		require.Equal(t, built.Neighbours(box, 32, nil), grown.Neighbours(box, 32, nil))
	}
}

func at(points [][]int64) func(int, []int64) {
	return func(i int, into []int64) { copy(into, points[i]) }
}

// clustered are the boxes of classes of ten records each, cut from clustered points by
// medians, as a partition makes them.
type clustered struct {
	rng     *rand.Rand
	centres [][]float64
	steps   []int
	scale   []float64
	numbers []int32
	boxes   []int64
}

func newClustered(rng *rand.Rand, m, d int) *clustered {
	c := &clustered{rng: rng}
	for range 30 {
		centre := make([]float64, d)
		for j := range centre {
			centre[j] = rng.Float64()
		}
		c.centres = append(c.centres, centre)
	}
	for j := range d {
		c.steps = append(c.steps, []int{73, 8, 200, 16, 40, 5, 90}[j%7])
		c.scale = append(c.scale, 1/float64(c.steps[j]))
	}
	c.cut(c.points(10*m), 0)
	return c
}

func (c *clustered) points(n int) [][]int64 {
	out := make([][]int64, n)
	for i := range out {
		p := make([]int64, len(c.steps))
		for j, at := range c.centres[c.rng.IntN(len(c.centres))] {
			p[j] = int64(max(0, min(1, at+c.rng.NormFloat64()/12)) * float64(c.steps[j]))
		}
		out[i] = p
	}
	return out
}

func (c *clustered) cut(p [][]int64, dim int) {
	d := len(c.steps)
	if len(p) < 20 {
		box := slices.Concat(p[0], p[0])
		for _, x := range p {
			for j, v := range x {
				box[j], box[d+j] = min(box[j], v), max(box[d+j], v)
			}
		}
		c.numbers, c.boxes = append(c.numbers, int32(len(c.numbers))), append(c.boxes, box...)
		return
	}
	slices.SortFunc(p, func(a, b []int64) int { return int(a[dim] - b[dim]) })
	c.cut(p[:len(p)/2], (dim+1)%d)
	c.cut(p[len(p)/2:], (dim+1)%d)
}

// BenchmarkNearest: one point of a batch of 250,000, one worker.
func BenchmarkNearest(b *testing.B) {
	for _, m := range []int{1e3, 1e4, 1e5} {
		c := newClustered(rand.New(rand.NewPCG(1, 1)), m, 7)
		x := New(c.scale)
		x.Add(c.numbers, c.boxes)
		points := c.points(250000)
		b.Run(fmt.Sprintf("classes=%d", m), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				x.Nearest(len(points), at(points), 1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(points)), "ns/point")
		})
	}
}

// BenchmarkNeighbours: the 32 classes whose centres are nearest.
func BenchmarkNeighbours(b *testing.B) {
	for _, m := range []int{1e3, 1e4, 1e5} {
		c := newClustered(rand.New(rand.NewPCG(1, 1)), m, 7)
		x := New(c.scale)
		x.Add(c.numbers, c.boxes)
		points := c.points(4096)
		for i, p := range points {
			points[i] = slices.Concat(p, p)
		}
		b.Run(fmt.Sprintf("classes=%d", m), func(b *testing.B) {
			var found []found
			for i := range b.N {
				found = x.Neighbours(points[i%len(points)], 32, found[:0])
			}
		})
	}
}

// BenchmarkGrow: 1,000 new classes next to m others, and what building all of them anew
// costs.
func BenchmarkGrow(b *testing.B) {
	for _, m := range []int{1e4, 1e5} {
		c := newClustered(rand.New(rand.NewPCG(1, 1)), m+1000, 7)
		order := c.rng.Perm(len(c.numbers))
		boxes := make([]int64, 0, len(c.boxes))
		for _, i := range order {
			boxes = append(boxes, c.boxes[14*i:14*i+14]...)
		}
		old := len(c.numbers) - 1000
		x := New(c.scale)
		x.Add(c.numbers[:old], boxes[:14*old])
		b.Run(fmt.Sprintf("classes=%d/grown", m), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				x.Add(c.numbers[old:], boxes[14*old:])
				b.StopTimer()
				for _, id := range c.numbers[old:] {
					x.Remove(id)
				}
				b.StartTimer()
			}
		})
		b.Run(fmt.Sprintf("classes=%d/built", m), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				New(c.scale).Add(c.numbers, boxes)
			}
		})
	}
}
