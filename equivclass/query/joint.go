package query

import (
	"maps"
	"math"
	"slices"

	"anond/equivclass"
)

// JointRelease is a release of level L2 with several sensitive attributes: buckets with a bag of each, and pair tables of pools.
type JointRelease struct {
	*BucketRelease // about any one; its dictionaries have all attributes, and its columns those that are not sensitive
	Sensitive      []SensitiveBags
	Pool           []int32 // of each bucket
	Tables         []PairTable

	fits map[fitOf][][]fittedPair // what has been fitted: it does not depend on the query
}

// fitOf names a fit: of a table and a pool, from the side of its first attribute or its second.
type fitOf struct {
	table int
	pool  int32
	swap  bool
}

// SensitiveBags are the bags of one sensitive attribute, by bucket.
type SensitiveBags struct {
	Attribute int
	Bags      []equivclass.Bag
}

// PairTable says for each pool that has one how many of its people have two labels (equivclass.Dictionary.Label), of two attributes.
type PairTable struct {
	Attributes [2]int
	Counts     map[int32]map[[2]string]int // by pool
}

// askedBag is a sensitive attribute of a query; match nil asks for every value.
type askedBag struct {
	*SensitiveBags
	match []bool
	label []string // by code
}

// Estimate implements Estimator. What is asked of columns is independent of the values in a bucket, as BucketRelease has it. The
// values asked of different attributes are independent in a bucket, except of two attributes with a pair table in the pool: what both
// have together is fitted in proportion to the bags of the pool's buckets and the table.
//
// The bounds are Fréchet's in each bucket: of n people, sets of m1, m2, … meet in m1 + m2 + … - (sets - 1) n people at least, and
// in the least of them at most. Of counts a table also bounds each pool.
// Cost: buckets x pairs of labels in a bucket, and once for each table x rounds of the fit. Not for concurrent use.
func (r *JointRelease) Estimate(q *Bound) Answer {
	columns, asked := &Bound{Sum: q.Sum, Mean: q.Mean}, []askedBag(nil)
	for i := range r.Sensitive {
		s := askedBag{SensitiveBags: &r.Sensitive[i]}
		for _, p := range q.Preds {
			if p.Attribute == s.Attribute {
				s.match = p.Match
			}
		}
		if s.match == nil && q.Sum != s.Attribute {
			continue
		}
		for c := range equivclass.Code(r.Dicts[s.Attribute].Len()) {
			s.label = append(s.label, r.Dicts[s.Attribute].Label(c))
		}
		if asked = append(asked, s); q.Sum == s.Attribute { // the one that is summed is the first
			columns.Sum = -1
			asked[0], asked[len(asked)-1] = asked[len(asked)-1], asked[0]
		}
	}
	for _, p := range q.Preds {
		if r.sensitive(p.Attribute) < 0 {
			columns.Preds = append(columns.Preds, p)
		}
	}
	if len(asked) == 0 {
		return r.BucketRelease.Estimate(q)
	}
	a := r.ask(columns)
	parts := make([]bucketPart, len(r.Bags))
	for i := range r.Size {
		a.class(i, &parts[r.Bucket[i]])
	}
	pools := map[int32][]int{}
	for b, pool := range r.Pool {
		pools[pool] = append(pools[pool], b)
	}
	var out total
	for pool := range int32(len(r.Pool)) { // in order, since sums of floats are not associative
		if buckets := pools[pool]; buckets != nil {
			r.pool(q, asked, pool, buckets, parts, &out)
		}
	}
	return out.answer(q)
}

func (r *JointRelease) sensitive(attribute int) int {
	for i := range r.Sensitive {
		if r.Sensitive[i].Attribute == attribute {
			return i
		}
	}
	return -1
}

