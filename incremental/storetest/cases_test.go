package storetest

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// full returns a delta in which every field of every type has a value of its
// own, found by reflection, so that a field added to the port is not forgotten
// by a store.
func full() *state.Delta {
	n := uint64(40)
	fill := func(v any) { fillValue(reflect.ValueOf(v).Elem(), &n) }
	d := &state.Delta{Meta: &state.Meta{}, Counters: &state.Counters{}, Intent: &state.Intent{}}
	fill(d.Meta)
	fill(d.Counters)
	fill(d.Intent)
	d.Intent.Expired = d.Intent.Release - 1
	d.Dictionary = make([]state.DictionaryEntry, 2)
	fill(&d.Dictionary)
	d.Records = []*state.RecordBlock{{First: 0, Tick: -5, Columns: [][]equivclass.Code{{1, 2, 3, 4}, {9, 8, 7, 1 << 31}, {1, 2, 1, 2}},
		Subject: []uint64{1, 1 << 63, 3, 4}, Stratum: []settle.Stratum{settle.Plain, 1 | 7<<4, settle.Plain, 3 | 2<<4},
		Window: []settle.Window{{Until: 1 << 62, At: []int64{-1}}, {At: []int64{0}}, {Until: -1 << 63, At: []int64{1<<63 - 1}},
			{Until: 9, At: []int64{1, 2, 5}}},
		Origin: []uint16{0, 1, 1, 65535}, Offset: []int64{5, -1, 1 << 62, 0}}}
	d.Positions = make([]state.PartitionPosition, 2)
	fill(&d.Positions)
	d.DeadLetters = make([]state.DeadLetter, 2)
	fill(&d.DeadLetters)
	d.Births = []*state.Class{
		{ID: 0, Regime: state.Frozen, Born: 7, Regroups: 3, Members: []state.RecordID{0, 2}},
		{ID: 1, Regime: state.Pure, Born: 8, Regroups: 65535, Members: []state.RecordID{1, 3}},
	}
	d.Quarantined = []state.RecordID{0, 2}
	d.Known = []state.Known{state.Know(state.Person{1, 14: 2}, state.Barred), state.Know(state.Person{7: 3}, state.Forgotten)}
	d.Stale = []state.RecordID{3, 1}
	h := settle.History{Person: 1 << 63, Lane: 65535, End: -1 << 60, Epoch: 1 << 31, Faulty: true, Updated: true,
		Records: []settle.Record{{Key: 3, Origin: 65535, Offset: -9, Row: []byte{0, 255}}}}
	d.Settling = []settle.Change{{Number: 3, Bytes: h.Encode()}, {Number: 1 << 63, Bytes: (&settle.History{Person: 7}).Encode()}}
	d.Born = &state.Born{Release: d.Intent.Release, People: 4, Counts: [][]equivclass.Count{{{Code: 2, N: 3}, {Code: 1 << 31, N: 1}}, {}}}
	d.Attempt = &state.Attempt{Number: 1, Records: 4, First: -3, Last: 1 << 40, Cuts: 7, Occasion: state.AtEnd, Outcome: state.Quarantined,
		Algorithm: 1 << 31}
	due := 1
	d.Due = &due
	d.Journal = &state.JournalMark{Seq: 1 << 40, Digest: [32]byte{3, 31: 4}, Next: 1 << 50}
	d.Ledger = &state.LedgerMark{Size: 1 << 45, Digest: [16]byte{5, 15: 6}}
	d.DeclaredPure = []state.ClassID{0}
	d.Deaths = []state.Death{{ID: 1, Release: 9}}
	return d
}

// fillValue gives every field under v a value that differs from all others
// where its type allows.
func fillValue(v reflect.Value, n *uint64) {
	*n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(*n)
	case reflect.String:
		v.SetString(fmt.Sprint("text", *n))
	case reflect.Struct:
		for i := range v.NumField() {
			fillValue(v.Field(i), n)
		}
	case reflect.Array:
		for i := range v.Len() {
			fillValue(v.Index(i), n)
		}
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		}
		for i := range v.Len() {
			fillValue(v.Index(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem(), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fillValue(key, n)
			fillValue(value, n)
			v.SetMapIndex(key, value)
		}
	default:
		panic("storetest: no value for " + v.Type().String())
	}
}

