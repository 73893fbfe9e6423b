package decode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

func deleteSchema(t testing.TB) *equivclass.Schema {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "id", Role: equivclass.Subject},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	return schema
}

func deleteDecoder(t testing.TB, format Format, o Options) Decoder {
	o.Deletes = true
	d, err := New(format, deleteSchema(t), o)
	require.NoError(t, err)
	return d
}

// TestWhomADeleteNames: the `before` of a Debezium delete, else the key of the message; whom
// neither names is not forgotten, and that is said.
func TestWhomADeleteNames(t *testing.T) {
	const none = "\x00"
	for _, x := range []struct {
		format     Format
		key, value string
		person     string // empty: none
		reason     equivclass.Reason
	}{
		{JSON, `ann`, none, "ann", ""},
		{JSON, ` ann `, none, "ann", ""},
		{JSON, `"a\u006en"`, none, "ann", ""},
		{JSON, `17`, none, "17", ""},
		{JSON, `{"id":"ann","other":{"x":1}}`, none, "ann", ""},
		{JSON, `{"schema":{"id":1},"payload":{"id":"ann"}}`, none, "ann", ""},
		{CSV, `ann`, none, "ann", ""},
		{JSON, ``, none, "", ReasonUnsupported},
		{JSON, `null`, none, "", ReasonUnsupported},
		{JSON, `["ann"]`, none, "", ReasonUnsupported},
		{JSON, `{"id":"ann"`, none, "", ReasonUnsupported},
		{JSON, `{"id":"ann","id":"bob"}`, none, "", ReasonUnsupported},
		{JSON, `{"id":{"x":"ann"}}`, none, "", ReasonUnsupported},
		{JSON, `{"number":7}`, none, "", ReasonUnsupported},
		{JSON, "a\tn", none, "", ReasonUnsupported},
		{Debezium, `{"id":"bob"}`, `{"op":"d","before":{"id":"ann","age":41,"illness":"flu"},"after":null}`, "ann", ""},
		{Debezium, `{"id":"bob"}`, `{"before":{"id":"ann"},"op":"d"}`, "ann", ""},
		{Debezium, `{"payload":{"id":"ann"}}`, `{"payload":{"op":"d","before":null}}`, "ann", ""},
		{Debezium, `{"id":"ann"}`, `{"op":"d","before":{"age":41}}`, "ann", ""},
		{Debezium, `{"id":"ann"}`, none, "ann", ""},
		{Debezium, `{"id":"ann"}`, `null`, "ann", ""},
		{Debezium, `{"id":"ann"}`, `{"payload":null}`, "ann", ""},
		{Debezium, `Struct{id=ann}`, none, "", ReasonUnsupported},
		{Debezium, `17`, `{"op":"d"}`, "17", ""},
		{Debezium, ``, `{"op":"d","before":{"age":41}}`, "", ReasonNoPerson},
		{Debezium, ``, `{"op":"d","before":{"id":"  "}}`, "", ReasonNoPerson},
		{Debezium, `{"id":"ann"}`, `{"op":"d","before":{"id":"ann"},"before":{"id":"bob"}}`, "", ReasonDuplicate},
		{Debezium, `{"id":"ann"}`, `{"op":"d","before":{"id":"ann"},"payload":{"before":{"id":"bob"}}}`, "", ReasonEnvelope},
		{Debezium, `{"id":"ann"}`, `{"op":"d","before":7}`, "", ReasonEnvelope},
		{Debezium, `{"id":"ann"}`, `{"op":"u","before":{"id":"ann"},"after":{"id":"ann"}}`, "", ReasonUnsupported},
		{Debezium, `{"id":"ann"}`, `{"op":"t"}`, "", ReasonUnsupported},
	} {
		d := deleteDecoder(t, x.format, Options{})
		value := []byte(x.value)
		if x.value == none {
			value = nil
		}
		row := make(equivclass.Row, 3)
		got := d.DecodeKeyed([]byte(x.key), value, nil, row)
		if x.person == "" {
			require.Equal(t, x.reason, got.Reason, "%s %q %s", x.format, x.key, x.value)
			require.False(t, got.Delete)
			row[1] = nil // of what is refused its person may stay
			require.Equal(t, make(equivclass.Row, 3), row, "%q %s", x.key, x.value)
			continue
		}
		require.Equal(t, Outcome{Delete: true}, got, "%s %q %s", x.format, x.key, x.value)
		require.False(t, got.Accepted(), "it is no record")
		require.Equal(t, equivclass.Row{nil, []byte(x.person), nil}, row)
	}
}

