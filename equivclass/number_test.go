package equivclass

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIntegersAsPeopleWriteThem(t *testing.T) {
	zeros := strings.Repeat("0", 900)
	for text, want := range map[string]float64{
		"25": 25, "+25": 25, "-25": -25, "0025": 25, " 25\t": 25, "25.0": 25, "25.": 25, "2.5e1": 25, "2.5E+01": 25, "250e-1": 25, "0.25e2": 25,
		".25e2": 25,
		"1e3":   1000, "-0": 0, "0e999999999999999999": 0, "0.000": 0, "9007199254740992": 1 << 53, "-9007199254740992": -(1 << 53),
		"9.007199254740992e15": 1 << 53, "0." + zeros + "7e901": 7, "7" + zeros + "e-900": 7, "1000000000": 1e9, "10000000000": 1e10,
	} {
		v, why := ParseNumber(Integer, []byte(text))
		assert.Equal(t, Accepted, why, text)
		assert.Equal(t, want, v, text)
	}
	for why, texts := range map[Reason][]string{
		ReasonInteger:    {"25.5", "1e-1", "-0.1", "9007199254740993.5", "1e-99999999999999999999", "123456789012345678901e-5"},
		ReasonOutOfRange: {"9007199254740993", "-9007199254740993", "1e16", "1e99999999999999999999", "123456789012345678901", "1e400"},
		ReasonNumber: {"", " ", ".", "+", "-", "e1", "1e", "1e+", "1e1.5", "1.2.3", "1 2", "1_000", "1,000", "0x10", "25%", "nan", "inf",
			"--1", "\u0662\u0665", "1e1e1"},
		ReasonTooLong: {strings.Repeat("9", 1025), strings.Repeat("0", 900_000) + "1"},
	} {
		for _, text := range texts {
			_, is := ParseNumber(Integer, []byte(text))
			assert.Equal(t, why, is, "%.30q", text)
		}
	}
}

func TestDecimalsAndDates(t *testing.T) {
	for text, want := range map[string]float64{" 7.50 ": 7.5, "7.5e1": 75, "-0": 0, "25.": 25, ".5": 0.5, "1e-400": 0} {
		v, why := ParseNumber(Decimal, []byte(text))
		assert.Equal(t, Accepted, why, text)
		assert.Equal(t, want, v, text)
	}
	for text, want := range map[string]Reason{"": ReasonNumber, "1e400": ReasonOutOfRange, "-1e400": ReasonOutOfRange, "inf": ReasonNumber,
		"0x1p4": ReasonNumber, "1_0": ReasonNumber, "1,5": ReasonNumber, "e": ReasonNumber} {
		_, why := ParseNumber(Decimal, []byte(text))
		assert.Equal(t, want, why, text)
	}
	day, why := ParseNumber(Date, []byte(" 1970-01-02\r"))
	assert.Equal(t, Accepted, why)
	assert.Equal(t, 1.0, day)
	for _, text := range []string{"1970-1-2", "02.01.1970", "1970-01-02T00:00:00Z", "1970-01-02 00:00:00", "19700102", "1970-02-30", ""} {
		_, why := ParseNumber(Date, []byte(text))
		assert.Equal(t, ReasonDate, why, text)
	}
}

// FuzzInteger compares the reader with big.Rat, which is exact and costs memory.
func FuzzInteger(f *testing.F) {
	for _, text := range []string{"25.0", "1e3", "+7", "-0.00e5", "9007199254740993", "12345678901234567890123e-3", "100.001e3", "0.1e1",
		"1e-2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 || strings.ContainsAny(text, "/_xXoObBpP") { // what Rat accepts in addition
			return
		}
		if _, exponent, _ := strings.Cut(strings.ToLower(text), "e"); len(exponent) > 4 {
			return
		}
		v, why := ParseNumber(Integer, []byte(text))
		want, ok := new(big.Rat).SetString(strings.TrimSpace(text))
		require.Equal(t, ok, why != ReasonNumber, "%q", text)
		if !ok {
			return
		}
		require.Equal(t, want.IsInt(), why != ReasonInteger, "%q", text)
		if why == Accepted {
			require.Zero(t, want.Cmp(new(big.Rat).SetFloat64(v)), "%q", text)
		}
		limit := new(big.Rat).SetInt64(maxExact)
		require.Equal(t, why == ReasonOutOfRange, want.IsInt() && new(big.Rat).Abs(want).Cmp(limit) > 0, "%q", text)
	})
}
