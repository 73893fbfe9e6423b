package equivclass

import (
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	integers = &Attribute{Type: Integer}
	decimals = &Attribute{Type: Decimal, Digits: 4}
	dates    = &Attribute{Type: Date}
)

func TestIntegersAsPeopleWriteThem(t *testing.T) {
	zeros := strings.Repeat("0", 900)
	for text, want := range map[string]int64{
		"25": 25, "+25": 25, "-25": -25, "0025": 25, " 25\t": 25, "25.0": 25, "25.": 25, "2.5e1": 25, "2.5E+01": 25, "250e-1": 25, "0.25e2": 25,
		".25e2": 25,
		"1e3":   1000, "-0": 0, "0e999999999999999999": 0, "0.000": 0, "1000000000000000": 1e15, "-1000000000000000": -1e15,
		"1.0e15": 1e15, "999999999999999": 999999999999999, "0." + zeros + "7e901": 7, "7" + zeros + "e-900": 7, "1000000000": 1e9,
		"10000000000": 1e10,
	} {
		v, why := integers.ParseNumber([]byte(text))
		assert.Equal(t, Accepted, why, text)
		assert.Equal(t, want, v, text)
	}
	for why, texts := range map[Reason][]string{
		ReasonInteger: {"25.5", "1e-1", "-0.1", "9007199254740993.5", "1e-99999999999999999999", "123456789012345678901e-5"},
		ReasonOutOfRange: {"1000000000000001", "-1000000000000001", "1e16", "1e19", "9223372036854775807", "-9223372036854775808",
			"18446744073709551616", "1e99999999999999999999", "123456789012345678901", "1e400"},
		ReasonNumber: {"", " ", ".", "+", "-", "e1", "1e", "1e+", "1e1.5", "1.2.3", "1 2", "1_000", "1,000", "0x10", "25%", "nan", "inf",
			"--1", "\u0662\u0665", "1e1e1"},
		ReasonTooLong: {strings.Repeat("9", 1025), strings.Repeat("0", 900_000) + "1"},
	} {
		for _, text := range texts {
			_, is := integers.ParseNumber([]byte(text))
			assert.Equal(t, why, is, "%.30q", text)
		}
	}
}

func TestDecimalsAndDates(t *testing.T) {
	for text, want := range map[string]int64{" 7.50 ": 75000, "7.5e1": 750000, "-0": 0, "25.": 250000, ".5": 5000, "0.0001": 1, "-1e-4": -1,
		"12.34560000": 123456, "1e11": 1e15, "-99999999999.9999": -999999999999999, "0e-400": 0} {
		v, why := decimals.ParseNumber([]byte(text))
		assert.Equal(t, Accepted, why, text)
		assert.Equal(t, want, v, text)
	}
	for text, want := range map[string]Reason{"": ReasonNumber, "1e400": ReasonOutOfRange, "-1e400": ReasonOutOfRange, "inf": ReasonNumber,
		"0x1p4": ReasonNumber, "1_0": ReasonNumber, "1,5": ReasonNumber, "e": ReasonNumber, "1e-400": ReasonOutOfRange,
		"0.00001": ReasonOutOfRange, "0.30000000000000004": ReasonOutOfRange, "100000000000.0001": ReasonOutOfRange,
		"-1e308": ReasonOutOfRange, "1e308": ReasonOutOfRange, "NaN": ReasonNumber} {
		_, why := decimals.ParseNumber([]byte(text))
		assert.Equal(t, want, why, text)
	}
	day, why := dates.ParseNumber([]byte(" 1970-01-02\r"))
	assert.Equal(t, Accepted, why)
	assert.Equal(t, int64(1), day)
	for text, want := range map[string]int64{"0000-01-01": firstDay, "9999-12-31": lastDay} {
		day, why := dates.ParseNumber([]byte(text))
		assert.Equal(t, Accepted, why)
		assert.Equal(t, want, day)
		assert.Equal(t, text, dates.FormatNumber(day))
	}
	for _, text := range []string{"1970-1-2", "02.01.1970", "1970-01-02T00:00:00Z", "1970-01-02 00:00:00", "19700102", "1970-02-30", ""} {
		_, why := dates.ParseNumber([]byte(text))
		assert.Equal(t, ReasonDate, why, text)
	}
}

