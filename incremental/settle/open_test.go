package settle

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// step is a message of a test, and what must become of it.
type step struct {
	kind  Kind
	fault Fault
	at    int64
	key   uint64
	lane  uint16
	epoch uint32
	what  What
	left  bool // nothing of the person will be shown
}

// TestWindows: what becomes of the messages about one person, and what is shown when the window has ended. The window is 10 long.
func TestWindows(t *testing.T) {
	for name, c := range map[string]struct {
		updates bool
		steps   []step
		shown   string // the stratum; "": nobody is
		offset  int64  // of the record that is shown: the number of the step
		epoch   uint32 // when the window ends
	}{
		"one insert": {steps: []step{{}}, shown: "plain"},
		"an insert past the first": {
			steps: []step{{}, {at: 1, what: Beyond}}, shown: "plain"},
		"one past the first that is at fault": {
			steps: []step{{}, {at: 1, fault: Sensitive, what: Beyond}}, shown: "plain"},
		"likewise, for all to see": {
			steps: []step{{}, {at: 1, fault: Public, what: Beyond}}, shown: "plain"},
		"an insert behind the window": {
			steps: []step{{}, {at: 10, what: Beyond}}, shown: "plain"},
		"a public fault before the record": {
			steps: []step{{fault: Public, what: Refused}, {at: 9}}, shown: "fault", offset: 1},
		"its window began with it": {
			steps: []step{{fault: Public, what: Refused}, {at: 10, what: Beyond}}},
		"a public fault alone": {steps: []step{{fault: Public, what: Refused}}},
		"a sensitive fault": {
			steps: []step{{fault: Sensitive, what: Refused, left: true}}},
		"a sensitive fault after a public one": {
			steps: []step{{fault: Public, what: Refused}, {fault: Sensitive, what: Refused, left: true}}},
		"a delete inside": {
			steps: []step{{}, {kind: Delete, at: 9, what: Beyond, left: true}}},
		"a delete before anything": {
			steps: []step{{kind: Delete, what: Beyond, left: true}}},
		"a delete behind": {
			steps: []step{{}, {kind: Delete, at: 10, what: Refused}}, shown: "plain"},
		"an update where they are refused": {
			steps: []step{{}, {kind: Update, at: 1, what: Refused}}, shown: "updated"},
		"a late update where they are refused": {
			steps: []step{{}, {kind: Update, at: 10, what: Refused}}, shown: "plain"},
		"an update": {updates: true,
			steps: []step{{}, {kind: Update, at: 9, what: Replaces}}, shown: "updated", offset: 1},
		"two": {updates: true,
			steps: []step{{}, {kind: Update, at: 1, what: Replaces}, {kind: Update, at: 1, what: Replaces}}, shown: "updated", offset: 2},
		"a late update": {updates: true,
			steps: []step{{}, {kind: Update, at: 10, what: Beyond}}, shown: "plain"},
		"a late update that is at fault": {updates: true,
			steps: []step{{}, {kind: Update, at: 10, fault: Sensitive, what: Beyond}}, shown: "plain"},
		"an update with a public fault": {updates: true,
			steps: []step{{}, {kind: Update, fault: Public, what: Refused}}, shown: "fault+updated"},
		"an update with a sensitive fault": {updates: true,
			steps: []step{{}, {kind: Update, fault: Sensitive, what: Refused, left: true}}},
		"an update of another record": {updates: true,
			steps: []step{{key: 1}, {kind: Update, key: 2, what: Beyond}}, shown: "updated"},
		"one that is at fault": {updates: true,
			steps: []step{{key: 1}, {kind: Update, key: 2, fault: Sensitive, what: Beyond}}, shown: "updated"},
		"an insert of the same record": {updates: true,
			steps: []step{{key: 1}, {key: 1, what: Replaces}}, shown: "updated", offset: 1},
		"likewise, where updates are refused": {
			steps: []step{{key: 1}, {key: 1, what: Beyond}}, shown: "plain"},
		"an insert of another record": {updates: true,
			steps: []step{{key: 1}, {key: 2, what: Beyond}}, shown: "plain"},
		"an update before any insert": {updates: true,
			steps: []step{{kind: Update, what: Beyond}, {at: 9}}, shown: "updated", offset: 1},
		"an update alone": {updates: true,
			steps: []step{{kind: Update, what: Beyond}}},
		"a message that cannot be read": {steps: []step{{}, {kind: Unclear, what: Refused, left: true}}},
		"likewise, first of all":        {steps: []step{{kind: Unclear, what: Refused, left: true}}},
		"likewise, behind the window":   {steps: []step{{}, {kind: Unclear, at: 10, what: Beyond}}, shown: "plain"},
		"an insert from elsewhere": {
			steps: []step{{}, {lane: 1, what: Beyond}}, shown: "plain"},
		"an update from elsewhere": {updates: true,
			steps: []step{{}, {kind: Update, lane: 1, what: Beyond}}, shown: "plain"},
		"a hierarchy grows": {
			steps: []step{{epoch: 3}}, shown: "older", epoch: 4},
		"it grows twice": {steps: []step{{epoch: 3}}, epoch: 5},
		"an update by another version": {updates: true,
			steps: []step{{}, {kind: Update, epoch: 1, what: Beyond, left: true}}, epoch: 1},
		"one that is at fault by another version": {updates: true,
			steps: []step{{}, {kind: Update, epoch: 1, fault: Sensitive, what: Refused, left: true}}, epoch: 1},
		"a public fault by another version": {
			steps: []step{{fault: Public, what: Refused}, {at: 1, epoch: 1}}, shown: "fault", offset: 1, epoch: 1},
	} {
		t.Run(name, func(t *testing.T) {
			o := New(Rule{For: 10, Updates: c.updates})
			left := false
			for i, s := range c.steps {
				judged := false
				out := o.Take(Message{Person: 5, Kind: s.kind, Lane: s.lane, At: s.at, Epoch: s.epoch,
					Record: Record{Key: s.key, Offset: int64(i), Row: []byte{byte(i)}}}, func() Fault { judged = true; return s.fault })
				require.Equal(t, s.what, out.What, "message %d", i)
				require.Equal(t, s.left, out.Left, "message %d", i)
				require.True(t, judged || s.what == Beyond || s.kind == Unclear || !c.updates && s.kind != Insert, "message %d was not looked at", i)
				require.False(t, judged && s.what == Beyond && !s.left, "message %d changes nothing and was looked at", i)
				left = left || out.Left
				o = reload(t, &o)
			}
			require.Empty(t, o.Ended(func(uint16) int64 { return 9 }, c.epoch), "it ended early")
			ended := o.Ended(func(uint16) int64 { return 10 }, c.epoch)
			require.Zero(t, o.Len())
			require.Zero(t, o.Weight())
			require.Zero(t, o.Records())
			if left {
				require.Empty(t, ended)
				return
			}
			require.Len(t, ended, 1)
			require.Equal(t, uint64(5), ended[0].Person)
			if c.shown == "" {
				require.Nil(t, ended[0].Records)
				return
			}
			require.Equal(t, c.shown, ended[0].Stratum.String())
			require.True(t, ended[0].Stratum.Valid())
			require.Len(t, ended[0].Records, 1)
			require.Equal(t, c.offset, ended[0].Records[0].Offset)
			require.Equal(t, []byte{byte(c.offset)}, ended[0].Records[0].Row)
		})
	}
}