func testEveryField(t *testing.T, open opener) {
	s, model := open(t), &State{}
	defer func() { require.NoError(t, s.Close()) }()
	d := full()
	for v, i := reflect.ValueOf(*d), 0; i < v.NumField(); i++ {
		if name := v.Type().Field(i).Name; name != "Delivered" { // testOutbox
			require.False(t, v.Field(i).IsZero(), "field %s of Delta is not tested", name)
		}
	}
	commit(t, s, model, d)
	require.Equal(t, model, read(t, s))
	require.Equal(t, model, read(t, reopenInto(t, &s, open)))
}

func testNilMaps(t *testing.T, open opener) {
	for _, m := range []*state.Meta{
		{},
		{InitialEnds: map[state.Partition]int64{}},
		{Settings: map[string][32]byte{}},
		{References: map[int][]equivclass.Count{}},
	} {
		s, model := open(t), &State{}
		commit(t, s, model, &state.Delta{Meta: m, Counters: &state.Counters{Refused: map[equivclass.Reason]uint64{}}})
		got := read(t, s)
		require.Equal(t, model.Meta, got.Meta, "nil ends are unknown, empty ends are known")
		require.Equal(t, model.Counters, got.Counters)
		require.NoError(t, s.Close())
	}
}

func testOrder(t *testing.T, open opener) {
	s := open(t)
	defer func() { require.NoError(t, s.Close()) }()
	g := NewGenerator(3, 2)
	for range 30 {
		require.NoError(t, s.Commit(g.Next()))
	}
	next, stage, class, release, number := state.RecordID(0), 0, 0, uint32(0), -1
	at := func(n int) {
		require.GreaterOrEqual(t, n, stage, "a part comes after a later one")
		stage = n
	}
	require.NoError(t, s.Load(state.Visitor{
		Meta:       func(state.Meta) error { at(0); return nil },
		Counters:   func(state.Counters) error { at(1); return nil },
		Dictionary: func(int, string) error { at(2); return nil },
		Records: func(b *state.RecordBlock) error {
			at(3)
			require.Equal(t, next, b.First)
			next += state.RecordID(b.Len())
			return nil
		},
		Class: func(c *state.Class) error {
			at(4)
			require.EqualValues(t, class, c.ID)
			class++
			return nil
		},
		Intent: func(i *state.Intent) error {
			at(5)
			require.Greater(t, i.Release, release)
			release = i.Release
			return nil
		},
		Position: func(_ state.Partition, p state.Position) error {
			at(6)
			require.Greater(t, int(p.Number), number)
			number = int(p.Number)
			return nil
		},
		Quarantined: func([]state.RecordID) error { at(7); return nil },
		Attempt:     func(*state.Attempt) error { at(8); return nil },
		Outbox:      func(uint64, int) error { at(9); return nil },
	}))
	require.Equal(t, 9, stage)
	require.NotZero(t, class)
}

func testAliasing(t *testing.T, open opener) {
	s, model := open(t), &State{}
	defer func() { require.NoError(t, s.Close()) }()
	d := full()
	commit(t, s, model, d)
	d.Records[0].Columns[0][0], d.Births[0].Members[0] = 99, 1
	d.Meta.Settings["new"], d.Counters.Refused["new"], d.DeadLetters[0].Payload = [32]byte{}, 9, nil
	delete(model.Counters.Refused, "new")
	got := read(t, s)
	require.Equal(t, model.Meta, got.Meta)
	require.Equal(t, model.Records, got.Records)
	require.Equal(t, model.Classes, got.Classes)
	require.NotContains(t, got.Counters.Refused, equivclass.Reason("new"))
	require.NotNil(t, got.Letters[0].Payload)
}