// TestDeletesAreOffByDefault, and inserts are what they were when they are on.
func TestDeletesAreOffByDefault(t *testing.T) {
	on := deleteDecoder(t, Debezium, Options{Ignore: []equivclass.Reason{ReasonTombstone}})
	row := make(equivclass.Row, 3)
	require.Equal(t, Outcome{Reason: ReasonTombstone, Ignored: true}, on.DecodeKeyed(nil, nil, nil, row), "it names nobody")
	insert := []byte(`{"op":"c","before":null,"after":{"id":"ann","age":41,"illness":"flu"}}`)
	require.True(t, on.DecodeKeyed([]byte(`{"id":"bob"}`), insert, nil, row).Accepted())
	require.Equal(t, "ann", string(row[1]), "the record says whose it is, not its key")
	off := newDecoder(t, JSON, Options{})
	require.Equal(t, Outcome{Reason: ReasonUnsupported}, off.DecodeKeyed([]byte("ann"), nil, nil, make(equivclass.Row, 9)))
}

// idsIn are the texts that encoding/json finds anywhere under the name id, or as the whole.
func idsIn(text []byte) (out []string) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var top any
	if d.Decode(&top) != nil {
		return nil
	}
	var look func(v any, named bool)
	look = func(v any, named bool) {
		switch v := v.(type) {
		case map[string]any:
			for name, under := range v {
				look(under, name == "id")
			}
		case []any:
			for _, under := range v {
				look(under, false)
			}
		case string, json.Number:
			if named {
				out = append(out, fmt.Sprint(v))
			}
		}
	}
	look(top, true)
	return out
}

// FuzzDelete: whatever key and value hold, decoders neither panic nor hand on anything but the
// subject of a delete, which encoding/json finds in key or value, or which is the key.
func FuzzDelete(f *testing.F) {
	f.Add(uint8(0), []byte(`{"id":"ann"}`), []byte(``))
	f.Add(uint8(1), []byte(`{"payload":{"id":7}}`), []byte(`{"op":"d","before":{"id":"ann"}}`))
	f.Add(uint8(2), []byte(`ann`), []byte(``))
	var decoders []Decoder
	subject := deleteSchema(f).Attributes()[1]
	for _, format := range []Format{JSON, Debezium, CSV} {
		decoders = append(decoders, deleteDecoder(f, format, Options{}))
	}
	f.Fuzz(func(t *testing.T, format uint8, key, value []byte) {
		d, row := decoders[int(format)%3], make(equivclass.Row, 3)
		if len(value) == 0 {
			value = nil
		}
		switch o := d.DecodeKeyed(slices.Clip(key), slices.Clip(value), nil, row); {
		case o.Delete:
			require.NotEmpty(t, row[1])
			var named []string
			for _, text := range append(append(idsIn(key), idsIn(value)...), string(key)) {
				if clean, why := subject.Clean([]byte(text)); why == equivclass.Accepted {
					named = append(named, string(clean))
				}
			}
			require.Contains(t, named, string(row[1]))
			require.Nil(t, row[0])
			require.Nil(t, row[2])
		case !o.Accepted():
			require.Equal(t, make(equivclass.Row, 3), row)
		}
	})
}
