package render

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

// Membership says who is in which class of the releases up to one, and of which
// part, without writing anything: the private side of releases, for `anond state
// members`. The numbers are those that were published.
//
// Cost: all classes are put in order once, as each was when its part was first
// written; a release costs its members.
type Membership struct {
	in       *Input
	settings *Settings
	units    []*table // by release under which their classes are numbered; nil: there are none
	parts    []span   // of the release that was asked for last
	at       uint32   // that
}

// NewMembership takes the history up to a release.
func NewMembership(in *Input, s *Settings) *Membership {
	in, s = in.InEra(s)
	return &Membership{in: in, settings: s}
}

// Of returns who is in which class of a release, of those that live in it.
func (x *Membership) Of(release uint32) ([]Placement, error) {
	if err := x.number(); err != nil {
		return nil, err
	}
	if of := (spanning{x.in, x.settings}); x.at > 0 && x.at == release-1 {
		x.parts = of.after(x.parts, release)
	} else {
		x.parts = of.of(release)
	}
	x.at = release
	var out []Placement
	for _, part := range x.parts {
		p := Placement{Part: part.name()}
		shift, buckets := uint32(0), uint32(0)
		for unit := part.first; unit <= part.last; unit++ {
			if t := x.units[unit]; t != nil {
				p.add(t, shift, buckets, func(c *class) bool { return c.died == 0 || c.died > release })
				shift += uint32(len(t.classes))
				buckets += uint32(len(t.shared))
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// number puts the classes in order, unit by unit, once.
func (x *Membership) number() error {
	if x.units != nil {
		return nil
	}
	if err := checkClasses(x.in); err != nil {
		return err
	}
	eras := newSources(x.in, x.settings)
	x.units = make([]*table, x.in.Release+1)
	for unit, births := range birthsOf(x.in) {
		if len(births) == 0 {
			continue
		}
		src, err := eras.at(uint32(unit))
		if err != nil {
			return err
		}
		if x.units[unit], err = src.table(births); err != nil {
			return err
		}
	}
	return nil
}
