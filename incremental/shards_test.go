package incremental_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
)

// pair is two shards at level L2, each a machine with its own state: small enough for all
// their worlds to be played together. Whoever has the releases of a union has those of
// both, so the transcript is that of the one and then that of the other.
type pair struct {
	name   string
	shards [2]*course
	known  []int // as of a course, over the records of both
	// what is broken
	oneSeed bool // the draws of both shards follow one seed
	twin    bool // record 0 of both is one person
}

// secondHalf places the records of the second shard where no record of the first is.
func secondHalf(r int) equivclass.Row {
	x := positions[6+r]
	return equivclass.Row{{'0' + byte(x[0])}, {'0' + byte(x[1])}, nil}
}

// shardOf makes the draws of a shard those of a seed of its own. No machine has a release
// of such a number.
func shardOf(shard uint64) func(merge.Key) merge.Key {
	return func(k merge.Key) merge.Key {
		k.Release += 1 << 20 * shard
		return k
	}
}

// enumerate plays all worlds of both shards with all outcomes of their draws, and
// compares what is believed of each person with the share in the person's bucket.
func (u *pair) enumerate(t *testing.T) verdict {
	a, b := u.shards[0], u.shards[1]
	both := &course{n: a.n + b.n, d: a.d, k: a.k, l: a.l, known: u.known}
	for i, s := range u.shards {
		s.schema = plane(t, 2)
		s.key = shardOf(uint64(i))
		if u.oneSeed {
			s.key = nil
		}
	}
	beliefs, out := map[string]*belief{}, verdict{worst: new(big.Rat), excess: new(big.Rat), reached: map[string]int{}}
	both.eachWorld(func(world []int) {
		if u.twin && world[a.n] != world[0] {
			return
		}
		eachDraw(func(draws *script) {
			first, second := a.start(t, world[:a.n], draws), b.start(t, world[a.n:], draws)
			a.play(first)
			b.play(second)
			out.runs++
			u.learn(both, world, first, second, beliefs, &out)
		})
	})
	for _, known := range beliefs {
		known.judge(both, &out)
	}
	return out
}

// learn is play.learn of two shards.
func (u *pair) learn(both *course, world []int, first, second *play, beliefs map[string]*belief, out *verdict) {
	seen := string(first.seen) + "\x00" + string(second.seen)
	b := beliefs[seen]
	if b == nil {
		b = &belief{}
		for i := range b.record {
			b.record[i] = make([]uint64, both.n*both.d)
		}
		for shard, p := range []*play{first, second} {
			i := p.m.Releases().Latest()
			if i == nil {
				continue
			}
			v, err := p.m.Releases().View(i.Release)
			p.must(err)
			for _, x := range p.buckets(v) {
				b.counts = append(b.counts, p.bag(x.members))
				for j := range x.members {
					x.members[j] += int32(shard * first.n)
				}
				b.buckets = append(b.buckets, x)
			}
		}
		for _, p := range []*play{first, second} {
			for what := range p.reached {
				out.reached[what]++
			}
		}
		beliefs[seen] = b
	}
	for i, weight := range priors {
		w := weight(world) * first.draws.probability()
		b.all[i] += w
		for r, v := range world {
			b.record[i][r*both.d+v] += w
		}
	}
}

// tinyShard is a stream of one shard.
func tinyShard(n, d int, play func(*play)) *course {
	return &course{n: n, d: d, k: 2, l: 2, play: play, policy: quarantines}
}

func pairs() []*pair {
	second := func(s *course) *course { s.rows = secondHalf; return s }
	return []*pair{
		{name: "one pool each", shards: [2]*course{tinyShard(4, 2, batches(4)), second(tinyShard(4, 2, batches(4)))}},
		{name: "two releases alongside one", shards: [2]*course{tinyShard(6, 2, batches(4, 6)), second(tinyShard(4, 2, batches(4)))}},
		{name: "of three classes, the values of one shard known", known: []int{0, 0, 1, 2, 1, 2},
			shards: [2]*course{tinyShard(6, 3, batches(6)), second(tinyShard(6, 3, batches(6)))}},
	}
}

// TestEveryWorldOfTwoShards: Corollary U. Of whoever has all releases of both shards, the
// belief in each value of each published person is its share in the person's bucket,
// exactly, under priors that join the shards (Polya's urn), and also where one shard is
// refused and quarantined whole.
func TestEveryWorldOfTwoShards(t *testing.T) {
	tier.NotShort(t, "it enumerates worlds")
	t.Parallel()
	for _, u := range pairs()[:tier.Of(t, 2, 2, 3)] {
		t.Run(u.name, func(t *testing.T) {
			v := u.enumerate(t)
			t.Log(v)
			assert.Positive(t, v.published)
			for i := range priors {
				assert.Equal(t, v.published, v.exact[i], "prior %d", i)
			}
		})
	}
}

// TestEveryWorldFindsAPersonInTwoShards: the same enumeration finds what breaks Corollary
// U, here a person in two shards.
func TestEveryWorldFindsAPersonInTwoShards(t *testing.T) {
	t.Parallel()
	tier.Heavy(t, "it plays two machines in each of some thousand worlds")
	twin := &pair{twin: true, shards: [2]*course{tinyShard(4, 3, batches(4)), tinyShard(4, 3, batches(4))}}
	twin.shards[1].rows = secondHalf
	v := twin.enumerate(t)
	t.Log("a person in two shards:", v)
	assert.Less(t, v.exact[0], v.published)
	assert.Equal(t, "1", v.worst.RatString(), "somebody's value is told for certain")
}

// TestEveryWorldFindsOneSeed: and here one seed for two shards, where the values of one of
// them are known.
func TestEveryWorldFindsOneSeed(t *testing.T) {
	t.Parallel()
	tier.Heavy(t, "26,000 plays of two machines")
	seed := pairs()[2]
	seed.oneSeed = true
	v := seed.enumerate(t)
	t.Log("one seed:", v)
	assert.Less(t, v.exact[0], v.published)
	assert.Equal(t, "1", v.worst.RatString(), "somebody's value is told for certain")
}
