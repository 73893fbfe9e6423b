package dialect

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"anond/equivclass"
)

// DateForm says how a source writes dates, and how exact they are.
//
// Format is a layout of strftime, such as %d.%m.%Y or %Y-%m-%d %H:%M:%S, or datetime, epoch_seconds, epoch_millis or epoch_micros;
// empty: YYYY-MM-DD. A time of day is cut off: the date is the one that is written, in whatever zone, and of a count since 1970
// the one in UTC.
//
// Precision is equivclass.Month or Year where a source has dates that are no more exact, as FHIR has (1987, 1987-05). All dates
// are then cut to it, also exact ones, and stand for their month or year by its first day: cells are a function of the value alone, so two
// people of one year do not differ by how exactly their dates were known.
type DateForm struct {
	Format    string
	Precision equivclass.Precision
}

// epochs are the units of a second in the counts.
var epochs = map[string]int64{"epoch_seconds": 1, "epoch_millis": 1000, "epoch_micros": 1_000_000}

// isoForms are expressions of ISO 8601, with the letters of strftime.
var isoForms = map[string]string{
	"":         `%Y(?:-%m(?:-%d)?)?`,
	"datetime": `%Y(?:-%m(?:-%d(?:[Tt ]%H:%M(?::%S(?:\.%f)?)?(?: ?%z)?)?)?)?`,
}

const months = "janfebmaraprmayjunjulaugsepoctnovdec"

// letters are the expressions of the letters of strftime.
var letters = map[string]string{
	"Y": `(?P<year>\d{4})`, "m": `(?P<month>\d{1,2})`, "d": `(?P<day>\d{1,2})`,
	"b": `(?P<name>(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))`,
	"B": `(?P<name>(?i:january|february|march|april|may|june|july|august|september|october|november|december))`,
	"H": `(?:2[0-4]?|[01]\d?|[3-9])`, "I": `(?:1[0-2]?|0\d?|[2-9])`, "M": `(?:[0-5]\d?|[6-9])`, "S": `(?:60?|[0-5]\d?|[7-9])`,
	"f": `\d{1,9}`, "p": `(?i:[ap]m)`, "z": `(?:[Zz]|[+-]\d\d(?::?\d\d)?)`, "%": "%",
}

var (
	letter   = regexp.MustCompile(`(?s)%(.?)`)
	adjacent = regexp.MustCompile(`%[Ymd]%[A-Za-z]`)
	spelled  = strings.NewReplacer("%%", "%%", "%T", "%H:%M:%S", "%F", "%Y-%m-%d")
)

// DateReader reads dates of a form: a count, ISO 8601, or a layout. It remembers some.
type DateReader struct {
	unit      int64 // of a second; 0: it is no count
	pattern   *regexp.Regexp
	precision equivclass.Precision
	known     map[string]string
}

// mostKnown and longestKnown bound what a reader remembers: texts, and bytes of a text. A count may begin with any number of zeros.
const (
	mostKnown    = 1 << 15
	longestKnown = 48
)

// Reader returns what reads such dates, or what is wrong with the form.
func (f DateForm) Reader() (*DateReader, error) {
	d := &DateReader{precision: f.Precision, unit: epochs[f.Format], known: map[string]string{}}
	if d.unit > 0 {
		return d, nil
	}
	pattern, iso := isoForms[f.Format]
	if !iso {
		layout := spelled.Replace(f.Format)
		if err := f.check(layout); err != nil {
			return nil, err
		}
		pattern = regexp.QuoteMeta(layout)
		iso = adjacent.MatchString(layout) // then only the number of digits tells where a part ends
	}
	pattern = letter.ReplaceAllStringFunc(pattern, func(l string) string { return letters[l[1:]] })
	if iso {
		pattern = strings.ReplaceAll(pattern, "{1,2}", "{2}")
	}
	var err error
	d.pattern, err = regexp.Compile("^(?:" + pattern + ")$")
	return d, err
}

// check says why a layout tells no date of the precision.
func (f DateForm) check(layout string) error {
	has := map[string]bool{}
	for _, l := range letter.FindAllStringSubmatch(layout, -1) {
		switch {
		case l[1] == "y":
			return errors.New("%y is not read: years of two digits do not tell the century")
		case letters[l[1]] == "":
			return errors.New("only %Y %m %d %b %B %H %I %M %S %f %p %z %T %F %% are known")
		case has[l[1]] && l[1] != "%":
			return fmt.Errorf("%s stands in it twice", l[0])
		}
		has[l[1]] = true
	}
	switch {
	case !has["Y"]:
		return errors.New("it has no year: write %Y")
	case !has["m"] && !has["b"] && !has["B"] && f.Precision != equivclass.Year:
		return errors.New("it has no month: write %m, or set precision: year")
	case !has["d"] && f.Precision == equivclass.Day:
		return errors.New("it has no day: write %d, or set precision: month")
	}
	return nil
}

// Append appends the date of a text as YYYY-MM-DD; ok is false if it is none of the form.
func (d *DateReader) Append(to, text []byte) (out []byte, ok bool) {
	if date, ok := d.known[string(text)]; ok {
		return append(to, date...), true
	}
	year, month, day, ok := d.read(text)
	date := time.Date(year, time.Month(max(1, month)), max(1, day), 0, 0, 0, 0, time.UTC)
	if !ok || int(date.Month()) != max(1, month) || date.Day() != max(1, day) || // there is no such day
		month == 0 && d.precision != equivclass.Year || day == 0 && d.precision == equivclass.Day {
		return to, false
	}
	switch d.precision {
	case equivclass.Year:
		date = date.AddDate(0, 0, 1-date.YearDay())
	case equivclass.Month:
		date = date.AddDate(0, 0, 1-date.Day())
	}
	if out = date.AppendFormat(to, time.DateOnly); len(d.known) < mostKnown && len(text) <= longestKnown {
		d.known[string(text)] = string(out[len(to):])
	}
	return out, true
}

// read reads a date as far as a text tells it: 0 is no month and no day.
func (d *DateReader) read(text []byte) (year, month, day int, ok bool) {
	if d.unit > 0 {
		n, err := strconv.ParseInt(string(text), 10, 64)
		seconds := n / d.unit
		if n%d.unit < 0 {
			seconds--
		}
		year, of, day := time.Unix(seconds, 0).UTC().Date()
		const first, last = -719528 * 86400, 2932897*86400 - 1 // years 0 to 9999
		return year, int(of), day, err == nil && first <= seconds && seconds <= last
	}
	parts := d.pattern.FindSubmatch(text)
	if parts == nil {
		return 0, 0, 0, false
	}
	for i, name := range d.pattern.SubexpNames() {
		n, _ := strconv.Atoi(string(parts[i]))
		switch name {
		case "year":
			year = n
		case "month":
			month = n
		case "day":
			day = n
		case "name":
			month = 1 + strings.Index(months, strings.ToLower(string(parts[i][:3])))/3
		}
	}
	return year, month, day, true
}
