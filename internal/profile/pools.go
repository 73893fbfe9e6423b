package profile

import (
	"fmt"
	"io"
	"slices"

	"anond/equivclass"
	"anond/equivclass/merge"
)

// Pools says how many records have to be published together at level L2, if the
// sensitive values of people are drawn like those of a table. It tells counts and
// shares, never a value (rule V, values).
type Pools struct {
	Records   int     `json:"records"` // that the shares are of
	Attribute string  `json:"attribute"`
	Values    int     `json:"values"`    // different ones
	TopShare  float64 `json:"top_share"` // of the most frequent one
	L         int     `json:"l"`         // configured
	MinPool   int     `json:"min_pool"`  // for that l; 0: no pool is large enough
	// Need is by l, from 2 on, as far as a pool can be large enough, and at most to
	// one more than the configured l.
	Need []poolNeed `json:"need"`
	// TradeOffs are by k, over so many records.
	TradeOffs []tradeOff `json:"trade_offs,omitempty"`
	Looked    int        `json:"trade_offs_records,omitempty"`
	Advice    []string   `json:"advice,omitempty"`
}

// poolNeed is the size of a pool in which a value exceeds 1/l with a probability of at
// most one in a million. It has k times l records at least.
type poolNeed struct {
	L       int `json:"l"`
	Records int `json:"records"`
}

// PoolsFor measures a table of other people for a configured k and l.
func PoolsFor(t *Table, k, l int) *Pools {
	bag := equivclass.BagOfCodes(slices.Clone(t.SA()))
	out := &Pools{Records: bag.Total, Attribute: t.Schema.Attributes()[t.Schema.SensitiveIndex()].Name, Values: len(bag.Counts), L: l,
		Need: []poolNeed{}}
	if bag.Total == 0 {
		return out
	}
	out.TopShare = float64(bag.Max()) / float64(bag.Total)
	shares := histogram(bag)
	for at := 2; at <= l+1; at++ {
		n, possible := merge.MinPool(shares, at)
		if !possible {
			break
		}
		need := poolNeed{L: at, Records: max(n, k*at)}
		out.Need = append(out.Need, need)
		if at == l {
			out.MinPool = need.Records
		}
	}
	return out
}

// histogram is a bag as merge counts it. A size does not depend on which value has
// which number.
func histogram(b equivclass.Bag) merge.Bag {
	out := make(merge.Bag, len(b.Counts))
	for i, c := range b.Counts {
		out[i] = merge.Count{Value: uint32(i), N: uint32(c.N)}
	}
	return out
}

// Text writes it in words.
func (p *Pools) Text(w io.Writer) error {
	out := &printer{w: w}
	if p.Records == 0 {
		out.line("The data have no record that could be published, so they say nothing about pools.")
		return out.err
	}
	out.line("In these %d records %q has %s, the most frequent one with %.1f %%.", p.Records, p.Attribute, counted(p.Values, "value"),
		100*p.TopShare)
	p.textNeed(out)
	return out.err
}

// textNeed says what the configured l needs and the next one, or the way out.
func (p *Pools) textNeed(out *printer) {
	if p.MinPool == 0 {
		p.unreachable(out)
		return
	}
	const needs = "At level L2 and with these shares, l = %d needs pools of %d records"
	if last := p.Need[len(p.Need)-1]; last.L > p.L {
		out.line(needs+"; l = %d of %d.", p.L, p.MinPool, last.L, last.Records)
	} else {
		out.line(needs+"; no pool is large enough for l = %d.", p.L, p.MinPool, p.L+1)
	}
}

// unreachable says what can be done if no pool is large enough for the configured l.
func (p *Pools) unreachable(out *printer) {
	out.line("At level L2 and with these shares, no pool is large enough for l = %d: a value may have 1/l = %.1f %% at most.", p.L,
		100/float64(p.L))
	if len(p.Need) == 0 {
		out.line("Not even l = 2 is reachable: divide the most frequent value.")
		return
	}
	last := p.Need[len(p.Need)-1]
	out.line("l = %d is reachable with pools of %d records; or divide the most frequent value.", last.L, last.Records)
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d different %ss", n, noun)
}

// printer writes lines and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}
