package extract

import (
	"math"
	"slices"
)

// candidate is a row that may join the class that grows.
type candidate struct {
	from  float32 // the span of the seed and the row
	least float32 // at most the span that the cell would have with the row
	id    int32   // -1: no longer a candidate
}

// shortlist collects the rows nearest to the seed, and of the values that the
// next class must take the nearest rows as well.
func (b *bucket) shortlist(seed int32) {
	x, room := b.x, b.effort.shortlist+b.x.size
	b.all, b.short = b.all[:0], b.short[:0]
	x.start(x.one, seed)
	for _, r := range b.live {
		if r != seed {
			b.all = append(b.all, nearby{x.with(x.one, r), r})
		}
	}
	b.add(b.all, room)
	if b.sorted = len(b.short); b.unmet == 0 || len(b.all) <= room {
		return
	}
	must := b.all[:0]
	for _, c := range b.all {
		if b.required[x.value[c.id]] > 0 {
			must = append(must, c)
		}
	}
	for _, c := range b.short {
		x.gone[c.id] = true
	}
	b.add(must, room+spareRequired)
	for _, c := range b.short[:b.sorted] {
		x.gone[c.id] = false
	}
}

// add appends to the candidates the up to room rows of list nearest to the seed that are
// not gone, ascending, equals in the order of the list.
func (b *bucket) add(list []nearby, room int) {
	last := len(steps{}) - 1
	scale := scaleOf(list)
	if len(list) > room {
		last = lastStep(list, scale, room)
	}
	b.keys = b.keys[:0]
	for i, c := range list {
		if int(c.dist*scale) <= last {
			b.keys = append(b.keys, uint64(math.Float32bits(c.dist))<<32|uint64(i))
		}
	}
	slices.Sort(b.keys) // no distance is negative, so their bits are in their order
	for _, key := range b.keys[:min(room, len(b.keys))] {
		c := list[uint32(key)]
		if b.x.gone[c.id] {
			continue
		}
		if !b.x.losses.monotone {
			c.dist = 0
		}
		b.short = append(b.short, candidate{c.dist, c.dist, c.id})
	}
}

// steps counts distances in equal steps, so that few need to be sorted.
type steps [256]int32

// scaleOf is what distances are multiplied by to become a step.
func scaleOf(list []nearby) float32 {
	var most float32
	for _, c := range list {
		if c.dist > most {
			most = c.dist
		}
	}
	return float32(len(steps{})-1) / max(most, 1e-6)
}

// lastStep is the step that holds the distance number room.
func lastStep(list []nearby, scale float32, room int) int {
	var counts steps
	for _, c := range list {
		counts[int(c.dist*scale)&(len(counts)-1)]++
	}
	step, n := 0, int(counts[0])
	for n < room && step < len(counts)-1 {
		step++
		n += int(counts[step])
	}
	return step
}
