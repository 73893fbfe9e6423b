package estimate

import (
	"math"
	"slices"

	"anond/equivclass"
	"anond/equivclass/query"
)

// How long a relation is fitted, the penalty on a coefficient (in records), and the rounds of fitting people to their bucket.
const (
	relationRounds  = 300
	relationPenalty = 2
	peopleRounds    = 60
)

// Relation is the value given the quasi-identifiers, as a release shows it: what somebody learns who trains a model on it
// (deFinetti attack: Kifer, SIGMOD 2009).
//
// Method: a multinomial logit on the bins of Model, fitted by penalized maximum likelihood to the counts of each bucket, whose
// expected shares are the mean of those of its classes. Ascent with momentum; the step of a coefficient is the inverse of a bound on
// the second derivative (that of the complete data is at most half the records that have the feature, times the attributes), so
// that no line has to be searched. Momentum starts anew where the likelihood falls.
//
// Guarantee: none; a better model tells more. The same release gives the same beliefs on the same processor.
//
// Cost: relationRounds times features that occur in a class, times classes and values.
type Relation struct {
	*Model
	first  []int     // of each attribute: its first feature
	slope  []float64 // feature x response
	logs   []float64 // log of the share of each response
	within []float64 // of each value: its part of the response
}

// Relate fits the relation to the buckets that are not left out (nil: to all).
func Relate(r *query.BucketRelease, leftOut func(bucket int) bool) *Relation {
	l, n := &Relation{Model: newModel(r), first: make([]int, len(r.Dicts)), within: make([]float64, r.Dicts[r.Sensitive].Len())}, 0
	for j, c := range l.columns {
		if l.first[j] = n; c != nil {
			n += c.bins
		}
	}
	for _, share := range l.base {
		l.logs = append(l.logs, math.Log(max(share, 1e-9)))
	}
	all := 0.
	for _, bag := range r.Bags {
		for _, c := range bag.Counts {
			l.within[c.Code] += float64(c.N) / l.base[l.response[c.Code]]
		}
		all += float64(bag.Total)
	}
	for v := range l.within {
		l.within[v] /= all
	}
	l.learn(n, leftOut)
	return l
}

// learn maximizes the likelihood.
func (l *Relation) learn(n int, leftOut func(bucket int) bool) {
	seen := make([][]float64, len(l.r.Bags)) // by bucket: records of each response; nil: left out
	for b, bag := range l.r.Bags {
		if leftOut != nil && leftOut(b) {
			continue
		}
		seen[b] = make([]float64, l.responses)
		for _, c := range bag.Counts {
			seen[b][l.response[c.Code]] += float64(c.N)
		}
	}
	steps := make([]float64, n)
	for i, b := range l.r.Bucket {
		for f, w := range l.featuresOf(int32(i)) {
			if seen[b] != nil {
				steps[f] += w * float64(l.r.Size[i])
			}
		}
	}
	for f, records := range steps {
		steps[f] = 1 / (records*float64(max(1, len(l.r.Dicts)-1))/2 + relationPenalty)
	}
	here := make([]float64, n*l.responses)
	ahead, slope, last, momentum := slices.Clone(here), slices.Clone(here), math.Inf(-1), 0.0
	for range relationRounds {
		l.slope = ahead
		value := l.ascent(seen, slope)
		if value < last {
			momentum = 0
		}
		last = value
		momentum++
		for f, step := range steps {
			for k := f * l.responses; k < (f+1)*l.responses; k++ {
				next := ahead[k] + step*slope[k]
				ahead[k], here[k] = next+(momentum-1)/(momentum+2)*(next-here[k]), next
			}
		}
	}
	l.slope = here
}

// ascent writes the slope of the likelihood, and returns it.
func (l *Relation) ascent(seen [][]float64, slope []float64) (value float64) {
	for k, w := range l.slope {
		slope[k] = -relationPenalty * w
		value -= relationPenalty * w * w / 2
	}
	shown := make([]float64, l.responses)
	var rows []float64
	for b, counts := range seen {
		if counts == nil {
			continue
		}
		classes := l.classes[l.start[b]:l.start[b+1]]
		rows = slices.Grow(rows[:0], len(classes)*l.responses)[:len(classes)*l.responses]
		clear(shown)
		for at, i := range classes {
			row := rowOf(rows, at, l.responses)
			l.shares(l.featuresOf(i), row)
			for v, p := range row {
				shown[v] += p * float64(l.r.Size[i])
			}
		}
		all := float64(l.r.Bags[b].Total)
		for v, c := range counts {
			if c > 0 {
				value += c * math.Log(max(shown[v]/all, 1e-300))
				shown[v] = c / max(shown[v], 1e-300)
			} else {
				shown[v] = 0
			}
		}
		for at, i := range classes {
			row, mean := rowOf(rows, at, l.responses), 0.0
			for v := range row { // what of each value this class is expected to have
				row[v] *= float64(l.r.Size[i])
				mean += row[v] * shown[v]
			}
			mean /= float64(l.r.Size[i])
			for f, w := range l.featuresOf(i) {
				to := rowOf(slope, f, l.responses)
				for v, p := range row {
					to[v] += w * p * (shown[v] - mean)
				}
			}
		}
	}
	return value
}

