package incremental_test

import (
	"math/big"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
	"anond/incremental/state"
)

// lapsing is a stream in which somebody waits too long, and comes again if the value is the second one: it is one that people have for
// long. Who comes again is seen by everybody.
type lapsing struct {
	broken func(p *play) // what the machine does besides; nil: nothing
}

func (x *lapsing) play(p *play) {
	p.feed(4)
	p.cut()
	p.feed(5)
	for range 3 {
		if p.cut(); x.broken != nil {
			x.broken(p)
		}
	}
	lapsed := p.m.Status().Lapsed
	if lapsed > 0 {
		p.reached["lapsed"] = true
	}
	if x.broken == nil {
		require.Equal(p.t, 1, lapsed)
		p.open()
		require.Equal(p.t, 1, p.m.Status().Lapsed, "a restart knows who has lapsed")
	}
	p.feed(7)
	if p.world[4] == 1 {
		x.again(p, 4)
	}
	p.feed(p.n)
	p.cut()
	p.cut()
	s := p.m.Status()
	require.Equal(p.t, s.Sent, s.Accounted())
	if x.broken == nil {
		require.Empty(p.t, p.m.CheckInvariants())
	}
}

// again gives a person's record a second time.
func (x *lapsing) again(p *play, r int) {
	row := person(r)
	row[2] = []byte{p.name(p.world[r])}
	before := p.m.Arrived()
	out, err := p.m.Apply(state.Partition{Source: "again"}, int64(r), row)
	p.must(err)
	p.note("again", r, out)
	if out.Beyond {
		p.reached["beyond"] = true
	}
	if p.m.Arrived() > before {
		p.taken = append(p.taken, int32(r))
	}
}

func (x *lapsing) course(t testing.TB) *course {
	return &course{n: 9, d: 2, k: 2, l: 2, schema: withPeople(t), rows: person, play: x.play,
		need: func(p *play, published merge.Bag) (int, bool) {
			if p.m != nil && p.m.Status().InitialEnd {
				return 4, true
			}
			return 2, true
		},
		policy:  func(p *state.Policy) { quarantines(p); p.MaxWait = 1 },
		reaches: []string{"lapsed", "beyond", "second release"}}
}

// TestLapsedPeople: in every world of a stream in which somebody lapses and comes again depending on the value, with every outcome of the
// draws, the posterior of each value of each published record is its share in the bucket, exactly.
func TestLapsedPeople(t *testing.T) {
	t.Parallel()
	(&lapsing{}).course(t).requireExact(t)
}

// TestBrokenLapses: the same enumeration finds people of whom more is known where who has lapsed has a second start, or where whether
// somebody lapses depends on the value.
func TestBrokenLapses(t *testing.T) {
	tier.NotShort(t, "it enumerates worlds")
	t.Parallel()
	for name, broken := range map[string]func(p *play){
		"lapsed people get a second start": func(p *play) { p.m.SecondStart() },
		"lapse depends on the value": func(p *play) {
			p.m.LapseOf(func(r state.RecordID) bool { return p.world[p.taken[r]] == 0 })
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := (&lapsing{broken: broken}).course(t)
			if name == "lapse depends on the value" {
				policy := c.policy
				c.policy = func(p *state.Policy) { policy(p); p.MaxWait = 100 }
			}
			v := c.enumerate(t)
			t.Log(v)
			assert.Less(t, v.exact[0], v.published)
			assert.Equal(t, big.NewRat(1, 1), v.worst)
		})
	}
}

// TestWhoIsInAFixedPoolDoesNotLapse: a stop comes between, and much time passes.
func TestWhoIsInAFixedPoolDoesNotLapse(t *testing.T) {
	p := bucketPolicy(4, 2)
	p.HoldInCuts, p.MaxHold, p.MaxWait = false, 10, 20
	f := newPoolFeed(t, newSchema(t, true), p, 1)
	people := 0
	rows := func(n int) (out []equivclass.Row) {
		for range n {
			people++
			out = append(out, append(zoned(people, string(byte('a'+people%6))), []byte(strconv.Itoa(people))))
		}
		return out
	}
	f.apply(rows(400))
	require.NotNil(t, f.cut())
	f.apply(rows(1000))
	f.m.Tick(15)
	require.NoError(t, f.m.Fix(state.Triggered))
	fixed := f.m.FixedPool()
	require.NotEmpty(t, fixed)
	f.m.Tick(1000)
	f.open()
	f.m.Tick(2000)
	intent := f.cut()
	require.Equal(t, len(fixed), intent.Newcomers)
	require.Zero(t, f.m.Status().Lapsed)
	waiting := f.m.Status().Pending.Waiting
	f.apply(rows(1))
	f.cut()
	require.Positive(t, f.m.Status().Lapsed)
	require.LessOrEqual(t, f.m.Status().Lapsed, waiting)
	s := f.m.Status()
	require.Equal(t, s.Sent, s.Accounted())
}
