package incremental_test

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"testing"
)

// belief is what is known after one transcript: for each prior the weight of all worlds
// that give it, and for each record and value the weight of those where the record has it.
type belief struct {
	all     [3]uint64
	record  [3][]uint64 // by record and value
	buckets []share
	counts  [][]uint32 // by bucket and value
}

// verdict compares the posteriors of all transcripts with the shares of the buckets.
type verdict struct {
	published int      // records in a bucket, summed over transcripts
	exact     [3]int   // those whose posteriors are their bucket's shares, by prior
	worst     *big.Rat // the highest posterior, in buckets where nobody is known
	excess    *big.Rat // by how much a posterior exceeds the share at most
	reached   map[string]int
	runs      int
}

func (v verdict) String() string {
	return fmt.Sprintf("%d runs, %v of %d exact (uniform, skewed, polya), highest posterior %s, above the share by %s, transcripts %v",
		v.runs, v.exact, v.published, v.worst.RatString(), v.excess.RatString(), v.reached)
}

// enumerate plays all worlds of a stream with all outcomes of its draws.
func (s *course) enumerate(t testing.TB) verdict {
	if s.schema == nil {
		s.schema = plane(t, 2)
	}
	beliefs, out := map[string]*belief{}, verdict{worst: new(big.Rat), excess: new(big.Rat), reached: map[string]int{}}
	s.eachWorld(func(world []int) {
		eachDraw(func(draws *script) {
			p := s.start(t, world, draws)
			s.play(p)
			out.runs++
			p.learn(beliefs, &out)
		})
	})
	for _, b := range beliefs {
		b.judge(s, &out)
	}
	return out
}

func (s *course) eachWorld(do func([]int)) {
	world := make([]int, s.n)
	for r := range world {
		world[r] = max(0, s.knows(r))
	}
	for {
		do(world)
		i := 0
		for ; i < s.n; i++ {
			values := s.d
			if s.knows(i) >= 0 {
				continue
			}
			if s.valid != nil {
				values = s.valid[i]
			}
			if s.histories != nil {
				values = len(s.histories[i])
			}
			if world[i]++; world[i] < values {
				break
			}
			world[i] = 0
		}
		if i == s.n {
			return
		}
	}
}

// knows returns the value of a record that the adversary knows, or -1.
func (s *course) knows(r int) int {
	if r >= len(s.known) {
		return -1
	}
	return s.known[r]
}

// learn adds what a play shows to what is known after its transcript.
func (p *play) learn(beliefs map[string]*belief, out *verdict) {
	b := beliefs[string(p.seen)]
	if b == nil {
		b = &belief{}
		for i := range b.record {
			b.record[i] = make([]uint64, p.n*p.d)
		}
		b.buckets = slices.Clone(p.gone)
		if i := p.m.Releases().Latest(); i != nil {
			v, err := p.m.Releases().Whole(i.Release)
			p.must(err)
			v.Classes = slices.Concat(v.Classes, v.Dead) // at level L2 these have left with their buckets
			b.buckets = append(b.buckets, p.buckets(v)...)
		}
		for _, x := range b.buckets {
			b.counts = append(b.counts, p.bag(x.members))
			if len(x.classes) > 1 && len(b.buckets) > 1 {
				p.reached["choice"] = true // classes share a bucket, and not all
			}
		}
		for what := range p.reached {
			out.reached[what]++
		}
		beliefs[string(p.seen)] = b
	}
	first, weight := p.world, max(1, p.weight)
	if p.histories != nil {
		first, weight = p.told()
	}
	for i, prior := range priors {
		w := product(prior(first), p.draws.probability(), weight)
		b.all[i] = sum(b.all[i], w)
		for r := range p.world {
			b.record[i][r*p.d+p.shown(r)] += w
		}
	}
}

// product and sum panic where a weight would be too large.
func product(factors ...uint64) uint64 {
	out := uint64(1)
	for _, x := range factors {
		over, p := bits.Mul64(out, x)
		if out = p; over != 0 {
			panic("weights are too large")
		}
	}
	return out
}

func sum(a, b uint64) uint64 {
	s, over := bits.Add64(a, b, 0)
	if over != 0 {
		panic("weights are too large")
	}
	return s
}

// judge compares in rationals, but for the records whose values are known. What these have
// is taken out of their buckets.
func (b *belief) judge(s *course, out *verdict) {
	for i, bucket := range b.buckets {
		left, size := slices.Clone(b.counts[i]), len(bucket.members)
		for _, r := range bucket.members {
			if v := s.knows(int(r)); v >= 0 {
				left[s.has(int(r), v)]--
				size--
			}
		}
		if s.apart && size < len(bucket.members) {
			continue
		}
		for _, r := range bucket.members {
			if s.knows(int(r)) >= 0 {
				continue
			}
			out.published++
			for p := range priors {
				exact := true
				for v, n := range left {
					share := big.NewRat(int64(n), int64(size))
					posterior := rational(b.record[p][int(r)*s.d+v], b.all[p])
					exact = exact && posterior.Cmp(share) == 0
					if over := new(big.Rat).Sub(posterior, share); over.Cmp(out.excess) > 0 {
						out.excess = over
					}
					if size == len(bucket.members) && posterior.Cmp(out.worst) > 0 {
						out.worst = posterior
					}
				}
				if exact {
					out.exact[p]++
				}
			}
		}
	}
}

func rational(a, b uint64) *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
}

// priors are weights of worlds that are the same for all orders of the values: uniform;
// each value drawn alone, some more often; Polya's urn, where a value that was drawn
// becomes more likely, so that what one pool shows changes what is believed of another.
var priors = []func(world []int) uint64{
	func([]int) uint64 { return 1 },
	func(world []int) uint64 {
		w := uint64(1)
		for _, v := range world {
			w *= []uint64{5, 2, 1, 1}[v]
		}
		return w
	},
	func(world []int) uint64 {
		w, seen := uint64(1), [4]uint64{2, 1, 1, 1}
		for _, v := range world {
			w *= seen[v]
			seen[v]++
		}
		return w
	},
}
