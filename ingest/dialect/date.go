package dialect

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"anond/equivclass"
)

// DateForm says how a source writes dates, and how exact they are.
//
// Format is a layout of strftime, such as %d.%m.%Y or %Y-%m-%d %H:%M:%S, or the name of one: DateTime, EpochSeconds, EpochMillis,
// EpochMicros; empty: YYYY-MM-DD. A time of day is cut off: the date is the one that is written, in whatever zone, and of a count
// since 1970 the one in UTC.
//
// Precision is equivclass.Month or Year where a source has dates that are no more exact, as FHIR has (1987, 1987-05). All dates
// are then cut to it, also exact ones, and stand for their month or year by its first day: cells are a function of the value alone, so two
// people of one year do not differ by how exactly their dates were known.
type DateForm struct {
	Format    string
	Precision equivclass.Precision
}

// Names of formats.
const (
	DateTime     = "datetime" // ISO 8601, with a time of day or not
	EpochSeconds = "epoch_seconds"
	EpochMillis  = "epoch_millis"
	EpochMicros  = "epoch_micros"
)

// epochs are the units of a second in the counts.
var epochs = map[string]int64{EpochSeconds: 1, EpochMillis: 1000, EpochMicros: 1_000_000}

// DateReader reads dates of a form: a count, ISO 8601, or a layout.
type DateReader struct {
	unit      int64 // of a second; 0: it is no count
	layout    []element
	timed     bool // without layout: a time of day may follow
	precision equivclass.Precision
}

// element is a text as it stands, or a letter of strftime.
type element struct {
	literal string
	letter  byte // 0: a literal
}

var (
	errLetter    = errors.New("only %Y %m %d %b %B %H %I %M %S %f %p %z %T %F %% are known")
	errTwoDigits = errors.New("%y is not read: years of two digits do not tell the century")
)

// Reader returns what reads such dates, or what is wrong with the form.
func (f DateForm) Reader() (*DateReader, error) {
	d := &DateReader{precision: f.Precision, unit: epochs[f.Format], timed: f.Format == DateTime}
	if d.unit > 0 || d.timed || f.Format == "" {
		return d, nil
	}
	d.layout = elementsOf(f.Format)
	has := func(letters string) bool {
		return slices.ContainsFunc(d.layout, func(e element) bool { return e.letter != 0 && strings.IndexByte(letters, e.letter) >= 0 })
	}
	for i, e := range d.layout {
		switch {
		case e.letter == 'y':
			return nil, errTwoDigits
		case e.letter != 0 && strings.IndexByte("YmdbBHIMSfpz", e.letter) < 0:
			return nil, errLetter
		case e.letter != 0 && slices.Contains(d.layout[:i], e):
			return nil, fmt.Errorf("%%%c stands in it twice", e.letter)
		}
	}
	switch {
	case !has("Y"):
		return nil, errors.New("it has no year: write %Y")
	case !has("mbB") && f.Precision != equivclass.Year:
		return nil, errors.New("it has no month: write %m, or set precision: year")
	case !has("d") && f.Precision != equivclass.Year && f.Precision != equivclass.Month:
		return nil, errors.New("it has no day: write %d, or set precision: month")
	}
	return d, nil
}

// elementsOf divides a layout.
func elementsOf(layout string) (out []element) {
	layout = strings.NewReplacer("%%", "%%", "%T", "%H:%M:%S", "%F", "%Y-%m-%d").Replace(layout)
	for layout != "" {
		at := strings.IndexByte(layout, '%')
		switch {
		case at < 0:
			return append(out, element{literal: layout})
		case at > 0:
			out, layout = append(out, element{literal: layout[:at]}), layout[at:]
		case len(layout) == 1:
			return append(out, element{letter: '%'}) // refused: no letter follows
		case layout[1] == '%':
			out, layout = append(out, element{literal: "%"}), layout[2:]
		default:
			out, layout = append(out, element{letter: layout[1]}), layout[2:]
		}
	}
	return out
}

// Append appends the date of a text as YYYY-MM-DD; ok is false if it is none of the form.
func (d *DateReader) Append(to, text []byte) (out []byte, ok bool) {
	var at day
	switch {
	case d.unit > 0:
		at, ok = sinceEpoch(text, d.unit)
	case d.layout == nil:
		at, ok = isoDate(text, d.timed)
	default:
		at, ok = d.read(text)
	}
	if !ok || !at.exists() || at.month == 0 && d.precision != equivclass.Year || at.day == 0 && d.precision == equivclass.Day {
		return to, false
	}
	switch d.precision {
	case equivclass.Year:
		at.month, at.day = 1, 1
	case equivclass.Month:
		at.day = 1
	}
	return at.date().AppendFormat(to, time.DateOnly), true
}

// day is a date, as far as a text tells it: 0 is no month and no day.
type day struct{ year, month, day int }

func (d day) date() time.Time {
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC)
}