func testHandedOut(t *testing.T, open opener) {
	s, model := open(t), &State{}
	defer func() { require.NoError(t, s.Close()) }()
	commit(t, s, model, full())
	v := (&State{}).visitor()
	v.Records = func(b *state.RecordBlock) error { b.Columns[0][0], b.Offset[0] = 77, 77; return nil }
	v.Class = func(c *state.Class) error { c.Members = append(c.Members, 5); c.Members[0] = 3; return nil }
	v.Meta = func(m state.Meta) error { m.Settings["mine"] = [32]byte{}; return nil }
	require.NoError(t, s.Load(v))
	require.Equal(t, model, read(t, s))
	commit(t, s, model, &state.Delta{Counters: &state.Counters{Sent: 1}})
	require.Equal(t, model, read(t, reopenInto(t, &s, open)))
}

func testIntent(t *testing.T, open opener) {
	s, model := open(t), &State{}
	defer func() { require.NoError(t, s.Close()) }()
	first, second := state.Intent{Release: 1, Newcomers: 5}, state.Intent{Release: 2}
	commit(t, s, model, &state.Delta{Intent: &first})
	commit(t, s, model, &state.Delta{Intent: &second})
	first.Published, first.Manifest = true, [32]byte{1, 2}
	commit(t, s, model, &state.Delta{Intent: &first})
	got := read(t, reopenInto(t, &s, open))
	require.Equal(t, []state.Intent{first, second}, got.Intents)
	require.Equal(t, model, got)
}

func testTurns(t *testing.T, open opener) {
	s, model := open(t), &State{}
	defer func() { require.NoError(t, s.Close()) }()
	commit(t, s, model, full()) // class 0 was declared pure, class 1 is dead
	commit(t, s, model, &state.Delta{Deaths: []state.Death{{ID: 0, Release: 11}},
		Births: []*state.Class{{ID: 2, Regime: state.Frozen, Born: 11, Members: []state.RecordID{0, 2}}}})
	require.Equal(t, model, read(t, reopenInto(t, &s, open)))
	for name, d := range map[string]*state.Delta{
		"a frozen class dies (rule A)": {Deaths: []state.Death{{ID: 2, Release: 12}}},
		"a dead class dies":            {Deaths: []state.Death{{ID: 1, Release: 12}}},
		"a class dies twice in one delta": {DeclaredPure: []state.ClassID{2},
			Deaths: []state.Death{{ID: 2, Release: 12}, {ID: 2, Release: 12}}},
		"an unknown class dies":               {Deaths: []state.Death{{ID: 3, Release: 12}}},
		"a class dies in no release":          {DeclaredPure: []state.ClassID{2}, Deaths: []state.Death{{ID: 2}}},
		"a pure class is declared (rule C)":   {DeclaredPure: []state.ClassID{0}},
		"a class is declared twice (rule C)":  {DeclaredPure: []state.ClassID{2, 2}},
		"an unknown class is declared":        {DeclaredPure: []state.ClassID{1 << 31}},
		"a dead class is declared and reborn": {DeclaredPure: []state.ClassID{1}},
	} {
		require.ErrorIs(t, s.Commit(d), state.ErrDelta, name)
		require.Equal(t, model, read(t, s), name)
	}
	commit(t, s, model, &state.Delta{DeclaredPure: []state.ClassID{2}, Deaths: []state.Death{{ID: 2, Release: 12}}})
	require.Equal(t, model, read(t, reopenInto(t, &s, open)))
}

