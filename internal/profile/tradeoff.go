package profile

import (
	"context"
	"io"
	"runtime"
	"slices"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/internal/abandon"
)

// tradeOff is the loss of a table of other people at one k: what classes of so many records
// cost, formed as the first pool of level L2 is, blind to sensitive values. l costs no cells
// at that level: it asks for larger pools and buckets (Pools.Need).
type tradeOff struct {
	K       int          `json:"k"`
	Loss    float64      `json:"loss"` // NCP: 0 exact values, 1 whole ranges
	Columns []columnLoss `json:"columns"`
}

// columnLoss is the part of a quasi-identifier, and the loss of the others without it.
type columnLoss struct {
	Name    string  `json:"name"`
	Loss    float64 `json:"loss"`
	Without float64 `json:"without"` // of the other columns, if this one is not published; -1: there is no other
}

// mostTraded bounds the records that are partitioned: each k and column costs a run.
const mostTraded = 10000

// TradeOffs measures a table around a configured k, and how many records it looked at.
// The sensitive values have no influence.
func TradeOffs(ctx context.Context, t *Table, k int) (out []tradeOff, looked int, err error) {
	p := sampled(t.Points(), mostTraded)
	quasi := t.Schema.Quasi()
	for _, at := range slices.Compact([]int{max(2, k/2), max(2, k), 2 * k, 5 * k}) {
		if p.Len() < 2*at || len(quasi) == 0 {
			break
		}
		groups, err := blind(ctx, p, at)
		if err != nil {
			return nil, 0, err
		}
		x := tradeOff{K: at, Loss: equivclass.NCP(p, groups, 0)}
		for j, i := range quasi {
			alone := columns(p, func(i int) bool { return i == j })
			c := columnLoss{Name: t.Schema.Attributes()[i].Name, Loss: equivclass.NCP(alone, groups, 0), Without: -1}
			if at == k && len(quasi) > 1 { // the other k show how it grows
				rest := columns(p, func(i int) bool { return i != j })
				groups, err := blind(ctx, rest, at)
				if err != nil {
					return nil, 0, err
				}
				c.Without = equivclass.NCP(rest, groups, 0)
			}
			x.Columns = append(x.Columns, c)
		}
		out = append(out, x)
	}
	return out, p.Len(), nil
}

// blind forms classes of k records by quasi-identifiers alone.
func blind(ctx context.Context, p *equivclass.Pool, k int) ([][]int32, error) {
	same := &equivclass.Pool{Space: p.Space, X: p.X, SA: make([]equivclass.Code, p.Len())}
	return abandon.At(ctx, func() ([][]int32, error) {
		groups, _ := extract.Extract{Workers: runtime.GOMAXPROCS(0)}.Partition(same, equivclass.Requirement{K: k, L: 1})
		return groups, nil
	})
}

// sampled takes records at equal distances, at most so many.
func sampled(p *equivclass.Pool, most int) *equivclass.Pool {
	if p.Len() <= most {
		return p
	}
	out := &equivclass.Pool{Space: p.Space}
	for i := range most {
		r := int32(int64(i) * int64(p.Len()) / int64(most))
		out.X, out.SA = append(out.X, p.At(r)...), append(out.SA, p.SA[r])
	}
	return out
}

// columns is a pool with some dimensions alone.
func columns(p *equivclass.Pool, of func(j int) bool) *equivclass.Pool {
	space := *p.Space
	space.Dims = nil
	for j, dim := range p.Space.Dims {
		if of(j) {
			space.Dims = append(space.Dims, dim)
		}
	}
	out := &equivclass.Pool{Space: &space, SA: p.SA}
	for i, x := range p.X {
		if of(i % len(p.Space.Dims)) {
			out.X = append(out.X, x)
		}
	}
	return out
}

// TradeOffText writes the tables of k and of l.
func (p *Pools) TradeOffText(w io.Writer) {
	if len(p.TradeOffs) == 0 {
		return
	}
	say(w, "")
	say(w, "Loss of classes of k records, from 0 (exact values) to 1 (whole ranges), over %d records:", p.Looked)
	for _, x := range p.TradeOffs {
		say(w, "  k = %-5d %.4f", x.K, x.Loss)
		for _, c := range x.Columns {
			if c.Without < 0 {
				say(w, "    %-20s %.4f", c.Name, c.Loss)
			} else {
				say(w, "    %-20s %.4f; without this column the others have %.4f", c.Name, c.Loss, c.Without)
			}
		}
	}
	say(w, "Level L2: pools that l needs:")
	for _, n := range p.Need {
		say(w, "  l = %-5d %d records", n.L, n.Records)
	}
	if len(p.Need) == 0 || p.Need[len(p.Need)-1].L <= p.L {
		say(w, "  no larger l can be reached")
	}
}
