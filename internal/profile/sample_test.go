package profile

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestGuesses: what the texts of a column make of it, beside one to protect. Each line is a column: name, texts, and what is written of it.
// Mutations: leading zeros are numbers; a fraction of 0 makes a decimal; two ways to write a date are not told apart; missing codes count
// as texts; a repeated number is a person's.
func TestGuesses(t *testing.T) {
	for _, c := range []struct{ name, texts, want string }{
		{"age", "31 32 33 40", "quasi, type: integer"},
		{"age", "31.0 32.0 33.0 40.0", "quasi, type: integer"},
		{"age", "20 21 22 23", "quasi, type: integer"},
		{"shoes", "20 21 22 23", "quasi, type: integer"},
		{"height", "1.81 1.7 1.755 2", "quasi, type: decimal, digits: 3"},
		{"height", "1,81 1,7 1,75 2", "quasi, type: decimal, digits: 2"},
		{"height", "1,81 1.7 1,75 2", "quasi, type: categorical"},
		{"height", "1e-3 2e-3 5 6", "quasi, type: decimal, digits: 3"},
		{"height", "0.12345678901 2 3 4", "drop"},
		{"zip", "01067 10115 80331 20095", "quasi, type: categorical"},
		{"zip", "11067 10115 80331 20095", "quasi, type: integer"},
		{"age", "31 NA ? 33", `quasi, type: integer, missing_values: ["?", NA]`},
		{"age", "20 32 60 99 31 999", "quasi, type: integer, missing_values: [999]"},
		{"born", "1961-04-02 1970-01-01 9999-12-31 1950-02-03", "quasi, type: date, missing_values: [9999-12-31]"},
		{"born", "02.04.1961 31.01.1970", `quasi, type: date, format: "%d.%m.%Y"`},
		{"born", "02/04/1961 31/01/1970", `quasi, type: date, format: "%d/%m/%Y"`},
		{"born", "04/02/1961 01/31/1970", `quasi, type: date, format: "%m/%d/%Y"`},
		{"born", "04/02/1961 01/03/1970", `quasi, type: date, format: "%d/%m/%Y"`},
		{"born", "4/2/1961 1/31/1970", `quasi, type: date, format: "%m/%d/%Y"`},
		{"born", "2.4.1961 31.1.1970", `quasi, type: date, format: "%d.%m.%Y"`},
		{"visit", "02.04.1961_00:00 31.01.1970_10:30", `quasi, type: date, format: "%d.%m.%Y %H:%M"`},
		{"visit", "4/2/1961_0:00:00 1/31/1970_10:30:00", `quasi, type: date, format: "%m/%d/%Y %H:%M:%S"`},
		{"born", "02.04.1961 01.01.1900 01.01.1970 03.02.1950", `quasi, type: date, format: "%d.%m.%Y", missing_values: [1900-01-01]`},
		{"born", "02.04.1961 1/31/1970 31.02.1980 1.1.1981", "drop"},
		{"Fallnummer", "7 8 9 3", "subject"},
		{"Vorname", "Ada Bea Ada Bea", "identifier"},
		{"Bemerkung", "ok x ok x", "drop"},
		{"born", "19610402 19700131", `quasi, type: date, format: "%Y%m%d"`},
		{"weight", "19610402 19700131", "quasi, type: integer"},
		{"born", "1961 1970", "quasi, type: integer"},
		{"born", "1961-04 1970-01-02", "quasi, type: date, precision: month"},
		{"born", "1961 1970-01-02", "quasi, type: date, precision: year"},
		{"visit", "2024-02-29T10:00:00+01:00 2024-02-28T10:00:00+01:00", "quasi, type: date, format: datetime"},
		{"sex", "1 2 1 2", "quasi, type: categorical"},
		{"colour", "a b a b", "quasi, type: categorical"},
		{"colour", "a a a a", "drop"},
		{"colour", "[a [b [a [b", "drop"},
		{"notes", "a b c d", "drop"},
		{"e-mail", "a@b c@d", "identifier"},
		{"LastName", "Ash Bow", "identifier"},
		{"row", "1 2 3 4", "identifier"},
		{"patient_id", "7 8 7 9 3", "subject"},
		{"case number", "7 8 9 3", "subject"},
		{"id", "7 7 8 9 9 9 7 8 8 7", "subject"},
		{"region_id", "7 7 8 9 9 9 7 8 8 7", "quasi, type: categorical"},
		{"number of visits", "1 1 1 2 1 1 2 2", "quasi, type: integer"},
		{"salary", "1 2 3", "drop"},
		{"bucket", "a b a", "drop"},
	} {
		var text bytes.Buffer
		fmt.Fprintf(&text, "%s;size;diagnosis\n", c.name)
		for i, cell := range strings.Fields(c.texts) {
			fmt.Fprintf(&text, "%s;%d;%s\n", strings.ReplaceAll(cell, "_", " "), 40+i%2, []string{"flu", "gout"}[i%2])
		}
		k, err := Look(&Sample{Text: text.Bytes(), Whole: true})
		require.NoError(t, err, c)
		guesses, err := k.Guesses(Wishes{})
		require.NoError(t, err, c)
		got := string(guesses[0].Role)
		if guesses[0].Keys != "" {
			got += ", " + guesses[0].Keys
		}
		assert.Equal(t, c.want, got, "%s: %s", c.name, c.texts)
	}
}

