package publish

import (
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot/render"
)

// Of returns what a view of the state shows.
func Of(v *incremental.View) *render.Input {
	return &render.Input{Release: v.Intent.Release, CreatedAt: v.Intent.CreatedAt, Seeded: v.Seeded, Shared: v.Level == state.L2,
		Grown: v.Grown, FirstNeed: v.FirstNeed, Pending: v.Intent.Pending.Total(), Schema: v.Schema, Dictionaries: v.Dictionaries,
		QI: v.QI, SA: v.SA, Scale: v.Scale, References: v.References, Classes: classesOf(v.Classes),
		Dead: classesOf(v.Dead), Since: v.Since, Stale: staleOf(v.Stale),
		Committed: &render.Committed{Cut: v.Intent.Cut, Records: v.Intent.Records, Classes: v.Intent.Classes,
			Algorithm: v.Intent.Algorithm, Digests: v.Intent.Digests}}
}

func staleOf(buckets map[state.BucketID]int) map[uint32]int {
	out := make(map[uint32]int, len(buckets))
	for b, n := range buckets {
		out[uint32(b)] = n
	}
	return out
}

func classesOf(views []state.ClassView) []render.Class {
	out := make([]render.Class, len(views))
	for i, c := range views {
		out[i] = render.Class{Born: c.Born, Died: c.Died, Bucket: uint32(c.Bucket), Members: c.Members}
	}
	return out
}
