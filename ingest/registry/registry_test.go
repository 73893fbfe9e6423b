package registry

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"anond/equivclass"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/fault"
)

// schemaOf has attributes by name: the first is the subject, the last is sensitive.
func schemaOf(t testing.TB, names ...string) *equivclass.Schema {
	t.Helper()
	attributes := make([]equivclass.Attribute, len(names))
	for i, name := range names {
		role := equivclass.Quasi
		switch i {
		case 0:
			role = equivclass.Subject
		case len(names) - 1:
			role = equivclass.Sensitive
		}
		attributes[i] = equivclass.Attribute{Name: name, Role: role, Type: equivclass.Categorical}
	}
	s, err := equivclass.NewSchema(attributes, equivclass.MissingValue)
	require.NoError(t, err)
	return s
}

// reading is a registry that reads messages of a format for some attributes, and what reads its texts.
func reading(t testing.TB, fake *srfake.Registry, o Options, format decode.Format, paths map[string]string,
	names ...string) (*Registry, decode.Decoder) {
	t.Helper()
	schema := schemaOf(t, names...)
	places, err := PlacesOf(format, schema, paths)
	require.NoError(t, err)
	o.URL, o.Places = fake.URL(), places
	r, err := New(o)
	require.NoError(t, err)
	d, err := decode.New(format, schema, decode.Options{Paths: paths, Deletes: true})
	require.NoError(t, err)
	return r, d
}

func served(t testing.TB) *srfake.Registry {
	fake := srfake.New()
	t.Cleanup(fake.Close)
	return fake
}

// framed is a message of a schema of Avro.
func framed(t testing.TB, id int, schema string, value any) []byte {
	t.Helper()
	out, err := avro.MustParse(schema).Encode(value)
	require.NoError(t, err)
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(id)), out...)
}

// plainOf is the text of a message that has to be framed.
func plainOf(t testing.TB, r *Registry, message []byte) string {
	t.Helper()
	out, framed, err := r.Plain(t.Context(), nil, message)
	require.NoError(t, err)
	require.True(t, framed)
	return string(out)
}

// foreign are messages of confluent-kafka (testdata/confluent.py).
type foreign struct {
	Schemas  map[string]struct{ Schema, SchemaType string }
	Messages []struct {
		Topic, Field, Hex string
		Thing             map[string]any
	}
}

