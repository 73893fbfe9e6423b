package snapshot

import (
	"fmt"
)

// Resume puts the publisher behind the newest published release, whose whole
// history the input shows: the next Publish needs what is new alone. It returns
// who is in which class of each part, for the gate.
func (p *Publisher) Resume(in *Input, s *Settings) ([]Placement, error) {
	m, sum, err := readManifest(p.FS, p.Dir, in.Release)
	if err != nil {
		return nil, err
	}
	if p.at == nil {
		p.at = &place{}
	}
	if p.at.standing, err = standingOf(in, s, m, sum); err != nil {
		return nil, err
	}
	return p.at.takePlaced(), nil
}

// before finds what rendering must know of the release before: carried, or
// counted anew from the input's history.
func (b *publication) before() error {
	if b.release <= 1 {
		b.from = newStanding()
		return nil
	}
	m, sum, err := readManifest(b.FS, b.Dir, b.release-1)
	if err != nil {
		return err
	}
	if b.at != nil && b.at.standing != nil && b.at.release() == b.release-1 {
		if b.from = b.at.standing; b.from.sha256 != sum {
			return fmt.Errorf("%w: the manifest of release %d is not the one that was published", ErrDamaged, b.release-1)
		}
		return nil
	}
	if b.input.Since > 0 {
		return fmt.Errorf("%w: release %d was not published by this process, and the view holds what is new alone", ErrView, b.release-1)
	}
	b.from, err = standingOf(b.input.before(), b.settings, m, sum)
	return err
}

// Sizes returns those of the newest release that this publisher published or resumed.
// It must not be called next to Publish or Resume.
func (p *Publisher) Sizes() Sizes {
	if p.at == nil || p.at.standing == nil {
		return Sizes{}
	}
	return p.at.sizes()
}
