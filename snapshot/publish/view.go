package publish

import (
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot/render"
)

// Of returns what a view of the state shows. The settings of former eras, oldest first, are those under which their releases were made.
func Of(v *incremental.View, settings ...*render.Settings) *render.Input {
	var former []render.Era
	for i, f := range v.Former {
		former = append(former, render.Era{Until: f.Until, Settings: settings[i],
			Columns: render.Columns{Schema: f.Schema, Dictionaries: f.Dictionaries, QI: f.QI, SA: f.SA, Scale: f.Scale,
				References: f.References}})
	}
	return &render.Input{Former: former, Release: v.Intent.Release, CreatedAt: v.Intent.CreatedAt, Seeded: v.Seeded,
		Shared: v.Level == state.L2,
		Grown:  v.Grown, FirstNeed: v.FirstNeed, Pending: v.Intent.Pending.Total(),
		Columns: render.Columns{Schema: v.Schema, Dictionaries: v.Dictionaries, QI: v.QI, SA: v.SA, Scale: v.Scale, References: v.References},
		Classes: classesOf(v, v.Classes),
		Dead:    classesOf(v, v.Dead), Since: v.Since, Stale: staleOf(v.Stale), Expired: v.Intent.Expired, Past: pastOf(v),
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

// pastOf is what the parts of releases depend on; nil: a view of no chain, or of level L1, where each release has births, of
// newcomers or of classes that are regrouped.
func pastOf(v *incremental.View) func(release uint32) render.Past {
	if len(v.Intents) == 0 || v.Level != state.L2 {
		return nil
	}
	return func(release uint32) render.Past {
		i := &v.Intents[release-1]
		return render.Past{CreatedAt: i.CreatedAt, Expired: i.Expired, Births: i.Newcomers > 0}
	}
}

func classesOf(v *incremental.View, views []state.ClassView) []render.Class {
	out := make([]render.Class, len(views))
	for i, c := range views {
		out[i] = render.Class{Born: c.Born, Died: c.Died, Bucket: uint32(c.Bucket), Members: c.Members}
		if len(c.Members) > 0 { // render refuses a class without members
			out[i].Stratum = v.StratumOf(c.Members[0])
		}
	}
	return out
}