// pool adds what the buckets of one pool say.
func (r *JointRelease) pool(q *Bound, asked []askedBag, pool int32, buckets []int, parts []bucketPart, to *total) {
	fitted, x, y, table := r.fitted(asked, pool, buckets)
	must, people, counted := 0, 0, Answer{}
	for i, b := range buckets {
		part, n := &parts[b], asked[0].Bags[b].Total
		least, most, share := part.least, part.most, 1.0
		var joint []fittedPair
		if fitted != nil {
			joint = fitted[i]
		}
		for k := range asked {
			h := asked[k].hits(b)
			if k > 0 || q.Sum != asked[0].Attribute {
				least, most = max(0, least+h-n), min(most, h)
			}
			if (k != x && k != y || joint == nil) && (k > 0 || q.Sum != asked[0].Attribute) {
				share *= float64(h) / float64(n)
			}
		}
		must, people = must+part.least, people+n
		weight := func(first *equivclass.Code) float64 { // of those who have the first value, or one asked for: the share with the pair
			var sum float64
			for _, p := range joint {
				if first == nil || asked[x].label[*first] == p.labels[0] {
					partial := asked[y].part(b, p.labels[1])
					if first == nil {
						partial *= asked[x].part(b, p.labels[0])
					}
					sum += p.people * partial
				}
			}
			return sum
		}
		switch {
		case q.Sum == asked[0].Attribute:
			var values []float64
			var expected said
			for _, c := range asked[0].Bags[b].Counts {
				if asked[0].match != nil && !asked[0].match[c.Code] {
					continue
				}
				v, with := Worth(r.Dicts[q.Sum], c.Code), share
				if joint != nil && x == 0 {
					var all float64
					for _, o := range asked[0].Bags[b].Counts {
						if asked[0].label[o.Code] == asked[0].label[c.Code] {
							all += float64(o.N)
						}
					}
					with *= weight(&c.Code) / all
				} else if joint != nil {
					with *= weight(nil) / float64(n)
				}
				with *= float64(c.N) * part.share / float64(n)
				expected.Estimate, expected.people = expected.Estimate+v*with, expected.people+with
				for range c.N {
					values = append(values, v)
				}
			}
			s := sumSaid(values, n, 0, least, most)
			s.Estimate, s.people = expected.Estimate, expected.people
			to.add(q, s)
			continue
		case joint != nil:
			share *= weight(nil) / float64(n)
		}
		if q.Sum < 0 {
			counted = counted.Plus(Answer{part.share * share, float64(least), float64(most)})
			continue
		}
		to.add(q, part.said(share, least, most))
	}
	if table == nil || q.Sum >= 0 || len(asked) > 2 {
		to.Answer = to.Plus(counted)
		return
	}
	all, certain, possible := 0, 0, 0
	meetsX, meetsY := asked[x].meets(buckets), asked[y].meets(buckets)
	for pair, n := range table {
		all += n
		one, two := meetsX[pair[0]], meetsY[pair[1]]
		if one.Can && two.Can {
			possible += n
		}
		if one.Must && two.Must {
			certain += n
		}
	}
	if all == people { // nobody of the pool was withdrawn
		counted.Lower = max(counted.Lower, float64(certain+must-people))
		counted.Upper = min(counted.Upper, float64(possible))
		counted.Estimate = min(max(counted.Estimate, counted.Lower), counted.Upper)
	}
	to.Answer = to.Plus(counted)
}

// hits counts the people of a bucket who have a value that is asked for.
func (s *askedBag) hits(b int) (n int) {
	for _, c := range s.Bags[b].Counts {
		if s.match == nil || s.match[c.Code] {
			n += c.N
		}
	}
	return n
}

// part is the share of a label's people in a bucket who have a value that is asked for.
func (s *askedBag) part(b int, label string) float64 {
	hits, all := 0, 0
	for _, c := range s.Bags[b].Counts {
		if s.label[c.Code] == label {
			all += c.N
			if s.match == nil || s.match[c.Code] {
				hits += c.N
			}
		}
	}
	return float64(hits) / float64(max(1, all))
}

