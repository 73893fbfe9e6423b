package dialect_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/ingest/dialect"
)

func wide(text string, order binary.AppendByteOrder, mark bool) (out []byte) {
	if mark {
		text = "\ufeff" + text
	}
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

func sentences(d *dialect.Found) (out []string) {
	for _, f := range d.Findings {
		out = append(out, f.String())
	}
	return out
}

func TestWhatAnInputLooksLikeIsSaidWithTheKeyToSet(t *testing.T) {
	for name, x := range map[string]struct {
		in   string
		want []string
	}{
		"plain CSV": {"id,age,dx\np0,20,flu\np1,21,hiv\n", nil},
		"semicolons": {"id;age;dx\r\np0;20,5;flu\r\np1;21,7;hiv\r\n", []string{
			`has ";" between its fields (3 of the first 3 records have 3): set source.csv.delimiter: ";"`}},
		"tabs": {"id\tdx\np0\tflu, severe\n", []string{
			"has tab between its fields (2 of the first 2 records have 2): set source.csv.delimiter: tab"}},
		"sep line": {"sep=;\r\nid;dx\r\np0;flu\r\n", []string{`says that ";" stands between its fields: set source.csv.delimiter: ";"`}},
		"Windows-1252": {"id,dx\np0,flu\np1,G\xfcrtelrose\n", []string{
			"is not UTF-8 (line 3), and looks like Windows-1252: set source.csv.encoding: windows-1252"}},
		"another encoding": {"id,dx\np0,G\x81rtelrose\n", []string{"is not UTF-8 (line 2), nor Windows-1252: set source.csv.encoding"}},
		"UTF-16":           {string(wide("id,dx\np0,flu\n", binary.LittleEndian, true)), []string{"is UTF-16: set source.csv.encoding: utf-16"}},
		"UTF-16, no mark":  {string(wide("id,dx\np0,flu\n", binary.BigEndian, false)), []string{"is UTF-16: set source.csv.encoding: utf-16"}},
		"UTF-16 JSON": {string(wide("{\"id\":1}\n", binary.LittleEndian, true)), []string{
			"is UTF-16: convert it: iconv -f utf-16 -t UTF-8"}},
		"CR": {"id,dx\rp0,flu\rp1,hiv\r", []string{
			`ends its lines in CR, as old Macintosh programs do: convert it: tr '\r' '\n'`}},
		"quoted line break": {"id;dx\np0;\"flu\nsevere\"\n", []string{
			`has ";" between its fields (2 of the first 2 records have 2): set source.csv.delimiter: ";"`}},
		"no header": {"p0,20,flu\np1,21,hiv\n", []string{
			"begins with a line that has a number or date, and so is no header: put a line with the names of the columns first, and " +
				"nothing above it"}},
		"a title": {"Patients of ward 3,,\nid,age,dx\np0,20,flu\n", []string{
			"begins with a line that has an empty field, and so is no header: put a line with the names of the columns first, and " +
				"nothing above it"}},
		"no header and an empty value": {"smith,flu,\njones,flu,x\n", []string{
			"begins with a line that has an empty field, and so is no header: put a line with the names of the columns first, and " +
				"nothing above it"}},
		"a name twice": {"id,age,age\np0,20,21\n", []string{
			"begins with a line that has a field twice, and so is no header: give each column a name of its own"}},
		"empty columns at the end": {"id,age,dx,,\np0,20,flu,,\n", nil},
		"Excel": {"PK\x03\x04\x14\x00[Content_Types].xml xl/workbook.xml", []string{
			"is an Excel workbook (.xlsx): save it as CSV in UTF-8"}},
		"Parquet":    {"PAR1\x15\x04", []string{"is a Parquet file: write it as CSV or NDJSON"}},
		"gzip":       {"\x1f\x8b\x08\x00", []string{"is packed with gzip: give it a name that ends in .gz, or unpack it"}},
		"zero bytes": {"MZ\x90\x00\x03", []string{"is no text (it has zero bytes): save it as CSV in UTF-8"}},
		"registry JSON": {"\x00\x00\x00\x00\x01{\"id\":1}\n", []string{
			"begins with a zero byte and a schema number, as messages of a schema registry do: set source.registry.url " +
				"(anond init --registry), or have a converter write plain JSON"}},
		"registry Avro": {"\x00\x00\x00\x01\x05\x02\x04a", []string{
			"begins with a zero byte and a schema number, as messages of a schema registry do: set source.registry.url " +
				"(anond init --registry), or have a converter write plain JSON"}},
		"NDJSON": {"{\"id\":1,\"dx\":\"flu\"}\n{\"id\":2}\n", nil},
		"array": {"[\n {\"id\":1},\n {\"id\":2}\n]\n", []string{
			"is one JSON text over several lines, or an array: write an object a line: jq -c '.[]'"}},
		"nothing":     {"", nil},
		"blank lines": {"\n\n", nil},
	} {
		assert.Equal(t, x.want, sentences(dialect.Look([]byte(x.in), true)), name)
	}
}

func TestTheFormatIsThatOfTheRecords(t *testing.T) {
	for in, want := range map[string]dialect.Format{
		"id,dx\n": dialect.CSV, `{"id":1,"dx":"flu"}`: dialect.JSON, `{"op":"x","after":"noon"}`: dialect.JSON, `{"payload":null}`: dialect.JSON,
		`{"before":null,"after":{"id":1},"op":"c"}`:                         dialect.Debezium,
		`{"schema":{},"payload":{"before":null,"after":{"id":1},"op":"c"}}`: dialect.Debezium,
		`{"id":1,"__op":"c"}`: dialect.DebeziumFlat, `{"id":1,"op":"d"}`: dialect.DebeziumFlat,
		`{"resourceType":"Condition"}`: dialect.FHIR, "[{}]": "", "": ""} {
		assert.Equal(t, want, dialect.Look([]byte(in+"\n"), true).Format, in)
	}
}

func TestTheColumnsAndTheTextAreThoseOfTheTable(t *testing.T) {
	d := dialect.Look(append([]byte("sep=;\r\n"), "Größe;dx\r\n1,5;flu\r\n2,"...), false)
	assert.Equal(t, []string{"Größe", "dx"}, d.Columns)
	assert.Equal(t, "Größe;dx\n1,5;flu\n", string(d.Text))
	assert.Equal(t, 1, d.Preamble)
	d = dialect.Look(wide("Größe;dx\n1,5;flu\n", binary.LittleEndian, true), true)
	assert.Equal(t, "Größe;dx\n1,5;flu\n", string(d.Text))
}

func TestTheBeginningOfACharacterAtTheEndIsNoOtherEncoding(t *testing.T) {
	text := []byte("id,dx\np0,Gürtelrose\n")
	for n := range text {
		assert.NotEqual(t, dialect.Windows1252, dialect.Look(text[:n], false).Encoding, n)
	}
}

func TestEncodingsConvertTheirTextsAndNoOthers(t *testing.T) {
	for _, x := range []struct {
		of       dialect.Encoding
		in, want string
	}{
		{dialect.Windows1252, "G\xfcrtel \x80", "Gürtel €"}, {"iso-8859-1", "G\xfcrtel", "Gürtel"}, {"iso-8859-15", "\xa4", "€"},
		{"macintosh", "G\x9frtel", "Gürtel"}, {"ibm850", "G\x81rtel", "Gürtel"}, {dialect.UTF8, "Gürtel", "Gürtel"},
		{dialect.UTF16, string(wide("Gürtel 😀", binary.BigEndian, false)), "Gürtel 😀"},
	} {
		got, ok := x.of.Convert([]byte(x.in))
		assert.True(t, ok, x.of)
		assert.Equal(t, x.want, string(got), x.of)
	}
	for of, in := range map[dialect.Encoding]string{dialect.Windows1252: "\x81", "iso-8859-1": "\x80", dialect.UTF8: "\xfc",
		dialect.UTF16: "a\x00\x00\xd8", "windows-1251": "\x98"} {
		_, ok := of.Convert([]byte(in))
		assert.False(t, ok, of)
	}
	for _, e := range dialect.Encodings {
		assert.True(t, e == dialect.UTF8 || e == dialect.UTF16 || e.OneByte(), e)
	}
}

// A text is transcoded alike in whatever pieces it comes.
func TestUTF16IsReadAlikeInPieces(t *testing.T) {
	for _, raw := range [][]byte{wide("a,ü\n😀,b", binary.LittleEndian, true), wide("a,ü\n😀,b", binary.BigEndian, true),
		[]byte("a\x00\x00\xd8b\x00\x00\xdc\x00\xdc1"), []byte("a"), []byte("ab"), nil} {
		whole, err := io.ReadAll(dialect.UTF16.Reader(bytes.NewReader(raw)))
		require.NoError(t, err)
		pieces, err := io.ReadAll(iotest.OneByteReader(dialect.UTF16.Reader(iotest.OneByteReader(bytes.NewReader(raw)))))
		require.NoError(t, err)
		assert.Equal(t, whole, pieces)
		converted, _ := dialect.UTF16.Convert(raw)
		assert.Equal(t, string(converted), string(whole))
	}
}

// No sentence holds a text of the input.
func TestFindingsHoldNoValue(t *testing.T) {
	const canary = "Qxzzy"
	for _, in := range []string{canary + ";" + canary + "\n1,5;" + canary + "\n", canary + ",G\xfc" + canary + "\n",
		"[{\"" + canary + "\":1}]",
		canary + "\r" + canary + "\r", "1," + canary + "\n"} {
		d := dialect.Look([]byte(in), true)
		require.NotEmpty(t, d.Findings)
		for _, f := range d.Findings {
			assert.NotContains(t, f.String(), canary)
		}
	}
}

func FuzzLook(f *testing.F) {
	f.Add([]byte("sep=;\r\na;b\r\n1,5;\"x\ny\"\r\n"), true)
	f.Add(wide("a,b\n1,2\n", binary.BigEndian, false), false)
	f.Add([]byte(`{"payload":{"op":"c","after":null}}`), true)
	f.Add([]byte("\x00\x00\x00\x00\x01{\"a\":1}"), false)
	f.Fuzz(func(t *testing.T, raw []byte, whole bool) {
		d := dialect.Look(raw, whole)
		require.True(t, utf8.Valid(d.Text))
		require.LessOrEqual(t, len(d.Text), 3*len(raw))
		for _, finding := range d.Findings {
			require.False(t, dialect.Plain(raw[:min(len(raw), dialect.MostBytes)], whole && len(raw) <= dialect.MostBytes) &&
				slices.Contains([]string{"container", "framing", "encoding", "line ends"}, finding.Of))
			require.NotEmpty(t, finding.Of)
			require.NotContains(t, finding.String(), "\n")
		}
		if d.Format == dialect.CSV {
			require.NotEmpty(t, d.Columns)
			require.True(t, strings.ContainsRune(",;\t|", rune(d.Delimiter)))
		}
		for _, e := range dialect.Encodings {
			out, ok := e.Convert(raw)
			require.True(t, !ok || utf8.Valid(out))
			if e != dialect.UTF16 {
				require.Equal(t, ok, e.Has(raw), string(e))
			}
		}
	})
}

func TestALongInputIsNotLookedAtWhole(t *testing.T) {
	long := bytes.Repeat([]byte("a,b\n"), dialect.MostBytes)
	assert.LessOrEqual(t, len(dialect.Look(long, true).Text), dialect.MostBytes)
	// Quotes that close at no place where they may: each would be looked for to the end.
	open := append([]byte("\"\"\"\n"), bytes.Repeat([]byte("\"a\n"), dialect.MostBytes/3)...)
	assert.LessOrEqual(t, len(dialect.Look(open, true).Columns), 1)
}
