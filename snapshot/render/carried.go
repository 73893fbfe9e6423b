package render

import (
	"fmt"

	"anond/snapshot"
)

// Carried is what rendering must know of the newest release: its manifest, the
// sums over its classes by granule, and the numbers of classes that may die. A Publisher
// carries it from release to release, so that a release costs what is new; at
// start it is made from the whole history.
//
// Memory: 4 bytes a release, and where classes may be regrouped 4 bytes a record.
type Carried struct {
	manifest *snapshot.Manifest
	Sha256   [32]byte // of the manifest
	sums     []granuleSums
	// written counts, by release, the classes that parts hold of births up to it.
	written []uint32
	// numbers are, by record, that of its class among those that are numbered
	// together; nil where classes never die.
	numbers []uint32
	// bucket is the newest one of level L2, as the state numbers them.
	bucket    uint32
	addresses *addresses
	// placed is who is in which part; only of a history, for the gate.
	placed []Placement
}

// Release is the newest one, 0 if there is none.
func (x *Carried) Release() uint32 {
	if x.manifest == nil {
		return 0
	}
	return x.manifest.Release
}

// NewCarried is what stands before release 1.
func NewCarried() *Carried { return &Carried{written: []uint32{0}, addresses: newAddresses()} }

// CarriedFrom makes the standing behind a release from the history up to it: all
// classes are put in order again, those that are numbered together each on their
// own.
func CarriedFrom(in *Input, s *Settings, m *snapshot.Manifest, sha256 [32]byte) (*Carried, error) {
	if in.Since > 0 || in.Release != m.Release {
		return nil, fmt.Errorf("%w: it does not hold all that was published up to release %d", ErrView, m.Release)
	}
	in, s = in.InEra(s)
	x := &Carried{manifest: m, Sha256: sha256, bucket: newestBucket(in.Classes), addresses: newAddresses()}
	if err := checkClasses(in); err != nil {
		return nil, err
	}
	if s.Policy.Republication != appendOnly {
		x.numbers = make([]uint32, in.records())
	}
	return x, x.number(spanning{in, s})
}

// appendOnly is the republication under which no class dies.
const appendOnly = "append"

// number puts the classes in order, unit by unit, and places the living ones, and at level L2 those that have left with their buckets:
// the gate has to know who never comes back.
func (x *Carried) number(of spanning) error {
	in, eras := of.in, newSources(of.in, of.s)
	x.written = make([]uint32, in.Release+1)
	births, which := birthsOf(in), living
	if in.Shared {
		which = all
	}
	for _, part := range of.of(in.Release) {
		p := Placement{Part: part.name()}
		shift, buckets := uint32(0), uint32(0)
		for unit := part.first; unit <= part.last; unit++ {
			x.written[unit] = x.written[unit-1]
			if len(births[unit]) == 0 {
				continue
			}
			src, err := eras.at(unit)
			if err != nil {
				return err
			}
			t, err := src.table(births[unit])
			if err != nil {
				return err
			}
			p.add(t, shift, buckets, which)
			shift += uint32(len(t.classes))
			buckets += uint32(len(t.shared))
			x.written[unit] += uint32(len(t.classes))
			x.addresses.add(t, unit)
			x.own(of.granule(unit), unit, t).add(t)
			x.remember(t)
		}
		x.placed = append(x.placed, p)
	}
	return nil
}

// birthsOf are the classes by the release that gave birth to them, under which they are numbered.
func birthsOf(in *Input) [][]Class {
	out := make([][]Class, in.Release+1)
	for _, classes := range [][]Class{in.Classes, in.Dead} {
		for _, c := range classes {
			out[c.Born] = append(out[c.Born], c)
		}
	}
	return out
}

// remember keeps the numbers of living classes.
func (x *Carried) remember(t *table) {
	if x.numbers == nil {
		return
	}
	for i, c := range t.classes {
		if c.died != 0 {
			continue
		}
		for _, m := range c.members {
			x.numbers[t.id(m)] = uint32(i + 1)
		}
	}
}

// address finds a living class in parts that hold those of the newest release:
// the place of its part, and its number there.
func (x *Carried) address(parts []snapshot.PartEntry, c *Class) (part int, number uint32, ok bool) {
	first := int(c.Members[0])
	if first >= len(x.numbers) || x.numbers[first] == 0 || c.Born > x.Release() {
		return 0, 0, false
	}
	for i := range parts {
		if from, to := parts[i].Births(); c.Born >= from && c.Born <= to {
			return i, x.written[c.Born-1] - x.written[from-1] + x.numbers[first], true
		}
	}
	return 0, 0, false
}

// Settle takes in the numbers of classes that were written, once the release is
// public.
func (x *Carried) Settle(out *Rendered, republication string, records int) {
	if republication == appendOnly {
		return
	}
	if len(x.numbers) < records {
		x.numbers = append(x.numbers, make([]uint32, records-len(x.numbers))...)
	}
	for _, p := range out.Placed {
		for i, r := range p.Records {
			x.numbers[r] = p.Classes[i]
		}
	}
}

// frozen reports that no class has died up to the newest release.
func (x *Carried) frozen() bool {
	return x.manifest == nil || x.manifest.Privacy.Certificate == snapshot.CertificateFrozen
}

// Sizes are those of the newest release.
func (x *Carried) Sizes() snapshot.Sizes {
	if x.manifest == nil {
		return snapshot.Sizes{}
	}
	out := snapshot.Sizes{Release: x.manifest.Release, Classes: map[int]int{}}
	if x.manifest.Shared() {
		out.Buckets = map[int]int{}
	}
	for _, g := range x.sums {
		for size, n := range g.of.sizes {
			out.Classes[size] += n
		}
		for shape, n := range g.of.shapes[0] {
			if out.Buckets != nil {
				out.Buckets[shape.size] += n
			}
		}
	}
	return out
}

// TakePlaced gives who is in which part, once: nobody else needs it.
func (x *Carried) TakePlaced() []Placement {
	placed := x.placed
	x.placed = nil
	return placed
}
