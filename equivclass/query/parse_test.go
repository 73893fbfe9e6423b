package query

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
)

func TestParseQuery(t *testing.T) {
	q, err := Parse(`sum(x) where age in [40,70) and sex = F and "native country" not in {"New York", Ohio} and d >= 2020-01-31`)
	require.NoError(t, err)
	require.Equal(t, Query{Sum: "x", SumAt: 4, Where: []Condition{
		{Attribute: "age", At: 13, Range: &TextRange{Lo: "40", Hi: "70", HiOpen: true}},
		{Attribute: "sex", At: 32, Values: []string{"F"}},
		{Attribute: "native country", At: 44, Values: []string{"New York", "Ohio"}, Not: true},
		{Attribute: "d", At: 91, Range: &TextRange{Lo: "2020-01-31"}},
	}}, q)
	for _, same := range []string{
		"count where age in [40,70] and sex = F and disease = flu", "count", "sum(x)", "mean(x) where a = b", `count where a = "in" and b != ""`,
		"count where a > -1.5 and b <= 3 and c < 2 and d >= 0", "count where a in (1,2) and b in {x, y}",
	} {
		q, err := Parse(same)
		require.NoError(t, err, same)
		assert.Equal(t, same, q.String())
	}
	loose, err := Parse("COUNT\tWhere a=b AND c IN{d}")
	require.NoError(t, err)
	assert.Equal(t, "count where a = b and c = d", loose.String())
}

// Errors name the column and say what to write instead.
func TestParseQueryErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "column 1: expected `count`, `sum(attribute)` or `mean(attribute)`, found the end of the query",
		"select":                            "column 1: expected `count`, `sum(attribute)` or `mean(attribute)`, found `select`",
		"sum x":                             "column 5: expected `(` and the attribute to sum, found `x`",
		`sum("")`:                           "column 5: the attribute to sum has no name: write it between the brackets",
		"count age = 3":                     "column 7: expected `where`, found `age`",
		"count where":                       "column 12: expected the name of an attribute, found the end of the query",
		"count where in = 3":                "column 13: `in` is a keyword: write \"in\" if this is the name of an attribute",
		"count where a ~ 3":                 "column 15: expected =, !=, <, <=, >, >=, in or not in, found `~`",
		"count where a in 3":                "column 18: expected `[A,B]` or `{V, W}`, found `3`",
		"count where a in [3 4]":            "column 21: expected `,` and the upper bound, found `4`",
		"count where a in [,4]":             "column 19: expected a number or a date, found `,`",
		`count where a in ["",4]`:           "column 19: the bound is empty: give a number or a date, or compare with <, <=, > or >=",
		"count where a in {b c}":            "column 21: expected `,` or `}`, found `c`",
		`count where a = "b`:                "column 17: the quoted text that starts here has no end: add a \"",
		"count where a = b or c = d":        "column 19: expected `and`, found `or`",
		"count where a not b":               "column 19: expected `in`, found `b`",
		strings.Repeat(" ", maxQueryText+1): "column 65537: the query is longer than 65536 bytes: shorten it",
		"count where a not in [1,2]":        "column 22: expected `{` and the values that are not wanted, found `[`",
		"count where a in [1,2":             "column 22: expected `]` or `)`, found the end of the query",
		"count where a = b and":             "column 22: expected the name of an attribute, found the end of the query",
		"count where a = count":             "column 17: `count` is a keyword: write \"count\" if this is a value",
		"sum(income":                        "column 11: expected `)`, found the end of the query",
		"count where a <":                   "column 16: expected a number or a date, found the end of the query",
	} {
		_, err := Parse(text)
		var at *Error
		require.ErrorAs(t, err, &at, text)
		assert.Equal(t, "query, "+want, err.Error())
	}
}

func TestBindQueryErrors(t *testing.T) {
	table := equivtest.Table(t, equivtest.ExampleAttributes, equivtest.ExampleRows)
	income := equivclass.NewDictionary(equivclass.Attribute{Name: "income", Type: equivclass.Integer, Role: equivclass.Sensitive,
		Buckets: []int64{0, 10}})
	for text, want := range map[string]string{
		"count where ages = 3":     `column 13: the release has no attribute "ages": use one of its columns`,
		"sum(sex)":                 `column 5: "sex" cannot be summed: sum a numeric attribute without buckets`,
		"count where sex > F":      `column 13: "sex" is not numeric and has no ranges: use = or in {…}`,
		"count where age = old":    `column 13: a value for "age" is not_a_number: write it as a decimal number`,
		"count where age in [5,3]": `column 13: the range of "age" is empty: put the smaller bound first`,
		"count where sex in {F,\"{M}\"}": `column 13: value 2 for "sex" cannot be a category: ` +
			`use one value or label, or several as in {a, b}`,
		"count where income = 7": `column 13: value 1 for "income" is none of its buckets: use the label of a bucket, such as "0..10"`,
	} {
		q, err := Parse(text)
		require.NoError(t, err)
		_, err = Bind(q, append(table.Dicts[:len(table.Dicts):len(table.Dicts)], income))
		require.EqualError(t, err, "query, "+want)
	}
}