func testOutbox(t *testing.T, open opener) {
	s, model := open(t), &State{}
	defer func() { require.NoError(t, s.Close()) }()
	letters := make([]state.DeadLetter, 10)
	for i := range letters {
		letters[i] = state.DeadLetter{Seq: uint64(i) + 1, Offset: int64(i), Reason: equivclass.ReasonDate}
	}
	letters[3].Payload = []byte{}
	letters[4].Payload = []byte("as it came")
	commit(t, s, model, &state.Delta{DeadLetters: letters[:6]})
	commit(t, s, model, &state.Delta{DeadLetters: letters[6:], Delivered: 2})
	s = reopen(t, s, open)
	for _, c := range []struct {
		after uint64
		limit int
		want  []state.DeadLetter
	}{
		{0, 100, letters[2:]}, {2, 1, letters[2:3]}, {4, 3, letters[4:7]}, {10, 5, nil}, {0, 0, nil}, {1 << 63, 5, nil},
	} {
		got, err := s.Outbox(c.after, c.limit, 1<<30)
		require.NoError(t, err)
		require.Equal(t, c.want, got, "after %d, at most %d", c.after, c.limit)
	}
	one, two := letters[4].Bytes(), letters[4].Bytes()+letters[5].Bytes()
	for most, n := range map[int]int{0: 1, one: 1, two - 1: 1, two: 2} {
		got, err := s.Outbox(4, 100, most)
		require.NoError(t, err)
		require.Len(t, got, n, "at most %d bytes, but one dead letter at least", most)
	}
	commit(t, s, model, &state.Delta{Delivered: 10})
	got := read(t, reopenInto(t, &s, open))
	require.Equal(t, model, got)
	require.EqualValues(t, 10, got.LastLetter, "numbers are not given twice")
	require.ErrorIs(t, s.Commit(&state.Delta{DeadLetters: letters[9:]}), state.ErrDelta)
	require.ErrorIs(t, s.Commit(&state.Delta{Delivered: 11}), state.ErrDelta)
}

// testRefused commits deltas that are right but for one fault. Nothing of them
// may stay, before or after opening again.
func testRefused(t *testing.T, open opener) {
	s, model := open(t), &State{}
	defer func() { require.NoError(t, s.Close()) }()
	commit(t, s, model, full())
	block := func(first state.RecordID, n int) *state.RecordBlock {
		return &state.RecordBlock{First: first, Columns: [][]equivclass.Code{make([]equivclass.Code, n)},
			Origin: make([]uint16, n), Offset: make([]int64, n)}
	}
	short, noSubjects, noWindows, otherWindow := block(4, 3), block(4, 3), block(4, 1), block(4, 1)
	noWindows.Stratum = []settle.Stratum{settle.Plain}
	otherWindow.Stratum, otherWindow.Window = noWindows.Stratum, []settle.Window{settle.Unknown(2)}
	short.Columns[0] = short.Columns[0][:2]
	noSubjects.Subject = []uint64{1}
	born := func(c state.Class) *state.Delta {
		return &state.Delta{Births: []*state.Class{&c}}
	}
	two := []state.RecordID{1, 3}
	held := model.Positions[0]
	stolen := state.PartitionPosition{Partition: state.Partition{Source: "other"}, Position: held.Position}
	renumbered := held
	renumbered.Position.Number += 1000
	for name, d := range map[string]*state.Delta{
		"records leave a gap":             {Records: []*state.RecordBlock{block(5, 1)}},
		"records overlap":                 {Records: []*state.RecordBlock{block(3, 1)}},
		"the second block leaves a gap":   {Records: []*state.RecordBlock{block(4, 2), block(7, 1)}},
		"a block is empty":                {Records: []*state.RecordBlock{block(4, 0)}},
		"a column is short":               {Records: []*state.RecordBlock{short}},
		"the subject column is short":     {Records: []*state.RecordBlock{noSubjects}},
		"there are no windows":            {Records: []*state.RecordBlock{noWindows}},
		"a window has other records":      {Records: []*state.RecordBlock{otherWindow}},
		"a class number is skipped":       born(state.Class{ID: 3, Members: two}),
		"a class number is used":          born(state.Class{ID: 1, Members: two}),
		"a class is born dead":            born(state.Class{ID: 2, Members: two, Died: 4}),
		"a class has no members":          born(state.Class{ID: 2}),
		"a class has no regime":           born(state.Class{ID: 2, Members: two, Regime: 2}),
		"a member has not arrived":        born(state.Class{ID: 2, Members: []state.RecordID{1, 4}}),
		"members are out of order":        born(state.Class{ID: 2, Members: []state.RecordID{3, 1}}),
		"a member is there twice":         born(state.Class{ID: 2, Members: []state.RecordID{1, 1}}),
		"a quarantined record is unknown": {Quarantined: []state.RecordID{4}},
		"quarantined records disorder":    {Quarantined: []state.RecordID{2, 2}},
		"an attempt is left out":          {Attempt: &state.Attempt{Number: 3, Cuts: 1}},
		"an attempt has no cut":           {Attempt: &state.Attempt{Number: 2}},
		"an attempt is ahead of records":  {Attempt: &state.Attempt{Number: 2, Cuts: 1, Records: 5}},
		"an intent has no release":        {Intent: &state.Intent{}},
		"an entry has no attribute":       {Dictionary: []state.DictionaryEntry{{Attribute: -1}}},
		"a number goes to another":        {Positions: []state.PartitionPosition{stolen}},
		"a partition is renumbered":       {Positions: []state.PartitionPosition{renumbered}},
		"a letter's number was given":     {DeadLetters: []state.DeadLetter{{Seq: 1}}},
		"a class of the delta dies frozen": {Births: []*state.Class{{ID: 2, Members: two}},
			Deaths: []state.Death{{ID: 2, Release: 3}}},
	} {
		d.Meta, d.Counters = &state.Meta{Tick: 99}, &state.Counters{Sent: 99} // right, and must not stay
		require.ErrorIs(t, s.Commit(d), state.ErrDelta, name)
		require.Equal(t, model, read(t, s), name)
		require.Equal(t, model, read(t, reopenInto(t, &s, open)), name)
	}
	commit(t, s, model, &state.Delta{Records: []*state.RecordBlock{block(4, 2)}})
	require.Equal(t, model, read(t, s), "a right delta goes on after the refused ones")
}

