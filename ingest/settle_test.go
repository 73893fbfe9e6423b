package ingest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/settle"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/decode"
)

// observing is a feed of changes in which people settle for 100 ms of the log. The state is opened anew after each message.
type observing struct {
	t       *testing.T
	options incremental.Options
	store   *memstore.Store
	m       *incremental.Machine
	d       decode.Decoder
	offset  int64
}

func newObserving(t *testing.T, format decode.Format, updates, deletes bool) *observing {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "visit", Role: equivclass.RecordKey},
		{Name: "id", Role: equivclass.Subject}, {Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	p := rigPolicy()
	p.Requirement.K, p.Requirement.L, p.Level, p.InitialMin, p.Republication = 2, 2, state.L2, 8, state.Append
	p.Settle = settle.Rule{For: 100, Updates: updates}
	f := &observing{t: t, store: memstore.New(), options: incremental.Options{Schema: schema, Seed: [32]byte{1}, Policy: p}}
	f.d, err = decode.New(format, schema, decode.Options{Kinds: true, Updates: updates, Deletes: deletes})
	require.NoError(t, err)
	f.open()
	return f
}

func (f *observing) open() {
	m, err := incremental.Open(f.store, f.options)
	require.NoError(f.t, err)
	f.m = m
}

// send sends a message at a time of the log.
func (f *observing) send(at int64, value string) {
	f.t.Helper()
	row, text := make(equivclass.Row, 4), []byte(value)
	out := f.d.DecodeKeyed(nil, text, nil, row)
	p := state.Partition{Source: "s"}
	require.NoError(f.t, f.m.Stamp(p, at))
	_, err := ingest.Place(f.m, f.options.Schema, p, &ingest.Record{Offset: f.offset, Value: text, Time: at}, out, row,
		f.m.SubjectOf(row), false)
	require.NoError(f.t, err)
	f.offset++
	require.NoError(f.t, f.m.Commit())
	s := f.m.Status()
	require.Equal(f.t, s.Sent, s.Accounted(), "%+v", s)
	require.Equal(f.t, uint64(f.offset), s.Sent)
	f.store = f.store.Crash()
	f.open()
	require.Equal(f.t, s.Pending, f.m.Status().Pending)
}

// event is a change of a visit of somebody.
func event(op, id string, visit int, age, illness string) string {
	return fmt.Sprintf(`{"op":%q,"after":{"id":%q,"visit":%d,"age":%q,"illness":"%s"}}`, op, id, visit, age, illness)
}