func foreignMessages(t testing.TB) (f foreign, fake *srfake.Registry) {
	t.Helper()
	text, err := os.ReadFile("testdata/confluent.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &f))
	fake = served(t)
	for id, s := range f.Schemas {
		number, err := strconv.Atoi(id)
		require.NoError(t, err)
		kind := sr.TypeAvro
		if s.SchemaType == "JSON" {
			kind = sr.TypeJSON
		}
		fake.SeedSchema("s"+id, 1, number, sr.Schema{Schema: s.Schema, Type: kind})
	}
	return f, fake
}

// TestMessagesOfAForeignClient: what confluent-kafka has written is read as it meant it, also inside of other values.
func TestMessagesOfAForeignClient(t *testing.T) {
	f, fake := foreignMessages(t)
	paths := map[string]string{"zip": "/address/zip", "line": "/address/lines/1", "ward": "/labels/ward", "first": "/visits/1/days"}
	names := []string{"id", "age", "sex", "weight", "height", "born", "seen", "income", "zip", "line", "region", "code", "ward", "first",
		"photo", "member", "number", "illness"}
	r, d := reading(t, fake, Options{}, decode.JSON, paths, names...)
	want := [][]string{
		{"p0", "34", "f", "70.5", "", "1987-02-01", "2026-03-01T12:30:05Z", "", "80331", "", "", "c", "7", "", "AP8=", "false",
			"00000000-0000-0000-0000-000000000000", "flu"},
		{"p1", "-1", "m", "-0.25", "1.5", "1901-02-01", "2026-03-01T12:30:05.123Z", "1234.50", "80331", "\u00fc\n", "north", "12345678901",
			"7", "",
			"AP8=", "true", "00000000-0000-0000-0000-000000000001", "asthma, severe"},
		{"p2", "2147483647", "x", "1000000000000000000000", "0.1", "2024-02-01", "2026-03-01T12:30:05Z", "-0.05", "80331", "", "", "", "7", "1",
			"AP8=", "false", "00000000-0000-0000-0000-000000000002", "flu"},
	}
	checked := 0
	for _, m := range f.Messages {
		if m.Topic != "people" || checked == len(want) {
			continue
		}
		message, err := hex.DecodeString(m.Hex)
		require.NoError(t, err)
		text := plainOf(t, r, message)
		text = strings.Replace(text, `\u000a`, "", 1) // no value has a line break
		row := make(equivclass.Row, len(names))
		require.Equal(t, decode.Outcome{}, d.Decode([]byte(text), nil, row), text)
		for i, name := range names {
			assert.Equal(t, strings.TrimSuffix(want[checked][i], "\n"), string(row[i]), "%s of message %d", name, checked)
		}
		checked++
	}
	assert.Equal(t, len(want), checked)
}

// TestChangesOfAForeignClient: Debezium's envelope in Avro is read as in JSON, deletes included, and its key names a person.
func TestChangesOfAForeignClient(t *testing.T) {
	f, fake := foreignMessages(t)
	r, d := reading(t, fake, Options{}, decode.Debezium, nil, "id", "sex", "born", "illness")
	var key []byte
	for _, m := range f.Messages {
		if m.Topic == "changes" && m.Field == "key" {
			message, err := hex.DecodeString(m.Hex)
			require.NoError(t, err)
			keys, _ := reading(t, fake, Options{MayLack: true}, decode.JSON, nil, "id", "sex", "born", "illness")
			key = []byte(plainOf(t, keys, message))
		}
	}
	want := []string{"7 f 1986-06-13 flu", "8 f 1986-06-14 flu", "unsupported_operation", "delete 7"}
	var got []string
	for _, m := range f.Messages {
		if m.Topic != "changes" || m.Field != "value" {
			continue
		}
		message, err := hex.DecodeString(m.Hex)
		require.NoError(t, err)
		row := make(equivclass.Row, 4)
		switch o := d.DecodeKeyed(key, []byte(plainOf(t, r, message)), nil, row); {
		case o.Delete:
			got = append(got, "delete "+string(row[0]))
		case o.Accepted():
			got = append(got, strings.Join([]string{string(row[0]), string(row[1]), string(row[2]), string(row[3])}, " "))
		default:
			got = append(got, string(o.Reason))
		}
	}
	assert.Equal(t, want, got)
	row := make(equivclass.Row, 4)
	assert.True(t, d.DecodeKeyed(key, nil, nil, row).Delete)
	assert.Equal(t, "7", string(row[0]))
}

// TestJSONOfASchemaRegistry: a message in JSON is what stands behind its frame.
func TestJSONOfASchemaRegistry(t *testing.T) {
	f, fake := foreignMessages(t)
	r, d := reading(t, fake, Options{}, decode.JSON, nil, "id", "sex", "illness")
	for _, m := range f.Messages {
		if m.Topic == "plain" {
			message, err := hex.DecodeString(m.Hex)
			require.NoError(t, err)
			row := make(equivclass.Row, 3)
			require.Equal(t, decode.Outcome{}, d.Decode([]byte(plainOf(t, r, message)), nil, row))
			assert.Equal(t, "flu", string(row[2]))
		}
	}
	lacking, _ := reading(t, fake, Options{}, decode.JSON, nil, "id", "gender", "illness")
	for id := range f.Schemas {
		number, _ := strconv.Atoi(id)
		_, _, err := lacking.Plain(t.Context(), nil, append(binary.BigEndian.AppendUint32([]byte{0}, uint32(number)), "{}"...))
		assert.ErrorIs(t, err, ingest.ErrSchema)
	}
}

const (
	firstVersion = `{"type":"record","name":"P","fields":[{"name":"id","type":"string"},{"name":"sex","type":"string"},
		{"name":"ill","type":"string"}]}`
	secondVersion = `{"type":"record","name":"P","fields":[{"name":"ill","type":["null","string"]},
		{"name":"new","type":{"type":"map","values":"long"}},
		{"name":"gender","aliases":["sex"],"type":"string"},{"name":"id","type":"long"}]}`
	withoutSex = `{"type":"record","name":"P","namespace":"x","fields":[{"name":"id","type":"string"},{"name":"ill","type":"string"}]}`
	sexIsNo    = `{"type":"record","name":"P","fields":[{"name":"id","type":"string"},{"name":"ill","type":"string"},
		{"name":"sex","type":{"type":"array","items":"string"}}]}`
)

var someone = map[string]any{"id": "7", "sex": "f", "ill": "flu"}

// TestEverythingOfAMessage: without places all of it is written, for somebody who does not know yet what is in it.
func TestEverythingOfAMessage(t *testing.T) {
	f, fake := foreignMessages(t)
	r, err := New(Options{URL: fake.URL()})
	require.NoError(t, err)
	read := 0
	for _, m := range f.Messages {
		message, err := hex.DecodeString(m.Hex)
		require.NoError(t, err)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(plainOf(t, r, message)), &got))
		for _, name := range []string{"id", "code", "labels", "address", "visits", "op"} {
			assert.Equal(t, m.Thing[name], got[name], name)
			read++
		}
		assert.Len(t, got, len(m.Thing))
	}
	assert.Equal(t, 72, read)
}

