package promise

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Ratio is an exact number that is not negative. The zero value is 0.
type Ratio struct{ num, less int64 } // the denominator less 1

// decimals is how many digits a text has behind the point at most.
const decimals = 3

// NewRatio is num/den, den being positive.
func NewRatio(num, den int64) Ratio { return Ratio{num, den - 1} }

// Num returns the numerator.
func (r Ratio) Num() int64 { return r.num }

// Den returns the denominator.
func (r Ratio) Den() int64 { return r.less + 1 }

// Parse reads a decimal number, such as 2 or 0.125: up to six digits, and three behind the point.
func Parse(text string) (Ratio, error) {
	whole, part, point := strings.Cut(text, ".")
	if point && part == "" || whole == "" || len(part) > decimals || len(whole) > 6 {
		return Ratio{}, errors.New("is no decimal number with at most three digits behind the point, such as 2 or 0.125")
	}
	num, err := strconv.ParseUint(whole+part, 10, 63)
	if err != nil {
		return Ratio{}, errors.New("is no decimal number, such as 2 or 0.125")
	}
	for range decimals - len(part) {
		num *= 10
	}
	return thousandths(int64(num)), nil
}

// thousandths is n of them. One number has one form.
func thousandths(n int64) Ratio {
	den := int64(1000)
	for ; den > 1 && n%10 == 0; n /= 10 {
		den /= 10
	}
	return NewRatio(n, den)
}

// String writes a number as Parse reads it, if that is possible, else as a fraction.
func (r Ratio) String() string {
	for den, digits := int64(1), 0; digits <= decimals; den, digits = den*10, digits+1 {
		if den == r.Den() {
			return strconv.FormatFloat(float64(r.num)/float64(den), 'f', digits, 64)
		}
	}
	return fmt.Sprintf("%d/%d", r.num, r.Den())
}

// Less reports whether a number is less than another.
func (r Ratio) Less(o Ratio) bool {
	hi, lo := bits.Mul64(uint64(r.num), uint64(o.Den()))
	otherHi, other := bits.Mul64(uint64(o.num), uint64(r.Den()))
	return hi < otherHi || hi == otherHi && lo < other
}

func (r Ratio) min(o Ratio) Ratio {
	if o.Less(r) {
		return o
	}
	return r
}

func (r Ratio) max(o Ratio) Ratio {
	if r.Less(o) {
		return o
	}
	return r
}
