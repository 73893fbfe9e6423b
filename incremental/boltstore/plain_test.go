package boltstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"

	"anond/equivclass"
	"anond/incremental"
)

// plain is a second, simple reader of values, over the standard library alone. It
// bounds nothing and is read only where the decoder has accepted the bytes.
type plain struct{ r *bytes.Reader }

func (p plain) u() uint64    { v, err := binary.ReadUvarint(p.r); return must(v, err) }
func (p plain) i() int64     { v, err := binary.ReadVarint(p.r); return must(v, err) }
func (p plain) byte() byte   { return p.raw(1)[0] }
func (p plain) text() string { return string(p.raw(int(p.u()))) }

func (p plain) raw(n int) []byte {
	out := make([]byte, n)
	_, err := io.ReadFull(p.r, out)
	return must(out, err)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("the second reader reads on: ", err))
	}
	return v
}

var errDisagree = errors.New("the second reader reads another value, or not to the end")

// agrees is a decoder that fails where the second reader reads something else.
func agrees[T any](decode func([]byte) (T, error), read func(plain) T) func([]byte) (T, error) {
	return func(content []byte) (T, error) {
		v, err := decode(content)
		if err != nil {
			return v, err
		}
		p := plain{bytes.NewReader(content)}
		if again := read(p); !reflect.DeepEqual(v, again) || p.r.Len() > 0 {
			return v, errDisagree
		}
		return v, nil
	}
}

func plainDictionary(p plain) []incremental.DictionaryEntry {
	out := make([]incremental.DictionaryEntry, p.u())
	for i := range out {
		out[i].Attribute = int(p.u())
		out[i].Text = p.text()
	}
	return out
}

func plainReasons(p plain) map[equivclass.Reason]uint64 {
	n := p.u()
	if n == 0 {
		return nil
	}
	out := map[equivclass.Reason]uint64{}
	for range n - 1 {
		k := p.text()
		out[equivclass.Reason(k)] = p.u()
	}
	return out
}

func plainCounters(p plain) incremental.Counters {
	return incremental.Counters{Sent: p.u(), Refused: plainReasons(p), Ignored: plainReasons(p)}
}

func plainPartition(p plain) incremental.Partition {
	return incremental.Partition{Source: p.text(), ID: int32(p.i())}
}

func plainPosition(p plain) (x incremental.PartitionPosition) {
	x.Partition = plainPartition(p)
	x.Position = incremental.Position{Number: 3, Next: p.i(), Last: p.i()}
	copy(x.Position.Digest[:], p.raw(16))
	return x
}

func plainLetter(p plain) (d incremental.DeadLetter) {
	d.Seq, d.Partition, d.Offset = 3, plainPartition(p), p.i()
	d.Reason, d.Attribute = equivclass.Reason(p.text()), p.text()
	copy(d.Digest[:], p.raw(16))
	flags := p.byte()
	if flags%2 == 1 {
		d.Payload = p.raw(p.r.Len())
	}
	d.Sealed = flags >= 2
	return d
}

func plainAttempt(p plain) *incremental.Attempt {
	a := &incremental.Attempt{Number: 3, Records: incremental.RecordID(p.u()), First: p.i()}
	a.Last = a.First + p.i()
	a.Cuts, a.Flush = uint32(p.u()), p.byte() == 1
	a.Outcome = incremental.CutOutcome(p.byte())
	return a
}

func plainDeaths(p plain) []incremental.Death {
	out := make([]incremental.Death, p.u())
	id, release := int64(0), int64(0)
	for i := range out {
		id += p.i()
		release += p.i()
		out[i] = incremental.Death{ID: incremental.ClassID(id), Release: uint32(release)}
	}
	return out
}
