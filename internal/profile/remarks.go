package profile

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"anond/equivclass"
)

// Channel is said with each advice. Enumerated at k = l = 2: l chosen by a part of a pool gives 4/7 for 1/2, a cap 1.
const Channel = "Settings chosen by people who will be published tell their values: give other people, or exactly the whole first pool."

// Remark says what in the values of a table is seldom meant as it is written, and what to write at its attribute.
//
// It names attributes, counts, lines, and texts of the lists below, which are no person's: never another value (rule V, values).
type Remark struct {
	Attribute string `json:"attribute,omitempty"`
	Says      string `json:"says"`
	Write     string `json:"write,omitempty"` // keys of the attribute, as YAML; empty: no key helps
}

// String is the remark in one line.
func (r Remark) String() string {
	if r.Write == "" {
		return r.Says
	}
	return r.Says + " At the attribute write " + r.Write
}

// readAsMissing are texts that readers of data take for no value unless told otherwise.
var readAsMissing = []string{"", "#N/A", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"}

// placeholderNumbers and placeholderDates are what systems write where they know no value.
var (
	placeholderNumbers = []string{"-1", "-9", "-99", "-999", "-9999", "99", "999", "9999", "99999", "999999", "9999999", "99999999",
		"999999999"}
	placeholderDates = []string{"0001-01-01", "1111-11-11", "1753-01-01", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1901-01-01",
		"2099-12-31", "2999-12-31", "3000-01-01", "9999-01-01", "9999-12-31"}
)

// value is a text of a column, or its number, how often it is there, and in which line first.
type value struct {
	text  string
	times int
	line  int64
}

// valuesOf are those of an attribute of a table.
func valuesOf(t *Table, i int) []value {
	out := make([]value, t.Dicts[i].Len())
	for record, c := range t.Codes[i] {
		if out[c].times++; out[c].times == 1 {
			out[c].text, out[c].line = t.Dicts[i].Text(c), t.Lines[record]
		}
	}
	return slices.DeleteFunc(out, func(v value) bool { return v.times == 0 })
}

// Remarks says what is seldom meant as it is written, by attribute.
func Remarks(t *Table) (out []Remark) {
	for i, a := range t.Schema.Attributes() {
		d := t.Dicts[i]
		if d == nil {
			continue
		}
		var o oddities
		switch values := valuesOf(t, i); {
		case d.Kind() == equivclass.Number:
			o.named, o.far = outliers(&a, values)
		case !a.Type.Numeric():
			o = oddTexts(values, a.Hierarchy == nil)
		}
		for _, r := range []struct {
			n           int
			says, write string
		}{
			{len(o.named), counts(o.named) + " stand where no value is known, as it seems.", "missing_values: " + listed(o.named)},
			{o.far, fmt.Sprintf("%d of its values lie far outside of the range of nearly all, as placeholders do: list them in missing_values, "+
				"or declare a range.", o.far), ""},
			{o.twins, fmt.Sprintf("%s from another one only by dots, case, hyphens or spaces (lines %d and %d), and spellings count as different "+
				"values.", plural(o.twins, "value differs", "values differ"), o.lines[0], o.lines[1]), "aliases: fold"},
			{len(o.lacking), counts(o.lacking) + " are values like any other now, and many programs read them as missing.",
				"missing_values: " + listed(o.lacking)},
			{o.formulas, fmt.Sprintf("%s with =, +, - or @, which spreadsheets run as formulas (line %d is the first): rename them at the source, "+
				"or tell who reads the releases to import them as text.", plural(o.formulas, "value begins", "values begin"), o.formula), ""},
		} {
			if r.n > 0 {
				out = append(out, Remark{a.Name, fmt.Sprintf("%q: %s", a.Name, r.says), r.write})
			}
		}
	}
	return out
}

// oddities are what is remarked of an attribute.
type oddities struct {
	named, lacking       map[string]int // placeholders, and texts that are read as missing
	far, twins, formulas int            // values
	lines                [2]int64       // of the first twins
	formula              int64          // line of the first one
}

// outliers finds numbers that are listed as placeholders and lie outside of those that are not, by text, and counts the others that are
// more than five times the width of nearly all away from them. A listed date is odd enough to be one wherever it lies outside; a number
// such as 99 has to lie far outside, or to be the only kind below 0.
func outliers(a *equivclass.Attribute, values []value) (named map[string]int, far int) {
	list := placeholderNumbers
	if a.Type == equivclass.Date {
		list = placeholderDates
	}
	number := func(text string) float64 {
		v, why := a.ParseNumber([]byte(text))
		if why != equivclass.Accepted {
			return math.NaN()
		}
		return a.Float(v)
	}
	known := map[float64]string{}
	for _, text := range list {
		known[number(text)] = text
	}
	var rest []float64
	for _, v := range values {
		if n := number(v.text); known[n] == "" && !math.IsNaN(n) {
			rest = append(rest, slices.Repeat([]float64{n}, v.times)...)
		}
	}
	if len(rest) == 0 {
		return nil, 0
	}
	slices.Sort(rest)
	out := len(rest) * 5 / 1000 // quantiles of .5 and 99.5 %, as those of equivclass.ScalesOf
	lo, hi := rest[out], rest[len(rest)-1-out]
	width, named := hi-lo, map[string]int{}
	beyond := width
	if a.Type == equivclass.Date {
		beyond = 0
	}
	for _, v := range values {
		n := number(v.text)
		switch text := known[n]; {
		case text != "" && (n < 0 && lo >= 0 || n < lo-beyond || n > hi+beyond):
			named[text] += v.times
		case text == "" && width > 0 && (n < lo-5*width || n > hi+5*width):
			far += v.times
		}
	}
	return named, far
}

// oddTexts finds spellings, what is read as missing, and formulas.
func oddTexts(values []value, spellings bool) oddities {
	o, folds := oddities{lacking: map[string]int{}}, map[string]value{}
	for _, v := range values {
		fold := string(equivclass.Fold([]byte(v.text)))
		if before, twin := folds[fold]; !twin {
			folds[fold] = v
		} else if !amounts(before.text, v.text) {
			if o.twins++; o.twins == 1 {
				o.lines = [2]int64{before.line, v.line}
			}
		}
		if slices.Contains(readAsMissing, v.text) {
			o.lacking[v.text] += v.times
		}
		if formula(v.text) {
			if o.formulas++; o.formulas == 1 {
				o.formula = v.line
			}
		}
	}
	if !spellings {
		o.twins = 0
	}
	return o
}

// amounts reports whether two texts are numbers that differ in sign, or in where the point stands. A code of digits may have lost its
// point, and is another spelling then.
func amounts(a, b string) bool {
	x, none := strconv.ParseFloat(a, 64)
	y, neither := strconv.ParseFloat(b, 64)
	return none == nil && neither == nil && (x < 0 != (y < 0) || strings.Contains(a, ".") && strings.Contains(b, "."))
}

// formula reports whether spreadsheets run a text as a formula. Plain numbers, and a sign alone, are none.
func formula(text string) bool {
	if len(text) < 2 || !strings.ContainsAny(text[:1], "=+-@") {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err != nil
}

// counts writes texts of a list, and how many there are of each.
func counts(of map[string]int) string {
	var out []string
	for _, text := range slices.Sorted(maps.Keys(of)) {
		out = append(out, fmt.Sprintf("%s (%d)", text, of[text]))
	}
	return strings.Join(out, ", ")
}

// listed writes texts of the lists above as a list of YAML.
func listed(of map[string]int) string {
	out := slices.Sorted(maps.Keys(of))
	for i, text := range out {
		if !plainNumber.MatchString(text) {
			out[i] = yamlText(text)
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// plainText is a text that YAML reads as one without quotes, unless it is one of yamlWords; numbers and dates of the lists need none.
var (
	plainNumber = regexp.MustCompile(`^-?[0-9][0-9-]*$`)
	plainText   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*$`)
	yamlWords   = regexp.MustCompile(`^(?i:null|true|false|yes|no|on|off|y|n)$`)
)

// yamlText writes a text as YAML, and so that the configuration takes no dollar sign of it for a variable.
func yamlText(text string) string {
	if plainText.MatchString(text) && !yamlWords.MatchString(text) {
		return text
	}
	return strconv.Quote(strings.ReplaceAll(text, "$", "$$"))
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
