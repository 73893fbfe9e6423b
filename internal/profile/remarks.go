package profile

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

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

// placeholders are the listed numbers or dates, by the number that they are.
func placeholders(a *equivclass.Attribute) map[float64]string {
	out, list := map[float64]string{}, placeholderNumbers
	if a.Type == equivclass.Date {
		list = placeholderDates
	}
	for _, text := range list {
		if v, why := a.ParseNumber([]byte(text)); why == equivclass.Accepted {
			out[a.Float(v)] = text
		}
	}
	return out
}

// Remarks says what is seldom meant as it is written, by attribute.
func Remarks(t *Table) (out []Remark) {
	for i, a := range t.Schema.Attributes() {
		d := t.Dicts[i]
		if d == nil {
			continue
		}
		r := remarks{name: a.Name, lines: t.Lines, codes: t.Codes[i], dict: d}
		switch {
		case d.Kind() == equivclass.Number:
			r.ofNumbers(&a)
		case !a.Type.Numeric():
			r.ofTexts(&a)
		}
		out = append(out, r.out...)
	}
	return out
}

// remarks gathers those of an attribute.
type remarks struct {
	name  string
	lines []int64
	codes []equivclass.Code
	dict  *equivclass.Dictionary
	out   []Remark
}

func (r *remarks) add(write, format string, args ...any) {
	r.out = append(r.out, Remark{r.name, fmt.Sprintf("%q: ", r.name) + fmt.Sprintf(format, args...), write})
}

func (r *remarks) ofNumbers(a *equivclass.Attribute) {
	numbers := make([]float64, 0, len(r.codes))
	for _, c := range r.codes {
		if r.dict.Units(c) != equivclass.MissingNumber {
			numbers = append(numbers, r.dict.Number(c))
		}
	}
	named, far := outliers(numbers, placeholders(a), a.Type == equivclass.Date)
	if len(named) > 0 {
		r.add("missing_values: "+listed(slices.Sorted(maps.Keys(named))), "%s stand where no value is known, as it seems.", counts(named))
	}
	if far > 0 {
		r.add("", "%d of its values lie far outside of the range of nearly all, as placeholders do: list them in missing_values, or declare a "+
			"range.", far)
	}
}

// outliers finds numbers that are listed as placeholders and lie outside of those that are not, by text, and counts the others that are
// more than five times the width of nearly all away from them. A listed date is odd enough to be one wherever it lies outside; a number
// such as 99 has to lie far outside, or to be the only kind below 0.
func outliers(numbers []float64, list map[float64]string, dates bool) (named map[string]int, far int) {
	var rest []float64
	for _, v := range numbers {
		if list[v] == "" {
			rest = append(rest, v)
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
	if dates {
		beyond = 0
	}
	for _, v := range numbers {
		switch text := list[v]; {
		case text != "" && (v < 0 && lo >= 0 || v < lo-beyond || v > hi+beyond):
			named[text]++
		case text == "" && width > 0 && (v < lo-5*width || v > hi+5*width):
			far++
		}
	}
	return named, far
}

func (r *remarks) ofTexts(a *equivclass.Attribute) {
	first := map[equivclass.Code]int{} // the first record with a code
	times := map[equivclass.Code]int{}
	for i, c := range r.codes {
		if times[c]++; times[c] == 1 {
			first[c] = i
		}
	}
	folds, lacking := map[string]equivclass.Code{}, map[string]int{}
	var twins, pair, formulas []equivclass.Code
	for _, c := range slices.Sorted(maps.Keys(first)) {
		text := r.dict.Text(c)
		fold := string(equivclass.Fold([]byte(text)))
		if before, seen := folds[fold]; seen {
			twins = append(twins, c)
			if pair == nil {
				pair = []equivclass.Code{before, c}
			}
		} else {
			folds[fold] = c
		}
		if slices.Contains(readAsMissing, text) {
			lacking[text] += times[c]
		}
		if formula(text) {
			formulas = append(formulas, c)
		}
	}
	if len(twins) > 0 && a.Hierarchy == nil {
		r.add("aliases: fold", "%s from another one only by dots, case, hyphens or spaces (lines %d and %d), and spellings count as different "+
			"values.", plural(len(twins), "value differs", "values differ"), r.line(first[pair[0]]), r.line(first[pair[1]]))
	}
	if len(lacking) > 0 {
		r.add("missing_values: "+listed(slices.Sorted(maps.Keys(lacking))), "%s are values like any other now, and many programs read them as "+
			"missing.", counts(lacking))
	}
	if len(formulas) > 0 {
		r.add("", "%s with =, +, - or @, which spreadsheets run as formulas (line %d is the first): rename them at the source, or tell who "+
			"reads "+
			"the releases to import them as text.", plural(len(formulas), "value begins", "values begin"), r.line(first[formulas[0]]))
	}
}

// line is that of a record.
func (r *remarks) line(record int) int64 { return r.lines[record] }

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

// listed writes a list of YAML.
func listed(texts []string) string {
	out := make([]string, len(texts))
	for i, text := range texts {
		_, number := strconv.ParseFloat(text, 64)
		_, date := time.Parse(time.DateOnly, text)
		if out[i] = text; number != nil && date != nil {
			out[i] = yamlText(text)
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// plainText is a text that YAML reads as one without quotes, unless it is one of yamlWords.
var (
	plainText = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*$`)
	yamlWords = regexp.MustCompile(`^(?i:null|true|false|yes|no|on|off|y|n)$`)
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
