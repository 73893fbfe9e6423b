package shards

import (
	"cmp"
	"fmt"
	"slices"

	"anond/lab/figures"
)

// Two criteria for what hashing may cost: of the loss of one shard, and of the width of the
// domain.
const (
	bearable = 1.05
	little   = .01
)

var notes = []string{
	"ncp_interval is the mean of (hi-lo)/(max-min) over the quasi-identifiers and all people who arrived, over the domain of all people; " +
		"one who is never published counts 1. relative is the loss over that of the same people in one shard, difference the loss less it. Of " +
		"Adult with one shard it is the figure frontier's level L2 with max_hold 2.",
	"Each shard has a seed, pools and a least size of pools of its own. All shards try a cut at the same moments. With rarer n each n-th " +
		"moment is one, so that a shard has about as many newcomers in a release as one process has at each moment.",
	"Categories and postcodes are numbers here, as in the figure frontier.",
}

// criterion is a limit for what hashing may cost, with the same releases or with rarer ones.
type criterion struct {
	when, costs string
	rarer       bool
	by          func(point) float64
	most        float64
}

var criteria = []criterion{
	{"With the same releases", "at most 5 % of the loss of one shard", false, point.relative, bearable},
	{"With the same releases", "at most 1 % of the width of the domain", false, point.difference, little},
	{"With releases that are as many times rarer as there are shards", "at most 1 % of the width of the domain", true,
		point.difference, little},
}

// judged are the points of several shards to which a criterion applies.
func (r *result) judged(s setting, c criterion) (out []point) {
	for _, p := range r.points {
		if p.setting == s && p.shards > 1 && (p.every > 1) == c.rarer {
			out = append(out, p)
		}
	}
	return out
}

// enough is the least number of people a shard from which on every measurement meets a
// criterion; found is false if there is none.
func (c criterion) enough(points []point) (each float64, found bool) {
	tooFew := 0.0
	for _, p := range points {
		if c.by(p) > c.most {
			tooFew = max(tooFew, p.each())
		}
	}
	for _, p := range points {
		if p.each() > tooFew && (!found || p.each() < each) {
			each, found = p.each(), true
		}
	}
	return each, found
}

// claim says from where on a criterion is met.
func (c criterion) claim(s setting, points []point) figures.Claim {
	each, found := c.enough(points)
	from := "at no measured size"
	if found {
		from = fmt.Sprintf("from %s people a shard", figures.Short(each))
	}
	byCost := func(a, b point) int { return cmp.Compare(c.by(a), c.by(b)) }
	say := func(p point) string {
		return fmt.Sprintf("%s for %s in %d shards of %s people", figures.Short(c.by(p)), p.data, p.shards, figures.Short(p.each()))
	}
	return figures.NewClaim(
		fmt.Sprintf("%s, hashing costs %s from some number of people a shard on (k = %d, l = %d).", c.when, c.costs, s.k, s.l),
		"The loss falls with the number of people and goes on falling, so fewer people in a shard lose more.",
		figures.Found(figures.If(found), "%s; least: %s; most: %s", from, say(slices.MinFunc(points, byCost)),
			say(slices.MaxFunc(points, byCost))))
}

func (r *result) claims() (out []figures.Claim) {
	for _, s := range settings {
		for _, c := range criteria {
			out = append(out, c.claim(s, r.judged(s, c)))
		}
	}
	out = append(out, figures.NewClaim("Releases that are as many times rarer as there are shards cost less than the same releases.",
		"Where a shard has one release at most, they gain nothing.", r.gained()))
	return append(out, figures.NewClaim("Hashing quarantines nobody: small shards are as eligible as large ones.",
		"A pool of a shard had a value above 1/l.", r.eligible()))
}

// gained asks whether rarer releases lose less, at every number of shards.
func (r *result) gained() figures.Finding {
	n, less, most, where := 0, 0, 0.0, point{}
	for i, p := range r.points {
		if p.every == 1 {
			continue
		}
		n++
		same := r.points[i-1] // it was measured right before
		if p.loss < same.loss {
			less++
		}
		if gain := same.loss - p.loss; gain > most {
			most, where = gain, p
		}
	}
	return figures.Found(figures.If(less == n), "%d of %d; most: %s less for %s in %d shards of %s people", less, n, figures.Short(most),
		where.data, where.shards, figures.Short(where.each()))
}

// eligible asks whether any pool was quarantined.
func (r *result) eligible() figures.Finding {
	most, where := 0, point{}
	for _, p := range r.points {
		if p.quarantined > most {
			most, where = p.quarantined, p
		}
	}
	if most == 0 {
		return figures.Found(figures.Holds, "0 people in %d measurements", len(r.points))
	}
	return figures.Found(figures.HoldsNot, "%d people of %s in %d shards of %s", most, where.data, where.shards, figures.Short(where.each()))
}
