package equivclass_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// TestScaleHidesValues: a scale is from the .5 % to the 99.5 % quantile, its width rounded up so that it is one of
// few numbers; a declared range is taken as it is.
func TestScaleHidesValues(t *testing.T) {
	scale := func(a equivclass.Attribute, values ...string) equivclass.Range {
		a.Name, a.Role, a.Optional = "x", equivclass.Quasi, true
		d := equivclass.NewDictionary(a)
		var codes []equivclass.Code
		for _, v := range values {
			raw := []byte(v)
			if v == "" {
				raw = nil
			}
			c, why := d.Encode(raw)
			require.Equal(t, equivclass.Accepted, why, v)
			codes = append(codes, c)
		}
		return equivclass.ScalesOf([]*equivclass.Dictionary{d}, []equivclass.Column{equivclass.ColumnOf(codes)}, len(codes))[0]
	}
	integer, decimal, date := equivclass.Attribute{Type: equivclass.Integer}, equivclass.Attribute{Type: equivclass.Decimal, Digits: 4},
		equivclass.Attribute{Type: equivclass.Date}
	stepped, declared := integer, integer
	stepped.Steps, declared.Range = []int64{300, 600}, &equivclass.Range{Lo: -3, Hi: 130}
	var hundreds []string
	for i := range 400 {
		hundreds = append(hundreds, strconv.Itoa(1000+i))
	}
	for _, c := range []struct {
		what   string
		of     equivclass.Attribute
		values []string
		want   equivclass.Range
	}{
		{"flags", integer, []string{"0", "1", "1"}, equivclass.Range{Lo: 0, Hi: 1}},
		{"a constant", integer, []string{"7", "7"}, equivclass.Range{Lo: 7, Hi: 8}},
		{"nothing but missing values", integer, []string{""}, equivclass.Range{Lo: 0, Hi: 1}},
		{"few values", integer, []string{"3", "", "12"}, equivclass.Range{Lo: 3, Hi: 12}},
		{"a width that is rounded", integer, []string{"1017", "1244"}, equivclass.Range{Lo: 1017, Hi: 1267}},
		{"negative numbers", integer, []string{"-1244", "-1017"}, equivclass.Range{Lo: -1244, Hi: -994}},
		{"one year of days", date, []string{"2024-01-02", "2024-12-31"}, equivclass.Range{Lo: 19724, Hi: 19724 + 400}},
		{"all days that there are", date, []string{"0000-01-01", "9999-12-31"}, equivclass.Range{Lo: -719528, Hi: -719528 + 4_000_000}},
		{"decimals", decimal, []string{"0.1", "0.3571"}, equivclass.Range{Lo: 1000, Hi: 4000}},
		{"the largest numbers", integer, []string{"-1000000000000000", "1000000000000000"},
			equivclass.Range{Lo: -equivclass.MostUnits, Hi: equivclass.MostUnits}},
		{"steps", stepped, []string{"1017", "1018", "1244"}, equivclass.Range{Lo: 1017, Hi: 1317}},
		{"a declared range", declared, []string{"1", "2"}, equivclass.Range{Lo: -3, Hi: 130}},
		{"two of 400 are left out at either end", integer, hundreds, equivclass.Range{Lo: 1002, Hi: 1402}},
		{"two placeholders", integer, append([]string{"99999999", "-9"}, hundreds[:398]...), equivclass.Range{Lo: 1001, Hi: 1401}},
	} {
		assert.Equal(t, c.want, scale(c.of, c.values...), c.what)
	}
	widths := map[int64]bool{}
	for w := 1; w < 100_000; w++ {
		of := scale(integer, "0", strconv.Itoa(w))
		widths[of.Hi] = true
		require.True(t, of.Lo == 0 && int64(w) <= of.Hi && of.Hi < int64(w+w/4+1), fmt.Sprint(w, of))
	}
	assert.Len(t, widths, 9+4*16+1)
}
