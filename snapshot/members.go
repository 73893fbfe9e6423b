package snapshot

import (
	"fmt"
)

// Membership says who is in which class of the releases up to one, and of which
// part, without writing anything: the private side of releases, for `anond state
// members`. The numbers are those that were published.
//
// Cost: all classes are put in order once, as each was when its part was first
// written; a release costs its members. Only a release of format version 1, whose
// classes are numbered over the whole, is put in order by itself.
type Membership struct {
	in       *Input
	settings *Settings
	since    uint32
	units    []*table // by release under which their classes are numbered; nil: there are none
	parts    []span   // of the release that was asked for last
}

// NewMembership takes the history up to a release. since is the first release of
// the chain in parts, see PartsSince.
func NewMembership(in *Input, s *Settings, since uint32) *Membership {
	return &Membership{in: in, settings: s, since: since}
}

// Of returns who is in which class of a release, of those that live in it.
func (x *Membership) Of(release uint32) ([]Placement, error) {
	if release < x.since {
		return x.whole(release)
	}
	if err := x.number(); err != nil {
		return nil, err
	}
	if n := len(x.parts); n > 0 && x.parts[n-1].last == release-1 {
		x.parts = after(x.parts, release)
	} else {
		x.parts = partsOf(release, x.since)
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

// whole is Of for a release that is one table.
func (x *Membership) whole(release uint32) ([]Placement, error) {
	m := &Manifest{FormatVersion: formatWhole, Release: release, PartsSince: x.since}
	standing, err := standingOf(x.in.upTo(release), x.settings, m, [32]byte{})
	if err != nil {
		return nil, err
	}
	return standing.placed, nil
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
	for unit, births := range birthsOf(x.in, x.since) {
		if len(births) == 0 {
			continue
		}
		if x.units[unit], err = src.table(births); err != nil {
			return err
		}
	}
	return nil
}

// PartsSince reads in a releases directory which release of the chain is the
// first in parts: 1, unless the chain began in format version 1. If the newest
// release is of that version, it will be the next.
func PartsSince(files FS, dir string) (uint32, error) {
	on, err := scan(files, dir)
	if err != nil || on.newest() == 0 {
		return 1, err
	}
	m, _, err := readManifest(files, dir, on.newest())
	if err != nil {
		return 0, fmt.Errorf("read the newest release: %w", err)
	}
	if m.FormatVersion == formatWhole {
		return m.Release + 1, nil
	}
	return max(1, m.PartsSince), nil
}