// TestDecimalsAreReadWrittenAndDeclaredAlike: text, units and float64 name each other one
// to one, for each number of digits and up to the bounds.
func TestDecimalsAreReadWrittenAndDeclaredAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for digits := range MostDigits + 1 {
		a := &Attribute{Type: Decimal, Digits: digits}
		for range 2000 {
			v := r.Int64N(MostUnits+1) >> r.IntN(50)
			if r.IntN(2) == 0 {
				v = -v
			}
			text := a.FormatNumber(v)
			want := new(big.Rat).SetFrac(big.NewInt(v), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
			shown, ok := new(big.Rat).SetString(text)
			require.True(t, ok && shown.Cmp(want) == 0, "%d of %d digits is shown as %s", v, digits, text)
			require.Equal(t, strconv.FormatFloat(a.Float(v), 'f', -1, 64), text)
			back, why := a.ParseNumber([]byte(text))
			require.Equal(t, []any{v, Accepted}, []any{back, why}, text)
			units, ok := a.Units(a.Float(v))
			require.Equal(t, []any{v, true}, []any{units, ok}, text)
		}
		_, ok := a.Units(a.Float(1) / 2)
		require.False(t, ok)
		_, ok = a.Units(a.Float(MostUnits) * 1.1)
		require.False(t, ok)
	}
}

// TestStepCellsHoldTheirNumbersWithinTheType: aligned, as narrow as a step allows, and no
// bound that could not be read again.
func TestStepCellsHoldTheirNumbersWithinTheType(t *testing.T) {
	for _, c := range []struct {
		a      Attribute
		lo, hi string
		want   string
	}{
		{Attribute{Type: Decimal, Digits: 4, Steps: []int64{1000}}, "39.7", "39.8", "39.7 39.9"},
		{Attribute{Type: Decimal, Digits: 4, Steps: []int64{1000, 5000}}, "39.5", "39.9", "39.5 40"},
		{Attribute{Type: Decimal, Digits: 4, Steps: []int64{11000}}, "-0.1", "0.1", "-1.1 1.1"},
		{Attribute{Type: Decimal, Digits: 4, Steps: []int64{11000}}, "5.5", "5.5", "5.5 5.5"},
		{Attribute{Type: Decimal, Digits: 0, Steps: []int64{7}}, "999999999999999", "1e15", "999999999999994 1000000000000000"},
		{Attribute{Type: Integer, Steps: []int64{10}}, "-1", "10", "-10 19"},
		{Attribute{Type: Integer, Steps: []int64{MostUnits}}, "-1e15", "1e15", "-1000000000000000 1000000000000000"},
		{Attribute{Type: Date, Steps: []int64{30000}}, "9999-12-30", "9999-12-31", "9937-04-24 9999-12-31"},
		{Attribute{Type: Date, Steps: []int64{30000}}, "0000-01-01", "0000-01-02", "0000-01-01 0080-11-03"},
	} {
		lo, why := c.a.ParseNumber([]byte(c.lo))
		require.Equal(t, Accepted, why)
		hi, why := c.a.ParseNumber([]byte(c.hi))
		require.Equal(t, Accepted, why)
		from, to := c.a.StepCell(lo, hi)
		assert.Equal(t, c.want, c.a.FormatNumber(from)+" "+c.a.FormatNumber(to))
	}
}

// FuzzNumber compares the reader with big.Rat, which is exact and costs memory.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{"25.0", "1e3", "+7", "-0.00e5", "1000000000000001", "12345678901234567890123e-3", "100.001e3", "0.1e1",
		"1e-2", "1e15", "0.99999"} {
		f.Add(text, uint8(0))
		f.Add(text, uint8(4))
	}
	f.Fuzz(func(t *testing.T, text string, digits uint8) {
		if len(text) > 200 || strings.ContainsAny(text, "/_xXoObBpP") { // what Rat accepts in addition
			return
		}
		if _, exponent, _ := strings.Cut(strings.ToLower(text), "e"); len(exponent) > 4 {
			return
		}
		a, finer := &Attribute{Type: Integer}, ReasonInteger
		if digits > 0 {
			a, finer = &Attribute{Type: Decimal, Digits: int(digits) % (MostDigits + 1)}, ReasonOutOfRange
		}
		v, why := a.ParseNumber([]byte(text))
		want, ok := new(big.Rat).SetString(strings.TrimSpace(text))
		require.Equal(t, ok, why != ReasonNumber, "%q", text)
		if !ok {
			return
		}
		want.Mul(want, new(big.Rat).SetInt64(int64(powersOfTen[a.Digits])))
		switch {
		case !want.IsInt():
			require.Equal(t, finer, why, "%q", text)
		case new(big.Rat).Abs(want).Cmp(new(big.Rat).SetInt64(MostUnits)) > 0:
			require.Equal(t, ReasonOutOfRange, why, "%q", text)
		default:
			require.Equal(t, Accepted, why, "%q", text)
			require.Zero(t, want.Cmp(new(big.Rat).SetInt64(v)), "%q", text)
		}
	})
}