// meets tells of each label whether some, and whether all, of its people in the buckets have a value that is asked for.
func (s *askedBag) meets(buckets []int) map[string]Fit {
	out := map[string]Fit{}
	for _, b := range buckets {
		for _, c := range s.Bags[b].Counts {
			f, known := out[s.label[c.Code]]
			hit := s.match == nil || s.match[c.Code]
			out[s.label[c.Code]] = Fit{Can: f.Can || hit, Must: hit && (f.Must || !known)}
		}
	}
	return out
}

// labels counts the people of a bucket by label.
func (s *askedBag) labels(b int) map[string]float64 {
	out := map[string]float64{}
	for _, c := range s.Bags[b].Counts {
		out[s.label[c.Code]] += float64(c.N)
	}
	return out
}

// rounds bounds a fit. Its last step keeps to the bags.
const rounds = 60

// fitted returns, for the first pair of asked attributes that has a table in the pool, how many people of each bucket are expected
// to have each pair of labels, which two of those asked they are, and the table.
func (r *JointRelease) fitted(asked []askedBag, pool int32, buckets []int) (out [][]fittedPair, x, y int,
	table map[[2]string]int) {
	for x = range asked {
		for y = range asked[x+1:] {
			y += x + 1
			for i, t := range r.Tables {
				counts := map[[2]string]int{}
				swap := [2]int{asked[y].Attribute, asked[x].Attribute} == t.Attributes
				for pair, n := range t.Counts[pool] {
					switch {
					case swap:
						counts[[2]string{pair[1], pair[0]}] = n
					case [2]int{asked[x].Attribute, asked[y].Attribute} == t.Attributes:
						counts[pair] = n
					}
				}
				if len(counts) == 0 {
					continue
				}
				key := fitOf{i, pool, swap}
				if r.fits == nil {
					r.fits = map[fitOf][][]fittedPair{}
				}
				if r.fits[key] == nil {
					r.fits[key] = fit(&asked[x], &asked[y], buckets, counts)
				}
				return r.fits[key], x, y, counts
			}
		}
	}
	return nil, -1, -1, nil
}

// fittedPair is how many people of a bucket are expected to have two labels.
type fittedPair struct {
	labels [2]string
	people float64
}

// fit is iterative proportional fitting, from all pairs of the table that a bucket's bags allow and in proportion to it: to the table
// over all buckets, then to both bags of each. Pairs stand in the order of their labels, since sums of floats are not associative.
func fit(x, y *askedBag, buckets []int, table map[[2]string]int) [][]fittedPair {
	out, bags := make([][]fittedPair, len(buckets)), make([][2]map[string]float64, len(buckets))
	for i, b := range buckets {
		bags[i] = [2]map[string]float64{x.labels(b), y.labels(b)}
		for _, one := range slices.Sorted(maps.Keys(bags[i][0])) {
			for _, two := range slices.Sorted(maps.Keys(bags[i][1])) {
				if n := table[[2]string{one, two}]; n > 0 {
					out[i] = append(out[i], fittedPair{[2]string{one, two}, float64(n)})
				}
			}
		}
	}
	for range rounds {
		sums, off := map[[2]string]float64{}, 0.0
		for i := range out {
			for _, p := range out[i] {
				sums[p.labels] += p.people
			}
		}
		for i := range out {
			for j := range out[i] {
				p := &out[i][j]
				p.people *= float64(table[p.labels]) / max(sums[p.labels], math.SmallestNonzeroFloat32)
			}
			for side := range 2 {
				have := map[string]float64{}
				for _, p := range out[i] {
					have[p.labels[side]] += p.people
				}
				for j := range out[i] {
					p := &out[i][j]
					f := bags[i][side][p.labels[side]] / max(have[p.labels[side]], math.SmallestNonzeroFloat32)
					off = max(off, math.Abs(f-1))
					p.people *= f
				}
			}
		}
		if off < 1e-9 {
			break
		}
	}
	return out
}
