package profile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestRemarksNameLinesAndNoValue: placeholders of numbers and dates, spellings, texts that programs read as missing, formulas; each
// with the key to write, and no text that is not of the package's own lists.
// Mutations: placeholders count among the others when their width is measured; -1 is one also among negative numbers; plain numbers are
// formulas.
func TestRemarksNameLinesAndNoValue(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "born", Role: equivclass.Quasi, Type: equivclass.Date},
		{Name: "change", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	var text strings.Builder
	text.WriteString("age,born,change,ill\n")
	for i := range 400 {
		row := []string{fmt.Sprint(20 + i%60), fmt.Sprintf("19%02d-01-02", 40+i%60), fmt.Sprint(i%5 - 2), fmt.Sprintf("secret %c", 'a'+i%9)}
		switch i {
		case 3, 4, 5, 6, 7, 8, 9:
			row[0] = "999"
		case 11:
			row[0], row[1] = "-1", "1900-01-01"
		case 12:
			row[3] = "Secret-a"
		case 13:
			row[0], row[3] = "7777", "N/A"
		case 14:
			row[3] = "=secret(1)"
		case 15:
			row[3] = "-2"
		}
		text.WriteString(strings.Join(row, ",") + "\n")
	}
	table, err := Read(t.Context(), Input{Name: "-", Stdin: strings.NewReader(text.String())}, schema)
	require.NoError(t, err)
	require.Equal(t, 400, table.Len())
	require.Equal(t, int64(2), table.Lines[0])
	var said []string
	for _, r := range Remarks(table) {
		said = append(said, r.String())
		assert.NotContains(t, strings.ToLower(r.String()), "secret")
		assert.NotContains(t, r.String(), "7777")
	}
	assert.Equal(t, []string{
		`"age": -1 (1), 999 (7) stand where no value is known, as it seems. At the attribute write missing_values: [-1, 999]`,
		`"age": 1 of its values lie far outside of the range of nearly all, as placeholders do: list them in missing_values, or declare a range.`,
		`"born": 1900-01-01 (1) stand where no value is known, as it seems. At the attribute write missing_values: [1900-01-01]`,
		`"ill": 1 value differs from another one only by dots, case, hyphens or spaces (lines 2 and 14), and spellings count as different ` +
			`values. At the attribute write aliases: fold`,
		`"ill": N/A (1) are values like any other now, and many programs read them as missing. At the attribute write missing_values: [N/A]`,
		`"ill": 1 value begins with =, +, - or @, which spreadsheets run as formulas (line 16 is the first): rename them at the source, or ` +
			`tell who reads the releases to import them as text.`,
	}, said)
}

// TestNumbersAreNoSpellings: amounts that differ in sign, or in where the point stands, are not to be made one value; a code of digits may
// be written with its point and without.
func TestNumbersAreNoSpellings(t *testing.T) {
	twins := func(texts ...string) int {
		var values []value
		for _, text := range texts {
			values = append(values, value{text: text, times: 1})
		}
		return oddTexts(values, true).twins
	}
	assert.Zero(t, twins("500.0", "-500.0", "50.00", "-3", "3"))
	assert.Equal(t, 1, twins("250.01", "25001"))
	assert.Equal(t, 2, twins("E11.9", "E119", "e11-9"))
}