// TestSchemasChange: a message is read by the schema of its writer: fields may come, move, change their type, or be renamed with an alias.
func TestSchemasChange(t *testing.T) {
	fake := served(t)
	fake.SeedSchema("p", 1, 11, sr.Schema{Schema: firstVersion})
	fake.SeedSchema("p", 2, 12, sr.Schema{Schema: secondVersion})
	r, _ := reading(t, fake, Options{}, decode.JSON, nil, "id", "sex", "ill")
	assert.JSONEq(t, `{"id":"7","sex":"f","ill":"flu"}`, plainOf(t, r, framed(t, 11, firstVersion, someone)))
	second := framed(t, 12, secondVersion, map[string]any{"ill": "flu", "new": map[string]any{"a": 1}, "gender": "f", "id": 7})
	assert.JSONEq(t, `{"id":7,"sex":"f","ill":"flu"}`, plainOf(t, r, second))
}

// TestAnAttributeThatVanishesEndsTheSource: it is no fault of single records. With may_lack they are records without the value.
func TestAnAttributeThatVanishesEndsTheSource(t *testing.T) {
	fake := served(t)
	fake.SeedSchema("p", 1, 11, sr.Schema{Schema: withoutSex})
	fake.SeedSchema("p", 2, 12, sr.Schema{Schema: sexIsNo})
	fake.SeedSchema("p", 3, 13, sr.Schema{Schema: `{"type":"record","name":"E","fields":[{"name":"op","type":"string"},
		{"name":"after","type":"null"}]}`})
	fake.SeedSchema("p", 4, 14, sr.Schema{Schema: `syntax = "proto3";`, Type: sr.TypeProtobuf})
	r, _ := reading(t, fake, Options{}, decode.JSON, nil, "id", "sex", "ill")
	for id, want := range map[int]string{
		11: `schema 11 of the registry: the schema of a message does not serve: x.P has no value at /sex for attribute sex (give the ` +
			`attribute a path, or the field of the schema an alias; source.registry.may_lack takes such records without a value)`,
		12: `P has no value at /sex for attribute sex`,
		13: `(the schema is that of Debezium's change events: set source.format to debezium)`,
		14: `it is PROTOBUF, which is not read (have the producer write Avro or JSON)`,
	} {
		_, _, err := r.Plain(t.Context(), nil, binary.BigEndian.AppendUint32([]byte{0}, uint32(id)))
		require.ErrorIs(t, err, ingest.ErrSchema)
		assert.Contains(t, fault.Line(err), want)
		kind, _ := fault.Of(err)
		assert.Equal(t, fault.Config, kind)
	}
	r, _ = reading(t, fake, Options{MayLack: true}, decode.JSON, nil, "id", "sex", "ill")
	assert.JSONEq(t, `{"id":"7","ill":"flu"}`, plainOf(t, r, framed(t, 11, withoutSex, map[string]any{"id": "7", "ill": "flu"})))
}

// TestSchemasReferToOthers: types of other subjects are found, also where several refer to one.
func TestSchemasReferToOthers(t *testing.T) {
	fake := served(t)
	fake.SeedSchema("place", 1, 1, sr.Schema{Schema: `{"type":"record","name":"Place","namespace":"x",
		"fields":[{"name":"zip","type":"string"}]}`})
	fake.SeedSchema("home", 1, 2, sr.Schema{Schema: `{"type":"record","name":"Home","namespace":"x",
		"fields":[{"name":"at","type":"x.Place"}]}`,
		References: []sr.SchemaReference{{Name: "x.Place", Subject: "place", Version: 1}}})
	fake.SeedSchema("p", 1, 3, sr.Schema{Schema: `{"type":"record","name":"P","namespace":"y","fields":[{"name":"id","type":"string"},
		{"name":"home","type":["null","x.Home"]},{"name":"born","type":"x.Place"},{"name":"ill","type":"string"}]}`,
		References: []sr.SchemaReference{{Name: "x.Home", Subject: "home", Version: 1}, {Name: "x.Place", Subject: "place", Version: 1}}})
	r, _ := reading(t, fake, Options{}, decode.JSON, map[string]string{"zip": "/home/at/zip", "born": "/born/zip"}, "id", "zip", "born", "ill")
	message := append(binary.BigEndian.AppendUint32([]byte{0}, 3), "\x02a\x02\x0480\x0490\x06flu"...)
	assert.JSONEq(t, `{"id":"a","home":{"at":{"zip":"80"}},"born":{"zip":"90"},"ill":"flu"}`, plainOf(t, r, message))
}

