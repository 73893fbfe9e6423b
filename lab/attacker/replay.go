package attacker

import (
	"context"
	"math"
	"math/rand/v2"
)

// Replaying says how long Replay works on a release.
type Replaying struct {
	Chains int // that begin at random worlds
	Steps  int // of each, one run of the program each
}

// perGroup is the logarithm of how much less likely a step is that changes one
// group more: worlds in which the program gives almost the observed output lead to
// those in which it gives just that.
const perGroup = 2

// Replay draws worlds that agree with all bags, among those for which the program
// gives the observed classes and buckets. At level L2 the publisher's draws are
// unknown too, and are drawn with the world.
//
// Its chains exchange values of one group, and may pass through worlds of another
// output; only worlds of the same output count. They begin at random
// worlds. arrived is false if too few worlds were found, or if somebody was not
// published, whose value would have to be guessed too; then nothing was learned.
func Replay(ctx context.Context, r *Release, e Replaying, seed uint64) (b *beliefs, arrived bool, err error) {
	b = newBeliefs(r.publicView)
	if r.Records() < len(r.group) {
		return b, false, ctx.Err()
	}
	parts := make([]*beliefs, e.Chains)
	err = each(len(parts), func(i int) error {
		c := &replayer{r: r, rng: rand.New(rand.NewPCG(seed, 1<<33|uint64(i))), rows: r.rows()}
		c.world, c.d, parts[i] = r.random(c.rng), draws{seed: c.rng.Uint64()}, newBeliefs(r.publicView)
		return c.run(ctx, e.Steps, parts[i])
	})
	if err != nil {
		return nil, false, err
	}
	for _, part := range parts {
		b.add(part)
	}
	return b, int(b.draws) >= e.Steps*e.Chains/enough, nil
}

// enough is the share of the steps, as one in so many, that must be at worlds of the
// observed output.
const enough = 20

// replayer is one chain of Replay.
type replayer struct {
	r     *Release
	rng   *rand.Rand
	rows  []int32
	world world
	d     draws
	apart int // groups that differ
}

// run takes steps and notes the worlds of the observed output.
func (c *replayer) run(ctx context.Context, steps int, b *beliefs) error {
	c.apart = c.differs(c.d)
	for range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.step()
		if c.apart == 0 {
			b.note(c.rows, c.world)
		}
	}
	return nil
}

// step proposes to exchange two values of a group; of a bucket at times all values of
// two classes; and where the program draws, at times other draws. Each proposal is
// as likely as the one that undoes it, and the program decides about all of them.
func (c *replayer) step() {
	i, j := c.r.propose(c.rng, c.rows)
	a, b := c.r.class[i], c.r.class[j]
	d, classes := c.d, a != b && c.rng.IntN(3) == 0
	if _, drawn := c.r.program.(buckets); drawn && c.rng.IntN(4) == 0 {
		d.seed = c.rng.Uint64()
	} else if c.world[i] == c.world[j] && !classes {
		return
	}
	exchange := func() { c.world[i], c.world[j] = c.world[j], c.world[i] }
	if classes && len(c.r.classes[a]) == len(c.r.classes[b]) { // at level L2 they always are
		exchange = func() {
			for at, x := range c.r.classes[a] {
				y := c.r.classes[b][at]
				c.world[x], c.world[y] = c.world[y], c.world[x]
			}
		}
	}
	exchange()
	if !c.takes(d) {
		exchange()
	}
}

// takes runs the program and decides about the step (Metropolis).
func (c *replayer) takes(d draws) bool {
	apart := c.differs(d)
	if apart > c.apart && c.rng.Float64() >= math.Exp(perGroup*float64(c.apart-apart)) {
		return false
	}
	c.apart, c.d = apart, d
	return true
}

// differs runs the program on the world.
func (c *replayer) differs(d draws) int {
	p := c.r.publicView
	classes, parts := c.r.program.again(p, c.world, d)
	return p.differ(publish(p.points, p.want, c.world, p.values, classes, parts))
}