// TestLineBreaksOfWindows: a table from Windows is read, and a column that numbers rows is less of a person than an id.
func TestLineBreaksOfWindows(t *testing.T) {
	k, err := Look(&Sample{Text: []byte("rownames,id,age,dx\r\n8,3,40,flu\r\n7,2,55,\"gout\"\r\n9,1,42,flu\r\n"), Whole: true})
	require.NoError(t, err)
	assert.Equal(t, 3, k.Records)
	guesses, err := k.Guesses(Wishes{})
	require.NoError(t, err)
	assert.Equal(t, equivclass.Subject, guesses[1].Role)
	assert.Equal(t, 2, guesses[3].Different(), "no text has a CR in it")
}

// TestRowsOfSpreadsheets: what a run passes over is no record of a sample either, so that it changes no guess.
func TestRowsOfSpreadsheets(t *testing.T) {
	const text = ";;\r\n\r\nborn;age;dx\r\n1.4.1961;40;flu\r\n;;\r\nborn;age;dx\r\n12.4.1970;55;gout\r\n;;\r\n"
	k, err := Look(&Sample{Text: []byte(text), Whole: true})
	require.NoError(t, err)
	assert.Equal(t, 2, k.Records)
	guesses, err := k.Guesses(Wishes{})
	require.NoError(t, err)
	assert.Equal(t, "born", guesses[0].Name)
	assert.Equal(t, `type: date, format: "%d.%m.%Y"`, guesses[0].Keys)
	assert.Equal(t, "type: integer", guesses[1].Keys)
}

// TestNumbersOfCases: many whole numbers of which no two are alike name somebody, whatever the column is called, and one that a
// spreadsheet has cut to three digits names nobody alone: further people of the same one would be left out.
func TestNumbersOfCases(t *testing.T) {
	text := "code,weight,PatientNr,age,dx\n"
	for i := range 400 {
		text += fmt.Sprintf("%d,%d,\"%d,%dE+10\",%d,%s\n", 7_000_000+(i*7919)%100_000, 40_000+i/2, 1+i/100, i%100, 20+i%60,
			[]string{"flu", "gout"}[i%2])
	}
	k, err := Look(&Sample{Text: []byte(text), Whole: true})
	require.NoError(t, err)
	guesses, err := k.Guesses(Wishes{})
	require.NoError(t, err)
	var roles []equivclass.Role
	for _, g := range guesses {
		roles = append(roles, g.Role)
	}
	assert.Equal(t, []equivclass.Role{equivclass.Identifier, equivclass.Quasi, equivclass.Identifier, equivclass.Quasi, equivclass.Sensitive},
		roles)
	assert.Contains(t, guesses[2].Reason, "a spreadsheet has shortened")
}