// TestAMessageThatDoesNotFollowItsSchema is refused as no JSON, and the person is known if that could be read.
func TestAMessageThatDoesNotFollowItsSchema(t *testing.T) {
	fake := served(t)
	fake.SeedSchema("p", 1, 11, sr.Schema{Schema: firstVersion})
	r, d := reading(t, fake, Options{}, decode.JSON, nil, "id", "sex", "ill")
	whole := framed(t, 11, firstVersion, someone)
	row := make(equivclass.Row, 3)
	for n := frame; n <= len(whole)+1; n++ {
		message := append([]byte{}, whole...)
		if message = append(message, 0)[:n]; n == len(whole) {
			continue
		}
		assert.Equal(t, decode.ReasonMalformedJSON, d.Decode([]byte(plainOf(t, r, message)), nil, row).Reason, n)
		assert.Equal(t, n > frame+1, string(row[0]) == "7", n)
	}
}

// TestMessagesWithoutASchemaAreHandedOn: plain ones are read as they are, and decoders name the others.
func TestMessagesWithoutASchemaAreHandedOn(t *testing.T) {
	fake := served(t)
	asked := 0
	fake.Intercept(func(http.ResponseWriter, *http.Request) bool { asked++; return false })
	now := &still{at: time.Unix(0, 0)}
	r, d := reading(t, fake, Options{Clock: now}, decode.JSON, nil, "id", "sex", "ill")
	for _, message := range []string{"", "{}", "\x00\x00", "\x00\x00\x00\x00\x09record"} {
		for range 2 {
			out, framed, err := r.Plain(t.Context(), nil, []byte(message))
			require.NoError(t, err)
			assert.False(t, framed)
			assert.Empty(t, out)
		}
	}
	assert.Equal(t, 1, asked)
	assert.Equal(t, decode.ReasonFramed, d.Decode([]byte("\x00\x00\x00\x00\x09record"), nil, make(equivclass.Row, 3)).Reason)

	fake.SeedSchema("p", 1, 9, sr.Schema{Schema: firstVersion})
	now.at = now.at.Add(askAgain)
	assert.JSONEq(t, `{"id":"7","sex":"f","ill":"flu"}`, plainOf(t, r, framed(t, 9, firstVersion, someone)))
}

type still struct{ at time.Time }

func (s *still) Now() time.Time                                  { return s.at }
func (s *still) Ticker(time.Duration) (<-chan time.Time, func()) { return nil, func() {} }

