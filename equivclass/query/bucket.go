package query

import (
	"math"

	"anond/equivclass"
)

// BucketRelease is a release whose classes show cells, and whose buckets of one
// or several whole classes show how often each sensitive value occurs. With one
// class in each bucket it is generalization; with exact rows for classes it is
// anatomy.
type BucketRelease struct {
	Dicts     []*equivclass.Dictionary
	Sensitive int
	Columns   []Column // by attribute; that of the sensitive one is not used
	Size      []int32  // records of each class
	Bucket    []int32  // of each class
	Bags      []equivclass.Bag
	Grain     []float64 // see CellRelease
	// Tight tells that each range is the tightest one of its class: both ends are
	// values of members. A model uses it.
	Tight bool
}

// Column is what the classes show of one attribute: the different cells, or, if
// the values are exact but shuffled inside the class, the different bags.
type Column struct {
	Cells []Cell
	Bags  []equivclass.Bag
	Of    []int32 // of each class: which cell or bag
}

// Buckets is the release as one in which each class is a bucket.
func (r *CellRelease) Buckets() *BucketRelease {
	out := &BucketRelease{Dicts: r.Dicts, Sensitive: r.Sensitive, Bags: r.Bags, Grain: r.Grain}
	for i, b := range r.Bags {
		out.Size, out.Bucket = append(out.Size, int32(b.Total)), append(out.Bucket, int32(i))
	}
	out.Columns = ColumnsOf(r.Dicts, r.Sensitive, r.Cells)
	return out
}

// ColumnsOf gathers the different cells of each attribute. Cells are by class,
// then attribute.
func ColumnsOf(dicts []*equivclass.Dictionary, sensitive int, cells [][]Cell) []Column {
	out := make([]Column, len(dicts))
	for j := range dicts {
		if j == sensitive {
			continue
		}
		out[j].Of = make([]int32, len(cells))
		seen := map[CellKey]int32{}
		for i := range cells {
			key := cells[i][j].Key()
			at, ok := seen[key]
			if !ok {
				at = int32(len(out[j].Cells))
				seen[key] = at
				out[j].Cells = append(out[j].Cells, cells[i][j])
			}
			out[j].Of[i] = at
		}
	}
	return out
}

// CellKey is a cell as a key of a map.
type CellKey struct {
	lo, hi float64
	node   int
	codes  string
}

// Key tells cells apart.
func (c Cell) Key() CellKey {
	text := make([]byte, 0, 4*len(c.Codes))
	for _, code := range c.Codes {
		text = append(text, byte(code), byte(code>>8), byte(code>>16), byte(code>>24))
	}
	return CellKey{c.Lo, c.Hi, c.Node, string(text)}
}

// Estimate implements Estimator, with values uniform inside cells, and with the
// shares of its bucket in each class. Of the n records of a bucket, of which h
// have a value that is asked for, at least must + h - n and at most
// min(can, h) match, where must and can count the records whose cells lie in
// what is asked for, or meet it. Cost: different cells, and classes x restricted
// attributes.
func (r *BucketRelease) Estimate(q *Bound) Answer {
	a := r.ask(q)
	parts := make([]bucketPart, len(r.Bags))
	for i := range r.Size {
		a.class(i, &parts[r.Bucket[i]])
	}
	var out total
	for b := range parts {
		out.add(q, a.bucket(b, &parts[b]))
	}
	return out.answer(q)
}

// bucketAsk is a query with how it fits each different cell.
type bucketAsk struct {
	*BucketRelease
	q         *Bound
	sensitive *Predicate
	others    [][]Fit // by restricted attribute that is not summed, then different cell
	of        [][]int32
	summed    []Fit // by different cell of the summed attribute
}

// bucketPart adds up the classes of a bucket.
type bucketPart struct {
	share, moment float64 // expected records that match but for the value, and the sum over them
	least, most   int
	lows, highs   []float64 // of the summed attribute
}

