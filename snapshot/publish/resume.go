package publish

import (
	"fmt"

	"anond/snapshot"
	"anond/snapshot/render"
)

// Resume puts the publisher behind the newest published release, whose whole
// history the input shows: the next Publish needs what is new alone. It returns
// who is in which class of each part, for the gate.
func (p *Publisher) Resume(in *render.Input, s *render.Settings) ([]render.Placement, error) {
	m, sum, err := snapshot.ReadManifest(p.FS, p.Dir, in.Release)
	if err != nil {
		return nil, err
	}
	if p.at == nil {
		p.at = &place{}
	}
	if p.at.Carried, err = render.CarriedFrom(in, s, m, sum); err != nil {
		return nil, err
	}
	return p.at.TakePlaced(), nil
}

// before finds what rendering must know of the release before: carried, or
// counted anew from the input's history.
func (b *publication) before() error {
	if b.release <= 1 {
		b.from = render.NewCarried()
		return nil
	}
	m, sum, err := snapshot.ReadManifest(b.FS, b.Dir, b.release-1)
	if err != nil {
		return err
	}
	if b.at != nil && b.at.Carried != nil && b.at.Release() == b.release-1 {
		if b.from = b.at.Carried; b.from.Sha256 != sum {
			return fmt.Errorf("%w: the manifest of release %d is not the one that was published", snapshot.ErrDamaged, b.release-1)
		}
		return nil
	}
	if b.input.Since > 0 {
		return fmt.Errorf("%w: release %d was not published by this process, and the view holds what is new alone", render.ErrView, b.release-1)
	}
	b.from, err = render.CarriedFrom(b.input.Before(), b.settings, m, sum)
	return err
}

// Sizes returns those of the newest release that this publisher published or resumed.
// It must not be called next to Publish or Resume.
func (p *Publisher) Sizes() snapshot.Sizes {
	if p.at == nil || p.at.Carried == nil {
		return snapshot.Sizes{}
	}
	return p.at.Sizes()
}
