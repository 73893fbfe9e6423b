package decode

import (
	"bytes"
	"strconv"
)

// mostDigits bounds the integers of which the form does not count.
const mostDigits = 100

// integerOf returns the digits of a JSON number that is an integer, however it is written, so that 7, 7.0 and 70e-1 are one subject,
// and the same as the text 7 (rule S, one record of a subject). Every other number is the text as which it is written, and so
// are texts: 007 may be somebody else.
func integerOf(number []byte) []byte {
	if !bytes.ContainsAny(number, ".eE") && string(number) != "-0" {
		return number
	}
	digits, sign := number, ""
	if digits[0] == '-' {
		digits, sign = digits[1:], "-"
	}
	mantissa, power, exponent := digits, 0, error(nil)
	if i := bytes.IndexAny(digits, "eE"); i >= 0 {
		mantissa = digits[:i]
		power, exponent = strconv.Atoi(string(digits[i+1:]))
	}
	whole, part, _ := bytes.Cut(mantissa, []byte{'.'})
	digits = append(bytes.Clone(whole), part...)
	if len(bytes.Trim(digits, "0")) == 0 {
		return []byte{'0'}
	}
	point := len(whole) + power
	if exponent != nil || point < 1 || point > len(digits)+mostDigits || len(bytes.TrimRight(digits, "0")) > point {
		return number
	}
	digits = append(digits, bytes.Repeat([]byte{'0'}, max(0, point-len(digits)))...)
	if digits = bytes.TrimLeft(digits[:point], "0"); len(digits) > mostDigits {
		return number
	}
	return append([]byte(sign), digits...)
}