func (r *BucketRelease) ask(q *Bound) *bucketAsk {
	a := &bucketAsk{BucketRelease: r, q: q}
	summed := &Predicate{Attribute: q.Sum, Spans: AllNumbers}
	for i := range q.Preds {
		switch p := &q.Preds[i]; p.Attribute {
		case r.Sensitive:
			a.sensitive = p
		case q.Sum:
			summed = p
		default:
			a.others, a.of = append(a.others, r.fits(p)), append(a.of, r.Columns[p.Attribute].Of)
		}
	}
	if q.Sum >= 0 && q.Sum != r.Sensitive {
		if summed.Match == nil {
			summed.Match = allOf(r.Dicts[q.Sum].Len())
		}
		a.summed = r.fits(summed)
	}
	return a
}

func allOf(n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = true
	}
	return out
}

// fits tells how each different cell of an attribute fits a predicate.
func (r *BucketRelease) fits(p *Predicate) []Fit {
	c, d := &r.Columns[p.Attribute], r.Dicts[p.Attribute]
	out := make([]Fit, 0, len(c.Cells)+len(c.Bags))
	for _, cell := range c.Cells {
		out = append(out, p.Fit(d, cell, GrainOf(r.Grain, p.Attribute)))
	}
	for _, bag := range c.Bags {
		out = append(out, p.fitBag(d, bag))
	}
	return out
}

func (a *bucketAsk) class(i int, to *bucketPart) {
	n := a.Size[i]
	f := Certain
	for k, fits := range a.others {
		f = f.And(fits[a.of[k][i]])
	}
	if a.summed != nil {
		x := a.summed[a.Columns[a.q.Sum].Of[i]]
		if f.Can && x.Can {
			to.moment += float64(n) * f.Share * x.moment
			for range n {
				to.lows, to.highs = append(to.lows, x.lo), append(to.highs, x.hi)
			}
		}
		f = f.And(x)
	}
	least, most := f.Count(int(n))
	to.share, to.least, to.most = to.share+float64(n)*f.Share, to.least+least, to.most+most
}

func (a *bucketAsk) bucket(b int, part *bucketPart) said {
	bag := a.Bags[b]
	hits, values := a.hits(b)
	n, h := float64(bag.Total), float64(hits)
	least, most := max(0, part.least+hits-bag.Total), min(part.most, hits)
	switch {
	case a.q.Sum < 0:
		return said{Answer: Answer{part.share * h / n, float64(least), float64(most)}}
	case a.q.Sum == a.Sensitive:
		return sumSaid(values, bag.Total, part.share/n, part.least, part.most)
	default:
		return part.said(h/n, least, most)
	}
}

// said is the sum of a column over the classes of a bucket, of whose records a share has the values asked for.
func (p *bucketPart) said(share float64, least, most int) said {
	s := said{Answer: Answer{Estimate: p.moment * share}, people: p.share * share, least: least, most: most}
	return s.between(p.lows, p.highs)
}

// hits counts the records of a bucket whose value is asked for, and lists their
// numbers if those are summed.
func (a *bucketAsk) hits(b int) (hits int, values []float64) {
	for _, c := range a.Bags[b].Counts {
		if a.sensitive != nil && !a.sensitive.Match[c.Code] {
			continue
		}
		hits += c.N
		if a.q.Sum == a.Sensitive {
			for range c.N {
				values = append(values, Worth(a.Dicts[a.q.Sum], c.Code))
			}
		}
	}
	return hits, values
}

// fitBag reports how exact values, shuffled inside a class, meet the predicate.
func (p *Predicate) fitBag(d *equivclass.Dictionary, bag equivclass.Bag) Fit {
	f := Fit{lo: math.Inf(1), hi: math.Inf(-1)}
	hits := 0
	for _, c := range bag.Counts {
		if !p.Match[c.Code] {
			continue
		}
		hits += c.N
		if d.Kind() == equivclass.Number {
			v := Worth(d, c.Code)
			f.moment, f.lo, f.hi = f.moment+v*float64(c.N)/float64(bag.Total), min(f.lo, v), max(f.hi, v)
		}
	}
	f.Share, f.Can, f.Must = float64(hits)/float64(bag.Total), hits > 0, hits == bag.Total
	return f
}
