package equivclass

// Phi2Preserved returns the phi^2 of dimension j and the sensitive attribute as
// an analyst finds it in a publication by classes: in a class of size n the
// value x held by a records and the sensitive value s held by c records occur
// together a*c/n times in expectation. Records in no class do not count.
//
// Zhu et al. 2015, property 7: if every class agrees in dimension j, the result
// is Phi2 of the published records. Otherwise it is smaller as a rule.
//
// Cost: n plus, for each class, its different values of both columns multiplied.
func Phi2Preserved(p *Pool, groups [][]int32, j, bins int) float64 {
	x, sa := discretized(p, j, bins), denseSA(p)
	t := newCrossTable(x.size, sa.size)
	xs, ss := newTally(x.size), newTally(sa.size)
	for _, g := range groups {
		for _, r := range g {
			xs.add(x.codes[r])
			ss.add(sa.codes[r])
		}
		for _, a := range xs.seen {
			for _, c := range ss.seen {
				t.add(a, c, float64(xs.n[a])*float64(ss.n[c])/float64(len(g)))
			}
		}
		xs.clear()
		ss.clear()
	}
	return t.phi2()
}

// tally counts small numbers and forgets them at the cost of those it saw.
type tally struct {
	n    []int32
	seen []int32
}

func newTally(size int) *tally { return &tally{n: make([]int32, size)} }

func (t *tally) add(c int32) {
	if t.n[c] == 0 {
		t.seen = append(t.seen, c)
	}
	t.n[c]++
}

func (t *tally) clear() {
	for _, c := range t.seen {
		t.n[c] = 0
	}
	t.seen = t.seen[:0]
}
