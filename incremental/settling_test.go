package incremental_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// settling is a feed in which people settle, opened anew after each message.
type settling struct {
	*poolFeed
	sums int
}

func newSettling(t *testing.T, r settle.Rule) *settling {
	p := bucketPolicy(2, 2)
	p.Settle, p.InitialMin = r, 4
	return &settling{poolFeed: newPoolFeed(t, newSchema(t, true), p, 1)}
}

// of is a row of a person.
func (f *settling) of(person int, value string) equivclass.Row {
	return append(zoned(person, value), []byte("p"+strconv.Itoa(person)))
}

// send sends an insert at a time of the log, and returns what became of it.
func (f *settling) send(at int64, row equivclass.Row) incremental.Outcome {
	require.NoError(f.t, f.m.Stamp(source, at))
	out, err := f.m.Apply(source, f.offset, row)
	require.NoError(f.t, err)
	if out.Reason != equivclass.Accepted {
		require.NoError(f.t, f.m.Refuse(state.DeadLetter{Partition: source, Offset: f.offset, Reason: out.Reason, Attribute: out.Attribute}))
	}
	f.offset++
	f.next()
	return out
}

// next commits, and opens the state anew.
func (f *settling) next() {
	require.NoError(f.t, f.m.Commit())
	s := f.m.Status()
	require.Equal(f.t, s.Sent, s.Accounted(), "%+v", s)
	f.store = f.store.Crash()
	f.open()
	again := f.m.Status()
	again.Now, again.OldestTick = s.Now, s.OldestTick
	require.Equal(f.t, s, again)
	require.Empty(f.t, f.m.CheckInvariants())
	f.sums++
}

// TestPeopleSettle: a person's first record waits in an open history for as long as everybody's, by the clock of the log, whether the
// state is opened anew meanwhile or not; then it arrives. Later ones are beyond.
func TestPeopleSettle(t *testing.T) {
	for name, r := range map[string]settle.Rule{"in time": {For: 100}, "in messages": {Records: 5}} {
		t.Run(name, func(t *testing.T) {
			f := newSettling(t, r)
			for i := range 5 {
				require.Equal(t, incremental.Outcome{}, f.send(int64(1000+20*i), f.of(i, "v"+strconv.Itoa(i%2))))
				require.Equal(t, state.Pending{Settling: i + 1}, f.m.Status().Pending)
				require.Zero(t, f.m.Arrived())
			}
			require.Equal(t, incremental.Outcome{Beyond: true}, f.send(1100, f.of(0, "v1")), "the window is over")
			require.Equal(t, state.Pending{Settling: 4, Waiting: 1}, f.m.Status().Pending)
			require.Equal(t, incremental.Outcome{Beyond: true}, f.send(1119, f.of(2, "v1")), "it is one past the first")
			for i := range 6 {
				f.send(int64(1120+20*i), f.of(10+i, "v"+strconv.Itoa((i+1)%2)))
			}
			s := f.m.Status()
			require.Equal(t, 2, s.Beyond)
			require.Equal(t, f.m.Arrived(), s.Pending.Waiting, "who has settled waits")
			require.Equal(t, 11, s.Pending.Waiting+s.Pending.Settling)
			intent := f.cut()
			require.NotNil(t, intent)
			require.Equal(t, f.m.Status().Pending.Settling, intent.Pending.Settling)
			f.next()
		})
	}
}

// TestTheTimeFollowsFromStateAndTick: a tick that nobody arrived at is forgotten when a process ends, and the clock of the next one may be
// behind it. Whoever repeats both in one process comes to the same times, and holds time stamps against the same clock.
func TestTheTimeFollowsFromStateAndTick(t *testing.T) {
	const day = 24 * 60 * 60 * 1000
	p := bucketPolicy(4, 2)
	p.HoldInCuts, p.MaxHold, p.Settle = false, 10, settle.Rule{For: 100}
	for _, killed := range []bool{false, true} {
		f := newPoolFeed(t, newSchema(t, true), p, 1)
		f.m.Tick(5000)
		require.NoError(t, f.m.Stamp(source, 1000))
		require.NoError(t, f.m.Intake().Ignore(source, 0, "left out"))
		require.NoError(t, f.m.Commit())
		if killed {
			f.open()
		}
		f.m.Tick(3000)
		require.EqualValues(t, 3000, f.m.Now())
		require.NoError(t, f.m.Stamp(source, 4000+day))
		require.EqualValues(t, 1, f.m.Ahead())
		require.EqualValues(t, 1000, f.m.Intake().Positions()[source].Time)
		f.offset = 1
		f.apply([]equivclass.Row{append(zoned(1, "a"), []byte("1"))})
		require.NoError(t, f.m.Idle(source, 1100))
		require.Equal(t, 1, f.m.Arrived())
		f.m.Tick(2000)
		require.EqualValues(t, 3000, f.m.Now(), "somebody has arrived then")
		require.EqualValues(t, 2000, f.m.Ticked())
	}
}