// TestARegistryThatIsAway: nothing is refused, and the error says what to look at; nothing of the answer's text is shown.
func TestARegistryThatIsAway(t *testing.T) {
	fake := served(t)
	status := http.StatusInternalServerError
	fake.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"error_code":1,"message":"hush"}`))
		return true
	})
	r, _ := reading(t, fake, Options{Username: "u", Password: "hush"}, decode.JSON, nil, "id", "sex", "ill")
	message := []byte("\x00\x00\x00\x00\x09record")
	ask := func() string {
		_, _, err := r.Plain(t.Context(), nil, message)
		require.Error(t, err)
		assert.NotErrorIs(t, err, ingest.ErrSchema)
		return fault.Line(err)
	}
	assert.Equal(t, "schema 9 of the registry: the registry answers 500 (see the log of the registry)", ask())
	status = http.StatusUnauthorized
	assert.Equal(t, "schema 9 of the registry: the registry refuses this client (401) (correct the credentials of source.registry)", ask())
	fake.Close()
	assert.Contains(t, ask(), "(see that source.registry.url is the registry, and that it is up)")
	assert.NotContains(t, ask(), "hush")
}

// TestSchemasOfStrangersAreBounded: types that hold one another many times, and elements without bytes, cost what a message may cost.
func TestSchemasOfStrangersAreBounded(t *testing.T) {
	fake := served(t)
	var types strings.Builder
	types.WriteString(`[{"type":"record","name":"T0","fields":[]}`)
	for i := range 60 {
		n, m := strconv.Itoa(i+1), strconv.Itoa(i)
		types.WriteString(`,{"type":"record","name":"T` + n + `","fields":[{"name":"a","type":"T` + m + `"},{"name":"b","type":"T` + m + `"}]}`)
	}
	types.WriteString(`,{"type":"record","name":"P","fields":[{"name":"x","type":"T60"},{"name":"n","type":{"type":"array","items":"null"}},
		{"name":"id","type":"string"},{"name":"sex","type":"string"},{"name":"ill","type":"string"}]}]`)
	fake.SeedSchema("p", 1, 11, sr.Schema{Schema: types.String()})
	lines := `{"type":"record","name":"P","fields":[{"name":"n","type":{"type":"array","items":"null"}},
		{"name":"id","type":"string"},{"name":"sex","type":"string"},{"name":"ill","type":"string"}]}`
	fake.SeedSchema("q", 1, 12, sr.Schema{Schema: lines})
	r, _ := reading(t, fake, Options{}, decode.JSON, nil, "id", "sex", "ill")
	out := plainOf(t, r, append(binary.BigEndian.AppendUint32([]byte{0}, 11), 122)) // branch 61
	assert.Less(t, len(out), 100)

	message := binary.BigEndian.AppendUint32([]byte{0}, 12)
	message = binary.AppendVarint(message, 1<<60)
	message = append(message, "\x00\x02a\x02f\x06flu"...)
	assert.JSONEq(t, `{"id":"a","sex":"f","ill":"flu"}`, plainOf(t, r, message))
}

// FuzzMessages: whatever the bytes, what is written is no longer than six times the message and the names, the library agrees on what
// follows the schema, and nothing panics.
func FuzzMessages(f *testing.F) {
	foreign, fake := foreignMessages(f)
	schemas := map[int]*avro.Schema{}
	for id, s := range foreign.Schemas {
		if number, _ := strconv.Atoi(id); s.SchemaType == "AVRO" {
			schemas[number] = avro.MustParse(s.Schema)
		}
	}
	for _, m := range foreign.Messages {
		message, err := hex.DecodeString(m.Hex)
		require.NoError(f, err)
		f.Add(message)
	}
	r, d := reading(f, fake, Options{MayLack: true}, decode.JSON, map[string]string{"zip": "/address/zip", "line": "/address/lines/1",
		"ward": "/labels/ward", "first": "/visits/1/days"}, "id", "age", "zip", "line", "ward", "first", "code", "income", "illness")
	row := make(equivclass.Row, 9)
	f.Fuzz(func(t *testing.T, message []byte) {
		out, framed, err := r.Plain(t.Context(), nil, message)
		if err != nil || !framed {
			return
		}
		assert.LessOrEqual(t, len(out), 6*len(message)+2048)
		o := d.Decode(out, nil, row)
		s := schemas[int(binary.BigEndian.Uint32(message[1:]))]
		if s == nil {
			return
		}
		var any any
		if rest, err := s.Decode(message[frame:], &any); err == nil && len(rest) == 0 {
			assert.NotEqual(t, decode.ReasonMalformedJSON, o.Reason, "%s", out)
		}
	})
}

// BenchmarkPlain is the cost of a message with six attributes of eight fields, next to that of the decoder of its text and of the
// same record written in JSON by its producer.
func BenchmarkPlain(b *testing.B) {
	const schema = `{"type":"record","name":"P","fields":[{"name":"id","type":"string"},{"name":"age","type":"int"},
		{"name":"sex","type":"string"},{"name":"zip","type":"string"},{"name":"born","type":{"type":"int","logicalType":"date"}},
		{"name":"note","type":["null","string"]},
		{"name":"at","type":"long"},{"name":"illness","type":"string"}]}`
	fake := served(b)
	fake.SeedSchema("p", 1, 11, sr.Schema{Schema: schema})
	r, d := reading(b, fake, Options{}, decode.JSON, nil, "id", "age", "sex", "zip", "born", "illness")
	note := "seen by the ward's physician, to come again"
	message := framed(b, 11, schema, map[string]any{"id": "p1234567", "age": 47, "sex": "female",
		"zip": "80331", "born": 6000, "note": note,
		"at": 1700000000000, "illness": "influenza"})
	written := []byte(`{"id":"p1234567","age":47,"sex":"female","zip":"80331","born":"1986-06-06",` +
		`"note":"` + note +
		`","at":1700000000000,"illness":"influenza"}`)
	row := make(equivclass.Row, 6)
	out, ctx := []byte(nil), b.Context()
	for name, do := range map[string]func(){
		"avro": func() {
			out, _, _ = r.Plain(ctx, out[:0], message)
			d.Decode(out, nil, row)
		},
		"plain alone": func() { out, _, _ = r.Plain(ctx, out[:0], message) },
		"json":        func() { d.Decode(written, nil, row) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				do()
			}
		})
	}
}
