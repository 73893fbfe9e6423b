package profile

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/ingest/dialect"
	"anond/internal/hierarchies"
)

// facts are what a sample tells of a column or place. Its texts are counted, and nobody is shown one that is of none of the lists below.
type facts struct {
	Name, Path string         // Path: where it lies in JSON, if not in the member of its name
	Filled     int            // records with a text that is none of readAsMissing
	texts      map[string]int // how often each of these is there
	lacking    map[string]int // of readAsMissing: how often

	// What settle finds, once all is counted.
	kind       equivclass.Type // that fits every text
	digits     int             // behind the point of all numbers; -1: not all texts are numbers
	commas     bool            // numbers have one where others have a point
	forms      []dateForm      // that were tried
	form, also *dateForm       // that all dates have; nil: there is none. Two forms that both fit cannot be told apart
	top        int             // how often the most frequent text is there
	words      int
	unfit      int // texts that no release can show as a category
	shortened  int // whole numbers of which a spreadsheet has kept some digits, as 1.23E+10
}

// dateForm is a way to write dates.
type dateForm struct {
	keys  string // of an attribute, as YAML
	named bool   // the name of the column has to speak of a date
	read  *dialect.DateReader
}

// dateForms are tried in this order. The first that fits all texts is taken. Their readers remember dates, so each sketch has its own.
func dateForms() (out []dateForm) {
	for _, format := range []string{"", "month", "year", "datetime", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d.%m.%Y %H:%M",
		"%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S", "%Y%m%d"} {
		form, keys := dialect.DateForm{Format: format}, "format: "+yamlText(format)
		switch format {
		case "":
			keys = ""
		case "month", "year":
			form, keys = dialect.DateForm{Precision: equivclass.Precision(format)}, "precision: "+format
		}
		reader, _ := form.Reader()
		out = append(out, dateForm{keys, format == "year" || format == "%Y%m%d", reader})
	}
	return out
}

// day is the day of a text as YYYY-MM-DD; false: it is no such date.
func (f *dateForm) day(text string) (string, bool) {
	day, ok := f.read.Append(nil, []byte(text))
	return string(day), ok
}

func newColumn(name, path string) *facts {
	return &facts{Name: name, Path: path, lacking: map[string]int{}, texts: map[string]int{}}
}

// take counts a text.
func (c *facts) take(raw []byte) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
	case len(raw) <= 4 && (slices.Contains(readAsMissing, string(raw)) || string(raw) == equivclass.MissingText):
		c.lacking[string(raw)]++
	default:
		c.Filled++
		c.texts[string(raw)]++
	}
}

// Different is how many different texts there are.
func (c *facts) Different() int { return len(c.texts) }

// all reports whether there are texts, and all are so.
func (c *facts) all(so func(text string) bool) bool {
	for text := range c.texts {
		if !so(text) {
			return false
		}
	}
	return len(c.texts) > 0
}

// settle finds what the texts have in common.
func (c *facts) settle(format dialect.Format, forms []dateForm) {
	c.forms = forms
	points, commas := 0, 0
	for text, times := range c.texts {
		c.top, c.words = max(c.top, times), c.words+times*(1+strings.Count(text, " "))
		if equivclass.CheckCategory(text) != nil {
			c.unfit += times
		}
		if shortened.MatchString(text) {
			c.shortened += times
		}
		points, commas = points+strings.Count(text, "."), commas+strings.Count(text, ",")
	}
	dated := spoken(c.Name, dateWords)
	for i := range forms {
		f := &forms[i]
		switch {
		case f.named && (!dated || c.all(func(text string) bool { return len(text) == 4 })),
			!c.all(func(text string) bool { _, ok := f.day(text); return ok }):
		case c.form == nil:
			c.form = f
		case strings.Contains(c.form.keys, "%d/") && strings.Contains(f.keys, `"%m/`):
			c.also = f
		}
	}
	if !c.all(func(text string) bool {
		of := digitsOf(text)
		c.digits = max(c.digits, of)
		return of >= 0 && (points == 0 || commas == 0) // else one of the two signs parts thousands
	}) {
		c.digits = -1
	}
	c.commas = commas > 0 && c.digits >= 0
	whole := c.digits == 0 // also 18.0: of a program that knows no other numbers
	switch {
	case c.form != nil, whole && dated && format == dialect.Debezium: // in days since 1970, as Debezium writes them
		c.kind = equivclass.Date
	case c.digits < 0, whole && c.Different() <= 50 && spoken(c.Name, codeWords):
		c.kind = equivclass.Categorical
	case whole:
		c.kind = equivclass.Integer
	default:
		c.kind = equivclass.Decimal
	}
}

// point is the text of a number with a point where it has a comma.
func point(text string) []byte { return []byte(strings.Replace(text, ",", ".", 1)) }

// digitsOf is how many digits a decimal needs for a number, more than equivclass.MostDigits if none is enough; -1: it is no number, or
// begins with zeros, as codes do.
func digitsOf(text string) (n int) {
	if len(text) > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9' {
		return -1
	}
	for ; n <= equivclass.MostDigits; n++ {
		a := equivclass.Attribute{Type: equivclass.Decimal, Digits: n}
		switch _, why := a.ParseNumber(point(text)); why {
		case equivclass.Accepted:
			return n
		case equivclass.ReasonOutOfRange:
		default:
			return -1
		}
	}
	return n
}

// counts reports whether the texts number the records.
func (c *facts) counts() bool {
	if c.digits != 0 || c.Different() != c.Filled {
		return false
	}
	whole, least, most := equivclass.Attribute{Type: equivclass.Integer}, int64(equivclass.MostUnits), int64(0)
	for text := range c.texts {
		n, _ := whole.ParseNumber(point(text))
		least, most = min(least, n), max(most, n)
	}
	return least <= 1 && most-least == int64(c.Filled)-1
}

// shortened is how spreadsheets show, and save, a number that is too long for its cell. All dates begin like looksDated that have no more
// than digits and signs.
var (
	shortened  = regexp.MustCompile(`^[1-9]([.,][0-9]+)?E[+][0-9]{2}$`)
	looksDated = regexp.MustCompile(`^[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]`)
)

// dated is how many texts are a date in one of the forms.
func (c *facts) dated() (n int) {
	for text, times := range c.texts {
		if looksDated.MatchString(text) && slices.ContainsFunc(c.forms, func(f dateForm) bool { _, ok := f.day(text); return ok }) {
			n += times
		}
	}
	return n
}

// odd are the placeholders among the values.
func (c *facts) odd() map[string]int {
	if c.kind == equivclass.Categorical {
		return nil
	}
	values := make([]value, 0, len(c.texts))
	for text, times := range c.texts {
		v := value{text: string(point(text)), times: times}
		if c.form != nil {
			v.text, _ = c.form.day(text)
		}
		values = append(values, v)
	}
	named, _ := outliers(&equivclass.Attribute{Type: c.kind, Digits: max(0, c.digits)}, values)
	return named
}

// hierarchy names the command that makes one of a catalogue of such codes; empty: nobody knows how they roll up.
func (c *facts) hierarchy() string {
	long := 0
	switch {
	case !spoken(c.Name, quasiWords) && c.all(func(text string) bool { _, err := hierarchies.ICD10.Levels(text); return err == nil }):
		return ": anond hierarchy icd10"
	case c.all(func(text string) bool {
		same := long == 0 || long == len(text)
		long = len(text)
		return same && long > 2 && strings.Trim(text, "0123456789") == ""
	}):
		return fmt.Sprintf(": anond hierarchy prefix --lengths %d,%d", long-1, max(1, long-3))
	}
	return ""
}