// TestQueriesAreNormalizedToo: a condition means the value that a record of this
// text would have, unless the release shows the text itself.
func TestQueriesAreNormalizedToo(t *testing.T) {
	tree, err := equivclass.ParseHierarchy("t", strings.NewReader("1010;n\u00f6rd;*\n1020;n\u00f6rd;*\n2000;s;*\n"))
	require.NoError(t, err)
	ill := equivclass.NewDictionary(equivclass.Attribute{Name: "ill", Type: equivclass.Categorical, Text: equivclass.Text{Exact: true}})
	for _, text := range []string{"flu", "cold", "cold "} {
		ill.Encode([]byte(text))
	}
	dicts := []*equivclass.Dictionary{equivclass.NewDictionary(equivclass.Attribute{Name: "zip", Type: equivclass.Categorical,
		Hierarchy: tree}), ill}
	for text, want := range map[string][]bool{
		`count where ill = "flu "`: {true, false, false}, `count where ill = "cold "`: {false, false, true},
		`count where ill in {" cold", flu}`: {true, true, false},
		"count where zip = \" no\u0308rd\"": {true, true, false},
	} {
		q, err := Parse(text)
		require.NoError(t, err)
		bound, err := Bind(q, dicts)
		require.NoError(t, err, text)
		assert.Equal(t, want, bound.Preds[0].Match, text)
	}
}

// TestAbsentCategories: what no release shows matches nothing, and is named.
func TestAbsentCategories(t *testing.T) {
	table := equivtest.Table(t, equivtest.ExampleAttributes, equivtest.ExampleRows)
	q, err := Parse("count where age = 65 and sex in {F,N} and sex != X")
	require.NoError(t, err)
	bound, err := Bind(q, table.Dicts)
	require.NoError(t, err)
	assert.Equal(t, []AbsentValue{{"sex", 2}, {"sex", 1}}, bound.Absent)
	female, err := Parse("count where age = 65 and sex = F")
	require.NoError(t, err)
	same, err := Bind(female, table.Dicts)
	require.NoError(t, err)
	assert.Equal(t, same.Preds, bound.Preds)
}

// A query that parses prints as one that parses to the same, and what does not
// parse says where.
func FuzzParseQuery(f *testing.F) {
	for _, text := range append(queryTexts, `sum("a b") where "x\"y\\" in ["1", 2)`, "count where a not in {b}") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if err != nil {
			var at *Error
			if !errors.As(err, &at) || at.At < 0 || at.At > len(text) {
				t.Fatalf("an error without a place in the query: %v", err)
			}
			return
		}
		again, err := Parse(q.String())
		if err != nil {
			t.Fatalf("%q does not parse: %v", q.String(), err)
		}
		if again.String() != q.String() {
			t.Fatalf("%q became %q", q.String(), again.String())
		}
	})
}

// TestDatesAreNotAddedUp: days since an epoch have no meaningful sum.
func TestDatesAreNotAddedUp(t *testing.T) {
	day := equivclass.NewDictionary(equivclass.Attribute{Name: "day", Type: equivclass.Date, Role: equivclass.Quasi})
	q, err := Parse("sum(day)")
	require.NoError(t, err)
	_, err = Bind(q, []*equivclass.Dictionary{day})
	assert.EqualError(t, err, `query, column 5: "day" cannot be summed: sum a numeric attribute without buckets`)
}

// TestNoRangeHoldsAMissingNumber: whoever has no number is in no range, also not in one without an end.
func TestNoRangeHoldsAMissingNumber(t *testing.T) {
	income := equivclass.NewDictionary(equivclass.Attribute{Name: "income", Type: equivclass.Integer, Role: equivclass.Quasi, Optional: true})
	for _, text := range []string{"7", "?"} {
		require.NoError(t, income.Restore(text))
	}
	for _, asked := range []string{"count where income > 0", "count where income != 3", "count where income <= 9"} {
		assert.Equal(t, []bool{true, false}, paBound(t, []*equivclass.Dictionary{income}, asked).Preds[0].Match, asked)
	}
}
