package profile

import (
	"bytes"
	"hash/maphash"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"anond/equivclass"
	"anond/internal/hierarchies"
)

// Facts are what a sample tells of a column or place: counts alone, and numbers that nobody is shown.
type Facts struct {
	Name, Path string // Path: where it lies in JSON, if not in the member of its name
	Filled     int    // records with a text that is none of readAsMissing

	lacking   map[string]int // of these: how often
	seen      map[uint64]int // how often each text is there, by its hash
	whole     int            // whole numbers without leading zeros
	zeros     int            // digits that begin with a zero
	fractions int
	commas    int // of them: with a comma, where others have a point
	digits    int // behind the point, at most
	words     int
	unfit     int // texts that no release can show as a category
	diseases  int // codes of ICD-10, until another text comes
	numbers   []float64
	shortened int         // whole numbers of which a spreadsheet has kept some digits, as 1.23E+10
	days      [][]float64 // by dateForms, as long as all texts are such dates: since 1970
	dated     int         // texts that are a date in one of the forms
	forms     []bool      // by dateForms: whether all texts are such dates
	years     int         // texts that are a year alone
	shortest  int
	longest   int
	counting  bool // each number is one more than the one before
}

// dateForm is a way to write dates.
type dateForm struct {
	layouts []string // of package time
	key     string   // what it says in the configuration
	named   bool     // the name of the column has to speak of a date
}

// dateForms are tried in this order. The first that fits all texts is taken.
var dateForms = []dateForm{
	{layouts: []string{time.DateOnly}},
	{layouts: []string{time.DateOnly, "2006-01"}, key: "precision: month"},
	{layouts: []string{time.DateOnly, "2006-01", "2006"}, key: "precision: year", named: true},
	{layouts: []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04"},
		key: "format: datetime"},
	{layouts: []string{time.DateTime}, key: `format: "%Y-%m-%d %H:%M:%S"`},
	{layouts: []string{"2.1.2006"}, key: `format: "%d.%m.%Y"`},
	{layouts: []string{"2/1/2006"}, key: `format: "%d/%m/%Y"`},
	{layouts: []string{"1/2/2006"}, key: `format: "%m/%d/%Y"`},
	{layouts: []string{"2006/1/2"}, key: `format: "%Y/%m/%d"`},
	{layouts: []string{"2.1.2006 15:04"}, key: `format: "%d.%m.%Y %H:%M"`},
	{layouts: []string{"2/1/2006 15:04"}, key: `format: "%d/%m/%Y %H:%M"`},
	{layouts: []string{"1/2/2006 15:04"}, key: `format: "%m/%d/%Y %H:%M"`},
	{layouts: []string{"2.1.2006 15:04:05"}, key: `format: "%d.%m.%Y %H:%M:%S"`},
	{layouts: []string{"2/1/2006 15:04:05"}, key: `format: "%d/%m/%Y %H:%M:%S"`},
	{layouts: []string{"1/2/2006 15:04:05"}, key: `format: "%m/%d/%Y %H:%M:%S"`},
	{layouts: []string{"20060102"}, key: `format: "%Y%m%d"`, named: true},
}

var hashSeed = maphash.MakeSeed()

func newColumn(name, path string) *Facts {
	forms := make([]bool, len(dateForms))
	for i := range forms {
		forms[i] = true
	}
	return &Facts{Name: name, Path: path, lacking: map[string]int{}, seen: map[uint64]int{}, forms: forms, days: make([][]float64, len(dateForms)),
		counting: true}
}

// take looks at a text.
func (c *Facts) take(raw []byte) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return
	}
	if len(raw) <= 4 && (slices.Contains(readAsMissing, string(raw)) || string(raw) == equivclass.MissingText) {
		c.lacking[string(raw)]++
		return
	}
	if c.Filled++; c.Filled == 1 || len(raw) < c.shortest {
		c.shortest = len(raw)
	}
	c.longest = max(c.longest, len(raw))
	c.seen[maphash.Bytes(hashSeed, raw)]++
	c.words += 1 + bytes.Count(raw, []byte{' '})
	if equivclass.CheckCategory(string(raw)) != nil {
		c.unfit++
	}
	if c.diseases == c.Filled-1 {
		if _, err := hierarchies.ICD10.Levels(string(raw)); err == nil {
			c.diseases++
		}
	}
	c.number(raw)
	if shortened.Match(raw) {
		c.shortened++
	}
	if looksDated.Match(raw) && slices.ContainsFunc(dateForms, func(f dateForm) bool { _, fits := f.day(string(raw)); return fits }) {
		c.dated++
	}
	for i := range dateForms {
		if !c.forms[i] {
			continue
		}
		day, fits := dateForms[i].day(string(raw))
		if c.forms[i], c.days[i] = fits, append(c.days[i], day); !fits {
			c.days[i] = nil
		}
	}
}

