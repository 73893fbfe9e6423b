package format

import (
	"slices"
	"time"
)

// Erasure is when buckets leave whose people asked to be erased (rule W, what may leave): with the first release of a period.
type Erasure struct {
	Every int64 `json:"every"` // seconds
	Count int   `json:"count"` // requests, at least
}

// Withdraws reports that buckets have left parts of the release.
func (m *Manifest) Withdraws() bool { return m.withdrawn() > 0 }

// loses reports that somebody may leave the releases: a release is made, too, when somebody leaves, and may have no births.
func (m *Manifest) loses() bool { return m.Window != "" || m.Erasure != nil }

// withdrawn is how many buckets have left parts of the release.
func (m *Manifest) withdrawn() (n int) {
	for i := range m.Parts {
		n += len(m.Parts[i].Withdrawn)
	}
	return n
}

// checkWithdrawn tests the list of withdrawn buckets of a part by itself.
func checkWithdrawn(man *Manifest, p *Part, f *Faults) {
	wrong := 0
	for i, n := range p.Withdrawn {
		if !man.AtL2() || man.Erasure == nil || n > p.Buckets || i > 0 && n <= p.Withdrawn[i-1] {
			wrong++
		}
	}
	f.AddN("W", KindWithdrawn, man.Release, 0, "withdrawn",
		"the list of withdrawn buckets is not ascending, names buckets that the part never had, or nothing may leave", wrong)
}

// newlyWithdrawn are the buckets of a part of the release before that its list of now has in addition. None comes back.
func newlyWithdrawn(before, now []int, release int, f *Faults) (gone []int) {
	for _, n := range now {
		if _, left := slices.BinarySearch(before, n); !left {
			gone = append(gone, n)
		}
	}
	back := 0
	for _, n := range before {
		if _, left := slices.BinarySearch(now, n); !left {
			back++
		}
	}
	f.AddN("W", KindWithdrawnBack, release, 0, "withdrawn", "a bucket that was withdrawn is there again", back)
	return gone
}

// checkErasure tests that a release may withdraw buckets: it is the first of its period.
func checkErasure(before, after *Manifest, f *Faults) {
	then, err := time.Parse(time.RFC3339, before.CreatedAt)
	now, err2 := time.Parse(time.RFC3339, after.CreatedAt)
	if e := after.Erasure; err != nil || err2 != nil || e == nil || e.Every < 1 || now.Unix()/e.Every <= then.Unix()/e.Every {
		f.Add("W", KindErasureTime, after.Release, 0, "withdrawn", "buckets leave with a release that is not the first of its period")
	}
}
