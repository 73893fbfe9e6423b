package render

import (
	"fmt"
	"slices"

	"anond/snapshot"
)

// checkEras demands that the eras of the input are in order, and that the newest begins with births.
func (r *rendering) checkEras() error {
	until := uint32(0)
	for _, e := range r.in.Former {
		if e.Until <= until {
			return fmt.Errorf("%w: its eras are out of order", ErrView)
		}
		until = e.Until
	}
	if until > 0 && (!r.in.Shared || until == r.in.Release-1 && len(r.births) == 0) {
		return fmt.Errorf("%w: an era begins without births, or at level L1", ErrView)
	}
	return nil
}

// listEras takes the former eras that still have parts over from the manifest before, of which the last may be that manifest's own, and
// adds up what they have.
func (r *rendering) listEras() error {
	m, before := &r.out.Manifest, []snapshot.Era(nil)
	if from := r.from.manifest; from != nil {
		before = from.Eras
		if n := len(r.in.Former); n > 0 && r.in.Former[n-1].Until == from.Release {
			before = append(slices.Clone(before), snapshot.EraOf(from))
		}
	}
	for i, e := range r.in.Former {
		at := slices.IndexFunc(before, func(b snapshot.Era) bool { return b.Until == e.Until })
		if !slices.ContainsFunc(m.Parts, func(p snapshot.PartEntry) bool { _, last := p.Births(); return r.in.eraOf(last) == i }) {
			continue
		}
		if at < 0 {
			return fmt.Errorf("%w: release %d does not list its eras", ErrView, r.from.Release())
		}
		era := before[at]
		if err := r.measure(&era, i); err != nil {
			return err
		}
		m.Eras, m.Records, m.Classes, m.Buckets = append(m.Eras, era), m.Records+era.Records, m.Classes+era.Classes, m.Buckets+era.Buckets
	}
	for _, b := range before {
		if !slices.ContainsFunc(r.in.Former, func(e Era) bool { return e.Until == b.Until }) {
			return fmt.Errorf("%w: it does not know an era of release %d", ErrView, r.from.Release())
		}
	}
	return nil
}

// measure says what is left of a former era, if something of it has left.
func (r *rendering) measure(e *snapshot.Era, at int) error {
	left := 0
	for _, g := range r.out.Next.sums {
		if g.granule.era == at {
			left += g.of.records
		}
	}
	if left == e.Records {
		return nil
	}
	src, _, err := r.era(at)
	if err != nil {
		return err
	}
	none, err := src.table(nil)
	if err != nil {
		return err
	}
	sums := r.out.Next.of(at, src)
	e.Records, e.Classes, e.Buckets = sums.records, sums.classes, sums.buckets()
	e.Quality, e.Privacy = sums.quality(none, src.k), sums.privacy(none, true, false)
	return nil
}
