package filesrc

import (
	"context"
	"encoding/binary"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental/state"
	"anond/ingest/decode"
	"anond/ingest/dialect"
	"anond/internal/fault"
)

func utf16Text(text string, order binary.AppendByteOrder) string {
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, u)
	}
	return string(out)
}

// fails reads an input to its end, as a file and as standard input, and returns the error with its hint.
func fails(t *testing.T, cfg Config, text string) (out []string) {
	t.Helper()
	for _, stdin := range []bool{false, true} {
		cfg := cfg
		if cfg.Complete = true; stdin {
			cfg.Stdin = strings.NewReader(text)
		} else {
			cfg.Paths = []string{write(t, temp(t, "in.csv"), text)}
		}
		src, err := Open(context.Background(), cfg, newReading().resume(true))
		for err == nil {
			_, err = src.Next(context.Background())
		}
		require.NotErrorIs(t, err, io.EOF, "%q", text)
		kind, _ := fault.Of(err)
		assert.Equal(t, fault.Config, kind)
		line := strings.TrimPrefix(fault.Line(err), "source file ")
		out = append(out, strings.ReplaceAll(strings.ReplaceAll(line, filepath.Dir(strings.Join(cfg.Paths, ""))+"/", ""), "standard input",
			"in.csv"))
	}
	return out
}

// TestWhatIsNotInItsEncodingEndsTheRun: one sentence names file, line and key; nothing of such an input is left out silently.
func TestWhatIsNotInItsEncodingEndsTheRun(t *testing.T) {
	long := "id,dx\n" + strings.Repeat("p0,flu\n", 100_000)
	check := func(header []string) error {
		if len(header) != 2 {
			return io.ErrUnexpectedEOF
		}
		return nil
	}
	for _, x := range []struct {
		form dialect.Form
		in   string
		want string
	}{
		{in: "id,dx\np0,flu\np1,G\xfcrtelrose\n",
			want: "in.csv is not UTF-8 (line 3), and looks like Windows-1252 (set source.csv.encoding: windows-1252)"},
		{in: long + "p1,G\xfcrtelrose\np2,\xff\n",
			want: "in.csv: line 100002 is not UTF-8 (set source.csv.encoding: windows-1252, or, where the state has records, convert the file)"},
		{in: utf16Text("\ufeffid,dx\np0,flu\n", binary.LittleEndian), want: "in.csv is UTF-16 (set source.csv.encoding: utf-16)"},
		{in: utf16Text("id,dx\np0,flu\n", binary.BigEndian), want: "in.csv is UTF-16 (set source.csv.encoding: utf-16)"},
		{in: "id,dx\rp0,flu\rp1,hiv\r", want: `in.csv ends its lines in CR, as old Macintosh programs do (convert it: tr '\r' '\n')`},
		{in: "PK\x03\x04 xl/workbook.xml", want: "in.csv is an Excel workbook (.xlsx) (save it as CSV in UTF-8)"},
		{in: "PAR1\x15\x04\n", want: "in.csv is a Parquet file (write it as CSV or NDJSON)"},
		{in: "id;dx\np0;flu\n",
			want: `in.csv:1: unexpected EOF (the file has ";" between its fields (2 of the first 2 records have 2): set source.csv.delimiter: ";")`},
		{form: dialect.Form{Delimiter: ';'}, in: "id,dx\np0,flu\n",
			want: `in.csv:1: unexpected EOF (the file has "," between its fields: remove source.csv.delimiter)`},
		{form: dialect.Form{Encoding: dialect.Windows1252}, in: "id,dx\np0,\x81\n",
			want: "in.csv: line 2 is not WINDOWS-1252 (set source.csv.encoding to what the file is in, or convert it)"},
		{form: dialect.Form{Encoding: dialect.UTF16}, in: "id,dx\np0,flu\n",
			want: "in.csv: line 1 is not UTF-16 (set source.csv.encoding to what the file is in, or convert it)"},
	} {
		got := fails(t, Config{Layout: CSV, CheckHeader: check, Form: x.form}, x.in)
		assert.Equal(t, []string{x.want, x.want}, got, "%.40q", x.in)
	}
	for in, want := range map[string]string{
		"{\"id\":1,\"dx\":\"G\xfcrtelrose\"}\n": "in.csv is not UTF-8 (line 1), and looks like Windows-1252 " +
			"(convert it: iconv -f windows-1252 -t UTF-8)",
		utf16Text("\ufeff{\"id\":1}\n", binary.LittleEndian): "in.csv is UTF-16 (convert it: iconv -f utf-16 -t UTF-8)",
		strings.Repeat("{\"id\":1}\n", 40_000) + "{\"id\":\"\xfc\"}\n": "in.csv: line 40001 is not UTF-8 (convert the file to UTF-8, with " +
			"iconv for instance)",
	} {
		assert.Equal(t, []string{want, want}, fails(t, Config{Layout: NDJSON}, in))
	}
}

