package equivclass

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// maxExact bounds integers to those that a float64 holds exactly.
const maxExact = 1 << 53

// ParseNumber reads a value of a numeric type, with white space at its ends.
//
// An integer is any decimal number whose value is an integer: 25, +25, 025,
// 25.0, 2.5e1. A fraction is refused as not_an_integer, and a number beyond
// 2^53 as value_out_of_range, rather than rounded. So are decimals beyond a
// float64. NaN, infinities, hexadecimal forms and separators between digits are
// no numbers.
func ParseNumber(t Type, raw []byte) (float64, Reason) {
	if t == Integer {
		if v, ok := smallInt(raw); ok {
			return v, Accepted
		}
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) > DefaultMaxLength {
		return 0, ReasonTooLong
	}
	switch t {
	case Date:
		day, err := time.Parse(time.DateOnly, string(raw))
		if err != nil {
			return 0, ReasonDate
		}
		return float64(day.Unix() / 86400), Accepted
	case Integer:
		return parseInteger(raw)
	default:
		return parseDecimal(raw)
	}
}

func parseDecimal(raw []byte) (float64, Reason) {
	for _, b := range raw {
		if b != '+' && b != '-' && b != '.' && b != 'e' && b != 'E' && !digit(b) {
			return 0, ReasonNumber
		}
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case math.IsInf(v, 0): // ErrRange; the texts of infinities have other letters
		return 0, ReasonOutOfRange
	case err != nil:
		return 0, ReasonNumber
	}
	return v + 0, Accepted // -0 becomes 0: two texts of one value
}

// smallInt is the fast path for integers of up to nine digits, which nearly
// every record has.
func smallInt(raw []byte) (float64, bool) {
	if len(raw) == 0 || len(raw) > 9 {
		return 0, false
	}
	n := 0
	for _, b := range raw {
		if !digit(b) {
			return 0, false
		}
		n = n*10 + int(b-'0')
	}
	return float64(n), true
}

func digit(b byte) bool { return '0' <= b && b <= '9' }

// decimalText is a parsed decimal number: its value is significant x
// 10^exponent, and the last digit of significant is not 0. So an exponent of a
// billion costs no more than one of two.
type decimalText struct {
	negative    bool
	significant uint64 // digits without zeros at either end; exact up to maxDigits of them
	digits      int    // of significant
	exponent    int
}

// maxDigits is how many digits a uint64 holds in any case, and more than the
// sixteen of 2^53.
const maxDigits = 19

// maxExponent stands for every larger exponent. No text of a number is long
// enough for its digits to make up for it.
const maxExponent = 1 << 20

// parseInteger reads an integer exactly.
func parseInteger(raw []byte) (float64, Reason) {
	d, ok := takeApart(raw)
	switch {
	case !ok:
		return 0, ReasonNumber
	case d.digits == 0:
		return 0, Accepted
	case d.exponent < 0:
		return 0, ReasonInteger
	case d.digits+d.exponent > len("9007199254740992"):
		return 0, ReasonOutOfRange
	}
	n := d.significant
	for range d.exponent {
		n *= 10
	}
	if n > maxExact {
		return 0, ReasonOutOfRange
	}
	if d.negative {
		return -float64(n), Accepted
	}
	return float64(n), Accepted
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
		return // too many for any integer that is taken
	}
	for range zeros {
		d.significant *= 10
	}
	d.significant = d.significant*10 + uint64(b-'0')
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