// reload commits a room and loads it again, as after a crash.
func reload(t testing.TB, o *Open) Open {
	again := New(o.Rule)
	o.Committed()
	for h := range o.All {
		require.NoError(t, again.Load(Change{h.Number, h.Encode()}))
	}
	require.Equal(t, o.Records(), again.Records())
	require.Equal(t, o.Weight(), again.Weight())
	return again
}

// TestEndsInOrder: people of several lanes are handed out in the order in which their windows end, and of first messages, whoever was
// taken out meanwhile; and a room that is stored after each step and loaded again does the same.
func TestEndsInOrder(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		a, b := New(Rule{For: 7}), New(Rule{For: 7})
		clock, stored := [3]int64{}, map[uint64][]byte{}
		for person := uint64(1); person < 200; person++ {
			lane := uint16(random.IntN(3))
			clock[lane] += random.Int64N(3)
			m := Message{Person: person, Lane: lane, At: clock[lane], Record: Record{Row: []byte("row")}}
			if random.IntN(9) == 0 {
				m.Person = 1 + random.Uint64N(person)
				m.Kind = Delete
			}
			sound := func() Fault { return Sound }
			require.Equal(t, a.Take(m, sound), b.Take(m, sound))
			if random.IntN(3) == 0 {
				ended := a.Ended(func(lane uint16) int64 { return clock[lane] }, 0)
				require.Equal(t, ended, b.Ended(func(lane uint16) int64 { return clock[lane] }, 0))
				for lane, at := range clock {
					require.False(t, a.Due(uint16(lane), at))
				}
			}
			numbers := []uint64{}
			for _, c := range b.Staged() {
				if numbers = append(numbers, c.Number); c.Bytes == nil {
					require.Contains(t, stored, c.Number)
					delete(stored, c.Number)
				} else {
					stored[c.Number] = c.Bytes
				}
			}
			require.True(t, slices.IsSorted(numbers))
			require.Len(t, stored, b.Len())
			b = reload(t, &b)
		}
	}
}

