package merge

// Requirement is what each bucket must satisfy: caps by value, and extra
// principles. It sees the bucket's bag and the number of its people, and nothing else.
type Requirement struct {
	Caps  []Cap
	Extra []principle
}

// principle is a privacy principle, a function of a bag. The union of two bags
// that satisfy one of this package satisfies it, too.
type principle interface {
	// Lack returns 0 for a bag that satisfies the principle, otherwise about how
	// many records would have to be different, in units of 2^-16 records, at least 1.
	// It must not depend on anything but the bag and constants.
	Lack(b Bag, total int) int64
}

// Holds reports whether a bucket of so many people with this bag may be published.
func (r Requirement) Holds(b Bag, people int) bool {
	if people == 0 {
		return false
	}
	for _, x := range b {
		c, of := r.capOf(x.Value), people
		if c.Partial {
			of -= b.count(c.Without)
		}
		if !c.Holds(int(x.N), of) {
			return false
		}
	}
	for _, p := range r.Extra {
		if p.Lack(b, people) > 0 {
			return false
		}
	}
	return true
}

// Distinct is distinct l-diversity (p-sensitivity): at least that many different
// values.
type Distinct int

// Lack implements Principle.
func (p Distinct) Lack(b Bag, _ int) int64 { return max(0, int64(p)-int64(len(b))) * unit }

// recursive is recursive (c,l)-diversity: with counts r1 >= r2 >= ...,
// r1 < C * (rL + rL+1 + ...).
type recursive struct {
	c int64
	l int
}

// NewRecursive returns the principle for c > 0 and l >= 1.
func NewRecursive(c float64, l int) recursive { return recursive{exact(c), l} }

// Lack implements Principle. The l-1 largest counts are found by insertion: l is
// small.
func (p recursive) Lack(b Bag, total int) int64 {
	if len(b) < p.l {
		return int64(p.l-len(b)) * unit
	}
	head := make([]uint32, 0, p.l)
	for _, c := range b {
		at := len(head)
		for at > 0 && head[at-1] < c.N {
			at--
		}
		if at < p.l-1 {
			if len(head) < p.l-1 {
				head = append(head, 0)
			}
			copy(head[at+1:], head[at:])
			head[at] = c.N
		}
	}
	tail := int64(total)
	for _, n := range head {
		tail -= int64(n)
	}
	return p.lack(int64(b.Max()), tail)
}

// lack compares r1 with c*tail. c was rounded down, so a bag that holds here holds
// with c as it was given.
func (p recursive) lack(r1, tail int64) int64 {
	limit := ratio(uint64(p.c), 1<<shareBits, 0) // whole part
	whole := limit * tail
	part := (p.c - limit<<shareBits) * tail // fractional bits: shareBits
	whole, part = whole+part>>shareBits, part&(1<<shareBits-1)
	if r1 < whole || r1 == whole && part > 0 {
		return 0
	}
	return (r1-whole)*unit + 1
}
