package audit

import (
	"slices"
	"strconv"
	"time"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// checkUnionRelease tests a release of a union by itself and against the one before,
// which may be nil: the vector, the manifests of the shards, the sums, and the list of
// parts. Files are tested apart.
func checkUnionRelease(before, r *unionRelease, f *format.Faults) {
	u := r.man.Union
	if u.RootOf() != u.Root {
		f.Add("chain", format.KindVectorRoot, r.number, 0, "union.root", "the root is not the hash of the vector")
	}
	checkVector(before, r, f)
	for i := range u.Shards {
		s := &u.Shards[i]
		f.Of(s.Shard, func() { checkShardOf(r, s, f) })
	}
	if r.settings != u.Settings {
		f.Add("chain", format.KindShardSettings, r.number, 0, "union.settings", "the union declares other settings than it says its shards have")
	}
	if len(r.gone) > 0 {
		return
	}
	checkUnionSums(r, f)
	checkUnionClaims(r, f)
	checkUnionParts(r, f)
}

// checkVector tests that each shard is there once, and that none goes back.
func checkVector(before, r *unionRelease, f *format.Faults) {
	u := r.man.Union
	malformed, chains := len(u.Shards) != u.Of, map[string]bool{}
	for i, s := range u.Shards {
		malformed = malformed || s.Shard != i
		if s.Release > 0 && chains[s.SHA256] {
			f.Add("S", format.KindSourceShards, r.number, 0, "union.shards", "two shards have the same manifest: they are one chain")
		}
		chains[s.SHA256] = true
	}
	if malformed {
		f.Add("chain", format.KindVectorShape, r.number, 0, "union.shards", "the vector does not have each shard once, in order")
	}
	if before == nil {
		return
	}
	if before.man.Union.Of != u.Of {
		f.Add("chain", format.KindContractChanged, r.number, 0, "union.of", "the field differs from the release before")
	}
	moved := false
	for i, s := range u.Shards[:min(len(u.Shards), len(before.man.Union.Shards))] {
		was := before.man.Union.Shards[i]
		f.Of(s.Shard, func() {
			switch {
			case s.Release < was.Release:
				f.Add("chain", format.KindVectorBack, r.number, 0, "union.shards", "the union goes back to an older release of the shard")
			case s.Release == was.Release && s.SHA256 != was.SHA256:
				f.Add("F", format.KindVectorBack, r.number, 0, "union.shards", "the release of the shard is another one than in the release before")
			case s.Expired < was.Expired:
				f.Add("W", format.KindExpiredFalls, r.number, 0, "union.shards", "what had left in the release before has not left in this one")
			case s.PeopleEver < was.PeopleEver:
				f.Add("W", format.KindPeopleEver, r.number, 0, "union.shards", "fewer people were ever published than in the release before")
			}
		})
		moved = moved || s.Release > was.Release
	}
	if !moved {
		f.Add("chain", format.KindVectorShape, r.number, 0, "union.shards", "no shard has a newer release than in the release before")
	}
	a, errA := time.Parse(time.RFC3339, before.man.CreatedAt)
	b, errB := time.Parse(time.RFC3339, r.man.CreatedAt)
	if errA == nil && errB == nil && b.Before(a) {
		f.Add("chain", format.KindTimeBack, r.number, 0, "created_at", "the release is older than the one before")
	}
}

// checkShardOf holds an entry of the vector against the manifest that lies in the release.
func checkShardOf(r *unionRelease, s *format.UnionShard, f *format.Faults) {
	have := r.shards[s.Shard]
	if s.Release == 0 {
		if *s != (format.UnionShard{Shard: s.Shard}) {
			f.Add("claim", format.KindUnionSum, r.number, 0, "union.shards", "a shard without a release has counts")
		}
		return
	}
	if have == nil && r.gone[s.Shard] {
		return
	}
	if have == nil {
		f.Add("files", format.KindShardManifest, r.number, 0, "manifest.json", "the manifest of the shard is not in the release")
		return
	}
	m := have.man
	if m.Sha != s.SHA256 || m.Release != s.Release {
		f.Add("files", format.KindShardManifest, r.number, 0, "manifest.json", "the manifest of the shard is not the one that the vector names")
	}
	if have.settings != r.man.Union.Settings {
		f.Add("chain", format.KindShardSettings, r.number, 0, "union.settings", "the shard declares other settings than the union says")
	}
	if m.Records != s.Records || m.Classes != s.Classes || m.Buckets != s.Buckets || m.Pending != s.Pending || m.CreatedAt != s.CreatedAt ||
		m.Expired != s.Expired || m.PeopleEver != s.PeopleEver {
		f.Add("claim", format.KindUnionSum, r.number, 0, "union.shards", "the counts of a shard are not those of its manifest")
	}
}

// checkUnionSums adds up what the shards count.
func checkUnionSums(r *unionRelease, f *format.Faults) {
	var records, classes, buckets, pending, ever int
	for _, s := range r.shards {
		records += s.man.Records
		classes += s.man.Classes
		buckets += s.man.Buckets
		pending += s.man.Pending
		ever += s.man.PeopleEver
	}
	for _, c := range []struct {
		field     string
		said, sum int
	}{{"records", r.man.Records, records}, {"classes", r.man.Classes, classes}, {"buckets", r.man.Buckets, buckets},
		{"pending", r.man.Pending, pending}, {"people_ever", r.man.PeopleEver, ever}} {
		if c.said != c.sum {
			f.Add("claim", format.KindUnionSum, r.number, 0, c.field, "the number is not the sum of the shards'")
		}
	}
}

// checkUnionClaims tests that a union claims the least that its shards claim.
func checkUnionClaims(r *unionRelease, f *format.Faults) {
	order := []string{"none", "rows", format.LevelAssignments, format.LevelProgram}
	least, kMin, freq, certificate, reach := len(order), 0, 0.0, "", table.Reach(nil)
	seeded, grown, k1 := false, false, true
	for _, s := range r.shards {
		p := s.man.Privacy
		least = min(least, slices.Index(order, p.Level))
		if kMin == 0 || p.KMin > 0 && p.KMin < kMin { // a shard may show nobody: all have left
			kMin = p.KMin
		}
		freq, reach = max(freq, p.MaxFrequency), reach.Worse(p.Attributes)
		if certificate == "" {
			certificate = p.Certificate
		}
		if certificate != p.Certificate {
			certificate = "frozen+pure"
		}
		seeded, grown, k1 = seeded || s.man.Seeded, grown || p.Grown, k1 && p.K1 == r.man.Privacy.K1
	}
	p := r.man.Privacy
	untrue := func(field string, wrong bool) {
		if wrong {
			f.Add("claim", format.KindClaimFalse, r.number, 0, field, "the union claims something else than the least that its shards claim")
		}
	}
	untrue("privacy.level", least < 0 || least == len(order) || p.Level != order[max(0, min(least, len(order)-1))])
	untrue("privacy.k_min", p.KMin != kMin)
	untrue("privacy.max_frequency", p.MaxFrequency != freq)
	untrue("privacy.attributes", !slices.Equal(p.Attributes, reach))
	untrue("privacy.certificate", p.Certificate != certificate)
	untrue("privacy.grown", p.Grown != grown)
	untrue("privacy.k1", !k1)
	for _, s := range r.shards { // as all other settings
		untrue("privacy.settle", s.man.Privacy.Settle != p.Settle || s.man.Privacy.Updates != p.Updates)
		untrue("privacy.max_records", s.man.Privacy.MaxRecords != p.MaxRecords)
	}
	untrue("seeded", r.man.Seeded != seeded)
	untrue("privacy.k_min", p.KMin < r.man.Policy.K && r.man.Records > 0)
	untrue("privacy.max_frequency", !r.man.AtL2() && p.Level != "rows" && p.MaxFrequency*float64(r.man.Policy.L) > 1+1e-9)
	untrue("privacy.attributes", slices.ContainsFunc(p.Attributes, func(a format.AttributePrivacy) bool {
		return a.Cap.Worse(a.TopShare) != a.Cap
	}))
}

// checkUnionParts tests that the parts are those of the shards' manifests, shard by shard, and behind the watermark of each.
func checkUnionParts(r *unionRelease, f *format.Faults) {
	for i := range r.man.Parts {
		p := &r.man.Parts[i]
		for _, s := range r.man.Union.Shards {
			if born, _ := format.ParsePartName(p.Name); s.Shard == *p.Shard && born.First <= s.Expired {
				f.Of(s.Shard, func() {
					f.Add("W", format.KindExpiredLinked, r.number, 0, "parts", "a part is shown whose births have left")
				})
			}
		}
	}
	at := 0
	for _, s := range r.man.Union.Shards {
		have := r.shards[s.Shard]
		if have == nil {
			continue
		}
		for i := range have.man.Parts {
			want := &have.man.Parts[i]
			if at >= len(r.man.Parts) {
				f.Of(s.Shard, func() {
					f.Add("N", format.KindShardPart, r.number, 0, "parts", "a part of the shard is not in the union: its rows are missing")
				})
				continue
			}
			got := &r.man.Parts[at]
			at++
			if *got.Shard != s.Shard || !samePart(got, want) {
				f.Of(s.Shard, func() {
					f.Add("A", format.KindShardPart, r.number, 0, "parts",
						"a part is not the one of the shard's manifest: part "+strconv.Itoa(at)+" of the list")
				})
			}
		}
	}
	f.AddN("F", format.KindShardPart, r.number, 0, "parts", "the union has parts that no shard of its vector has", len(r.man.Parts)-at)
}

// samePart compares all that two manifests say of a part.
func samePart(a, b *format.Part) bool {
	return a.Name == b.Name && a.Release == b.Release && a.Classes == b.Classes && a.Rows == b.Rows && a.Mode == b.Mode &&
		slices.Equal(a.Files, b.Files) && slices.Equal(a.Dead, b.Dead) && slices.Equal(a.Replaces, b.Replaces) &&
		slices.Equal(a.Stale, b.Stale) && slices.Equal(a.Withdrawn, b.Withdrawn)
}
