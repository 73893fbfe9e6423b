package boltstore

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/storetest"
)

func TestPackedColumnsOfEveryWidth(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for width := range 33 {
		for _, n := range []int{1, 2, 7, 8, 9, 64, 1000} {
			column := make([]uint32, n)
			base := uint32(0)
			if width < 32 {
				base = random.Uint32() >> 1
			}
			for i := range column {
				column[i] = base + uint32(random.Uint64()&(1<<width-1))>>1
			}
			column[0] = base
			b := appendPacked(nil, column)
			got := make([]uint32, n)
			r := &reader{b: b}
			unpack(r, got)
			require.NoError(t, r.done(), "width %d, %d values", width, n)
			require.Equal(t, column, got)
		}
	}
}

func TestPackedColumnRefusesValuesBeyondItsType(t *testing.T) {
	b := appendPacked(nil, []uint32{65530, 65540})
	r := &reader{b: b}
	unpack(r, make([]uint16, 2))
	require.ErrorIs(t, r.done(), errDecode)
}

func TestOffsetsSurviveExtremes(t *testing.T) {
	origin := []uint16{0, 3, 0, 3, 0}
	offset := []int64{math.MinInt64, math.MaxInt64, math.MaxInt64, math.MinInt64, 0}
	r := &reader{b: appendOffsets(nil, origin, offset)}
	require.Equal(t, offset, readOffsets(r, origin))
	require.NoError(t, r.done())
}

func TestTailBlockTakesInWhatComes(t *testing.T) {
	block := func(first, n int, tick int64) *incremental.RecordBlock {
		return &incremental.RecordBlock{First: incremental.RecordID(first), Tick: tick, Columns: [][]equivclass.Code{make([]equivclass.Code, n)},
			SA: make([]equivclass.Code, n), Origin: make([]uint16, n), Offset: make([]int64, n)}
	}
	lengths := func(blocks []*recordBlock) (out []int) {
		for _, b := range blocks {
			out = append(out, b.len())
		}
		return out
	}
	tail := cutRecords(nil, []*incremental.RecordBlock{block(0, 100, 1)})[0]
	got := cutRecords(tail, []*incremental.RecordBlock{block(100, 1000, 1), block(1100, 1000, 2)})
	require.Equal(t, []int{1024, 1024, 52}, lengths(got))
	require.Equal(t, []tickRun{{1, 76}, {2, 948}}, got[1].runs)
	require.EqualValues(t, 2048, got[2].first)
}

// seeds gives a fuzz target contents that encoders wrote.
func seeds(f *testing.F, encode func(d *incremental.Delta) []byte) {
	g := storetest.NewGenerator(9, 3)
	found := 0
	for range 60 {
		if b := encode(g.Next()); b != nil {
			f.Add(b)
			found++
		}
	}
	if found == 0 {
		f.Fatal("the generator made no seed")
	}
}

// survives demands of a decoder that arbitrary bytes never make it panic; that it accepts
// what the second reader reads as the same, and refuses nothing that an encoder writes;
// and that what it reads is written and read again to the same.
func survives[T any](f *testing.F, decode func([]byte) (T, error), encode func(T) []byte, read func(plain) T) {
	f.Fuzz(func(t *testing.T, content []byte) {
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
	})
}

func FuzzRecordBlock(f *testing.F) {
	seeds(f, func(d *incremental.Delta) []byte {
		if blocks := cutRecords(nil, d.Records); len(blocks) > 0 && blocks[0].len() < 400 {
			return blocks[0].encode()
		}
		return nil
	})
	survives(f, func(b []byte) (*recordBlock, error) { return decodeRecords(7, b) }, (*recordBlock).encode, plainRecords)
}

func FuzzClassBlock(f *testing.F) {
	seeds(f, func(d *incremental.Delta) []byte {
		if blocks := cutClasses(nil, d.Births); len(blocks) > 0 {
			return blocks[0].encode()
		}
		return nil
	})
	survives(f, func(b []byte) (*classBlock, error) { return decodeClasses(7, b) }, (*classBlock).encode, plainClasses)
}

func FuzzDeaths(f *testing.F) {
	seeds(f, func(d *incremental.Delta) []byte { return encodeDeaths(d.Deaths) })
	survives(f, decodeDeaths, encodeDeaths, plainDeaths)
}

func FuzzIDs(f *testing.F) {
	seeds(f, func(d *incremental.Delta) []byte { return encodeIDs(d.DeclaredPure) })
	survives(f, decodeIDs[incremental.ClassID], encodeIDs[incremental.ClassID], plainIDs)
}

func FuzzDictionary(f *testing.F) {
	seeds(f, func(d *incremental.Delta) []byte { return encodeDictionary(d.Dictionary) })
	survives(f, decodeDictionary, encodeDictionary, plainDictionary)
}

func FuzzMeta(f *testing.F) {
	seeds(f, func(d *incremental.Delta) []byte {
		if d.Meta == nil {
			return nil
		}
		return encodeMeta(d.Meta)
	})
	survives(f, decodeMeta, func(m incremental.Meta) []byte { return encodeMeta(&m) }, plainMeta)
}

func FuzzCounters(f *testing.F) {
	seeds(f, func(d *incremental.Delta) []byte { return encodeCounters(d.Counters) })
	survives(f, decodeCounters, func(c incremental.Counters) []byte { return encodeCounters(&c) }, plainCounters)
}

func FuzzIntent(f *testing.F) {
	seeds(f, func(d *incremental.Delta) []byte {
		if d.Intent == nil {
			return nil
		}
		return encodeIntent(d.Intent)
	})
	survives(f, func(b []byte) (*incremental.Intent, error) { return decodeIntent(3, b) }, encodeIntent, plainIntent)
}

func FuzzAttempt(f *testing.F) {
	for _, a := range []incremental.Attempt{{Records: 3, First: -5, Last: 700, Cuts: 9, Outcome: incremental.Skipped},
		{Records: 1 << 30, Cuts: 1, Flush: true, Outcome: incremental.Quarantined}} {
		f.Add(encodeAttempt(&a))
	}
	decode := func(b []byte) (*incremental.Attempt, error) { return decodeAttempt(3, b) }
	survives(f, decode, encodeAttempt, plainAttempt)
}

func FuzzPosition(f *testing.F) {
	seeds(f, func(d *incremental.Delta) []byte {
		if len(d.Positions) == 0 {
			return nil
		}
		return encodePosition(d.Positions[0])
	})
	decode := func(b []byte) (incremental.PartitionPosition, error) { return decodePosition(3, b) }
	survives(f, decode, encodePosition, plainPosition)
}

func FuzzLetter(f *testing.F) {
	seeds(f, func(d *incremental.Delta) []byte {
		if len(d.DeadLetters) == 0 {
			return nil
		}
		return encodeLetter(&d.DeadLetters[0])
	})
	decode := func(b []byte) (incremental.DeadLetter, error) { return decodeLetter(3, b) }
	survives(f, decode, func(d incremental.DeadLetter) []byte { return encodeLetter(&d) }, plainLetter)
}

func FuzzEnds(f *testing.F) {
	f.Add((&ends{records: 3, letter: 1 << 40}).encode())
	survives(f, decodeEnds, func(e ends) []byte { return e.encode() }, plainEnds)
}
