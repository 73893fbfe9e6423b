package boltstore

import (
	"anond/equivclass"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// The second reader of blocks, of lists of ids and of the large values of the head.

// number is a record, class or release as a sum of distances.
func number(n int64) uint32 {
	demand(n >= 0 && n < 1<<32)
	return uint32(n)
}

func plainDeaths(p plain) []state.Death {
	out := make([]state.Death, p.things())
	id, release := int64(0), int64(0)
	for i := range out {
		id += p.i()
		release += p.i()
		out[i] = state.Death{ID: state.ClassID(number(id)), Release: number(release)}
	}
	return out
}

func plainIDs[ID ~uint32](p plain) []ID {
	out := make([]ID, p.things())
	sum := int64(0)
	for i := range out {
		sum += p.i()
		out[i] = ID(number(sum))
	}
	return out
}

func plainRecords(p plain) *recordBlock {
	n, columns, subjects, strata := int(p.below(maxBlock+1)), int(p.below(maxColumns+1)), p.flag(), p.flag()
	demand(n > 0)
	b := &recordBlock{first: 7, columns: make([][]equivclass.Code, columns), runs: plainRuns(p, n)}
	for i := range b.columns {
		b.columns[i] = as[equivclass.Code](p.packed(n))
	}
	b.origin = as[uint16](p.packed(n))
	expected := map[uint16]int64{}
	for _, o := range b.origin {
		at := expected[o] + p.i()
		expected[o] = at + 1
		b.offset = append(b.offset, at)
	}
	if strata {
		b.stratum = as[settle.Stratum](p.packed(n))
		until, first := int64(0), int64(0) // of the one before: its end, and how long before that its first record came
		for _, s := range b.stratum {
			demand(s&15 > 0 && s < 128)
		}
		for _, s := range b.stratum {
			until += p.i()
			w := settle.Window{Until: until}
			for at := until - first; len(w.At) < int(s&15); {
				at += p.i()
				w.At = append(w.At, at)
			}
			first = until - w.At[0]
			b.window = append(b.window, w)
		}
	}
	if subjects {
		for range n {
			s := uint64(0)
			for i, part := range p.raw(8) {
				s += uint64(part) << (8 * i)
			}
			b.subject = append(b.subject, s)
		}
	}
	return b
}

func plainRuns(p plain, n int) []tickRun {
	runs := make([]tickRun, p.things())
	tick, covered := int64(0), 0
	for i := range runs {
		runs[i].length = int(p.below(maxBlock + 1))
		tick += p.i()
		runs[i].tick = tick
		covered += runs[i].length
		demand(runs[i].length > 0)
	}
	demand(covered == n)
	return runs
}

func plainClasses(p plain) *classBlock {
	n := int(p.below(maxBlock + 1))
	demand(n > 0)
	regimes, born := as[state.Regime](p.packed(n)), as[uint32](p.packed(n))
	regroups, sizes := as[uint16](p.packed(n)), as[uint32](p.packed(n))
	b := &classBlock{first: 7}
	first := int64(0) // of the class before
	for i := range n {
		demand(sizes[i] > 0 && (regimes[i] == state.Frozen || regimes[i] == state.Pure))
		first += p.i()
		members := []state.RecordID{state.RecordID(number(first))}
		for at := first; len(members) < int(sizes[i]); {
			at += 1 + int64(p.below(1<<32))
			members = append(members, state.RecordID(number(at)))
		}
		b.classes = append(b.classes, &state.Class{ID: state.ClassID(7 + i), Regime: regimes[i], Born: born[i],
			Regroups: regroups[i], Members: members})
	}
	if p.r.Len() > 0 {
		for i, bucket := range as[state.BucketID](p.packed(n)) {
			b.classes[i].Bucket = bucket
		}
	}
	return b
}

func plainIntent(p plain) state.Intent {
	i := state.Intent{Cut: state.RecordID(p.below(1 << 32)), CreatedAt: p.i(), Policy: p.sha()}
	i.Records, i.Classes, i.Newcomers = int(p.i()), int(p.i()), int(p.i())
	i.Pending = state.Pending{Waiting: int(p.i()), Settling: int(p.i()), Quarantined: int(p.i()), Infeasible: int(p.i())}
	i.Algorithm, i.Digests = uint32(p.below(1<<32)), int(p.below(1<<53))
	i.Stale, i.Expired = int(p.below(1<<32)), uint32(p.below(1<<32))
	i.Published, i.Manifest = p.flag(), p.sha()
	return i
}

func plainMeta(p plain) (m state.Meta) {
	partitions := func() map[state.Partition]int64 {
		return entries(p, func() (state.Partition, int64) { return plainPartition(p), p.i() })
	}
	m.Settings = entries(p, func() (string, [32]byte) { return p.text(), p.sha() })
	for range p.things() {
		e := state.Era{Release: uint32(p.below(1 << 32)), Attempt: uint32(p.below(1 << 32)), Records: state.RecordID(p.below(1 << 32)),
			Grown: p.flag(), Arrival: p.flag()}
		e.Ends = partitions()
		for range p.things() {
			e.Scale = append(e.Scale, equivclass.Range{Lo: p.i(), Hi: p.i()})
		}
		e.Config = []byte(p.text())
		m.Eras = append(m.Eras, e)
	}
	m.Seed, m.Seeded = p.sha(), p.flag()
	m.InitialEnds, m.InitialDone = partitions(), p.flag()
	m.Tick, m.CutTick, m.LastCut = p.i(), p.i(), state.RecordID(p.below(1<<32))
	m.CutRead, m.Ends = p.u(), partitions()
	m.References = entries(p, func() (int, []equivclass.Count) {
		attribute, counts := int(p.below(1<<31)), make([]equivclass.Count, p.things())
		for i := range counts {
			counts[i] = equivclass.Count{Code: equivclass.Code(p.below(1 << 32)), N: int(p.below(1 << 53))}
		}
		return attribute, counts
	})
	m.Read = partitions()
	m.Hierarchies = entries(p, func() (int, []state.HierarchyVersion) {
		attribute, versions := int(p.below(1<<31)), make([]state.HierarchyVersion, p.things())
		for i := range versions {
			versions[i] = state.HierarchyVersion{SHA256: p.sha(), Leaves: uint32(p.below(1 << 32)),
				Records: state.RecordID(p.below(1 << 32)), Release: uint32(p.below(1 << 32))}
		}
		return attribute, versions
	})
	m.Removed, m.Epoch = uint32(p.below(1<<32)), uint32(p.below(1<<32))
	for range p.things() {
		m.Scale = append(m.Scale, equivclass.Range{Lo: p.i(), Hi: p.i()})
	}
	m.Pools.Fixed, m.Pools.Need, m.Pools.First = p.u(), int(p.below(1<<32)), int(p.below(1<<32))
	m.Pools.Turn = settle.Stratum(p.below(1 << 8))
	m.Pools.Refused, m.Pools.Grown = p.flag(), p.flag()
	if p.r.Len() > 0 {
		m.Pools.Open = &state.Pool{SubPools: int(p.below(1 << 32)), Members: plainIDs[state.RecordID](p)}
	}
	return m
}
