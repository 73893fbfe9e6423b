package snapshot

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
}

// NewMembership takes the history up to a release.
func NewMembership(in *Input, s *Settings) *Membership { return &Membership{in: in, settings: s} }

// Of returns who is in which class of a release, of those that live in it.
func (x *Membership) Of(release uint32) ([]Placement, error) {
	if err := x.number(); err != nil {
		return nil, err
	}
	if n := len(x.parts); n > 0 && x.parts[n-1].last == release-1 {
		x.parts = after(x.parts, release)
	} else {
		x.parts = partsOf(release)
	}
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
	src, err := newSource(x.in, x.settings)
	if err != nil {
		return err
	}
	x.units = make([]*table, x.in.Release+1)
	for unit, births := range birthsOf(x.in) {
		if len(births) == 0 {
			continue
		}
		if x.units[unit], err = src.table(births); err != nil {
			return err
		}
	}
	return nil
}