// TestFilesInOtherEncodingsAreResumed: one read in pieces gives the records of one read whole.
func TestFilesInOtherEncodingsAreResumed(t *testing.T) {
	plain := "sep=;\r\nid;dx\r\np0;\"Gürtel;rose\"\r\n\r\np1;flu\r\np2;Ärger\r\n"
	latin := strings.NewReplacer("ü", "\xfc", "Ä", "\xc4").Replace(plain)
	for name, x := range map[string]struct {
		form dialect.Form
		text string
		want []string
	}{
		"windows-1252": {dialect.Form{Delimiter: ';', Encoding: dialect.Windows1252}, latin, []string{"p0;\"G\xfcrtel;rose\"", "p1;flu",
			"p2;\xc4rger"}},
		"utf-16": {dialect.Form{Delimiter: ';', Encoding: dialect.UTF16}, utf16Text("\ufeff"+plain, binary.LittleEndian), []string{
			`p0;"Gürtel;rose"`, "p1;flu", "p2;Ärger"}},
	} {
		path := temp(t, "in.csv")
		cfg := Config{Paths: []string{path}, Layout: CSV, Form: x.form}
		pieces, s := newReading(), newReading()
		for n := 2; n <= len(x.text); n += 2 {
			write(t, path, x.text[:n])
			if _, err := Open(context.Background(), cfg, pieces.resume(true)); err == nil {
				pieces.run(t, cfg)
			}
		}
		s.run(t, cfg)
		s.run(t, cfg)
		assert.Equal(t, x.want, s.lines, name)
		assert.Equal(t, x.want, pieces.lines, name)
		assert.Equal(t, []string{"id", "dx"}, s.headers[0], name)
		again := map[int64]string{}
		for p := range s.positions {
			wanted := map[state.Partition][]int64{p: {s.records[0].Offset, s.records[1].Offset, s.records[2].Offset}}
			require.NoError(t, Reread(cfg, digest)(context.Background(), wanted,
				func(_ state.Partition, offset int64, _, value []byte, _ []string) error {
					again[offset] = string(value)
					return nil
				}), name)
		}
		fed := newReading()
		fed.run(t, Config{Stdin: strings.NewReader(x.text), Layout: CSV, Form: x.form})
		assert.Equal(t, x.want, fed.lines, name)
		for i, r := range s.records {
			assert.Equal(t, x.want[i], again[r.Offset], name)
		}
	}
	_, err := Open(context.Background(), Config{Paths: []string{"x"}, Layout: CSV, Follow: true, Form: dialect.Form{
		Encoding: dialect.UTF16}}, newReading().resume(true))
	assert.ErrorContains(t, err, "cannot be followed")
}

// TestRowsOfSpreadsheetsAreNobody: a row of delimiters alone, as spreadsheets leave them below a table, and the header once more are
// counted and never a record, wherever a run begins. Else each of them is published as a person.
// Mutations: only the empty line is blank; the header counts once; a column's name in another column is a header.
func TestRowsOfSpreadsheetsAreNobody(t *testing.T) {
	const text = ";;\r\nid;dx;note\r\np0;flu;\r\nid;dx;note\r\n;;\r\np1;;\r\nid;dx;x\r\n;\r\n\"\";\"\"\"\";\r\n\"\";;\"\"\r\n"
	want := []string{"p0;flu;", "p1;;", "id;dx;x", `"";"""";`}
	cfg := Config{Layout: CSV, Complete: true, Form: dialect.Form{Delimiter: ';'}}
	for _, stdin := range []bool{false, true} {
		got := newReading()
		cfg := cfg
		if stdin {
			cfg.Stdin = strings.NewReader(text)
		} else {
			cfg.Paths = []string{write(t, temp(t, "in.csv"), text)}
		}
		got.run(t, cfg)
		assert.Equal(t, want, got.lines)
		assert.Equal(t, 2, got.passed[decode.ReasonHeaderLine])
		assert.Equal(t, 4, got.passed[decode.ReasonBlank])
	}
	// A run that begins behind the header knows it.
	cfg.Paths = []string{write(t, temp(t, "in.csv"), "id;dx;note\np0;flu;\n")}
	got := newReading()
	got.run(t, cfg)
	extend(t, cfg.Paths[0], "id;dx;note\n;;\np1;;\n")
	got.run(t, cfg)
	assert.Equal(t, []string{"p0;flu;", "p1;;"}, got.lines)
	assert.Equal(t, 2, got.passed[decode.ReasonHeaderLine])

	cfg.Paths = []string{write(t, temp(t, "one.csv"), "dx\nflu\ndx\n")} // of one column: a value may be called like it
	got = newReading()
	got.run(t, cfg)
	assert.Equal(t, []string{"flu", "dx"}, got.lines)
}
