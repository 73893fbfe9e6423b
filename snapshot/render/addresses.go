package render

import (
	"cmp"
	"fmt"
	"slices"

	"anond/snapshot"
)

// addresses find buckets of level L2 in the parts: where the state's numbers are there. Memory: 8 bytes a bucket.
type addresses struct {
	born, number []uint32 // by bucket: the release that gave birth to it, and its number among those that are numbered with it
	below        []uint32 // by release: how many buckets parts hold of births up to it
}

func newAddresses() *addresses { return &addresses{below: []uint32{0}} }

func (a *addresses) clone() *addresses {
	return &addresses{slices.Clone(a.born), slices.Clone(a.number), slices.Clone(a.below)}
}

// reach counts the buckets up to a release like those before it.
func (a *addresses) reach(release uint32) {
	for uint32(len(a.below)) <= release {
		a.below = append(a.below, a.below[len(a.below)-1])
	}
}

// add takes in the buckets that were born in a release, of their table.
func (a *addresses) add(t *table, release uint32) {
	a.reach(release)
	for _, b := range t.shared {
		id := int(b.classes[0].given)
		if n := id + 1 - len(a.number); n > 0 {
			a.born, a.number = append(a.born, make([]uint32, n)...), append(a.number, make([]uint32, n)...)
		}
		a.born[id], a.number[id] = release, uint32(b.number)
	}
	a.below[release] = a.below[release-1] + uint32(len(t.shared))
}

// find returns the place of a bucket's part, and its number there.
func (a *addresses) find(parts []snapshot.PartEntry, bucket uint32) (part int, number uint32, ok bool) {
	if int(bucket) >= len(a.number) || a.number[bucket] == 0 {
		return 0, 0, false
	}
	born := a.born[bucket]
	for i := range parts {
		if from, to := parts[i].Births(); born >= from && born <= to {
			return i, a.below[born-1] - a.below[from-1] + a.number[bucket], true
		}
	}
	return 0, 0, false
}

// outdate says in the entries of parts how many people of their buckets are stale.
func (r *rendering) outdate() error {
	parts := r.out.Manifest.Parts
	for i := range parts {
		parts[i].Stale = nil
	}
	for bucket, people := range r.in.Stale {
		at, number, ok := r.out.Next.addresses.find(parts, bucket)
		if !ok {
			return fmt.Errorf("%w: people of a bucket are stale that is in no part", ErrView)
		}
		parts[at].Stale = append(parts[at].Stale, [2]uint32{number, uint32(people)})
	}
	for i := range parts {
		slices.SortFunc(parts[i].Stale, func(a, b [2]uint32) int { return cmp.Compare(a[0], b[0]) })
	}
	return nil
}
