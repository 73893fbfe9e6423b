package extract

import (
	"math"
	"slices"

	"anond/equivclass"
)

// candidate is a row that may join the class that grows.
type candidate struct {
	from  float32 // the span of the seed and the row
	least float32 // at most the span that the cell would have with the row
	id    int32   // -1: no longer a candidate
}

// shortlist collects the rows nearest to the seed, the live row at a place, and of the
// values that the next class must take the nearest rows as well.
func (b *bucket) shortlist(seed int) {
	x, room := b.x, b.effort.shortlist+b.x.size
	b.measure(seed)
	b.short = b.short[:0]
	b.add(b.nearest(room), room)
	if b.sorted = len(b.short); b.unmet == 0 || len(b.live)-1 <= room {
		return
	}
	must := b.keys[:0]
	for i, r := range b.live {
		if i != seed && b.required[x.value[r]] > 0 {
			must = append(must, spanKey(b.spans[i], i))
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

// gather copies the words of the live rows into columns.
func (b *bucket) gather() {
	b.columns = make([][]uint32, b.x.d)
	for j := range b.columns {
		column := make([]uint32, len(b.live))
		for i, r := range b.live {
			column[i] = b.x.losses.words[int(r)*b.x.d+j]
		}
		b.columns[j] = column
	}
}

// measure computes the span of the seed and each live row, one dimension after the other:
// the terms of extraction.with, in the same order.
func (b *bucket) measure(seed int) {
	b.spans = grown(b.spans, len(b.live))
	clear(b.spans)
	for j, column := range b.columns {
		own, spans := column[seed], b.spans[:len(column)]
		switch b.x.losses.kinds[j] {
		case ranged:
			from := math.Float32frombits(own)
			for i, w := range column {
				spans[i] += math.Float32frombits(math.Float32bits(math.Float32frombits(w)-from) &^ (1 << 31))
			}
		case listed:
			var loss [64]float32
			pair := b.x.losses.pair(j, 1)
			for w := range loss {
				loss[w] = pair[0]
			}
			loss[own&63] = pair[1]
			for i, w := range column {
				spans[i] += loss[w&63]
			}
		default:
			for i, w := range column {
				spans[i] += b.x.losses.of(j, min(own, w), max(own, w))
			}
		}
	}
	b.spans[seed] = maxSpan
}

// spanKey is a number in the order of spans, which are not negative, then of places.
func spanKey(span float32, place int) uint64 {
	return uint64(math.Float32bits(span))<<32 | uint64(uint32(place))
}

// nearest returns the keys of the rows nearest to the seed, all that there are or at least
// so many. Neighbouring seeds have them within nearly the same span, so it tries that of the
// seed before.
func (b *bucket) nearest(room int) []uint64 {
	b.keys = grown(b.keys, len(b.spans))
	for _, within := range []float32{b.within, maxSpan} {
		n, limit := 0, math.Float32bits(within)
		for i, span := range b.spans {
			bits := math.Float32bits(span)
			b.keys[n] = uint64(bits)<<32 | uint64(uint32(i))
			n += int((bits - limit) >> 31) // 1 if it is below
		}
		if n >= room || within == maxSpan {
			return b.keys[:n]
		}
	}
	return nil
}

// add appends to the candidates the up to room rows of the smallest keys that are not
// gone, ascending, equals in the order of the live rows.
func (b *bucket) add(keys []uint64, room int) {
	if len(keys) > room {
		equivclass.SelectKeys(keys, room)
		keys = keys[:room]
	}
	slices.Sort(keys)
	for _, key := range keys {
		id, span := b.live[uint32(key)], math.Float32frombits(uint32(key>>32))
		if b.x.gone[id] {
			continue
		}
		if b.within = span + span/16 + 1.0/256; !b.x.losses.monotone {
			span = 0
		}
		b.short = append(b.short, candidate{span, span, id})
	}
}
