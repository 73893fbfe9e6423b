package incremental_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/incremental"
	"anond/incremental/settle"
	"anond/incremental/state"
	"anond/ingest/decode"
)

// observing is a machine of people who settle, before anything is published.
func observing(t *testing.T, versions ...string) *play {
	s := situation{values: 2, versions: versions, histories: [][]history{unwatched(2)}}
	return s.course(t, "").start(t, []int{0, 0, 0, 0, 0}, &script{known: map[merge.Key][]int32{}})
}

func (p *play) sums() {
	s := p.m.Status()
	require.Equal(p.t, s.Sent, s.Accounted(), "%+v", s)
	require.Empty(p.t, p.m.CheckInvariants())
}

// TestAReplayedRecordSettles: a record that was refused for something that everybody knows, and is taken in later, is observed from its
// first message on like any other, and is of the stratum of those with a fault; when the window has ended it comes too late.
func TestAReplayedRecordSettles(t *testing.T) {
	for late, at := range map[bool]int64{false: 50, true: 500} {
		p := observing(t)
		p.tell(0, message{op: "c", quasi: `"x"`, at: 0})
		p.tell(1, message{op: "c", at: at, value: `"a"`})
		p.must(p.m.Commit())
		letters, err := p.store.Outbox(0, 10, 1<<20)
		p.must(err)
		require.Len(t, letters, 1)
		row := equivclass.Row{[]byte("1"), []byte("1"), []byte("a"), []byte("0")}
		require.Equal(t, !late, p.m.Readmission().Looks(row), "not even for validity")
		out, err := p.m.Readmission().Take(letters[0], row)
		p.must(err)
		p.must(p.m.Commit())
		p.open()
		p.sums()
		require.Zero(t, p.m.Arrived(), "nobody jumps the window")
		require.Equal(t, late, out.Reason != equivclass.Accepted)
		p.passes(1000)
		if p.sums(); late {
			require.Equal(t, 1, p.m.Arrived())
			continue
		}
		require.Equal(t, 2, p.m.Arrived())
		require.Equal(t, []string{"fault", "plain"}, []string{p.m.StratumOf(0).String(), p.m.StratumOf(1).String()})
	}
}

// TestALeafThatGoesWhileSomebodySettles: before anything is published a hierarchy may lose leaves, unless somebody has them, also
// somebody who is observed.
func TestALeafThatGoesWhileSomebodySettles(t *testing.T) {
	p := observing(t, "abc", "ab")
	p.tell(0, message{op: "c", value: `"c"`, at: 0})
	p.tell(1, message{op: "c", value: `"a"`, at: 0})
	p.must(p.m.Commit())
	p.options.Schema, p.options.Settings, p.decoder = p.versions[1], settingsOf(2), nil
	if _, err := incremental.Open(p.store, p.options); err != nil {
		return // it is refused, as where records have the leaf
	}
	p.open()
	require.NoError(t, p.m.Stamp(source, begins+1000))
	p.sums()
}

// TestWhoTheSourceCallsSomebodyElse: an update or a delete without a person is nobody's.
func TestWhoTheSourceCallsSomebodyElse(t *testing.T) {
	p := observing(t)
	for _, event := range []string{`{"op":"u","before":null,"after":{"x0":1,"x1":1,"value":"a"}}`, `{"op":"d","before":null,"after":null}`,
		`{"op":"u","after":null}`, `{"op":"c","after":{"person":"","x0":1,"x1":1,"value":"a"}}`} {
		p.send(source, []byte(event), 10)
	}
	p.must(p.m.Commit())
	p.open()
	p.passes(1000)
	p.sums()
	require.Zero(t, p.m.Status().Pending.Settling)
	require.Zero(t, p.m.Arrived())
}

// TestOrderOfLogsDecidesNothing: two logs, each of its own people, are read in turn or one after the other, with stops in between. Who is
// of which stratum is the same.
func TestOrderOfLogsDecidesNothing(t *testing.T) {
	other := state.Partition{Source: source.Source, ID: source.ID + 1}
	var want map[int32]settle.Stratum
	for order := range 4 {
		p := observing(t)
		at := [2]int{}
		step := func(log int) {
			i, from := at[log], []state.Partition{source, other}[log]
			at[log]++
			x := message{op: "c", at: int64(10 * i), from: from, value: `"a"`}
			person := 2*(i%7) + log
			if i%3 == 2 {
				x.op = "u"
			}
			p.tell(person, x)
			if order > 1 && i%5 == 0 {
				p.must(p.m.Commit())
				p.open()
			}
		}
		for i := range 80 {
			if order%2 == 0 {
				step(i % 2)
			} else {
				step(i / 40)
			}
		}
		for _, from := range []state.Partition{source, other} {
			p.must(p.m.Stamp(from, begins+5000))
			offset, _ := p.m.Intake().Next(from)
			p.must(p.m.Intake().Ignore(from, offset, decode.ReasonTombstone))
			p.must(p.m.Stamp(from, begins+5001))
		}
		p.sums()
		p.knowsWho()
		of := map[int32]settle.Stratum{}
		for r, who := range p.taken {
			of[who] = p.m.StratumOf(state.RecordID(r))
		}
		if want == nil {
			want = of
		}
		require.NotEmpty(t, of)
		require.Equal(t, want, of, "order %d", order)
	}
}
