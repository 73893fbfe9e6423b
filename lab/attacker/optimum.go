package attacker

import (
	"context"
	"math"
	"math/rand/v2"
)

// LocalOptimum samples the worlds that satisfy what the program's last steps tell.
func LocalOptimum(ctx context.Context, r *Release, e Effort, seed uint64) (*beliefs, error) {
	rules := r.program.conclude(r.publicView)
	return sample(ctx, r.publicView, rules, r.weight(rules(), seed), e, seed)
}

// strictest bounds the weight of a condition: a chain that may break none for a
// moment gets stuck.
const strictest = 5

// weight is the logarithm of how much less likely a broken condition is. Conditions
// need not be certain: Extract works in parts and in rounds. The attacker measures
// on people of their own how often the truth breaks one: they draw values that fit
// the bags and run the program on them. By Bayes' rule the weight is the odds of a
// condition that a random world breaks, over the odds of one that the truth breaks.
func (r *Release) weight(rules rules, seed uint64) float64 {
	if rules.Conditions() == 0 {
		return 0
	}
	rng := rand.New(rand.NewPCG(seed, 1<<32))
	own, rows := r.random(rng), r.rows()
	for row, g := range r.group {
		if g < 0 { // not published: like anybody
			own[row] = own[rows[rng.IntN(len(rows))]]
		}
	}
	by := odds(rules.Broken(own), rules.Conditions())
	classes, parts := r.program.again(r.publicView, own, draws{seed: rng.Uint64()})
	trial := publish(r.points, r.want, own, r.values, classes, parts)
	known := r.program.conclude(trial)()
	return max(0, min(strictest, math.Log(by/odds(known.Broken(own), known.Conditions()))))
}

func odds(broken, all int) float64 { return (float64(broken) + .5) / (float64(all-broken) + .5) }
