package repartition

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/shards/keying"
)

func sample() *Progress {
	p := &Progress{From: "a", To: "b", Targets: 4, Key: "0123"}
	at := p.at(2, 5)
	sent := map[int32]int64{}
	at.link(2, 1, 6, sent)
	at.link(2, 3, 8, sent)
	at.Last = 8
	at.moved(9, sent)
	return p
}

// TestBeginningAgain: who begins behind the start of a source, where others may have written
// before, does not say that its records are the first: a reader that lacks those stops.
func TestBeginningAgain(t *testing.T) {
	for _, c := range []struct {
		again bool
		from  int64
		first bool
	}{{false, 0, true}, {false, 8, true}, {true, 0, true}, {true, 8, false}} {
		p := &Progress{Targets: 4, Again: c.again}
		l := p.at(0, c.from).link(0, 1, c.from+3, map[int32]int64{})
		require.Equal(t, c.first, l.First, "%+v", c)
		require.Equal(t, c.from-1, l.Previous)
		_, hole := keying.Reached{}.Follow(&l)
		require.Equal(t, !c.first, hole)
		_, hole = keying.Reached{Known: true, Next: c.from}.Follow(&l)
		require.False(t, hole, "a reader that has had all below goes on")
	}
}

func TestProgress(t *testing.T) {
	p := sample()
	text, err := p.Encode()
	require.NoError(t, err)
	again, err := Decode(text)
	require.NoError(t, err)
	require.Equal(t, p, again)
	require.NoError(t, again.Fits(&Progress{From: "a", To: "b", Targets: 4, Key: "0123"}))
	for _, other := range []Progress{{From: "x", To: "b", Targets: 4, Key: "0123"}, {From: "a", To: "x", Targets: 4, Key: "0123"},
		{From: "a", To: "b", Targets: 5, Key: "0123"}, {From: "a", To: "b", Targets: 4, Key: "x"}} {
		require.ErrorIs(t, again.Fits(&other), ErrProgress)
	}
	for _, bad := range []string{"", "{", `{"sources":{"0":null}}`, `{"sources":{"0":{"base":4,"next":3,"last":-1}}}`,
		`{"sources":{"0":{"base":0,"next":3,"last":3,"digest":""}}}`, `{"sources":{"-1":{}}}`,
		`{"targets":1,"sources":{"0":{"base":0,"next":3,"last":2,"digest":"00000000000000000000000000000000","sent":{"1":2}}}}`} {
		_, err := Decode([]byte(bad))
		require.ErrorIs(t, err, ErrProgress, bad)
	}
}

// FuzzProgress: what is read can be gone on from, and nothing else is read.
