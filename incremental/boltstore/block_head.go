package boltstore

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"anond/equivclass"
	"anond/incremental/state"
)

// ends counts what the file holds. It is written in every transaction, so that a
// missing key is noticed, and an opened store knows where to go on without reading the
// rest.
type ends struct {
	dictionary uint64 // entries
	records    uint64
	classes    uint64
	deaths     uint64
	pure       uint64 // declarations
	quarantine uint64 // records
	intents    uint64
	positions  uint64
	letter     uint64 // newest sequence number
	waiting    uint64 // dead letters not delivered
	attempts   uint64
	barred     uint64 // people
}

func (e *ends) fields() []*uint64 {
	return []*uint64{&e.dictionary, &e.records, &e.classes, &e.deaths, &e.pure, &e.quarantine, &e.intents, &e.positions, &e.letter, &e.waiting,
		&e.attempts, &e.barred}
}

func (e *ends) encode() []byte {
	var out []byte
	for _, f := range e.fields() {
		out = binary.AppendUvarint(out, *f)
	}
	return out
}

func decodeEnds(content []byte) (ends, error) {
	var e ends
	r := &reader{b: content}
	for _, f := range e.fields() {
		*f = r.uvarint()
	}
	if e.records > maxRecord || e.classes > maxRecord {
		r.fail()
	}
	return e, r.done()
}

// A map is written as its length plus one and its entries in order of key; nil
// is 0, as nil and empty may differ in meaning.
func appendMap[K comparable, V any](out []byte, m map[K]V, order func(a, b K) int, entry func([]byte, K, V) []byte) []byte {
	if m == nil {
		return append(out, 0)
	}
	out = binary.AppendUvarint(out, uint64(len(m))+1)
	for _, k := range slices.SortedFunc(maps.Keys(m), order) {
		out = entry(out, k, m[k])
	}
	return out
}

func readMap[K comparable, V any](r *reader, entry func(*reader) (K, V)) map[K]V {
	n := r.count(len(r.b) + 1)
	if n == 0 {
		return nil
	}
	m := make(map[K]V, n-1)
	for range n - 1 {
		k, v := entry(r)
		m[k] = v
	}
	if len(m) != n-1 {
		r.fail()
	}
	return m
}

func encodeMeta(m *state.Meta) []byte {
	out := appendMap(nil, m.Settings, cmp.Compare, func(b []byte, k string, v [32]byte) []byte {
		return append(appendText(b, k), v[:]...)
	})
	out = append(out, m.Seed[:]...)
	out = appendFlag(out, m.Seeded)
	out = appendMap(out, m.InitialEnds, comparePartitions, appendOffset)
	out = appendFlag(out, m.InitialDone)
	out = binary.AppendVarint(out, m.Tick)
	out = binary.AppendVarint(out, m.CutTick)
	out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(m.LastCut)), m.CutRead)
	out = appendMap(out, m.Ends, comparePartitions, appendOffset)
	out = appendMap(out, m.References, cmp.Compare, func(b []byte, attribute int, counts []equivclass.Count) []byte {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(attribute)), uint64(len(counts)))
		for _, c := range counts {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(c.Code)), uint64(c.N))
		}
		return b
	})
	out = appendMap(out, m.Read, comparePartitions, appendOffset)
	out = appendMap(out, m.Hierarchies, cmp.Compare, func(b []byte, attribute int, versions []state.HierarchyVersion) []byte {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(attribute)), uint64(len(versions)))
		for _, v := range versions {
			b = binary.AppendUvarint(append(b, v.SHA256[:]...), uint64(v.Leaves))
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(v.Records)), uint64(v.Release))
		}
		return b
	})
	out = binary.AppendUvarint(out, uint64(len(m.Scale)))
	for _, r := range m.Scale {
		out = binary.AppendVarint(binary.AppendVarint(out, r.Lo), r.Hi)
	}
	out = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(out, m.Pools.Fixed), uint64(m.Pools.Need)), uint64(m.Pools.First))
	out = appendFlag(appendFlag(out, m.Pools.Refused), m.Pools.Grown)
	if of := m.Pools.Open; of != nil {
		out = append(binary.AppendUvarint(out, uint64(of.SubPools)), encodeIDs(of.Members)...)
	}
	return out
}

func decodeMeta(content []byte) (m state.Meta, err error) {
	r := &reader{b: content}
	m.Settings = readMap(r, func(r *reader) (string, [32]byte) { return r.text(), r.digest32() })
	m.Seed = r.digest32()
	m.Seeded = r.flag()
	m.InitialEnds = readMap(r, readOffset)
	m.InitialDone = r.flag()
	m.Tick, m.CutTick = r.varint(), r.varint()
	m.LastCut, m.CutRead = state.RecordID(r.count(maxRecord)), r.uvarint()
	m.Ends = readMap(r, readOffset)
	m.References = readMap(r, readReference)
	m.Read = readMap(r, readOffset)
	m.Hierarchies = readMap(r, readHierarchy)
	for range r.things() {
		m.Scale = append(m.Scale, equivclass.Range{Lo: r.varint(), Hi: r.varint()})
	}
	m.Pools.Fixed, m.Pools.Need, m.Pools.First = r.uvarint(), r.count(maxRecord), r.count(maxRecord)
	m.Pools.Refused, m.Pools.Grown = r.flag(), r.flag()
	if len(r.b) > 0 && !r.bad {
		m.Pools.Open = &state.Pool{SubPools: r.count(maxRecord), Members: readIDs[state.RecordID](r)}
	}
	return m, r.done()
}

