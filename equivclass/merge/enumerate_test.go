package merge

import (
	"fmt"
	"math/big"

	"anond/equivclass/equivtest"
)

// scheme publishes records with these values: it returns the buckets of records, or
// none for a pool that is quarantined, and what else is seen.
type scheme func(values []uint32, draws Draws) (buckets [][]int32, seen string)

// prior is the weight of a world, the same for all orders of its values.
type prior func(values []uint32) uint64

func uniform([]uint32) uint64 { return 1 }

// skewed draws each value alone, value 0 more often than the others.
func skewed(values []uint32) uint64 {
	w := uint64(1)
	for _, v := range values {
		w *= []uint64{5, 2, 1, 1, 1, 1}[v]
	}
	return w
}

// polya is an urn: a value that was drawn becomes more likely. So what one pool shows
// changes what is believed about another.
func polya(values []uint32) uint64 {
	w, seen := uint64(1), [9]uint64{2, 1, 1, 1, 1, 1, 1, 1, 1}
	for _, v := range values {
		w *= seen[v]
		seen[v]++
	}
	return w
}

var priors = []prior{uniform, skewed, polya}

// view is what is published of a record's value: one of so many. Of an attribute of several, its value.
type view struct {
	values int
	of     func(value uint32) uint32
}

// several publishes several views of records with these values, each in buckets of its own, or none.
type several func(values []uint32, draws Draws) (buckets [][][]int32, seen string)

// belief is what is known after one transcript: for each prior the weight of all
// worlds that give it, and for each record, view and value the weight of those where the
// record has it.
type belief struct {
	all     []uint64
	record  [][]uint64 // by prior; by record, view and value
	buckets [][][]int32
	counts  []uint32 // by view, bucket and value
}

// verdict compares the posteriors of all transcripts with the shares of the buckets.
type verdict struct {
	published int      // records in a bucket, summed over transcripts and views
	exact     []int    // those whose posteriors are their bucket's shares, by prior
	worst     *big.Rat // the highest posterior
	split     int      // transcripts with more than one bucket
}

func (v verdict) String() string {
	return fmt.Sprintf("%v of %d exact, by prior, highest posterior %s, %d transcripts with several buckets", v.exact, v.published,
		v.worst.RatString(), v.split)
}

// enumeration is all worlds of n records with d values, of which some views are published, under some priors.
type enumeration struct {
	n, d   int
	views  []view
	priors []prior
}

// enumerate runs a scheme in every world of n records and d values, with all
// outcomes of its draws.
func enumerate(n, d int, run scheme) verdict {
	e := enumeration{n, d, []view{{d, func(v uint32) uint32 { return v }}}, priors}
	return e.run(func(values []uint32, draws Draws) ([][][]int32, string) {
		buckets, seen := run(values, draws)
		return [][][]int32{buckets}, seen
	})
}

func (e enumeration) run(run several) verdict {
	beliefs := map[string]*belief{}
	eachWorld(e.n, e.d, func(values []uint32) {
		eachDraw(func(s *script) {
			buckets, seen := run(values, s.draws())
			e.learn(beliefs, values, buckets, seen, s.probability())
		})
	})
	out := verdict{worst: new(big.Rat), exact: make([]int, len(e.priors))}
	for _, b := range beliefs {
		e.judge(b, &out)
	}
	return out
}

// width is how many values all views have.
func (e enumeration) width() (n int) {
	for _, v := range e.views {
		n += v.values
	}
	return n
}