// FuzzDecode: whatever the bytes, reading them ends, and what is read is what is written.
func FuzzDecode(f *testing.F) {
	for _, h := range []History{{Person: 1}, {Person: 1 << 63, Lane: 65535, End: -1 << 63, Epoch: 1<<32 - 1, Faulty: true, Updated: true},
		{Person: 2, Records: []Record{{Row: []byte{}}}},
		{Person: 3, Records: []Record{{Key: 9, Origin: 7, Offset: 1 << 62, Row: []byte("a row")}}}} {
		f.Add(uint64(7), h.Encode())
	}
	f.Fuzz(func(t *testing.T, number uint64, content []byte) {
		h, err := Decode(Change{number, content})
		if err != nil {
			require.ErrorIs(t, err, ErrDecode)
			return
		}
		require.Equal(t, number, h.Number)
		require.Equal(t, content, h.Encode(), "there are two ways to write it")
	})
}

// TestSeveralInserts: of a person with a history so many inserts are taken as the rule has; later ones are not looked at. A refusal for a
// sensitive value among the first takes all of them out, one for a public fault takes no place.
func TestSeveralInserts(t *testing.T) {
	fault := func(f Fault) func() Fault { return func() Fault { return f } }
	looked := func() Fault { require.Fail(t, "it is looked at"); return Sound }
	insert := func(o *Open, person uint64, f func() Fault) What {
		return o.Take(Message{Person: person, Record: Record{Offset: int64(o.Records()), Row: []byte{byte(person)}}}, f).What
	}
	o := New(Rule{For: 10, Max: 3})
	for range 2 {
		for person := uint64(1); person <= 3; person++ {
			require.Equal(t, Taken, insert(&o, person, fault(Sound)))
		}
	}
	require.Equal(t, Refused, insert(&o, 2, fault(Public)))
	require.Equal(t, Taken, insert(&o, 2, fault(Sound)))
	require.Equal(t, Beyond, insert(&o, 2, looked))
	out := o.Take(Message{Person: 3}, fault(Sensitive))
	require.Equal(t, Outcome{What: Refused, Left: true, Held: 2}, out)
	require.Equal(t, 5, o.Records())
	again := New(o.Rule)
	for _, c := range o.Staged() {
		require.NoError(t, again.Load(c))
	}
	short := New(Rule{For: 10, Max: 2})
	require.NoError(t, short.Load(o.Staged()[0]))
	require.Error(t, short.Load(o.Staged()[1]), "a longer one than the rule has")
	for _, of := range []*Open{&o, &again} {
		var strata []string
		for _, s := range of.Ended(func(uint16) int64 { return 10 }, 0) {
			require.Len(t, s.Records, s.Stratum.Inserts())
			strata = append(strata, s.Stratum.String())
		}
		require.Equal(t, []string{"2", "3+fault"}, strata)
		require.Zero(t, of.Records()+of.Weight())
	}
}

// TestWindowsEndWithTheSource: no time and no number of messages ends them, and where it does not end windows Finish does nothing.
func TestWindowsEndWithTheSource(t *testing.T) {
	r, err := Parse("end")
	require.NoError(t, err)
	require.Equal(t, []any{Rule{End: true}, "end", true, false}, []any{r, r.String(), r.On(), r.Timed()})
	o := New(r)
	for person := uint64(1); person <= 2; person++ {
		require.Equal(t, Taken, o.Take(Message{Person: person, At: int64(person), Record: Record{Row: []byte("x")}},
			func() Fault { return Sound }).What)
	}
	require.Empty(t, o.Ended(func(uint16) int64 { return 1 << 49 }, 0))
	require.Len(t, o.Finish(0), 2)
	require.Zero(t, o.Len())
	other := New(Rule{Records: 5})
	other.Take(Message{Person: 1, Record: Record{Row: []byte("x")}}, func() Fault { return Sound })
	require.Empty(t, other.Finish(0))
}
