package attacker

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"
)

// Exchange is a way to change a world that leaves all published bags as they are.
type Exchange int

// The exchanges.
const (
	// InClass: the different values of two people of one class.
	InClass Exchange = iota
	// OfClasses: all values of two classes of one bucket, along a bijection, and
	// these classes in the publisher's draws.
	OfClasses
	// InBucket: the different values of two people of two classes of one bucket, the
	// draws as they are. Theorem E does not need that such an exchange leaves the
	// output as it is: InClass and OfClasses already lead from everybody in a bucket
	// to everybody else.
	InBucket
)

func (e Exchange) String() string {
	return [...]string{"two values in a class", "two classes of a bucket", "two values in a bucket"}[e]
}

// Unchanged makes exchanges at random, runs the whole program again for each, and
// returns the share of those that leave its output as it is. trials is how many
// there were: none if the release has nothing to exchange in this way.
func Unchanged(ctx context.Context, r *Release, e Exchange, most int, seed uint64) (share Estimate, trials int, err error) {
	rng := rand.New(rand.NewPCG(seed, uint64(e)))
	var worlds []world
	var with []draws
	for range most {
		if w, d, ok := r.exchanged(e, rng); ok {
			worlds, with = append(worlds, w), append(with, d)
		}
	}
	if trials = len(worlds); trials == 0 {
		return Estimate{}, 0, nil
	}
	var same atomic.Int64
	err = each(trials, func(i int) error {
		if r.same(r.program.run(worlds[i].pool(r.points), r.want, with[i])) {
			same.Add(1)
		}
		return ctx.Err()
	})
	return wilson(float64(same.Load())/float64(trials), float64(trials)), trials, err
}

// tries is how often a pair is drawn until one fits.
const tries = 1000

// exchanged returns the truth after an exchange, and the draws that go with it.
func (r *Release) exchanged(e Exchange, rng *rand.Rand) (world, draws, bool) {
	w, rows := slices.Clone(r.truth), r.rows()
	for range tries {
		i, j := r.propose(rng, rows)
		a, b := r.class[i], r.class[j]
		switch {
		case e == OfClasses && a != b:
			pairs, d := r.generator(a, b)
			for _, p := range pairs {
				r.trade(w, p[0], p[1])
			}
			return w, d, true
		case e != OfClasses && (a == b) == (e == InClass) && w[i] != w[j]:
			w[i], w[j] = w[j], w[i]
			return w, r.draws, true
		}
	}
	return nil, draws{}, false
}

// generator returns the classes that are exchanged when one class of a bucket takes the
// place of another, and the draws that go with it (Theorem F): both in all sub-pools of
// their node, or, if they have one place, their whole sub-pools.
func (r *Release) generator(a, b int32) (pairs [][2]int32, d draws) {
	s := int32(r.subPools())
	d = r.draws
	if s == 1 {
		d.subPool, d.a, d.b = 0, a, b
		return [][2]int32{{a, b}}, d
	}
	if a/s == b/s {
		for at := int32(0); int(at) < len(r.classes); at += s {
			pairs = append(pairs, [2]int32{at + a%s, at + b%s})
		}
		d.subPool, d.a, d.b = 0, a%s, b%s
		return pairs, d
	}
	first := s
	for _, c := range r.parts[r.group[r.classes[a][0]]] {
		first = min(first, c%s)
		if c/s == a/s {
			pairs = append(pairs, [2]int32{c, c%s + b/s*s})
		}
	}
	d.subPool, d.a, d.b = uint32(first)+1, a/s, b/s
	return pairs, d
}

// trade exchanges the values of two classes.
func (r *Release) trade(w world, a, b int32) {
	for at, x := range r.classes[a] {
		y := r.classes[b][at]
		w[x], w[y] = w[y], w[x]
	}
}

// same reports whether a run gave the classes and buckets of the release. The bags
// are the same by the choice of the exchange.
func (r *Release) same(classes, parts [][]int32) bool {
	other := publish(r.points, r.want, r.truth, r.values, classes, parts)
	return r.differ(other) == 0
}

// differ counts the groups of p that q does not have, classes and all; and those
// that q has in addition.
func (p *publicView) differ(q *publicView) int {
	has := make(map[uint64]bool, len(p.groups))
	for g := range p.groups {
		has[p.print(g)] = true
	}
	missing := len(p.groups)
	for g := range q.groups {
		if has[q.print(g)] {
			missing--
		}
	}
	return missing + max(0, len(q.groups)-len(p.groups))
}

// print is a fingerprint of a group: of the sets of rows that are its classes.
func (p *publicView) print(g int) (sum uint64) {
	for _, c := range p.parts[g] {
		var class uint64
		for _, r := range p.classes[c] {
			class += mixed(uint64(r) + 1)
		}
		sum += mixed(class)
	}
	return sum
}

// mixed spreads a number over 64 bits (Steele, Lea and Flood, OOPSLA 2014).
func mixed(z uint64) uint64 {
	z *= 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
