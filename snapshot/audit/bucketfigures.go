package audit

import (
	"cmp"
	"slices"
)

// Buckets are the buckets of level L2, as the newest release shows them. They never
// change, so these are the buckets of all releases.
type Buckets struct {
	Buckets int `json:"buckets"`
	Classes int `json:"classes"`
	Largest int `json:"largest"` // records in the largest one
	Median  int `json:"median"`  // records in the bucket of the median person
	// TopShare is the largest share of one value in a bucket. By Theorem E it is the
	// largest probability of a person's value, given all releases.
	TopShare  float64 `json:"top_share"`
	AchievedL int     `json:"achieved_l"` // the largest l that all of them keep
}

// bucketFigures takes the figures of a release of level L2.
func bucketFigures(t *table) *Buckets {
	b := t.shared
	out := &Buckets{Buckets: b.m, Classes: t.m, TopShare: t.shared.mostShare()}
	if b.m == 0 {
		return out
	}
	bySize := slices.SortedFunc(slices.Values(ascending(b.m)), func(x, y int) int { return cmp.Compare(b.size[x], b.size[y]) })
	people := 0
	for _, i := range bySize {
		if people < (t.rows()+1)/2 {
			out.Median = int(b.size[i])
		}
		people += int(b.size[i])
		if n := int(b.size[i] / b.top[i]); out.AchievedL == 0 || n < out.AchievedL {
			out.AchievedL = n
		}
	}
	out.Largest = int(b.size[bySize[b.m-1]])
	return out
}

// bucket is the bag that the values of a class are in, at level L2 that of its
// bucket: distinct values, counts and size.
func (t *table) bucket(c int) (values, counts []uint32, size int) {
	if t.ownBags() {
		values, counts = new(scratchBag).of(t.bag(c))
		return values, counts, t.size(c)
	}
	b := t.shared
	i := b.rows(t, c)[0] - 1
	values, counts = b.entries(i)
	return values, counts, int(b.size[i])
}

// most is the count of the most frequent value of that bag, and its size.
func (t *table) most(c int) (top, size int) {
	if t.ownBags() {
		return int(t.top[c]), t.size(c)
	}
	b := t.shared
	i := b.rows(t, c)[0] - 1
	return int(b.top[i]), int(b.size[i])
}

// wholeBuckets reports that every class has one bag, its own or that of its bucket.
func (t *table) wholeBuckets() bool { return t.ownBags() || t.shared != nil }