func readHierarchy(r *reader) (attribute int, versions []state.HierarchyVersion) {
	attribute = r.count(1<<31 - 1)
	versions = make([]state.HierarchyVersion, r.things())
	for i := range versions {
		v := &versions[i]
		v.SHA256, v.Leaves = r.digest32(), uint32(r.count(1<<32-1))
		v.Records, v.Release = state.RecordID(r.count(maxRecord)), uint32(r.count(1<<32-1))
	}
	return attribute, versions
}

func readReference(r *reader) (attribute int, counts []equivclass.Count) {
	attribute = r.count(1<<31 - 1)
	counts = make([]equivclass.Count, r.things())
	for i := range counts {
		counts[i] = equivclass.Count{Code: equivclass.Code(r.count(1<<32 - 1)), N: r.count(1<<53 - 1)}
	}
	return attribute, counts
}

func comparePartitions(a, b state.Partition) int {
	return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
}

func appendPartition(out []byte, p state.Partition) []byte {
	return binary.AppendVarint(appendText(out, p.Source), int64(p.ID))
}

func readPartition(r *reader) state.Partition {
	p := state.Partition{Source: r.text()}
	id := r.varint()
	if p.ID = int32(id); int64(p.ID) != id {
		r.fail()
	}
	return p
}

func appendOffset(out []byte, p state.Partition, offset int64) []byte {
	return binary.AppendVarint(appendPartition(out, p), offset)
}

func readOffset(r *reader) (state.Partition, int64) { return readPartition(r), r.varint() }

func encodeCounters(c *state.Counters) []byte {
	entry := func(b []byte, k equivclass.Reason, n uint64) []byte {
		return binary.AppendUvarint(appendText(b, string(k)), n)
	}
	out := binary.AppendUvarint(binary.AppendUvarint(nil, c.Sent), c.Read)
	out = appendMap(out, c.Refused, cmp.Compare, entry)
	out = appendMap(out, c.Ignored, cmp.Compare, entry)
	out = appendMap(out, c.Replayed, cmp.Compare, entry)
	return binary.AppendUvarint(binary.AppendUvarint(out, c.Blocked), c.Beyond)
}

func decodeCounters(content []byte) (c state.Counters, err error) {
	entry := func(r *reader) (equivclass.Reason, uint64) { return equivclass.Reason(r.text()), r.uvarint() }
	r := &reader{b: content}
	c.Sent, c.Read = r.uvarint(), r.uvarint()
	c.Refused = readMap(r, entry)
	c.Ignored = readMap(r, entry)
	c.Replayed = readMap(r, entry)
	c.Blocked, c.Beyond = r.uvarint(), r.uvarint()
	return c, r.done()
}

func encodeForgotten(list []state.Digest) []byte {
	out := make([]byte, 0, len(list)*len(state.Digest{}))
	for _, d := range list {
		out = append(out, d[:]...)
	}
	return out
}

func decodeForgotten(content []byte) ([]state.Digest, error) {
	size := len(state.Digest{})
	if len(content) == 0 || len(content)%size != 0 {
		return nil, errDecode
	}
	out := make([]state.Digest, 0, len(content)/size)
	for part := range slices.Chunk(content, size) {
		out = append(out, state.Digest(part))
	}
	return out, nil
}

func encodeBarred(subjects []uint64) (out []byte) {
	for _, s := range subjects {
		out = binary.BigEndian.AppendUint64(out, s)
	}
	return out
}

func decodeBarred(content []byte) (out []uint64, err error) {
	if len(content) == 0 || len(content)%8 != 0 {
		return nil, errDecode
	}
	for part := range slices.Chunk(content, 8) {
		out = append(out, binary.BigEndian.Uint64(part))
	}
	return out, nil
}

