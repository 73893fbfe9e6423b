package incremental_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestScaleIsBlind: in every world of small streams and with every outcome of the draws numbers are measured
// by one scale, and who comes after the first pool was fixed does not change it, whether the pool is published or quarantined.
// Others in the first load do. That it tells nobody's value, with all else that is seen, is part of
// TestEveryWorldOfSmallStreams; TestBrokenMachines has a scale that does.
func TestScaleIsBlind(t *testing.T) {
	at := func(first, later int) func(r int) equivclass.Row {
		return func(r int) equivclass.Row {
			x := 100 + 7*r
			if r == 0 {
				x = first
			} else if r == 4 {
				x = later
			}
			return equivclass.Row{strconv.AppendInt(nil, int64(x), 10), []byte{'5'}, nil}
		}
	}
	scales := func(rows func(r int) equivclass.Row) (out map[string]int) {
		s := &course{n: 8, d: 2, k: 2, l: 2, schema: plane(t, 2), rows: rows, policy: quarantines, play: batches(4, 6, 8)}
		out = map[string]int{}
		s.eachWorld(func(world []int) {
			eachDraw(func(draws *script) {
				p := s.start(t, world, draws)
				s.play(p)
				if i := p.m.Releases().Latest(); i != nil {
					v, err := p.m.Releases().View(i.Release)
					p.must(err)
					out[fmt.Sprint(v.Scale)]++
				}
			})
		})
		return out
	}
	of := scales(at(103, 110))
	require.Len(t, of, 1, "one scale in all worlds")
	require.Contains(t, of, "[{103 121} {5 6}]")
	require.Equal(t, of, scales(at(103, 99999999)), "who comes later changes nothing")
	require.Equal(t, map[string]int{"[{107 121} {5 6}]": of["[{103 121} {5 6}]"]}, scales(at(110, 110)))
}

// TestAPlaceholderChangesNoScale: with one placeholder among a thousand the scale is what it is without it.
func TestAPlaceholderChangesNoScale(t *testing.T) {
	scale := func(placeholder int) equivclass.Range {
		c := newChain(t, plane(t, 1), policy(4, 2), nil)
		for i := range 1000 {
			x := 20 + i%60
			if i == 500 {
				x = placeholder
			}
			c.put(x, i%4)
		}
		d, err := c.m.Cut(1, [32]byte{})
		require.NoError(t, err)
		v, err := c.m.Releases().View(d.Release)
		require.NoError(t, err)
		return v.Scale[0]
	}
	require.Equal(t, scale(40), scale(99999999))
	require.Equal(t, equivclass.Range{Lo: 20, Hi: 80}, scale(-99999999))
}