// shortened is how spreadsheets show, and save, a number that is too long for its cell.
var shortened = regexp.MustCompile(`^[1-9]([.,][0-9]+)?E[+][0-9]{2}$`)

// looksDated is how all dates begin that have no more than digits and signs.
var looksDated = regexp.MustCompile(`^[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]`)

// day is the day of a text, since 1970; false: it is no such date.
func (f *dateForm) day(text string) (float64, bool) {
	for _, layout := range f.layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return math.Floor(float64(at.Unix()) / 86400), true
		}
	}
	return 0, false
}

func (c *Facts) number(raw []byte) {
	if c.whole+c.zeros+c.fractions < c.Filled-1 { // it is no column of numbers any more
		c.numbers, c.counting = nil, false
		return
	}
	text := strings.Replace(string(raw), ",", ".", 1)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.+-eE") != "" {
		return
	}
	c.counting = c.counting && (len(c.numbers) == 0 || v == c.numbers[len(c.numbers)-1]+1)
	c.numbers = append(c.numbers, v)
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	power, _ := strconv.Atoi(exponent)
	_, fraction, pointed := strings.Cut(mantissa, ".")
	if bytes.IndexByte(raw, ',') >= 0 {
		c.commas++
	}
	switch {
	case pointed || power < 0:
		c.fractions++
		c.digits = max(c.digits, len(strings.TrimRight(fraction, "0"))-power)
	case len(text) > 1 && text[0] == '0':
		c.zeros++
	default:
		c.whole++
	}
	if len(text) == 4 {
		c.years++
	}
}

// Different is how many different texts there are.
func (c *Facts) Different() int { return len(c.seen) }

// counts reports whether the texts number the records.
func (c *Facts) counts() bool {
	return c.counting && len(c.numbers) == c.Filled && c.Filled > 0 && c.numbers[0] <= 1
}

// top is how often the most frequent text is there.
func (c *Facts) top() (n int) {
	for _, times := range c.seen {
		n = max(n, times)
	}
	return n
}

// form is the way in which all texts are dates; nil: there is none. Two ways that both fit cannot be told apart.
func (c *Facts) form() (f *dateForm, other *dateForm) {
	for i := range dateForms {
		if !c.forms[i] || c.Filled == 0 || dateForms[i].named && (c.years == c.Filled || !spoken(c.Name, dateWords)) {
			continue
		}
		if f == nil {
			f = &dateForms[i]
		} else if strings.HasPrefix(f.key, `format: "%d/`) && strings.HasPrefix(dateForms[i].key, `format: "%m/`) {
			other = &dateForms[i]
		}
	}
	return f, other
}

// kind is the type that fits every text.
func (c *Facts) kind() equivclass.Type {
	f, _ := c.form()
	switch {
	case f != nil:
		return equivclass.Date
	case c.commas > 0 && c.commas < c.fractions: // one of the two signs parts thousands
		return equivclass.Categorical
	case c.whole == c.Filled:
		return equivclass.Integer
	case c.whole+c.fractions == c.Filled && c.digits == 0:
		return equivclass.Integer // 18.0: whole numbers of a program that knows no others
	case c.whole+c.fractions == c.Filled && c.digits <= equivclass.MostDigits:
		return equivclass.Decimal
	}
	return equivclass.Categorical
}

// odd are the placeholders among the values, as the configuration lists them.
func (c *Facts) odd() map[string]int {
	kind, numbers := c.kind(), c.numbers
	if kind == equivclass.Date {
		f, _ := c.form()
		numbers = c.days[slices.IndexFunc(dateForms, func(g dateForm) bool { return g.key == f.key })]
	}
	if kind == equivclass.Categorical || len(numbers) != c.Filled {
		return nil
	}
	named, _ := outliers(numbers, placeholders(&equivclass.Attribute{Type: kind, Digits: c.digits}), kind == equivclass.Date)
	return named
}
