package snapshot

import "anond/incremental"

// Of returns what a view of the state shows.
func Of(v *incremental.View) *Input {
	return &Input{Release: v.Intent.Release, CreatedAt: v.Intent.CreatedAt, Seeded: v.Seeded, Shared: v.Level == incremental.L2,
		Grown: v.Grown, FirstNeed: v.FirstNeed, Pending: v.Intent.Pending.Total(), Schema: v.Schema, Dictionaries: v.Dictionaries, QI: v.QI, SA: v.SA, Scale: v.Scale,
		References: v.References, Classes: classesOf(v.Classes), Dead: classesOf(v.Dead), Since: v.Since,
		Committed: &Committed{Cut: v.Intent.Cut, Records: v.Intent.Records, Classes: v.Intent.Classes}}
}

func classesOf(views []incremental.ClassView) []Class {
	out := make([]Class, len(views))
	for i, c := range views {
		out[i] = Class{Born: c.Born, Died: c.Died, Bucket: uint32(c.Bucket), Members: c.Members}
	}
	return out
}
