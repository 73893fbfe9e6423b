package equivclass

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// MostUnits bounds numbers: an integer, and a decimal counted in units of its last
// digit, is at most 10^15 in magnitude. So sums and differences of two of them are exact,
// as int64 and as float64, and a float64 names one number of its attribute.
const MostUnits = 1_000_000_000_000_000

// MostDigits bounds Attribute.Digits.
const MostDigits = 9

// The first and the last day that a date can be, in days since 1970-01-01.
const (
	firstDay = -719528 // 0000-01-01
	lastDay  = 2932896 // 9999-12-31
)

// ParseNumber reads a value of a numeric attribute, with white space at its ends, as an
// integer of the attribute's unit: 10^-Digits of a decimal, one day of a date.
//
// An integer is any decimal number whose value is an integer: 25, +25, 025, 25.0,
// 2.5e1; a fraction is refused as not_an_integer. Nothing is rounded: a decimal with
// more digits than the attribute has, and a number of more than MostUnits units, is
// value_out_of_range. NaN, infinities, hexadecimal forms and separators between digits
// are no numbers.
func (a *Attribute) ParseNumber(raw []byte) (int64, Reason) {
	if a.Type == Integer {
		if v, ok := smallInt(raw); ok {
			return v, Accepted
		}
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) > DefaultMaxLength {
		return 0, ReasonTooLong
	}
	switch a.Type {
	case Date:
		day, err := time.Parse(time.DateOnly, string(raw))
		if err != nil {
			return 0, ReasonDate
		}
		return day.Unix() / 86400, Accepted
	case Integer:
		return parseUnits(raw, 0, ReasonInteger)
	default:
		return parseUnits(raw, a.Digits, ReasonOutOfRange)
	}
}

// AppendNumber appends a number as a release shows it: in its shortest decimal form,
// without exponent, or as YYYY-MM-DD.
func (a *Attribute) AppendNumber(buf []byte, v int64) []byte {
	switch {
	case v == MissingNumber:
		return append(buf, MissingText...)
	case a.Type == Date:
		return time.Unix(v*86400, 0).UTC().AppendFormat(buf, time.DateOnly)
	case a.Type != Decimal || a.Digits == 0:
		return strconv.AppendInt(buf, v, 10)
	}
	if v < 0 {
		buf, v = append(buf, '-'), -v
	}
	unit := int64(powersOfTen[a.Digits])
	buf = strconv.AppendInt(buf, v/unit, 10)
	if v %= unit; v == 0 {
		return buf
	}
	at := len(buf) // the fraction, and a 1 before it where the point goes
	buf = strconv.AppendInt(buf, unit+v, 10)
	buf[at] = '.'
	return bytes.TrimRight(buf, "0")
}

// FormatNumber is AppendNumber as a text.
func (a *Attribute) FormatNumber(v int64) string { return string(a.AppendNumber(nil, v)) }

// Float returns the float64 nearest to a number. Different numbers have different ones;
// that of MissingNumber is NaN, which no condition holds for.
func (a *Attribute) Float(v int64) float64 {
	switch {
	case v == MissingNumber:
		return math.NaN()
	case a.Type != Decimal:
		return float64(v)
	}
	return float64(v) / powersOfTen[a.Digits]
}

// Units is the inverse of Float, for what is written as a float64; ok is false if the
// attribute has no such number.
func (a *Attribute) Units(f float64) (v int64, ok bool) {
	scaled := f
	if a.Type == Decimal {
		scaled = math.Round(f * powersOfTen[a.Digits])
	}
	if !(math.Abs(scaled) <= MostUnits) {
		return 0, false
	}
	return int64(scaled), a.Float(int64(scaled)) == f
}

// AllUnits is Units of several; bad is the index of the first one that the attribute does
// not have, their number if it has all.
func (a *Attribute) AllUnits(numbers []float64) (units []int64, bad int) {
	bad = len(numbers)
	for i, f := range numbers {
		v, ok := a.Units(f)
		if !ok {
			bad = min(bad, i)
		}
		units = append(units, v)
	}
	return units, bad
}

