package query

import (
	"slices"
)

// countChunk is about how many places are counted at a time: what fits into a
// processor's first cache.
const countChunk = 2048

// count is group over all groups, for count queries, column by column. A figure
// of a paper asks a release of 500,000 rows thousands of queries, and testing
// one predicate at a time over a run of places is several times faster than
// testing one place at a time. Cost: places x restricted attributes.
func (r *BlockRelease) count(blocks []askedBlock) Answer {
	var out Answer
	sums, match := make([][]int32, len(blocks)), make([]uint8, 0, countChunk)
	for from := 0; from+1 < len(r.Start); {
		to := from + 1
		for to+1 < len(r.Start) && r.Start[to+1]-r.Start[from] <= countChunk {
			to++
		}
		first := int(r.Start[from])
		for b, block := range blocks {
			match = r.matching(block.preds, first, int(r.Start[to]), match[:0])
			sums[b] = runningSums(match, sums[b][:0])
		}
		for g := from; g < to; g++ {
			out = out.Plus(countGroup(sums, int(r.Start[g])-first, int(r.Start[g+1])-first))
		}
		from = to
	}
	return out
}

// matching tells for each place of a run, by 1 or 0, whether it matches; it uses
// out's memory.
func (r *BlockRelease) matching(preds []*Predicate, from, to int, out []uint8) []uint8 {
	out = slices.Grow(out, to-from)[:to-from]
	for k, p := range preds {
		match, codes := p.Match, r.Codes[p.Attribute][from:to]
		codes = codes[:len(out)]
		if k == 0 {
			for i := range out {
				out[i] = bit(match[codes[i]])
			}
			continue
		}
		for i := range out {
			out[i] &= bit(match[codes[i]])
		}
	}
	return out
}

// runningSums returns how many of the first i places match, for every i from 0;
// it uses out's memory.
func runningSums(match []uint8, out []int32) []int32 {
	out = slices.Grow(out, len(match)+1)[:len(match)+1]
	out[0] = 0
	rest, sum := out[1:], int32(0)
	for i, m := range match {
		sum += int32(m)
		rest[i] = sum
	}
	return out
}

// countGroup is the answer of the places from..to, as BlockRelease.group has it.
func countGroup(sums [][]int32, from, to int) Answer {
	n := to - from
	share, least, most := 1.0, n, n
	for _, block := range sums {
		m := int(block[to] - block[from])
		share *= float64(m) / float64(n)
		least, most = max(0, least+m-n), min(most, m)
	}
	return Answer{share * float64(n), float64(least), float64(most)}
}

func bit(b bool) (v uint8) {
	if b {
		v = 1
	}
	return v
}
