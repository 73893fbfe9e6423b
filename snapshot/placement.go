package snapshot

import "slices"

// Placement says who is in which class of a part: the private side of a release,
// for the gate and for `anond state members`. The slices are parallel: a record's
// number, that of its class in the part, and at level L2 that of its bucket there.
type Placement struct {
	Part             string
	Records, Classes []uint32
	Buckets          []uint32 // nil at level L1
}

// all takes every class of a table; living only those whose records are nowhere else.
func all(*class) bool      { return true }
func living(c *class) bool { return c.died == 0 }

// add takes in classes of a table, with their numbers and those of their buckets
// shifted.
func (p *Placement) add(t *table, shift, buckets uint32, which func(*class) bool) {
	p.grow(t, which)
	for i, c := range t.classes {
		if !which(c) {
			continue
		}
		for _, m := range c.members {
			p.Records = append(p.Records, uint32(t.id(m)))
			p.Classes = append(p.Classes, shift+uint32(i)+1)
			if c.bucket != nil {
				p.Buckets = append(p.Buckets, buckets+uint32(c.bucket.number))
			}
		}
	}
}

// grow makes room for the classes of a table.
func (p *Placement) grow(t *table, which func(*class) bool) {
	n := 0
	for _, c := range t.classes {
		if which(c) {
			n += len(c.members)
		}
	}
	p.Records, p.Classes = slices.Grow(p.Records, n), slices.Grow(p.Classes, n)
	if t.shared != nil {
		p.Buckets = slices.Grow(p.Buckets, n)
	}
}
