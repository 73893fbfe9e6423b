package topic

import (
	"fmt"
	"slices"
)

// dead compares the classes that died, as the topic tells it, with the manifest.
func (r *rebuilding) dead() error {
	died := map[string][]uint32{}
	for n := r.first; n <= r.release; n++ {
		if !r.listed(n, removedStream) {
			continue
		}
		err := r.each(n, removedStream, func(value []byte) error {
			d, err := decodeRemoved(value)
			if err == nil {
				died[d.Part] = append(died[d.Part], d.Class)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for i := range r.manifest.Parts {
		p := &r.manifest.Parts[i]
		var have []uint32
		before := uint32(0)
		for _, b := range r.pieces.Of(p) {
			slices.Sort(died[b.Part])
			for _, class := range died[b.Part] {
				have = append(have, before+class)
			}
			before += uint32(b.Classes)
		}
		if !slices.Equal(have, p.Dead) {
			return fmt.Errorf("%s: the topic removed other classes than the manifest says", p.Part)
		}
	}
	return nil
}
