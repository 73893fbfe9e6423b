package incremental_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/merge"
	"anond/incremental/retire"
	"anond/incremental/state"
)

// windowing is a stream whose first part leaves by age, in a release of its own. Two of its people come again with the value that
// they have for long, which everybody sees.
type windowing struct {
	broken func(p *play) // what the machine does when a part has left; nil: nothing
}

func (x *windowing) play(p *play) {
	p.feed(4)
	if p.saw(p.m.Cut(10, [32]byte{})) == nil {
		return // the first pool is quarantined
	}
	alone := p.saw(p.m.Cut(14, [32]byte{}))
	require.NotNil(p.t, alone)
	require.Zero(p.t, alone.Newcomers)
	require.EqualValues(p.t, 1, alone.Expired)
	p.reached["left"] = true
	if x.broken != nil {
		x.broken(p)
	} else {
		p.open()
	}
	p.feed(5)
	for r := range 2 {
		(&lapsing{}).again(p, r)
	}
	p.feed(p.n)
	if p.saw(p.m.Cut(15, [32]byte{})) != nil && x.broken == nil {
		p.reached["second birth"] = true
	}
	p.saw(p.m.Cut(20, [32]byte{}))
	s := p.m.Status()
	if s.Beyond > 0 {
		p.reached["beyond"] = true
	}
	require.Equal(p.t, s.Sent, s.Accounted())
	if x.broken == nil {
		require.Empty(p.t, p.m.CheckInvariants())
	}
}

func (x *windowing) course(t testing.TB) *course {
	return &course{n: 6, d: 3, k: 2, l: 2, schema: withPeople(t), rows: person, play: x.play,
		need: func(p *play, published merge.Bag) (int, bool) {
			if p.m != nil && p.m.Status().InitialEnd {
				return 2, true
			}
			return 4, true
		},
		policy: func(p *state.Policy) {
			quarantines(p)
			p.Window, _ = retire.Parse("2s")
		},
		reaches: []string{"left", "beyond", "second birth"}}
}

// TestRuleWWindows: in every world of a stream whose parts leave, and in which people come again, with every outcome of the draws,
// the posterior of each value of each person ever published, gone or not, is its share in the bucket, exactly.
func TestRuleWWindows(t *testing.T) {
	t.Parallel()
	(&windowing{}).course(t).requireExact(t)
}

// TestBrokenWindows: the same enumeration finds people of whom all is known where who has left gets a second start.
func TestBrokenWindows(t *testing.T) {
	t.Parallel()
	v := (&windowing{broken: func(p *play) { p.m.SecondStartOfWhoLeft() }}).course(t).enumerate(t)
	t.Log(v)
	assert.Less(t, v.exact[0], v.published)
	assert.Equal(t, big.NewRat(1, 1), v.worst)
}