// powersOfTen are exact, as are quotients of them and numbers: the nearest float64.
var powersOfTen = [MostDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// StepCell returns the bounds of the cell over the numbers lo to hi as a release shows
// them: of a single number itself; without steps the exact range; else the smallest
// aligned interval that contains both, and neighbouring intervals of the widest step
// joined if none does. An interval [a,a+w) of integers or days is shown as a to a+w-1,
// one of decimals as a to a+w. The cell ends where the type does.
func (a *Attribute) StepCell(lo, hi int64) (int64, int64) {
	if lo == hi || len(a.Steps) == 0 {
		return lo, hi
	}
	lo, hi = stepCell(a.Steps, lo, hi)
	if a.Type != Decimal {
		hi--
	}
	if a.Type == Date {
		return max(lo, firstDay), min(hi, lastDay)
	}
	return max(lo, -MostUnits), min(hi, MostUnits)
}

// smallInt is the fast path for integers of up to nine digits, which nearly
// every record has.
func smallInt(raw []byte) (int64, bool) {
	if len(raw) == 0 || len(raw) > 9 {
		return 0, false
	}
	n := int64(0)
	for _, b := range raw {
		if !digit(b) {
			return 0, false
		}
		n = n*10 + int64(b-'0')
	}
	return n, true
}

func digit(b byte) bool { return '0' <= b && b <= '9' }

// decimalText is a parsed decimal number: its value is significant x
// 10^exponent, and the last digit of significant is not 0. So an exponent of a
// billion costs no more than one of two.
type decimalText struct {
	negative    bool
	significant int64 // digits without zeros at either end; exact up to maxDigits of them
	digits      int   // of significant
	exponent    int
}

// maxDigits is how many digits MostUnits has.
const maxDigits = 16

// maxExponent stands for every larger exponent. No text of a number is long
// enough for its digits to make up for it.
const maxExponent = 1 << 20

// parseUnits reads a decimal number exactly, in units of 10^-places. finer is the
// reason of a number between two of them.
func parseUnits(raw []byte, places int, finer Reason) (int64, Reason) {
	d, ok := takeApart(raw)
	d.exponent += places
	switch {
	case !ok:
		return 0, ReasonNumber
	case d.digits == 0:
		return 0, Accepted
	case d.exponent < 0:
		return 0, finer
	case d.digits+d.exponent > maxDigits:
		return 0, ReasonOutOfRange
	}
	n := d.significant
	for range d.exponent {
		n *= 10
	}
	if n > MostUnits {
		return 0, ReasonOutOfRange
	}
	if d.negative {
		n = -n
	}
	return n, Accepted
}

// takeApart reads sign, digits with at most one point, and exponent.
func takeApart(raw []byte) (d decimalText, ok bool) {
	if len(raw) > 0 && (raw[0] == '+' || raw[0] == '-') {
		d.negative, raw = raw[0] == '-', raw[1:]
	}
	seen, zeros, i := false, 0, 0
	for point := false; i < len(raw) && (digit(raw[i]) || raw[i] == '.' && !point); i++ {
		if raw[i] == '.' {
			point = true
			continue
		}
		seen = true
		if point {
			d.exponent--
		}
		if raw[i] == '0' {
			zeros++ // significant only if another digit follows
			continue
		}
		if d.digits == 0 {
			zeros = 0
		}
		d.push(zeros, raw[i])
		zeros = 0
	}
	d.exponent += zeros
	if !seen || i == len(raw) {
		return d, seen
	}
	shift, ok := exponentOf(raw[i:])
	d.exponent += shift
	return d, ok
}

// push appends zeros and a digit.
func (d *decimalText) push(zeros int, b byte) {
	d.digits += zeros + 1
	if d.digits > maxDigits {
		return // too many for any number that is taken
	}
	for range zeros {
		d.significant *= 10
	}
	d.significant = d.significant*10 + int64(b-'0')
}

// exponentOf reads e or E, a sign and digits.
func exponentOf(raw []byte) (n int, ok bool) {
	if raw[0] != 'e' && raw[0] != 'E' {
		return 0, false
	}
	raw, sign := raw[1:], 1
	if len(raw) > 0 && (raw[0] == '+' || raw[0] == '-') {
		if raw[0] == '-' {
			sign = -1
		}
		raw = raw[1:]
	}
	for _, b := range raw {
		if !digit(b) {
			return 0, false
		}
		n = min(maxExponent, n*10+int(b-'0'))
	}
	return sign * n, len(raw) > 0
}
