package local

import (
	"slices"
	"sync"
	"sync/atomic"

	"anond/equivclass"
	"anond/incremental/plan"
	"anond/incremental/state"
)

// Local updates on several cores.
//
// The published classes are divided into regions by median cuts of their centres. A local
// update looks at the classes of its region only, so regions share nothing and are planned
// at the same time. What the regions are is a function of the published classes, and each
// is planned in one order, so plans do not depend on the number of workers. A region is
// large compared with the 32 classes that a local update looks at: few records lie so near a
// border that a nearer class is on the other side.

// regionSize is how many classes a region has at most, blockSize how many are one
// neighbourhood of it, in which more than the threshold must wait for a local update.
const (
	regionSize = 512
	blockSize  = 8
)

// region is published classes that lie together, in the order of the cuts.
type region struct {
	classes []*state.Class
	boxes   []float32 // of class i: lo at 2di, hi at 2di+d
	blocks  []int32   // by class: its neighbourhood
	here    [][]state.RecordID
}

// Plan carries out the local updates of every neighbourhood in which more than the
// threshold wait, and returns the classes planned and the records in none. Published
// classes do not change (rule A, frozen classes, and rule P, pure classes). Cost: a bounded
// local update for each k records that wait.
func (p Planning) Plan(waiting []state.RecordID) (plans []plan.Plan, rest []state.RecordID) {
	at := p.Place.Positions(waiting, p.Policy.Workers)
	regions := p.Regions(waiting, at)
	done := make([]localUpdates, len(regions))
	p.eachOf(len(regions), func(i int) {
		done[i] = NewLocalUpdates(p, &regions[i])
		done[i].run()
	})
	for i := range done {
		p.Made.Updates += done[i].made
		for s := range done[i].slots {
			if len(done[i].slots[s].plans) > 0 {
				p.Made.Classes++
			}
			plans = append(plans, done[i].slots[s].plans...)
			rest = append(rest, done[i].slots[s].here...)
		}
	}
	slices.Sort(rest)
	return plans, rest
}

// eachOf calls do once for each i below n, on as many goroutines as there are workers.
func (p Planning) eachOf(n int, do func(i int)) {
	var next atomic.Int64
	run := func() {
		for i := int(next.Add(1)) - 1; i < n && !p.Records.Interrupt.Asked(); i = int(next.Add(1)) - 1 {
			do(i)
		}
	}
	var all sync.WaitGroup
	for range min(p.Policy.Workers, n) - 1 {
		all.Go(run)
	}
	run()
	all.Wait()
}

// Regions divides the published classes, with the waiting records that lie at each.
func (p Planning) Regions(waiting []state.RecordID, at []state.ClassID) []region {
	g := regionCut{d: p.Records.Schema.D()}
	place := make([]int32, len(p.Place.History.Classes))
	for _, c := range p.Place.History.Classes {
		if c.Died == 0 {
			place[c.ID] = int32(len(g.classes))
			g.classes = append(g.classes, c)
		}
	}
	if len(g.classes) == 0 {
		return nil
	}
	g.boxes = make([]float32, 0, 2*g.d*len(g.classes))
	rows := make([]int32, len(g.classes))
	for i, c := range g.classes {
		rows[i] = int32(i)
		g.boxes = append(g.boxes, boxOf(p.Records, p.Place.Space, c.Members)...)
	}
	g.here = make([][]state.RecordID, len(g.classes))
	for i, r := range waiting {
		s := place[at[i]]
		g.here[s] = append(g.here[s], r)
	}
	g.divide(rows, nil)
	return g.out
}

// box returns the bounding box of records as lo..., hi...
func boxOf(c *state.Records, space *equivclass.Space, members []state.RecordID) []float32 {
	d := c.Schema.D()
	flat := make([]float32, 2*d)
	b, x := boxAt(flat, d, 0), make([]float32, d)
	c.Coords(space, members[0], b.Lo)
	copy(b.Hi, b.Lo)
	for _, r := range members[1:] {
		c.Coords(space, r, x)
		b.Extend(x)
	}
	return flat
}

// boxAt is the i-th box of a flat array of boxes, sharing its memory.
func boxAt(boxes []float32, d int, i int32) equivclass.Box {
	b := boxes[2*d*int(i) : 2*d*int(i+1)]
	return equivclass.Box{Lo: b[:d:d], Hi: b[d:]}
}

// regionCut divides classes by median cuts.
type regionCut struct {
	d       int
	classes []*state.Class
	boxes   []float32
	here    [][]state.RecordID
	out     []region
}

func (g *regionCut) centre(row int32, j int) float32 {
	b := boxAt(g.boxes, g.d, row)
	return b.Lo[j] + b.Hi[j]
}

// divide cuts rows until they are a region, and these until they are a neighbourhood of it.
func (g *regionCut) divide(rows []int32, within *region) {
	if within == nil && len(rows) <= regionSize {
		g.out = append(g.out, region{})
		within = &g.out[len(g.out)-1]
	}
	if len(rows) <= blockSize {
		block := int32(0)
		if n := len(within.blocks); n > 0 {
			block = within.blocks[n-1] + 1
		}
		for _, r := range rows {
			within.classes, within.blocks = append(within.classes, g.classes[r]), append(within.blocks, block)
			within.boxes = append(within.boxes, g.boxes[2*g.d*int(r):2*g.d*int(r+1)]...)
			within.here = append(within.here, g.here[r])
		}
		return
	}
	j, half := g.widest(rows), len(rows)/2
	equivclass.Select(rows, half, func(a, b int32) bool {
		ca, cb := g.centre(a, j), g.centre(b, j)
		return ca < cb || ca == cb && a < b
	})
	g.divide(rows[:half], within)
	g.divide(rows[half:], within)
}

// widest returns the dimension in which the centres of rows lie widest apart.
func (g *regionCut) widest(rows []int32) int {
	best, width := 0, float32(-1)
	for j := range g.d {
		lo := g.centre(rows[0], j)
		hi := lo
		for _, r := range rows[1:] {
			v := g.centre(r, j)
			lo, hi = min(lo, v), max(hi, v)
		}
		if hi-lo > width {
			best, width = j, hi-lo
		}
	}
	return best
}
