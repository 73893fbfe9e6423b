package union

import (
	"cmp"
	"fmt"
	"slices"

	"anond/snapshot"
)

// compose makes the manifest of a union from its intent and the releases that the intent
// names, in order of shard.
//
// Rule A (frozen) and rule P (pure) hold for each shard's classes alone, and no class has
// people of two shards: so counts add up, and the union reaches the least of what its
// shards reach (docs/PROOFS.md, Corollary U).
func compose(i *intent, shards []shardRelease, settings string) *snapshot.Manifest {
	first := shards[0].manifest
	m := &snapshot.Manifest{FormatVersion: snapshot.FormatVersion, Dataset: first.Dataset, Release: i.Release, CreatedAt: i.CreatedAt,
		Schema: first.Schema, Policy: first.Policy, Recoding: first.Recoding, Values: first.Values, Tables: first.Tables,
		Previous: i.Previous, Window: first.Window, Erasure: first.Erasure,
		Union: &snapshot.UnionEntry{Of: i.Of, Settings: settings, Shards: make([]snapshot.ShardEntry, i.Of)}}
	for n := range m.Union.Shards {
		m.Union.Shards[n].Shard = n
	}
	for n := range shards {
		take(m, &shards[n])
	}
	m.Union.Root = snapshot.RootOf(m.Union.Shards)
	m.Quality = unionQuality(shards, m)
	m.Privacy = unionPrivacy(shards)
	return m
}

// take adds a shard. Its parts are those behind its own watermark: what has left it has left the union with its next release.
func take(m *snapshot.Manifest, s *shardRelease) {
	of := s.manifest
	m.Union.Shards[s.shard] = snapshot.ShardEntry{Shard: s.shard, Release: of.Release, SHA256: s.sum, CreatedAt: of.CreatedAt,
		Records: of.Records, Classes: of.Classes, Buckets: of.Buckets, Pending: of.Pending, Expired: of.Expired, PeopleEver: of.PeopleEver}
	m.Records += of.Records
	m.Classes += of.Classes
	m.Buckets += of.Buckets
	m.Pending += of.Pending
	m.PeopleEver += of.PeopleEver
	m.Seeded = m.Seeded || of.Seeded
	for _, p := range of.Parts {
		shard := s.shard
		p.Shard = &shard
		m.Parts = append(m.Parts, p)
	}
}

// unionQuality adds up what can be added up. The losses are the means of the shards',
// weighted by records: each is over the domain that the shard's own cells span. The
// bucket of the median person does not follow from those of the shards, and is left out.
func unionQuality(shards []shardRelease, m *snapshot.Manifest) snapshot.Quality {
	var q snapshot.Quality
	for i := range shards {
		of := shards[i].manifest
		q.CDM += of.Quality.CDM
		q.CMDM += of.Quality.CMDM
		q.NCP += of.Quality.NCP * float64(of.Records)
		q.BoxNCP += of.Quality.BoxNCP * float64(of.Records)
	}
	records := float64(max(1, m.Records))
	q.NCP, q.BoxNCP = snapshot.Round6(q.NCP/records), snapshot.Round6(q.BoxNCP/records)
	q.CAvg = snapshot.Round6(float64(m.Records) / float64(max(1, m.Classes)) / float64(max(1, m.Policy.K)))
	return q
}

// levelsClaimed are the claims, the least first.
var levelsClaimed = []string{snapshot.LevelL0L1, snapshot.LevelL0L1L2}

// unionPrivacy is the least of what the shards reach. A shard that shows nobody, since all have left, has no class.
func unionPrivacy(shards []shardRelease) snapshot.Privacy {
	out := shards[0].manifest.Privacy
	for i := range shards[1:] {
		p := shards[i+1].manifest.Privacy
		if p.KMin > 0 {
			out.KMin = min(cmp.Or(out.KMin, p.KMin), p.KMin)
		}
		out.MaxFrequency = max(out.MaxFrequency, p.MaxFrequency)
		out.Grown = out.Grown || p.Grown
		out.Attributes = snapshot.Worst(out.Attributes, p.Attributes)
		if p.Certificate != out.Certificate {
			out.Certificate = snapshot.CertificateBoth
		}
		if slices.Index(levelsClaimed, p.Level) < slices.Index(levelsClaimed, out.Level) {
			out.Level = p.Level
		}
	}
	return out
}

// unitable demands releases that one manifest can describe.
func unitable(shards []shardRelease) (settings string, err error) {
	seen := map[string]int{}
	for i := range shards {
		// As when a volume is mounted twice: everybody would be there twice.
		if other, twice := seen[shards[i].sum]; twice {
			return "", fmt.Errorf("%w: shards %d and %d have the same release: they are one chain", ErrShards, other, shards[i].shard)
		}
		seen[shards[i].sum] = shards[i].shard
		p := &shards[i].manifest.Privacy
		if first := &shards[0].manifest.Privacy; p.Settle != first.Settle || p.Updates != first.Updates || p.MaxRecords != first.MaxRecords {
			return "", fmt.Errorf("%w: shard %d observes people in another way than shard %d: subject.settle, subject.updates "+
				"or subject.max_records differs", ErrShards, shards[i].shard, shards[0].shard)
		}
		if !slices.Contains(levelsClaimed, p.Level) || p.K1 != shards[0].manifest.Privacy.K1 {
			return "", fmt.Errorf("%w: shard %d claims what no union can: its manifest names level %q and k1 %q", ErrShards,
				shards[i].shard, p.Level, p.K1)
		}
	}
	return sameSettings(shards)
}
