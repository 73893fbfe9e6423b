package local

import (
	"slices"

	"anond/incremental/state"
)

// join lets flat births of this cut be cut anew together with the classes of
// their signature around them. Rules P (pure classes) and D (difference) make it
// safe: a flat birth is a flat set of newcomers, and it is not published yet.
func (r *regrouper) join(d *state.Decision) {
	births := d.Births
	d.Births = nil
	for _, b := range births {
		var best *regrouping
		if b.Regime == state.Pure && !r.made[b] {
			best = r.joined(b)
		}
		if best == nil {
			d.Births = append(d.Births, b)
			continue
		}
		r.apply(d, best)
	}
}

// joined returns the regrouping of a birth with the classes of its signature
// around it, nil if there are none or it does not pay.
func (r *regrouper) joined(b *state.Class) *regrouping {
	sig := r.records.Bag(b.Members).Signature()
	for _, old := range r.bySignature(r.place.Around(b.Members, r.policy.Neighbours)) {
		if slices.Equal(r.signatureOf(old[0]), sig) {
			return r.cut(&regrouping{signature: sig, old: old, new: b.Members, born: true})
		}
	}
	return nil
}
