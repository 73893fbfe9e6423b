package attacker

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"
)

// rules are what an attacker concludes from a release without running the program:
// conditions that the world should satisfy. A Rules value follows one world,
// exchange by exchange.
type rules interface {
	// Conditions is how many there are.
	Conditions() int
	// Broken is how many of them the world breaks. It begins to follow the world.
	Broken(w world) int
	// Change returns by how much that number grows if two rows of one group exchange
	// their different values.
	Change(w world, i, j int32) int
	// Exchanged is told that they did.
	Exchanged(w world, i, j int32)
}

// Effort says how long to sample. A sweep is one proposal for each row. In each cycle
// of a chain the penalty rises during some sweeps, and stays during others, which
// are counted. Many cycles find more of the worlds between which there are only
// worlds that break much; a single one with many sweeps at the full penalty is the
// chain of the textbook.
type Effort struct{ Chains, Cycles, Rise, Hold int }

// beliefs are the probabilities of values, by row.
type beliefs struct {
	values int
	counts []uint32 // by row, then value
	draws  uint32   // of worlds
}

func newBeliefs(p *publicView) *beliefs {
	return &beliefs{values: p.values, counts: make([]uint32, len(p.group)*p.values)}
}

// of returns the most probable value of a row, and its probability.
func (b *beliefs) of(row int32) (value, float64) {
	at := b.counts[int(row)*b.values : int(row+1)*b.values]
	most := slices.Max(at)
	return value(slices.Index(at, most)), float64(most) / float64(b.draws)
}

// in returns the probability that a row has a value.
func (b *beliefs) in(row int32, v value) float64 {
	return float64(b.counts[int(row)*b.values+int(v)]) / float64(b.draws)
}

// note counts a drawn world.
func (b *beliefs) note(rows []int32, w world) {
	b.draws++
	for _, r := range rows {
		b.counts[int(r)*b.values+int(w[r])]++
	}
}

// add joins the worlds of another run.
func (b *beliefs) add(more *beliefs) {
	b.draws += more.draws
	for i, n := range more.counts {
		b.counts[i] += n
	}
}

// sample draws worlds that agree with all bags, each with probability proportional
// to exp(-penalty x broken conditions). Its steps exchange the values of two rows
// of one group (Metropolis). Each chain begins at a random world.
func sample(ctx context.Context, p *publicView, rules func() rules, penalty float64, e Effort, seed uint64) (*beliefs, error) {
	all, parts := newBeliefs(p), make([]*beliefs, e.Chains)
	err := each(len(parts), func(i int) error {
		parts[i] = newBeliefs(p)
		return newChain(p, rules(), seed, uint64(i)).run(ctx, penalty, e, parts[i])
	})
	for _, b := range parts {
		all.add(b)
	}
	return all, err
}

// each calls do for every i below n, a few at the same time.
func each(n int, do func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(workers)
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	return group.Wait()
}

// chain is one run of the sampler.
type chain struct {
	p     *publicView
	rules rules
	rng   *rand.Rand
	rows  []int32 // published
	world world
}

func newChain(p *publicView, rules rules, seed, number uint64) *chain {
	c := &chain{p: p, rules: rules, rng: rand.New(rand.NewPCG(seed, number)), rows: p.rows()}
	c.world = p.random(c.rng)
	rules.Broken(c.world)
	return c
}

// random returns a world that agrees with all bags, and draws each with the same
// probability.
func (p *publicView) random(rng *rand.Rand) world {
	w := make(world, len(p.group))
	for g, rows := range p.groups {
		order := rng.Perm(len(rows))
		for v, n := range p.bags[g] {
			for range n {
				w[rows[order[0]]] = value(v)
				order = order[1:]
			}
		}
	}
	return w
}

// propose draws two rows of one group.
func (p *publicView) propose(rng *rand.Rand, rows []int32) (i, j int32) {
	i = rows[rng.IntN(len(rows))]
	group := p.groups[p.group[i]]
	return i, group[rng.IntN(len(group))]
}

func (c *chain) run(ctx context.Context, penalty float64, e Effort, b *beliefs) error {
	for i := range e.Cycles * (e.Rise + e.Hold) {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := i % (e.Rise + e.Hold)
		c.sweep(penalty * min(1, float64(at+1)/float64(e.Rise+1)))
		if at >= e.Rise {
			b.note(c.rows, c.world)
		}
	}
	return nil
}

// sweep proposes as many exchanges as there are rows.
func (c *chain) sweep(penalty float64) {
	for range c.rows {
		i, j := c.p.propose(c.rng, c.rows)
		if c.world[i] == c.world[j] {
			continue
		}
		more := c.rules.Change(c.world, i, j)
		if more > 0 && c.rng.Float64() >= math.Exp(-penalty*float64(more)) {
			continue
		}
		c.world[i], c.world[j] = c.world[j], c.world[i]
		c.rules.Exchanged(c.world, i, j)
	}
}
