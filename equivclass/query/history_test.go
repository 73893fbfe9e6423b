package query

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// histories is a dictionary of histories, which is made of texts with > between records.
func histories(a equivclass.Attribute, texts ...string) *equivclass.Dictionary {
	d := equivclass.NewSequences(a, 3)
	for _, text := range texts {
		d.Sequence(strings.ReplaceAll(text, ">", equivclass.Then))
	}
	return d
}

// TestConditionsOnHistories: which histories a condition asks for, with labels of a hierarchy and buckets of numbers, and what of it is in
// none.
func TestConditionsOnHistories(t *testing.T) {
	tree, err := equivclass.ParseHierarchy("ill.csv", strings.NewReader("flu;lung;*\ncold;lung;*\nulcer;gut;*\nbite;skin;*\n"))
	require.NoError(t, err)
	ill := histories(equivclass.Attribute{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical, Hierarchy: tree},
		"flu", "flu>cold", "cold>ulcer>flu", "ulcer", "ulcer>flu")
	pay := histories(equivclass.Attribute{Name: "pay", Role: equivclass.Sensitive, Type: equivclass.Integer, Buckets: []int64{0, 10, 20}},
		"0..10>20+", "20+")
	dicts := []*equivclass.Dictionary{ill, pay, equivclass.NewDictionary(equivclass.Attribute{Name: "sex", Role: equivclass.Quasi,
		Type: equivclass.Categorical})}
	for text, want := range map[string]string{
		"ill ever = flu":                          "flu flu>cold cold>ulcer>flu ulcer>flu",
		"ill EVER = lung":                         "flu flu>cold cold>ulcer>flu ulcer>flu",
		"ill ever != lung":                        "ulcer",
		"ill first = lung":                        "flu flu>cold cold>ulcer>flu",
		"ill first = ulcer then flu":              "ulcer>flu",
		"ill ever = ulcer then flu":               "cold>ulcer>flu ulcer>flu",
		"ill ever = lung then gut":                "cold>ulcer>flu",
		"ill whole = ulcer":                       "ulcer",
		"ill whole in {ulcer, flu THEN cold}":     "flu>cold ulcer",
		"ill whole not in {ulcer, flu}":           "flu>cold cold>ulcer>flu ulcer>flu",
		"ill ever = flu and ill ever = ulcer":     "cold>ulcer>flu ulcer>flu",
		"ill ever = bite":                         "",
		`ill ever = "flu" then "cold"`:            "flu>cold",
		"ill ever = flu then flu then flu":        "",
		"ill whole = * then *":                    "flu>cold ulcer>flu",
		"pay ever = 20+":                          "0..10>20+ 20+",
		"pay first = 0..10":                       "0..10>20+",
		"pay ever = 0..10 and pay first != 20+":   "0..10>20+",
		"ill ever in {nothing, ulcer}/1":          "cold>ulcer>flu ulcer ulcer>flu",
		"ill ever in {flu, ulcer then nothing}/2": "flu flu>cold cold>ulcer>flu ulcer>flu",
	} {
		text, absent, _ := strings.Cut(text, "/")
		q, err := Parse("count where " + text)
		require.NoError(t, err, text)
		b, err := Bind(q, dicts)
		require.NoError(t, err, text)
		var have []string
		d := dicts[b.Preds[0].Attribute]
		for code, match := range b.Preds[0].Match {
			if match {
				have = append(have, strings.ReplaceAll(d.Text(equivclass.Code(code)), equivclass.Then, ">"))
			}
		}
		require.Equal(t, want, strings.Join(have, " "), text)
		require.Equal(t, absent != "", len(b.Absent) == 1, text)
		if absent != "" {
			require.Equal(t, int(absent[0]-'0'), b.Absent[0].Value)
		}
	}
	for text, says := range map[string]string{
		"ill = flu":               "has histories",
		"ill in [1,2]":            "no ranges",
		"sex ever = F":            "no history",
		"sex = F then M":          "no histories",
		"ill ever = flu then":     "expected a value",
		"pay ever = 7 then 8":     "none of its buckets",
		"ill ever flu":            "expected =",
		"ill first = {flu, cold}": "expected a value",
	} {
		q, err := Parse("count where " + text)
		if err == nil {
			_, err = Bind(q, dicts)
		}
		require.ErrorContains(t, err, says, text)
	}
}

// TestOneRecordIsAHistory: where people have one record, ever, first and whole say the same.
func TestOneRecordIsAHistory(t *testing.T) {
	d := equivclass.NewDictionary(equivclass.Attribute{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical})
	for _, v := range []string{"flu", "cold"} {
		_, _ = d.Encode([]byte(v))
	}
	for _, word := range []string{"", Ever, First, Whole} {
		q, err := Parse("count where ill " + word + " = flu")
		require.NoError(t, err)
		b, err := Bind(q, []*equivclass.Dictionary{d})
		require.NoError(t, err)
		require.Equal(t, []bool{true, false}, b.Preds[0].Match)
	}
}