// exists reports whether there is such a day, as far as it is told.
func (d day) exists() bool {
	whole := day{d.year, max(1, d.month), max(1, d.day)}.date()
	return whole.Day() == max(1, d.day) && int(whole.Month()) == max(1, d.month)
}

// sinceEpoch reads a count of units since 1970-01-01, within the years 0 to 9999.
func sinceEpoch(text []byte, unit int64) (day, bool) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	seconds := n / unit
	if n%unit < 0 {
		seconds--
	}
	const first, last = -719528 * 86400, 2932897*86400 - 1
	if err != nil || seconds < first || seconds > last {
		return day{}, false
	}
	y, m, d := time.Unix(seconds, 0).UTC().Date()
	return day{y, int(m), d}, true
}

// isoDate reads YYYY, YYYY-MM, YYYY-MM-DD or, if it may be timed, one with a time of day.
func isoDate(text []byte, timed bool) (at day, ok bool) {
	for i, part := range []*int{&at.year, &at.month, &at.day} {
		n := 2
		if i == 0 {
			n = 4
		} else if len(text) == 0 {
			return at, true
		} else if text, ok = take(text, "-"); !ok {
			return at, false
		}
		if *part, text, ok = count(text, n, n); !ok || i > 0 && *part == 0 {
			return at, false
		}
	}
	if len(text) == 0 || !timed || text[0] != 'T' && text[0] != 't' && text[0] != ' ' {
		return at, len(text) == 0
	}
	for _, layout := range [][]element{hours, minutes} {
		if rest, ok := (&DateReader{layout: layout}).pass(text[1:], &day{}); ok {
			return at, zone(rest)
		}
	}
	return at, false
}

var hours, minutes = elementsOf("%T"), elementsOf("%H:%M")

// zone reports whether a text is what may stand behind the seconds: a fraction, and an offset.
func zone(text []byte) bool {
	if rest, ok := take(text, "."); ok {
		if _, text, ok = count(rest, 1, 9); !ok {
			return false
		}
	}
	if len(text) == 0 {
		return true
	}
	text, ok := offset(bytes.TrimPrefix(text, []byte(" ")))
	return ok && len(text) == 0
}

// read reads a text by the layout.
func (d *DateReader) read(text []byte) (at day, ok bool) {
	text, ok = d.pass(text, &at)
	return at, ok && len(text) == 0
}

// pass reads what the layout has, and returns what follows.
func (d *DateReader) pass(text []byte, at *day) (rest []byte, ok bool) {
	n := 0
	for _, e := range d.layout {
		switch e.letter {
		case 0:
			text, ok = take(text, e.literal)
		case 'Y':
			at.year, text, ok = count(text, 4, 4)
		case 'm':
			at.month, text, ok = count(text, 1, 2)
		case 'd':
			at.day, text, ok = count(text, 1, 2)
		case 'b', 'B':
			at.month, text, ok = monthName(text, e.letter == 'B')
		case 'f':
			_, text, ok = count(text, 1, 9)
		case 'z':
			text, ok = offset(text)
		case 'p':
			ok = len(text) >= 2 && (bytes.EqualFold(text[:2], []byte("am")) || bytes.EqualFold(text[:2], []byte("pm")))
			text = text[min(2, len(text)):]
		default: // of a time of day
			n, text, ok = count(text, 1, 2)
			ok = ok && n <= mostOf[e.letter]
		}
		if !ok {
			return nil, false
		}
	}
	return text, true
}

var mostOf = map[byte]int{'H': 24, 'I': 12, 'M': 59, 'S': 60}

// take passes a text that has to be there.
func take(text []byte, literal string) ([]byte, bool) {
	if len(text) < len(literal) || string(text[:len(literal)]) != literal {
		return text, false
	}
	return text[len(literal):], true
}

// count reads from least to most digits.
func count(text []byte, least, most int) (n int, rest []byte, ok bool) {
	i := 0
	for ; i < most && i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
		n = 10*n + int(text[i]-'0')
	}
	return n, text[i:], i >= least
}

// monthName reads a name of English, or its first three letters.
func monthName(text []byte, long bool) (n int, rest []byte, ok bool) {
	for m := time.January; m <= time.December; m++ {
		name := m.String()
		if !long {
			name = name[:3]
		}
		if len(text) >= len(name) && strings.EqualFold(string(text[:len(name)]), name) {
			return int(m), text[len(name):], true
		}
	}
	return 0, text, false
}

// offset reads Z, or hours and minutes with a sign.
func offset(text []byte) (rest []byte, ok bool) {
	if len(text) > 0 && (text[0] == 'Z' || text[0] == 'z') {
		return text[1:], true
	}
	if len(text) == 0 || text[0] != '+' && text[0] != '-' {
		return text, false
	}
	if _, text, ok = count(text[1:], 2, 2); !ok || len(text) == 0 {
		return text, ok
	}
	text = bytes.TrimPrefix(text, []byte(":"))
	_, text, ok = count(text, 2, 2)
	return text, ok
}