// TestRegionsAreNoDiseases: codes that happen to be of ICD-10 get its command only where a name does not say what else they are.
func TestRegionsAreNoDiseases(t *testing.T) {
	text := "region,code,dx\n"
	for i := range 88 {
		text += fmt.Sprintf("R%d,C%d,flu\n", 10+i%44, 10+i%40)
	}
	k, err := Look(&Sample{Text: []byte(text), Whole: true})
	require.NoError(t, err)
	guesses, err := k.Guesses(Wishes{})
	require.NoError(t, err)
	assert.NotContains(t, guesses[0].Reason, "icd10")
	assert.Contains(t, guesses[1].Reason, "icd10")
}

// TestParts: names are read as people write them.
func TestParts(t *testing.T) {
	assert.Equal(t, []string{"driv", "age"}, parts("DrivAge"))
	assert.Equal(t, []string{"patient", "nbr", "2"}, parts(" patient_nbr-2"))
	assert.True(t, spoken("number_diagnoses", sensitiveWords[0]))
	assert.False(t, spoken("diagram", sensitiveWords[0]))
	assert.Equal(t, "1,234,567", grouped(1234567))
	assert.Equal(t, "123", grouped(123))
	for text, want := range map[string]string{"age": "age", "yes": `"yes"`, "a b": `"a b"`, "${x}": `"$${x}"`,
		"1": `"1"`, "": `""`, "N/A": "N/A"} {
		assert.Equal(t, want, yamlText(text))
	}
}

// endless is a table without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	return copy(p, bytes.Repeat([]byte("a,b\n"), max(1, len(p)/4))), nil
}

// TestSamplesAreBounded: of an input without an end only so many bytes are read, and they end with a line.
func TestSamplesAreBounded(t *testing.T) {
	s, err := ReadSample("-", endless{}, SampleBytes)
	require.NoError(t, err)
	assert.False(t, s.Whole)
	assert.Len(t, s.Text, SampleBytes)
	assert.True(t, bytes.HasSuffix(s.Text, []byte("\n")))
	full := &Sample{}
	for full.Add(bytes.Repeat([]byte{'x'}, 1<<20)) {
		require.Less(t, len(full.Text), SampleBytes+2<<20)
	}
}

// FuzzLook: whatever the bytes, there is a sketch or an error, and what is drafted has at most as many lines as it may.
func FuzzLook(f *testing.F) {
	f.Add([]byte("a,b\n1,2\n3,4\n"))
	f.Add([]byte("{\"a\":{\"b\":[1,2,{\"c\":null}]}}\n{\"a\":1}\n"))
	f.Add([]byte("{\"op\":\"c\",\"after\":{\"id\":1,\"x~/\":\"2024\"}}\n"))
	f.Add([]byte("a;b\n\"x\ny\";2\n\"z;4\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		k, err := Look(&Sample{Text: text, Whole: true})
		if err != nil {
			return
		}
		guesses, err := k.Guesses(Wishes{})
		if err != nil {
			return
		}
		d := Draft{Sketch: k, Guesses: guesses, K: 5, L: 3, Path: "in.csv"}
		require.LessOrEqual(t, strings.Count(d.String(), "\n"), mostLines)
	})
}

// TestRuleVNamesOfFewAreNotWritten: where the names of members are texts of people, the configuration has none of them: JSON needs no line
// for what is not published. Names that many records share are columns.
func TestRuleVNamesOfFewAreNotWritten(t *testing.T) {
	var text bytes.Buffer
	for i := range 60 {
		fmt.Fprintf(&text, `{"id":%d,"age":%d,"diagnosis":"%s","row":"r","visits":{"alice%d":%d},`+
			`"bob%d":"came with a long text","carol%d":null}`+"\n",
			(i*7)%61, 20+i%9, []string{"flu", "gout"}[i%2], i, i%3, i, i)
	}
	k, err := Look(&Sample{Text: text.Bytes(), Whole: true})
	require.NoError(t, err)
	guesses, err := k.Guesses(Wishes{})
	require.NoError(t, err)
	written := (&Draft{Sketch: k, Guesses: guesses, K: 2, L: 2, Path: "people.json"}).String()
	for _, name := range []string{"alice", "bob", "carol"} {
		assert.NotContains(t, written, name)
	}
	assert.Contains(t, written, "{name: row, role: drop}")
}
