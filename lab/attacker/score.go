package attacker

import (
	"math"
)

// Estimate is a share or a mean with the half width of its interval of 95 %.
type Estimate struct{ Value, Low, High float64 }

// Score is what an attack told about the people of some releases.
type Score struct {
	Records int
	// Above5 and Above9 are the shares of people told with a probability of more
	// than .5 and .9; Right9 is how many of the latter are told rightly.
	Above5, Above9, Right9 Estimate
	Told9                  int
	// Guess is the share of people whose most probable value is theirs, Share what
	// that would be by the published bags alone.
	Guess, Share Estimate
	// Truth is the mean probability of the true value, TruthShare its mean share in
	// the published bags, Gain the mean difference.
	Truth, TruthShare, Gain Estimate
	// Curve is the share of people told with at least the probability i/100.
	Curve [101]float64
}

// Scorer gathers people, group by group: those of a group are not independent.
type Scorer struct {
	above5, above9, right9, guess, share, truth, truthShare, gain clusters
	curve                                                         [101]int
}

// Add scores what an attack believed about a release.
func (s *Scorer) Add(r *Release, b *beliefs) {
	for g, rows := range r.groups {
		for _, q := range []*clusters{&s.above5, &s.above9, &s.right9, &s.guess, &s.share, &s.truth, &s.truthShare, &s.gain} {
			q.begin()
		}
		top := float64(0)
		for v := range r.values {
			top = max(top, r.share(int32(g), value(v)))
		}
		for _, row := range rows {
			v, p := b.of(row)
			right := v == r.truth[row]
			s.above5.add(p > .5)
			s.above9.add(p > .9)
			if p > .9 {
				s.right9.add(right)
			}
			s.guess.add(right)
			s.share.note(top)
			truth, share := b.in(row, r.truth[row]), r.share(int32(g), r.truth[row])
			s.truth.note(truth)
			s.truthShare.note(share)
			s.gain.note(truth - share)
			for i := range s.curve {
				if p >= float64(i)/100 {
					s.curve[i]++
				}
			}
		}
	}
}

// Score is the result over all people added.
func (s *Scorer) Score() Score {
	out := Score{Records: int(s.guess.n), Told9: int(s.right9.n), Above5: s.above5.rate(), Above9: s.above9.rate(), Right9: s.right9.rate(),
		Guess: s.guess.rate(), Share: s.share.mean(), Truth: s.truth.mean(), TruthShare: s.truthShare.mean(), Gain: s.gain.mean()}
	for i, n := range s.curve {
		out.Curve[i] = float64(n) / max(1, s.guess.n)
	}
	return out
}

// clusters sums a quantity of people, group by group.
type clusters struct {
	n, sum float64
	of     []cluster
}

type cluster struct{ n, sum float64 }

func (c *clusters) begin() { c.of = append(c.of, cluster{}) }

func (c *clusters) note(x float64) {
	last := &c.of[len(c.of)-1]
	c.n, c.sum, last.n, last.sum = c.n+1, c.sum+x, last.n+1, last.sum+x
}

func (c *clusters) add(so bool) {
	if so {
		c.note(1)
	} else {
		c.note(0)
	}
}

// z is the quantile of an interval of 95 %.
const z = 1.96

// variance is that of the mean, where the people of a group go together.
func (c *clusters) variance() (v float64) {
	mean := c.sum / max(1, c.n)
	for _, g := range c.of {
		d := g.sum - mean*g.n
		v += d * d
	}
	return v / max(1, c.n*c.n)
}

func (c *clusters) mean() Estimate {
	mean, half := c.sum/max(1, c.n), z*math.Sqrt(c.variance())
	return Estimate{mean, mean - half, mean + half}
}

// rate is the Wilson interval of a share, for as many independent people as have the
// variance of the groups.
func (c *clusters) rate() Estimate {
	if c.n == 0 {
		return Estimate{0, 0, 1}
	}
	p, n := c.sum/c.n, c.n
	if v := c.variance(); v > 0 {
		n = min(n, p*(1-p)/v)
	}
	return wilson(p, n)
}

// wilson is the interval of a share p of n independent cases.
func wilson(p, n float64) Estimate {
	middle, half := (p+z*z/(2*n))/(1+z*z/n), z/(1+z*z/n)*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return Estimate{p, max(0, min(p, middle-half)), min(1, max(p, middle+half))}
}