// TestKindsOfMessages: what becomes of each kind of message about somebody, inside the window and behind it, and what of it is
// counted; an illness is shown only if it is in the record that the person has when the window ends.
func TestKindsOfMessages(t *testing.T) {
	const bad = `\u0001` // a text that no value is
	type counts struct{ settling, waiting, beyond, refused, forgotten int }
	for name, c := range map[string]struct {
		format           decode.Format
		updates, deletes bool
		inside, behind   []string
		in, then         counts
		illness          string // that waits; "": nobody does
	}{
		"an update is applied": {updates: true, inside: []string{event("c", "p", 1, "40", "a"), event("u", "p", 1, "41", "b")},
			in: counts{settling: 1, beyond: 1}, then: counts{waiting: 1, beyond: 1}, illness: "b"},
		"an update is refused": {inside: []string{event("c", "p", 1, "40", "a"), event("u", "p", 1, "41", "b")},
			in: counts{settling: 1, refused: 1}, then: counts{waiting: 1, refused: 1}, illness: "a"},
		"an update with a bad illness": {updates: true, inside: []string{event("c", "p", 1, "40", "a"), event("u", "p", 1, "41", bad)},
			in: counts{beyond: 1, refused: 1}, behind: []string{event("c", "p", 1, "40", "a")}, then: counts{beyond: 2, refused: 1}},
		"an update with a bad age": {updates: true, inside: []string{event("c", "p", 1, "40", "a"), event("u", "p", 1, "old", "b")},
			in: counts{settling: 1, refused: 1}, then: counts{waiting: 1, refused: 1}, illness: "a"},
		"an update of another visit": {updates: true, inside: []string{event("c", "p", 1, "40", "a"), event("u", "p", 2, "41", bad)},
			in: counts{settling: 1, beyond: 1}, then: counts{waiting: 1, beyond: 1}, illness: "a"},
		"a second visit, whatever it says": {updates: true, inside: []string{event("c", "p", 1, "40", "a"), event("c", "p", 2, "41", bad),
			event("c", "p", 3, "old", "c")}, in: counts{settling: 1, beyond: 2}, then: counts{waiting: 1, beyond: 2}, illness: "a"},
		"an insert of the same visit": {updates: true, inside: []string{event("c", "p", 1, "40", "a"), event("r", "p", 1, "41", "b")},
			in: counts{settling: 1, beyond: 1}, then: counts{waiting: 1, beyond: 1}, illness: "b"},
		"a bad illness first": {updates: true, inside: []string{event("c", "p", 1, "40", bad), event("c", "p", 2, "40", "a")},
			in: counts{refused: 1, beyond: 1}, then: counts{refused: 1, beyond: 1}},
		"a bad age first": {updates: true, inside: []string{event("c", "p", 1, "old", "a"), event("c", "p", 2, "40", "b")},
			in: counts{settling: 1, refused: 1}, then: counts{waiting: 1, refused: 1}, illness: "b"},
		"a bad age alone": {updates: true, inside: []string{event("c", "p", 1, "old", "a")}, in: counts{refused: 1},
			behind: []string{event("c", "p", 1, "40", "a")}, then: counts{refused: 1, beyond: 1}},
		"a delete": {updates: true, inside: []string{event("c", "p", 1, "40", "a"), `{"op":"d","before":{"id":"p"}}`},
			in: counts{beyond: 2}, behind: []string{event("c", "p", 1, "40", "a")}, then: counts{beyond: 3}},
		"a delete that forgets": {updates: true, deletes: true, inside: []string{event("c", "p", 1, "40", "a"),
			`{"op":"d","before":{"id":"p"}}`},
			in: counts{settling: 1, forgotten: 1}, behind: []string{event("c", "p", 1, "40", "a")}, then: counts{waiting: 1,
				forgotten: 2},
			illness: "a"}, // until the erasure
		"late messages": {updates: true, inside: []string{event("c", "p", 1, "40", "a")}, in: counts{settling: 1},
			behind: []string{event("u", "p", 1, "40", "b"), event("u", "p", 1, "40", bad), event("c", "p", 2, "40", bad), event("c",
				"p", 2, "x", "b"),
				`{"op":"d","before":{"id":"p"}}`}, then: counts{waiting: 1, beyond: 4, refused: 1}, illness: "a"},
		"a message that nobody can read": {updates: true, inside: []string{event("c", "p", 1, "40", "a"), `{"after":{"id":"p"},"op":`},
			in: counts{refused: 1, beyond: 1}, then: counts{refused: 1, beyond: 1}},
		"a record without person": {updates: true, inside: []string{event("c", "", 1, "40", "a")}, in: counts{refused: 1},
			then: counts{refused: 1}},
		"a record without key": {updates: true, inside: []string{`{"op":"c","after":{"id":"p","age":40,"illness":"a"}}`},
			in: counts{refused: 1}, then: counts{refused: 1}},
		"plain records with keys": {format: decode.JSON, updates: true, inside: []string{`{"id":"p","visit":1,"age":40,"illness":"a"}`,
			`{"id":"p","visit":2,"age":40,"illness":"b"}`, `{"id":"p","visit":1,"age":40,"illness":"c"}`}, in: counts{settling: 1,
			beyond: 2},
			then: counts{waiting: 1, beyond: 2}, illness: "c"},
		"a plain record that nobody can read": {format: decode.JSON, updates: true,
			inside: []string{`{"id":"p","visit":1,"age":40,"illness":"a"}`,
				`{"id":"p","visit":1,"id":"p"}`}, in: counts{refused: 1, beyond: 1}, then: counts{refused: 1, beyond: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.format == "" {
				c.format = decode.Debezium
			}
			f := newObserving(t, c.format, c.updates, c.deletes)
			look := func() counts {
				s := f.m.Status()
				return counts{s.Pending.Settling, s.Pending.Waiting, s.Beyond, int(s.DeadLetter), int(s.Forgotten)}
			}
			for i, text := range c.inside {
				f.send(int64(1000+i), text)
			}
			require.Equal(t, c.in, look())
			require.NoError(t, f.m.Stamp(state.Partition{Source: "s"}, 1100))
			for _, text := range c.behind {
				f.send(1100, text)
			}
			require.Equal(t, c.then, look())
			require.Zero(t, f.m.Status().Stale, "nobody is published")
			v := f.m.Releases().All()
			if c.illness == "" {
				require.Zero(t, v.Len())
				require.Zero(t, v.Dictionaries[3].Len(), "nothing is left of who is not shown")
				return
			}
			require.Equal(t, 1, v.Len())
			require.Equal(t, c.illness, v.Dictionaries[3].Text(v.SA[0].At(0)))
			require.Equal(t, 1, v.Dictionaries[3].Len())
		})
	}
}