func encodePartitions(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

func decodePartitions(content []byte) (int, error) {
	r := &reader{b: content}
	n := r.count(1<<31 - 1)
	if n == 0 {
		r.fail()
	}
	return n, r.done()
}

func encodeJournal(m *state.JournalMark) []byte {
	out := binary.AppendUvarint(nil, m.Seq)
	out = binary.AppendVarint(out, m.Next)
	return append(out, m.Digest[:]...)
}

func decodeJournal(content []byte) (m state.JournalMark, err error) {
	r := &reader{b: content}
	m.Seq, m.Next, m.Digest = r.uvarint(), r.varint(), r.digest32()
	if m.Seq == 0 || m.Next < 0 {
		r.fail()
	}
	return m, r.done()
}

func encodeDictionary(entries []state.DictionaryEntry) []byte {
	out := binary.AppendUvarint(nil, uint64(len(entries)))
	for _, e := range entries {
		out = appendText(binary.AppendUvarint(out, uint64(e.Attribute)), e.Text)
	}
	return out
}

func decodeDictionary(content []byte) ([]state.DictionaryEntry, error) {
	r := &reader{b: content}
	out := make([]state.DictionaryEntry, r.things())
	for i := range out {
		out[i] = state.DictionaryEntry{Attribute: r.count(1<<31 - 1), Text: r.text()}
	}
	return out, r.done()
}

func encodePosition(x state.PartitionPosition) []byte {
	out := appendPartition(nil, x.Partition)
	out = binary.AppendVarint(out, x.Position.Next)
	out = binary.AppendVarint(out, x.Position.Last)
	return append(out, x.Position.Digest[:]...)
}

// decodePosition reads a position; its number is the key.
func decodePosition(number uint16, content []byte) (x state.PartitionPosition, err error) {
	r := &reader{b: content}
	x.Partition = readPartition(r)
	x.Position = state.Position{Number: number, Next: r.varint(), Last: r.varint(), Digest: r.digest16()}
	return x, r.done()
}

// Flags of a dead letter.
const (
	hasPayload    = 1
	sealedPayload = 2
)

func encodeLetter(d *state.DeadLetter) []byte {
	out := appendPartition(nil, d.Partition)
	out = binary.AppendVarint(out, d.Offset)
	out = appendText(out, string(d.Reason))
	out = appendText(out, d.Attribute)
	out = append(out, d.Digest[:]...)
	flags := byte(0)
	if d.Payload != nil {
		flags |= hasPayload
	}
	if d.Sealed {
		flags |= sealedPayload
	}
	return append(append(out, flags), d.Payload...)
}

// decodeLetter reads a dead letter; its sequence number is the key.
func decodeLetter(seq uint64, content []byte) (d state.DeadLetter, err error) {
	r := &reader{b: content}
	d.Seq = seq
	d.Partition = readPartition(r)
	d.Offset = r.varint()
	d.Reason, d.Attribute = equivclass.Reason(r.text()), r.text()
	d.Digest = r.digest16()
	flags := r.byte()
	if flags&hasPayload != 0 {
		d.Payload = append([]byte{}, r.bytes(len(r.b))...)
	}
	if d.Sealed = flags&sealedPayload != 0; flags > hasPayload|sealedPayload {
		r.fail()
	}
	return d, r.done()
}

func intentNumbers(i *state.Intent) []int {
	return []int{i.Records, i.Classes, i.Newcomers, i.Pending.Waiting, i.Pending.Quarantined, i.Pending.Infeasible}
}

func encodeIntent(i *state.Intent) []byte {
	out := binary.AppendUvarint(nil, uint64(i.Cut))
	out = binary.AppendVarint(out, i.CreatedAt)
	out = append(out, i.Policy[:]...)
	for _, n := range intentNumbers(i) {
		out = binary.AppendVarint(out, int64(n))
	}
	out = appendFlag(out, i.Published)
	return append(out, i.Manifest[:]...)
}

// decodeIntent reads an intent; its release is the key.
func decodeIntent(release uint32, content []byte) (*state.Intent, error) {
	r := &reader{b: content}
	i := &state.Intent{Release: release, Cut: state.RecordID(r.count(maxRecord)), CreatedAt: r.varint(), Policy: r.digest32()}
	p := &i.Pending
	for _, n := range []*int{&i.Records, &i.Classes, &i.Newcomers, &p.Waiting, &p.Quarantined, &p.Infeasible} {
		*n = int(r.varint())
	}
	i.Published = r.flag()
	i.Manifest = r.digest32()
	return i, r.done()
}

func encodeAttempt(a *state.Attempt) []byte {
	out := binary.AppendUvarint(nil, uint64(a.Records))
	out = binary.AppendVarint(binary.AppendVarint(out, a.First), a.Last-a.First)
	out = append(binary.AppendUvarint(out, uint64(a.Cuts)), byte(a.Occasion), byte(a.Outcome))
	out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(a.Changes)), uint64(a.Algorithm))
	return appendText(binary.AppendUvarint(out, uint64(a.Need)), a.Under)
}

// decodeAttempt reads a run of cuts tried; its number is the key.
func decodeAttempt(number uint32, content []byte) (*state.Attempt, error) {
	r := &reader{b: content}
	a := &state.Attempt{Number: number, Records: state.RecordID(r.count(maxRecord)), First: r.varint()}
	a.Last = a.First + r.varint()
	a.Cuts, a.Occasion = uint32(r.count(1<<32-1)), state.Occasion(r.byte())
	if a.Outcome = state.CutOutcome(r.byte()); a.Outcome > state.Fixed || a.Occasion > state.Asked {
		r.fail()
	}
	a.Changes, a.Algorithm = uint32(r.count(1<<32-1)), uint32(r.count(1<<32-1))
	a.Need, a.Under = r.count(maxRecord), r.text()
	return a, r.done()
}
