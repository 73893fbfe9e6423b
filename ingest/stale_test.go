package ingest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/decode"
)

// TestStaleIsWhoChangesAfterPublication: an update, a delete or a tombstone of a published person counts the person once, whether
// these messages are refused, ignored or taken, and after a start; what comes of others, or before, does not.
func TestStaleIsWhoChangesAfterPublication(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "id", Role: equivclass.Subject}, {Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	for _, deletes := range []bool{false, true} {
		for _, ignore := range [][]equivclass.Reason{nil, {decode.ReasonUnsupported}} {
			store := memstore.New()
			policy := rigPolicy()
			policy.Requirement.K, policy.Requirement.L, policy.Level, policy.InitialMin = 2, 2, state.L2, 64
			policy.Republication = state.Append
			o := incremental.Options{Schema: schema, Seed: [32]byte{1}, Policy: policy}
			m, err := incremental.Open(store, o)
			require.NoError(t, err)
			d, err := decode.New(decode.Debezium, schema, decode.Options{Deletes: deletes, Ignore: ignore})
			require.NoError(t, err)
			offset := int64(0)
			send := func(key, value string) {
				t.Helper()
				row, text := make(equivclass.Row, 3), []byte(value)
				if value == "" {
					text = nil
				}
				out := d.DecodeKeyed([]byte(key), text, nil, row)
				_, err := ingest.Place(m, schema, state.Partition{Source: "s"}, &ingest.Record{Offset: offset, Value: text}, out, row,
					m.SubjectOf(row), false)
				require.NoError(t, err)
				offset++
			}
			for i := range 64 {
				send("", fmt.Sprintf(`{"op":"c","after":{"id":"p%d","age":%d,"illness":"i%d"}}`, i, 20+i, i%8))
			}
			send("", `{"op":"u","before":null,"after":{"id":"p0","age":40,"illness":"a"}}`)
			i, err := m.Cut(1, [32]byte{})
			require.NoError(t, err)
			require.NotNil(t, i)
			require.NoError(t, m.Published(1, [32]byte{1}))
			require.Zero(t, m.Status().Stale, "it came before the release")
			for _, x := range []struct {
				key, value string
				stale      int
			}{
				{"", `{"op":"u","before":null,"after":{"id":"p1","age":"?","illness":"c"}}`, 1},
				{"", `{"op":"u","before":{"id":"p1"},"after":{"id":"p1","age":50,"illness":"c"}}`, 1},
				{"", `{"op":"c","after":{"id":"p2","age":50,"illness":"c"}}`, 1},
				{"", `{"op":"u","after":{"id":"unknown","age":50,"illness":"c"}}`, 1},
				{"", `{"op":"t"}`, 1},
				{"", `{"op":"d","before":{"id":"p2"},"after":null}`, 2},
				{`{"id":"p2"}`, "", 2},
				{`{"id":"p3"}`, "", 3},
			} {
				send(x.key, x.value)
				require.Equal(t, x.stale, m.Status().Stale, "%s %s", x.key, x.value)
			}
			require.NoError(t, m.Commit())
			m, err = incremental.Open(store, o)
			require.NoError(t, err)
			require.Equal(t, 3, m.Status().Stale)
			status := m.Status()
			require.Equal(t, status.Sent, status.Accounted())
		}
	}
}
