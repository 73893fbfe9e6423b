package boltstore

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental/state"
	"anond/incremental/storetest"
)

// value is a kind of value of the state, as fuzz targets need it: what encoders write of a
// delta, nil if nothing; and the check of arbitrary bytes.
type value struct {
	written func(d *state.Delta) []byte
	check   func(t *testing.T, content []byte)
}

// survives demands of a decoder that arbitrary bytes never make it panic; that it accepts
// what the second reader reads as the same, and refuses nothing that an encoder writes;
// and that what it reads is written and read again to the same.
func survives[T any](decode func([]byte) (T, error), encode func(T) []byte, read func(plain) T) func(*testing.T, []byte) {
	return func(t *testing.T, content []byte) {
		v, err := decode(content)
		plainly, ok := readPlain(content, read)
		if err != nil {
			require.ErrorIs(t, err, errDecode)
			require.False(t, ok && bytes.Equal(encode(plainly), content), "the decoder refuses what is written")
			return
		}
		require.True(t, ok, "the second reader refuses what the decoder accepts")
		require.Equal(t, plainly, v)
		again, err := decode(encode(v))
		require.NoError(t, err)
		require.Equal(t, v, again)
	}
}

// seeds are what an encoder writes of generated deltas.
func (v value) seeds(f *testing.F) (out [][]byte) {
	g := storetest.NewGenerator(9, 3)
	for range 60 {
		if b := v.written(g.Next()); b != nil {
			out = append(out, b)
		}
	}
	if len(out) == 0 {
		f.Fatal("the generator made no seed")
	}
	return out
}

func (v value) fuzz(f *testing.F) {
	for _, b := range v.seeds(f) {
		f.Add(b)
	}
	f.Fuzz(v.check)
}

func FuzzRecordBlock(f *testing.F) {
	value{func(d *state.Delta) []byte {
		if blocks := cutRecords(nil, d.Records); len(blocks) > 0 && blocks[0].len() < 400 {
			return blocks[0].encode()
		}
		return nil
	}, survives(func(b []byte) (*recordBlock, error) { return decodeRecords(7, b) }, (*recordBlock).encode, plainRecords)}.fuzz(f)
}

func FuzzClassBlock(f *testing.F) {
	value{func(d *state.Delta) []byte {
		if blocks := cutClasses(nil, d.Births); len(blocks) > 0 {
			return blocks[0].encode()
		}
		return nil
	}, survives(func(b []byte) (*classBlock, error) { return decodeClasses(7, b) }, (*classBlock).encode, plainClasses)}.fuzz(f)
}

func FuzzMeta(f *testing.F) {
	value{func(d *state.Delta) []byte { return ifAny(d.Meta, metaLayout.encode) },
		survives(metaLayout.decode, metaLayout.encode, plainMeta)}.fuzz(f)
}

// FuzzValues fuzzes the small values; kind chooses one. Each has some branches only.
func FuzzValues(f *testing.F) {
	for kind, v := range smallValues {
		for _, b := range v.seeds(f) {
			f.Add(uint8(kind), b)
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, content []byte) {
		smallValues[int(kind)%len(smallValues)].check(t, content)
	})
}

var smallValues = []value{
	{func(d *state.Delta) []byte { return deathsLayout.encode(d.Deaths) }, survives(deathsLayout.decode, deathsLayout.encode, plainDeaths)},
	{func(d *state.Delta) []byte { return classIDs.encode(d.DeclaredPure) },
		survives(classIDs.decode, classIDs.encode, plainIDs[state.ClassID])},
	{func(d *state.Delta) []byte { return dictionaryLayout.encode(d.Dictionary) },
		survives(dictionaryLayout.decode, dictionaryLayout.encode, plainDictionary)},
	{func(d *state.Delta) []byte { return ifAny(d.Counters, countersLayout.encode) },
		survives(countersLayout.decode, countersLayout.encode, plainCounters)},
	{func(d *state.Delta) []byte {
		return ifAny(d.Counters, func(c state.Counters) []byte {
			return countersLayout.encode(state.Counters{Sent: c.Sent, Blocked: 1 + c.Sent})
		})
	}, survives(countersLayout.decode, countersLayout.encode, plainCounters)},
	{func(d *state.Delta) []byte { return knownLayout.encode(d.Known) }, survives(knownLayout.decode, knownLayout.encode, plainKnown)},
	{func(d *state.Delta) []byte {
		return ifAny(d.Counters, func(c state.Counters) []byte { return dueLayout.encode(due{int(c.Sent % 1000), true}) })
	}, survives(dueLayout.decode, dueLayout.encode, plainDue)},
	{func(d *state.Delta) []byte {
		return ifAny(d.Meta, func(m state.Meta) []byte { return partitionsLayout.encode(1 + int(m.Tick)*1000) })
	}, survives(partitionsLayout.decode, partitionsLayout.encode, plainPartitions)},
	{func(d *state.Delta) []byte {
		return ifAny(d.Meta, func(m state.Meta) []byte {
			return journalLayout.encode(state.JournalMark{Seq: 1 + uint64(m.Tick), Next: m.Tick, Digest: m.Seed})
		})
	}, survives(journalLayout.decode, journalLayout.encode, plainJournal)},
	{func(d *state.Delta) []byte {
		return ifAny(d.Meta, func(m state.Meta) []byte {
			return ledgerLayout.encode(state.LedgerMark{Size: 1 + m.Tick, Digest: [16]byte(m.Seed[:16])})
		})
	}, survives(ledgerLayout.decode, ledgerLayout.encode, plainLedger)},
	{func(d *state.Delta) []byte { return ifAny(d.Intent, intentLayout.encode) },
		survives(intentLayout.decode, intentLayout.encode, plainIntent)},
	{func(d *state.Delta) []byte { return ifAny(d.Born, bornLayout.encode) }, survives(bornLayout.decode, bornLayout.encode, plainBorn)},
	{func(d *state.Delta) []byte { return ifAny(d.Attempt, attemptLayout.encode) },
		survives(attemptLayout.decode, attemptLayout.encode, plainAttempt)},
	{func(d *state.Delta) []byte {
		if len(d.Positions) == 0 {
			return nil
		}
		return positionLayout.encode(d.Positions[0])
	}, survives(positionLayout.decode, positionLayout.encode, plainPosition)},
	{func(d *state.Delta) []byte {
		if len(d.DeadLetters) == 0 {
			return nil
		}
		return letterLayout.encode(d.DeadLetters[0])
	}, survives(letterLayout.decode,
		letterLayout.encode, plainLetter)},
	{func(d *state.Delta) []byte {
		return endsLayout.encode(ends{records: uint64(len(d.Records)), letter: 1 << 40})
	},
		survives(endsLayout.decode, endsLayout.encode, plainEnds)},
}

func ifAny[T any](v *T, encode func(T) []byte) []byte {
	if v == nil {
		return nil
	}
	return encode(*v)
}