// testTinyCommits is the slow stream: one record, one class, one dead letter a commit.
func testTinyCommits(t *testing.T, open opener) {
	s, model := open(t), &State{}
	defer func() { require.NoError(t, s.Close()) }()
	for i := range 300 {
		n := state.RecordID(i)
		b := &state.RecordBlock{First: n, Tick: int64(i / 7), Columns: [][]equivclass.Code{{equivclass.Code(i % 5)}, {equivclass.Code(i)}},
			Origin: []uint16{uint16(i % 3)}, Offset: []int64{int64(i)}}
		if i >= 150 { // a subject attribute cannot come and go, but a store must not lose rows over it
			b.Subject = []uint64{uint64(i)}
		}
		d := &state.Delta{Records: []*state.RecordBlock{b}, DeadLetters: []state.DeadLetter{{Seq: uint64(i) + 1}},
			Delivered: uint64(i / 2)}
		d.Births = []*state.Class{{ID: state.ClassID(i), Regime: state.Pure, Born: 1, Members: []state.RecordID{n}}}
		if i > 0 {
			d.Deaths = []state.Death{{ID: state.ClassID(i - 1), Release: 2}}
		}
		commit(t, s, model, d)
		if i%50 == 49 {
			require.Equal(t, model, read(t, reopenInto(t, &s, open)))
		}
	}
}

// testRandom compares a store with the model over histories of many deltas,
// opened again at random.
func testRandom(t *testing.T, open opener) {
	const seed, steps = 20261120, 120
	t.Logf("seed %d", seed)
	g := NewGenerator(seed, 4)
	s, model := open(t), &State{}
	defer func() { require.NoError(t, s.Close()) }()
	for i := range steps {
		commit(t, s, model, g.Next())
		switch {
		case g.chance(0.1):
			require.Equal(t, model, read(t, reopenInto(t, &s, open)), "seed %d, step %d", seed, i)
		case g.chance(0.2): // commits go on without a load
			reopenInto(t, &s, open)
		case g.chance(0.1):
			require.Equal(t, model, read(t, s), "seed %d, step %d", seed, i)
		}
	}
	require.Equal(t, model, read(t, reopenInto(t, &s, open)), "seed %d", seed)
}
