package boltstore

import (
	"encoding/binary"
	"slices"

	"anond/equivclass"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// A recordBlock is what one key of bucket records holds: consecutive records,
// column by column, of one or more ticks.
//
// Content: length, number of columns, whether subjects and strata are there;
// runs of ticks; each column (RecordBlock.Columns) and the origins
// packed; offsets as distance from one past the offset before of the same origin, so that
// consecutive offsets cost a byte; strata packed, and the windows: the end as distance from the end before, and the times of records as
// distance from where the window of the one before would have it; subjects as they are, since a keyed digest
// does not compress.
type recordBlock struct {
	first   state.RecordID // from the key
	runs    []tickRun
	columns [][]equivclass.Code
	subject []uint64
	stratum []settle.Stratum
	window  []settle.Window // of each stratum
	origin  []uint16
	offset  []int64
}

// A tickRun says how many records in a row arrived in one tick.
type tickRun struct {
	tick   int64
	length int
}

func (b *recordBlock) len() int { return len(b.origin) }

// fits reports whether records of block x have the same columns.
func (b *recordBlock) fits(x *state.RecordBlock) bool {
	return len(b.columns) == len(x.Columns) && (b.subject == nil) == (x.Subject == nil) && (b.stratum == nil) == (x.Stratum == nil)
}

// take appends the records lo to hi of x.
func (b *recordBlock) take(x *state.RecordBlock, lo, hi int) {
	if b.len() == 0 {
		b.first = x.First + state.RecordID(lo)
		b.columns = make([][]equivclass.Code, len(x.Columns))
	}
	if n := len(b.runs); n > 0 && b.runs[n-1].tick == x.Tick {
		b.runs[n-1].length += hi - lo
	} else {
		b.runs = append(b.runs, tickRun{x.Tick, hi - lo})
	}
	for i, column := range x.Columns {
		b.columns[i] = append(b.columns[i], column[lo:hi]...)
	}
	if x.Subject != nil {
		b.subject = append(b.subject, x.Subject[lo:hi]...)
	}
	if x.Stratum != nil {
		b.stratum, b.window = append(b.stratum, x.Stratum[lo:hi]...), append(b.window, x.Window[lo:hi]...)
	}
	b.origin = append(b.origin, x.Origin[lo:hi]...)
	b.offset = append(b.offset, x.Offset[lo:hi]...)
}

// cutRecords arranges new records in blocks behind the tail block, which may be
// nil. The first result has the tail's key if the tail took records in.
func cutRecords(tail *recordBlock, blocks []*state.RecordBlock) []*recordBlock {
	var out []*recordBlock
	open := tail
	for _, x := range blocks {
		for lo := 0; lo < x.Len(); {
			if open == nil || open.len() >= blockLength || !open.fits(x) {
				open = &recordBlock{}
			}
			if open.len() == 0 || open == tail && len(out) == 0 {
				out = append(out, open)
			}
			hi := min(x.Len(), lo+blockLength-open.len())
			open.take(x, lo, hi)
			lo = hi
		}
	}
	return out
}

// split returns the block as the port wants it: one tick a block.
func (b *recordBlock) split(yield func(*state.RecordBlock) error) error {
	lo := 0
	for _, run := range b.runs {
		hi := lo + run.length
		x := &state.RecordBlock{First: b.first + state.RecordID(lo), Tick: run.tick,
			Origin: b.origin[lo:hi:hi], Offset: b.offset[lo:hi:hi], Columns: make([][]equivclass.Code, len(b.columns))}
		for i, column := range b.columns {
			x.Columns[i] = column[lo:hi:hi]
		}
		if b.subject != nil {
			x.Subject = b.subject[lo:hi:hi]
		}
		if b.stratum != nil {
			x.Stratum, x.Window = b.stratum[lo:hi:hi], b.window[lo:hi:hi]
		}
		if err := yield(x); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

func (b *recordBlock) encode() []byte {
	n := b.len()
	out := make([]byte, 0, 64+n*(2*len(b.columns)+16)) // an estimate
	out = binary.AppendUvarint(out, uint64(n))
	out = binary.AppendUvarint(out, uint64(len(b.columns)))
	out = appendFlag(out, b.subject != nil)
	out = appendFlag(out, b.stratum != nil)
	out = appendRuns(out, b.runs)
	for _, column := range b.columns {
		out = appendPacked(out, column)
	}
	out = appendPacked(out, b.origin)
	out = appendOffsets(out, b.origin, b.offset)
	out = appendWindows(appendPacked(out, b.stratum), b.window)
	for _, s := range b.subject {
		out = binary.LittleEndian.AppendUint64(out, s)
	}
	return out
}

// decodeRecords reads a block. It copies, so the result outlives the transaction.
func decodeRecords(first state.RecordID, content []byte) (*recordBlock, error) {
	r := &reader{b: content}
	n, columns, subjects, strata := r.count(maxBlock), r.count(maxColumns), r.flag(), r.flag()
	if r.bad || n == 0 || columns*2 > len(r.b) || subjects && n*8 > len(r.b) {
		return nil, errDecode
	}
	b := &recordBlock{first: first, runs: readRuns(r, n)}
	if r.bad {
		return nil, errDecode
	}
	b.columns = make([][]equivclass.Code, columns)
	for i := range b.columns {
		if r.bad { // no further column is allocated for
			return nil, errDecode
		}
		b.columns[i] = make([]equivclass.Code, n)
		unpack(r, b.columns[i])
	}
	b.origin = make([]uint16, n)
	unpack(r, b.origin)
	b.offset = readOffsets(r, b.origin)
	if strata {
		b.stratum = make([]settle.Stratum, n)
		unpack(r, b.stratum)
		r.bad = r.bad || slices.ContainsFunc(b.stratum, func(s settle.Stratum) bool { return !s.Valid() })
		b.window = readWindows(r, b.stratum)
	}
	if subjects {
		b.subject = readSubjects(r, n)
	}
	return b, r.done()
}

func appendRuns(out []byte, runs []tickRun) []byte {
	out = binary.AppendUvarint(out, uint64(len(runs)))
	before := int64(0)
	for _, run := range runs {
		out = binary.AppendUvarint(out, uint64(run.length))
		out = binary.AppendVarint(out, run.tick-before)
		before = run.tick
	}
	return out
}

// readRuns reads runs that cover n records.
func readRuns(r *reader, n int) []tickRun {
	runs := make([]tickRun, r.count(min(n, len(r.b))))
	before := int64(0)
	for i := range runs {
		length := r.count(n)
		before += r.varint()
		runs[i] = tickRun{before, length}
		if n -= length; length == 0 {
			r.fail()
		}
	}
	if n != 0 {
		r.fail()
	}
	return runs
}

// appendOffsets writes the distance of each offset from where its origin was
// expected to go on. Differences wrap around, so any offset can be stored.
func appendOffsets(out []byte, origin []uint16, offset []int64) []byte {
	next := make([]int64, int(slices.Max(origin))+1)
	for i, o := range origin {
		out = binary.AppendVarint(out, offset[i]-next[o])
		next[o] = offset[i] + 1
	}
	return out
}

func readOffsets(r *reader, origin []uint16) []int64 {
	if len(origin) > len(r.b) {
		r.fail()
		return nil
	}
	out := make([]int64, len(origin))
	next := make([]int64, int(slices.Max(origin))+1)
	for i, o := range origin {
		out[i] = next[o] + r.varint()
		next[o] = out[i] + 1
	}
	return out
}

// appendWindows writes windows. Differences wrap around, as those of offsets.
func appendWindows(out []byte, windows []settle.Window) []byte {
	until, before := int64(0), int64(0)
	for _, w := range windows {
		out = binary.AppendVarint(out, w.Until-until)
		until = w.Until
		at := until - before
		for i, t := range w.At {
			if out = binary.AppendVarint(out, t-at); i == 0 {
				before = until - t
			}
			at = t
		}
	}
	return out
}

func readWindows(r *reader, strata []settle.Stratum) []settle.Window {
	records := 0
	for _, s := range strata {
		records += s.Inserts()
	}
	if r.bad || records+len(strata) > len(r.b) {
		r.fail()
		return nil
	}
	out, times, until, before := make([]settle.Window, len(strata)), make([]int64, records), int64(0), int64(0)
	for k, s := range strata {
		n := s.Inserts()
		until += r.varint()
		out[k], times = settle.Window{Until: until, At: times[:n:n]}, times[n:]
		at := until - before
		for i := range n {
			at += r.varint()
			if out[k].At[i] = at; i == 0 {
				before = until - at
			}
		}
	}
	return out
}

func readSubjects(r *reader, n int) []uint64 {
	raw := r.bytes(8 * n)
	if raw == nil {
		return nil
	}
	out := make([]uint64, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(raw[8*i:])
	}
	return out
}
