package settle

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
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
			require.Empty(t, slices.Collect(o.Ended(func(uint16) int64 { return 9 }, c.epoch)), "it ended early")
			ended := slices.Collect(o.Ended(func(uint16) int64 { return 10 }, c.epoch))
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

// TestEndsInOrder: people of several lanes are handed out in the order in which their windows end, and of first messages, whatever came of
// them and whoever was taken out meanwhile; a room that is stored after each step and loaded again has the same histories and does the
// same; and when all have left nothing of them is there.
func TestEndsInOrder(t *testing.T) {
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 1))
		rule := Rule{For: 7 + int64(seed)*50, Max: 3, Updates: true}
		a, b := New(rule), New(rule)
		clock, stored := [3]int64{}, map[uint64][]byte{}
		now := func(lane uint16) int64 { return clock[lane] }
		for step := range uint64(300) {
			lane := uint16(random.IntN(3))
			clock[lane] += random.Int64N(3)
			m := message(random, 1+step/2, step)
			m.Lane, m.At = lane, clock[lane]
			fault := []Fault{Sound, Sound, Sound, Sound, Sound, Sound, Public, Sensitive}[random.IntN(8)]
			judge := func() Fault { return fault }
			require.Equal(t, a.Take(m, judge), b.Take(m, judge))
			if random.IntN(9) == 0 {
				ended := slices.Collect(a.Ended(now, 0))
				require.Equal(t, ended, slices.Collect(b.Ended(now, 0)))
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
			for h := range a.All {
				if step%10 > 0 {
					break
				}
				require.Equal(t, b.Of(h.Person).Encode(), h.Encode())
				require.Equal(t, h, a.Of(h.Person))
			}
			b = reload(t, &b)
			require.Equal(t, []int{a.Len(), a.Records(), a.Weight()}, []int{b.Len(), b.Records(), b.Weight()})
		}
		for range a.Ended(func(uint16) int64 { return 1 << 40 }, 0) {
			continue
		}
		require.Zero(t, a.Len()+a.Records()+a.Weight())
		require.Empty(t, a.room.texts.numbers, "a text stayed")
		require.NotContains(t, a.room.texts.held, text{uses: 1})
		require.Zero(t, len(a.room.blocks)-len(a.room.free), "a block stayed")
		require.Equal(t, make([]*lane, len(a.room.lanes)), a.room.lanes)
	}
}

// spread makes digests of numbers, which are uniform.
const spread = 0x9e3779b97f4a7c15

// message is one about somebody among so many people.
func message(random *rand.Rand, people, step uint64) Message {
	m := Message{Person: (1 + random.Uint64N(people)) << random.IntN(2) * spread}
	m.Kind = []Kind{Insert, Insert, Insert, Insert, Update, Update, Delete, Unclear}[min(random.IntN(8), random.IntN(8))]
	m.Record = Record{Key: 1 + random.Uint64N(3), Origin: uint16(random.IntN(2)), Offset: int64(step)}
	switch random.IntN(9) {
	case 0: // no list of texts
		m.Row = make([]byte, random.IntN(40))
		for i := range m.Row {
			m.Row[i] = byte(random.IntN(256))
		}
	case 1:
		m.Row = []byte{}
	default:
		for i := range 4 {
			long := bytes.Repeat([]byte("long"), 50)
			value := [][]byte{nil, {}, []byte("x"), []byte("Married-civ-spouse"), []byte("12345"), long}[random.IntN(6)]
			if i == 3 {
				value = fmt.Append(nil, "only here ", step)
			}
			m.Row = AppendText(m.Row, value)
		}
	}
	return m
}

// TestManyTexts: where more texts come than have numbers, rows are what they were all the same, and numbers go to other texts when no
// row has the old ones.
func TestManyTexts(t *testing.T) {
	o := New(Rule{For: 10})
	row := func(i int) []byte {
		return AppendText(AppendText(nil, fmt.Append(nil, "text-", i%(mostTexts+500))), []byte("common"))
	}
	const people = 2 * (mostTexts + 500)
	for i := range people {
		o.Take(Message{Person: uint64(i+1) * spread, Record: Record{Row: row(i)}}, func() Fault { return Sound })
	}
	require.Len(t, o.room.texts.numbers, mostTexts)
	for i := range people {
		require.Equal(t, row(i), o.Of(uint64(i+1) * spread).Records[0].Row)
		o.Remove(uint64(i+1) * spread)
	}
	require.Empty(t, o.room.texts.numbers)
	require.Len(t, o.room.texts.free, mostTexts)
}

// TestHeapOfOpenHistories: a record that waits takes at most 60 bytes, its values and whatever is needed to find it and to end it
// included; and a room out of which nearly all were taken takes little.
func TestHeapOfOpenHistories(t *testing.T) {
	const people = 20_000
	for name, c := range map[string]struct{ records, most int }{"one record": {1, 52}, "histories of two": {2, 40}} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 1))
			before := heap()
			o := New(Rule{For: 1 << 40, Max: c.records})
			for i := range people * c.records {
				row := AppendText(nil, fmt.Append(nil, 17+random.IntN(74)))
				for _, of := range []struct {
					name string
					n    int
				}{{"work", 8}, {"education", 16}, {"marital", 7}, {"race", 5}, {"sex", 2}, {"country", 41}, {"occupation", 14}} {
					row = AppendText(row, fmt.Append(nil, of.name, "-", random.IntN(of.n)))
				}
				o.Take(Message{Person: uint64(i%people+1) * spread, Lane: uint16(i % people % 4), At: 1_700_000_000_000 + int64(i),
					Record: Record{Origin: uint16(i % people % 4), Offset: 1_000_000 + int64(i/4), Row: row}}, func() Fault { return Sound })
				if i%5000 == 0 {
					o.Committed()
				}
			}
			o.Committed()
			require.Equal(t, people*c.records, o.Records())
			held := heap() - before
			t.Log(held/int64(people*c.records), "bytes a record")
			require.LessOrEqual(t, held, int64(people*c.records*c.most))
			for i := range people {
				if i%100 > 0 {
					o.Remove(uint64(i%people+1) * spread)
				}
			}
			o.Committed()
			require.Less(t, heap()-before, held/3)
			runtime.KeepAlive(&o)
		})
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
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
		for s := range of.Ended(func(uint16) int64 { return 10 }, 0) {
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
	require.Empty(t, slices.Collect(o.Ended(func(uint16) int64 { return 1 << 49 }, 0)))
	require.Len(t, slices.Collect(o.Finish(0)), 2)
	require.Zero(t, o.Len())
	other := New(Rule{Records: 5})
	other.Take(Message{Person: 1, Record: Record{Row: []byte("x")}}, func() Fault { return Sound })
	require.Empty(t, slices.Collect(other.Finish(0)))
}