// TestMessagesOfHistories: what becomes of messages about somebody of whom up to two records are published, and which sequence is.
func TestMessagesOfHistories(t *testing.T) {
	const bad = `\u0001`
	type counts struct{ settling, waiting, beyond, refused int }
	for name, c := range map[string]struct {
		inside   []string
		in, then counts
		illness  []string // that wait; none: nobody does
	}{
		"one record": {inside: []string{event("c", "p", 1, "40", "a")}, in: counts{settling: 1}, then: counts{waiting: 1},
			illness: []string{"a"}},
		"two records": {inside: []string{event("c", "p", 1, "40", "b"), event("c", "p", 2, "41", "a")}, in: counts{settling: 2},
			then: counts{waiting: 2}, illness: []string{"b", "a"}},
		"the third one, whatever it says": {inside: []string{event("c", "p", 1, "40", "a"), event("c", "p", 2, "41", "a"),
			event("c", "p", 3, "41", bad), event("c", "p", 4, "old", "b")}, in: counts{settling: 2, beyond: 2},
			then: counts{waiting: 2, beyond: 2}, illness: []string{"a", "a"}},
		"a bad illness second": {inside: []string{event("c", "p", 1, "40", "a"), event("c", "p", 2, "41", bad), event("c", "p", 3, "41", "b")},
			in: counts{beyond: 2, refused: 1}, then: counts{beyond: 2, refused: 1}},
		"a bad age takes no place": {inside: []string{event("c", "p", 1, "40", "a"), event("c", "p", 2, "old", "c"),
			event("c", "p", 3, "41", "b")}, in: counts{settling: 2, refused: 1}, then: counts{waiting: 2, refused: 1}, illness: []string{"a", "b"}},
		"an update of the first one": {inside: []string{event("c", "p", 1, "40", "a"), event("c", "p", 2, "41", "b"),
			event("u", "p", 1, "42", "c")}, in: counts{settling: 2, beyond: 1}, then: counts{waiting: 2, beyond: 1}, illness: []string{"c", "b"}},
		"an update of one that is not shown": {inside: []string{event("c", "p", 1, "40", "a"), event("c", "p", 2, "41", "b"),
			event("u", "p", 3, "42", bad)}, in: counts{settling: 2, beyond: 1}, then: counts{waiting: 2, beyond: 1}, illness: []string{"a", "b"}},
		"a delete": {inside: []string{event("c", "p", 1, "40", "a"), event("c", "p", 2, "41", "b"), `{"op":"d","before":{"id":"p"}}`},
			in: counts{beyond: 3}, then: counts{beyond: 3}},
		"a message that nobody can read": {inside: []string{event("c", "p", 1, "40", "a"), event("c", "p", 2, "41", "b"),
			`{"after":{"id":"p"},"op":`}, in: counts{refused: 1, beyond: 2}, then: counts{refused: 1, beyond: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newObserving(t, decode.Debezium, true, false)
			f.options.Policy.Settle.Max, f.store = 2, memstore.New()
			f.open()
			look := func() counts {
				s := f.m.Status()
				return counts{s.Pending.Settling, s.Pending.Waiting, s.Beyond, int(s.DeadLetter)}
			}
			for i, text := range c.inside {
				f.send(int64(1000+i), text)
			}
			require.Equal(t, c.in, look())
			require.NoError(t, f.m.Stamp(state.Partition{Source: "s"}, 1100))
			require.Equal(t, c.then, look())
			v := f.m.Releases().All()
			if c.illness == nil {
				require.Zero(t, v.Len()+v.Dictionaries[3].Len(), "nothing is left of who is not shown")
				return
			}
			require.Equal(t, []any{1, 1}, []any{v.Len(), v.Dictionaries[3].Len()})
			require.Equal(t, c.illness, equivclass.Parts(v.Dictionaries[3].Text(v.SA[0].At(0))))
			if len(c.illness) > 1 {
				require.Equal(t, "41", v.Dictionaries[2].Text(v.QI[0].At(0)), "the quasi-identifiers are the newest record's")
			}
		})
	}
}
