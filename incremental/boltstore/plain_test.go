package boltstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"anond/equivclass"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// plain is a second, simple reader of values, over the standard library alone. It panics
// with errPlain where the bytes end, and where they say what no encoder writes.
type plain struct{ r *bytes.Reader }

var errPlain = errors.New("the second reader refuses")

func (p plain) u() uint64    { v, err := binary.ReadUvarint(p.r); return must(v, err) }
func (p plain) i() int64     { v, err := binary.ReadVarint(p.r); return must(v, err) }
func (p plain) byte() byte   { return p.raw(1)[0] }
func (p plain) text() string { return string(p.raw(int(p.below(1 << 32)))) }

// below is a number that has a bound.
func (p plain) below(bound uint64) uint64 {
	v := p.u()
	demand(v < bound)
	return v
}

// things is the number of things that follow, of which each takes a byte at least.
func (p plain) things() int {
	n := p.u()
	demand(n <= uint64(p.r.Len()))
	return int(n)
}

func (p plain) flag() bool {
	b := p.byte()
	demand(b <= 1)
	return b == 1
}

func (p plain) raw(n int) []byte {
	demand(n >= 0 && n <= p.r.Len())
	out := make([]byte, n)
	_, err := io.ReadFull(p.r, out)
	return must(out, err)
}

func (p plain) sha() (out [32]byte) {
	copy(out[:], p.raw(32))
	return out
}

// packed reads n numbers, bit by bit.
func (p plain) packed(n int) []uint64 {
	if n == 0 {
		return nil
	}
	lo, width := p.below(1<<32), int(p.byte())
	demand(width <= 32)
	bytes := p.raw((n*width + 7) / 8)
	out := make([]uint64, n)
	for i := range out {
		out[i] = lo
		for bit := range width {
			at := i*width + bit
			out[i] += uint64(bytes[at/8]>>(at%8)&1) << bit
		}
	}
	return out
}

// as narrows numbers to the type of a column.
func as[T small](column []uint64) []T {
	out := make([]T, len(column))
	for i, v := range column {
		out[i] = T(v)
		demand(uint64(out[i]) == v)
	}
	return out
}

// entries reads a map; one that was written as nil is nil.
func entries[K comparable, V any](p plain, read func() (K, V)) map[K]V {
	n := p.u()
	if n == 0 {
		return nil
	}
	out := map[K]V{}
	for range n - 1 {
		k, v := read()
		_, twice := out[k]
		demand(!twice)
		out[k] = v
	}
	return out
}

func demand(holds bool) {
	if !holds {
		panic(errPlain)
	}
}

func must[T any](v T, err error) T {
	demand(err == nil)
	return v
}

// readPlain reads all of a value, or reports that the second reader refuses it.
func readPlain[T any](content []byte, read func(plain) T) (v T, ok bool) {
	defer func() {
		if fault := recover(); fault == errPlain {
			ok = false
		} else if fault != nil {
			panic(fault)
		}
	}()
	p := plain{bytes.NewReader(content)}
	v = read(p)
	return v, p.r.Len() == 0
}

func plainDictionary(p plain) []state.DictionaryEntry {
	out := make([]state.DictionaryEntry, p.things())
	for i := range out {
		out[i].Attribute = int(p.below(1 << 31))
		out[i].Text = p.text()
	}
	return out
}

func plainReasons(p plain) map[equivclass.Reason]uint64 {
	return entries(p, func() (equivclass.Reason, uint64) { return equivclass.Reason(p.text()), p.u() })
}

func plainCounters(p plain) state.Counters {
	return state.Counters{Sent: p.u(), Read: p.u(), Refused: plainReasons(p), Ignored: plainReasons(p), Replayed: plainReasons(p),
		Blocked: p.u(), Beyond: p.u(), Elsewhere: p.u(), Ahead: p.u()}
}

func plainKnown(p plain) (out []state.Known) {
	for ok := true; ok; ok = p.r.Len() > 0 {
		k := state.Known(p.raw(16))
		demand(k[15] != 0)
		out = append(out, k)
	}
	return out
}

func plainBorn(p plain) (b state.Born) {
	b.Stratum = settle.Stratum(p.below(1 << 8))
	b.People, b.Counts = int(p.below(1<<32)), make([][]equivclass.Count, p.things())
	for i := range b.Counts {
		b.Counts[i] = make([]equivclass.Count, p.things())
		code := int64(0)
		for k := range b.Counts[i] {
			code += p.i()
			demand(code >= 0 && code < 1<<32)
			b.Counts[i][k] = equivclass.Count{Code: equivclass.Code(code), N: int(p.below(1 << 32))}
		}
	}
	return b
}

func plainDue(p plain) (d due) {
	d.people, d.stale = int(p.below(1<<31)), p.flag()
	demand(d != due{})
	return d
}

func plainPartitions(p plain) int {
	n := p.u()
	demand(n > 0 && n < 1<<31)
	return int(n)
}

func plainJournal(p plain) (m state.JournalMark) {
	m.Seq, m.Next = p.u(), p.i()
	copy(m.Digest[:], p.raw(32))
	demand(m.Seq > 0 && m.Next >= 0)
	return m
}

func plainLedger(p plain) (m state.LedgerMark) {
	m.Size = p.i()
	copy(m.Digest[:], p.raw(16))
	demand(m.Size > 0)
	return m
}

func plainPartition(p plain) state.Partition {
	source, id := p.text(), p.i()
	demand(id == int64(int32(id)))
	return state.Partition{Source: source, ID: int32(id)}
}

func plainPosition(p plain) (x state.PartitionPosition) {
	x.Partition = plainPartition(p)
	x.Position = state.Position{Next: p.i(), Last: p.i()}
	copy(x.Position.Digest[:], p.raw(16))
	x.Position.Time = p.i()
	return x
}

func plainLetter(p plain) (d state.DeadLetter) {
	d.Partition, d.Offset = plainPartition(p), p.i()
	d.Reason, d.Attribute = equivclass.Reason(p.text()), p.text()
	copy(d.Digest[:], p.raw(16))
	flags := p.byte()
	if flags%2 == 1 {
		d.Payload = p.raw(p.r.Len())
	}
	d.Sealed = flags >= 2
	return d
}

func plainAttempt(p plain) state.Attempt {
	a := state.Attempt{Records: state.RecordID(p.below(1 << 32)), First: p.i()}
	a.Last = a.First + p.i()
	a.Cuts, a.Occasion = uint32(p.below(1<<32)), state.Occasion(p.byte())
	a.Outcome = state.CutOutcome(p.byte())
	demand(slices.Contains([]state.CutOutcome{state.Released, state.Skipped, state.Quarantined, state.Refused,
		state.Fixed}, a.Outcome))
	a.Changes, a.Algorithm, a.Need, a.Under = uint32(p.below(1<<32)), uint32(p.below(1<<32)), int(p.below(1<<32)), p.text()
	return a
}

func plainEnds(p plain) (e ends) {
	all := []*uint64{&e.dictionary, &e.records, &e.classes, &e.deaths, &e.pure, &e.quarantine, &e.intents, &e.positions, &e.letter, &e.waiting,
		&e.attempts, &e.known, &e.born, &e.stale, &e.settling}
	for _, n := range all {
		*n = p.u()
	}
	demand(e.records < 1<<32 && e.classes < 1<<32)
	return e
}
