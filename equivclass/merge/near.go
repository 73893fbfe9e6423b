package merge

import (
	"math"
	"math/bits"
)

// Near parts are those that would make a good pair: at a small distance, without much
// above the caps.
const nearMost = 32

// nearest lists for each part its near parts, best first, as many for each.
func (x *instance) nearest(run Run) (near []int32, most int) {
	m := len(x.parts)
	most = min(nearMost, m-1)
	near = make([]int32, m*most)
	spread, hot := x.spread(), x.hot()
	all := make([]*nearing, max(1, min(run.Workers, m/partsEach)))
	for i := range all {
		all[i] = &nearing{instance: x, spread: spread, hot: hot, slack: make([]int64, len(x.values)), row: make([]uint64, x.counts.row)}
	}
	each((m+partsEach-1)/partsEach, all, func(i int, n *nearing) {
		if i%(stopEach/partsEach) == 0 && run.Stop() {
			return
		}
		for p := i * partsEach; p < min(m, (i+1)*partsEach); p++ {
			n.list(p, near[p*most:][:most])
		}
	})
	return near, most
}

// nearing finds the near parts of one part after the other, on one goroutine.
type nearing struct {
	*instance
	spread int64
	hot    []int32  // values that some part has above their cap
	slack  []int64  // by place, of these values: what the part has below the cap
	row    []uint64 // its products, which are in no table
	best   [nearMost]int64
}

// list lists the near parts of one part: those at the least cost, the first of equal ones. A cost and its part are one number.
func (n *nearing) list(p int, near []int32) {
	row, products := n.counts, n.row
	if n.products.words != nil {
		products = n.products.words[p*row.row:][:row.row]
	} else {
		clear(products)
		n.productsOf(p, products)
	}
	for _, v := range n.hot {
		n.slack[v] = n.slackIn(n.caps[v], v, p)
	}
	kept, shift, bound := 0, bits.Len(uint(len(n.parts))), int64(math.MaxInt64)
	for w, word := range products {
		first := w << row.shift
		for i, square := range n.square[first:min(len(n.parts), first+1<<row.shift)] {
			cost := square - 2*int64(word&row.mask)
			word >>= 1 << row.log
			if cost >= bound {
				continue
			}
			q := first + i
			if over := n.over(p, q); over > 0 {
				if cost += n.spread * over / n.size; cost >= bound {
					continue
				}
			}
			if q == p {
				continue
			}
			kept = min(kept+1, len(near))
			at, offer := kept-1, (cost+n.square[p])<<shift|int64(q)
			for ; at > 0 && n.best[at-1] > offer; at-- {
				n.best[at] = n.best[at-1]
			}
			n.best[at] = offer
			if kept == len(near) {
				bound = n.best[kept-1]>>shift - n.square[p]
			}
		}
	}
	for i := range near {
		near[i] = int32(n.best[i] & (1<<shift - 1))
	}
}

// over is how many records the part and another one together have above the caps.
func (n *nearing) over(p, q int) (out int64) {
	for _, v := range n.parts[p].hot {
		c := n.caps[v]
		if slack := n.slack[v] + n.slackIn(c, v, q); slack < 0 {
			out += -slack / c.den
		}
	}
	other := &n.parts[q]
	for i, v := range other.hot {
		if own := n.slack[v]; own >= 0 && own < other.above[i] {
			out += (other.above[i] - own) / n.caps[v].den
		}
	}
	return out
}
