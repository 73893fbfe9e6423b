package memstore

import (
	"maps"
	"slices"

	"anond/equivclass"
	"anond/incremental/state"
)

func (c *content) clone() content {
	out := content{guard: c.guard.Clone(), dictionary: slices.Clone(c.dictionary), intents: slices.Clone(c.intents),
		positions: slices.Clone(c.positions), attempts: slices.Clone(c.attempts), known: slices.Clone(c.known),
		due: c.due, journal: c.journal, ledger: c.ledger, stale: slices.Clone(c.stale), settling: maps.Clone(c.settling)}
	if c.meta != nil {
		out.meta = cloneMeta(c.meta)
	}
	if c.counters != nil {
		out.counters = cloneCounters(c.counters)
	}
	for _, b := range c.records {
		out.records = append(out.records, cloneBlock(b))
	}
	for _, x := range c.classes {
		out.classes = append(out.classes, cloneClass(x))
	}
	for _, list := range c.quarantine {
		out.quarantine = append(out.quarantine, slices.Clone(list))
	}
	for _, b := range c.born {
		out.born = append(out.born, cloneBorn(b))
	}
	for _, l := range c.letters {
		out.letters = append(out.letters, cloneLetter(l))
	}
	return out
}

func cloneMeta(m *state.Meta) *state.Meta {
	out := *m
	out.Settings, out.InitialEnds, out.Ends = maps.Clone(m.Settings), maps.Clone(m.InitialEnds), maps.Clone(m.Ends)
	out.Eras = slices.Clone(m.Eras)
	if of := m.Pools.Open; of != nil {
		out.Pools.Open = &state.Pool{SubPools: of.SubPools, Members: slices.Clone(of.Members)}
	}
	out.References = maps.Clone(m.References)
	for a, counts := range out.References {
		out.References[a] = slices.Clone(counts)
	}
	out.Read, out.Hierarchies = maps.Clone(m.Read), maps.Clone(m.Hierarchies)
	for a, versions := range out.Hierarchies {
		out.Hierarchies[a] = slices.Clone(versions)
	}
	return &out
}

func cloneBorn(b *state.Born) *state.Born {
	out := *b
	out.Counts = slices.Clone(b.Counts)
	for i := range out.Counts {
		out.Counts[i] = slices.Clone(out.Counts[i])
	}
	return &out
}

func cloneCounters(c *state.Counters) *state.Counters {
	out := *c
	out.Refused, out.Ignored, out.Replayed = maps.Clone(c.Refused), maps.Clone(c.Ignored), maps.Clone(c.Replayed)
	return &out
}

func cloneBlock(b *state.RecordBlock) *state.RecordBlock {
	out := *b
	out.Columns = make([][]equivclass.Code, len(b.Columns))
	for i := range b.Columns {
		out.Columns[i] = slices.Clone(b.Columns[i])
	}
	out.Subject, out.Stratum = slices.Clone(b.Subject), slices.Clone(b.Stratum)
	out.Origin, out.Offset, out.Window = slices.Clone(b.Origin), slices.Clone(b.Offset), slices.Clone(b.Window)
	return &out
}

func cloneClass(c *state.Class) *state.Class {
	out := *c
	out.Members = slices.Clone(c.Members)
	return &out
}

func cloneLetter(l state.DeadLetter) state.DeadLetter {
	l.Payload = slices.Clone(l.Payload)
	return l
}