func (e enumeration) learn(beliefs map[string]*belief, values []uint32, buckets [][][]int32, seen string, probability uint64) {
	var counts []uint32
	key := []byte(seen)
	for i, list := range buckets {
		for _, b := range list {
			at := len(counts)
			counts = append(counts, make([]uint32, e.views[i].values)...)
			for _, r := range b {
				counts[at+int(e.views[i].of(values[r]))]++
				key = append(key, byte(r))
			}
			key = append(key, 255)
		}
		key = append(key, 254)
	}
	for _, n := range counts {
		key = append(key, byte(n))
	}
	b, width := beliefs[string(key)], e.width()
	if b == nil {
		b = &belief{buckets: buckets, counts: counts, all: make([]uint64, len(e.priors)), record: make([][]uint64, len(e.priors))}
		for i := range b.record {
			b.record[i] = make([]uint64, len(values)*width)
		}
		beliefs[string(key)] = b
	}
	for i, weight := range e.priors {
		w := weight(values) * probability
		b.all[i] += w
		for r, v := range values {
			at := r * width
			for _, view := range e.views {
				b.record[i][at+int(view.of(v))] += w
				at += view.values
			}
		}
	}
}

// judge compares in rationals.
func (e enumeration) judge(b *belief, out *verdict) {
	counts, offset, split := b.counts, 0, false
	for i, list := range b.buckets {
		values := e.views[i].values
		split = split || len(list) > 1
		for _, bucket := range list {
			for _, r := range bucket {
				out.published++
				for p := range e.priors {
					exact := true
					for v, n := range counts[:values] {
						share := big.NewRat(int64(n), int64(len(bucket)))
						posterior := rational(b.record[p][int(r)*e.width()+offset+v], b.all[p])
						exact = exact && posterior.Cmp(share) == 0
						if posterior.Cmp(out.worst) > 0 {
							out.worst = posterior
						}
					}
					if exact {
						out.exact[p]++
					}
				}
			}
			counts = counts[values:]
		}
		offset += values
	}
	if split {
		out.split++
	}
}

func rational(a, b uint64) *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
}

func eachWorld(n, d int, do func([]uint32)) {
	values := make([]uint32, n)
	for {
		do(values)
		i := 0
		for ; i < n; i++ {
			if values[i]++; values[i] < uint32(d) {
				break
			}
			values[i] = 0
		}
		if i == n {
			return
		}
	}
}

// script answers each key with one of its orders, and the same key with the same one.
type script struct {
	choices, outcomes []int
	used              int
	known             map[Key][]int32
}

// scale is a multiple of the number of outcomes that a run's draws have.
const scale = 17280

// eachDraw calls do with every outcome of the draws that it makes.
func eachDraw(do func(s *script)) {
	s := &script{}
	for more := true; more; more = s.next() {
		s.used, s.known = 0, map[Key][]int32{}
		do(s)
	}
}

// next goes on to the next outcome of the last draw that has one left.
func (s *script) next() bool {
	for i := s.used - 1; i >= 0; i-- {
		if s.choices[i]++; s.choices[i] < s.outcomes[i] {
			s.choices, s.outcomes = s.choices[:i+1], s.outcomes[:i+1]
			return true
		}
	}
	return false
}

func (s *script) draws() Draws { return AllDraws(Key{}, s.order) }

func (s *script) order(k Key, m int) []int32 {
	if o, known := s.known[k]; known {
		return o
	}
	if s.used == len(s.choices) {
		s.choices, s.outcomes = append(s.choices, 0), append(s.outcomes, len(permutations[m]))
	}
	o := permutations[m][s.choices[s.used]]
	s.used++
	s.known[k] = o
	return o
}

// probability is that of the outcomes of a run, times scale.
func (s *script) probability() uint64 {
	all := 1
	for _, n := range s.outcomes[:s.used] {
		all *= n
	}
	if scale%all != 0 {
		panic("scale is too small for these draws")
	}
	return uint64(scale / all)
}

// permutations of 0..m-1, by m.
var permutations = func() (out [7][][]int32) {
	for m := range out {
		equivtest.EachPermutation(m, func(p []int) {
			order := make([]int32, m)
			for i, x := range p {
				order[i] = int32(x)
			}
			out[m] = append(out[m], order)
		})
	}
	return out
}()