// featuresOf visits the features of a class with their weights.
func (l *Relation) featuresOf(class int32) func(yield func(int, float64) bool) {
	return func(yield func(int, float64) bool) {
		for j, c := range l.columns {
			if c != nil && !l.visit(j, &c.spreads[c.of[class]], yield) {
				return
			}
		}
	}
}

// visit visits the features of one attribute.
func (l *Relation) visit(j int, s *spread, yield func(int, float64) bool) bool {
	for i, b := range s.at {
		if !yield(l.first[j]+int(b), s.w[i]) {
			return false
		}
	}
	return true
}

// shares are those of the responses, given features.
func (l *Relation) shares(f func(yield func(int, float64) bool), to []float64) {
	copy(to, l.logs)
	for at, w := range f {
		for v, s := range rowOf(l.slope, at, l.responses) {
			to[v] += w * s
		}
	}
	most, sum := slices.Max(to), 0.0
	for v, x := range to {
		to[v] = math.Exp(x - most)
		sum += to[v]
	}
	for v := range to {
		to[v] /= sum
	}
}

// Person is somebody's exact quasi-identifiers, as cells of one value, by attribute.
type Person []query.Cell

// Of is the belief about a person of whom no more is known than the quasi-identifiers: a share for each value.
func (l *Relation) Of(p Person) []float64 {
	return l.values(func(yield func(int, float64) bool) {
		for j, c := range l.columns {
			if c == nil {
				continue
			}
			one := c.place(p[j])
			if s := c.spread(&one); !l.visit(j, &s, yield) {
				return
			}
		}
	})
}

func (l *Relation) values(f func(yield func(int, float64) bool)) []float64 {
	row, out := make([]float64, l.responses), make([]float64, len(l.within))
	l.shares(f, row)
	for v := range out {
		out[v] = row[l.response[v]] * l.within[v]
	}
	return out
}

// OfClasses are the beliefs about a member of each class of a bucket, in the order of Classes: values keep the counts of the bucket.
func (l *Relation) OfClasses(bucket int) (beliefs [][]float64) {
	var sizes []float64
	for _, i := range l.Classes(bucket) {
		beliefs, sizes = append(beliefs, l.values(l.featuresOf(i))), append(sizes, float64(l.r.Size[i]))
	}
	return l.inBucket(bucket, beliefs, sizes)
}

// OfPeople are the beliefs about all people of a bucket, given the quasi-identifiers of each.
func (l *Relation) OfPeople(bucket int, people []Person) (beliefs [][]float64) {
	for _, p := range people {
		beliefs = append(beliefs, l.Of(p))
	}
	return l.inBucket(bucket, beliefs, slices.Repeat([]float64{1}, len(people)))
}

// Classes are those of a bucket.
func (l *Relation) Classes(bucket int) []int32 { return l.classes[l.start[bucket]:l.start[bucket+1]] }

// inBucket fits beliefs in proportion, so that they sum to the bucket's counts and each to 1.
func (l *Relation) inBucket(bucket int, beliefs [][]float64, sizes []float64) [][]float64 {
	counts, have := l.r.Bags[bucket].Counts, make([]float64, len(l.within))
	for range peopleRounds {
		clear(have)
		for i, b := range beliefs {
			for _, c := range counts {
				have[c.Code] += sizes[i] * b[c.Code]
			}
		}
		for _, b := range beliefs {
			sum := 0.0
			for _, c := range counts {
				b[c.Code] *= float64(c.N) / max(have[c.Code], 1e-300)
				sum += b[c.Code]
			}
			for _, c := range counts {
				b[c.Code] /= sum
			}
		}
	}
	for _, b := range beliefs { // what the bucket does not have, nobody has
		for v := range b {
			if !slices.ContainsFunc(counts, func(c equivclass.Count) bool { return int(c.Code) == v }) {
				b[v] = 0
			}
		}
	}
	return beliefs
}
