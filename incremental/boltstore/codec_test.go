package boltstore

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental/state"
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
	block := func(first, n int, tick int64) *state.RecordBlock {
		return &state.RecordBlock{First: state.RecordID(first), Tick: tick, Columns: [][]equivclass.Code{make([]equivclass.Code, n)},
			Origin: make([]uint16, n), Offset: make([]int64, n)}
	}
	lengths := func(blocks []*recordBlock) (out []int) {
		for _, b := range blocks {
			out = append(out, b.len())
		}
		return out
	}
	tail := cutRecords(nil, []*state.RecordBlock{block(0, 100, 1)})[0]
	got := cutRecords(tail, []*state.RecordBlock{block(100, 1000, 1), block(1100, 1000, 2)})
	require.Equal(t, []int{1024, 1024, 52}, lengths(got))
	require.Equal(t, []tickRun{{1, 76}, {2, 948}}, got[1].runs)
	require.EqualValues(t, 2048, got[2].first)
}
