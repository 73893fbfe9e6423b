package profile

import (
	"fmt"
	"slices"

	"anond/equivclass"
)

// readAsMissing are texts that readers of data take for no value unless told otherwise.
var readAsMissing = []string{"", "#N/A", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"}

// Channel is said with each advice. Enumerated at k = l = 2: l chosen by a part of a pool gives 4/7 for 1/2, a cap 1.
const Channel = "Settings chosen by people who will be published tell their values: give other people, or exactly the whole first pool."

// Advice says what in the values of a table is seldom meant as it is written. It tells
// counts, never a value (rule V, values).
func Advice(t *Table) (out []string) {
	for i, a := range t.Schema.Attributes() {
		d := t.Dicts[i]
		if d != nil && d.Kind() == equivclass.Number {
			if n := far(d, t.Codes[i]); n > 0 {
				out = append(out, fmt.Sprintf("%q: %d of its values lie far outside of the range of nearly all, as placeholders do: list them in "+
					"missing_values, or declare a range.", a.Name, n))
			}
		}
		if d == nil || d.Kind() != equivclass.Set {
			continue
		}
		if n := d.Twins(); n > 0 {
			out = append(out, fmt.Sprintf("%q: %s from another one only by dots, case, hyphens or spaces, and count as different: "+
				"aliases: fold makes them one.", a.Name, differ(n)))
		}
		missing := 0
		for c := range equivclass.Code(d.Len()) {
			if slices.Contains(readAsMissing, d.Text(c)) {
				missing++
			}
		}
		if missing > 0 {
			out = append(out, fmt.Sprintf("%q: %d of its values are texts such as NA or null, which many programs read as missing: list them "+
				"in missing_values, or tell who reads the releases (docs/ANALYSTS.md).", a.Name, missing))
		}
	}
	return out
}

// far counts the records whose number is more than five times the scale away from it.
func far(d *equivclass.Dictionary, codes []equivclass.Code) (n int) {
	scale := equivclass.ScalesOf([]*equivclass.Dictionary{d}, equivclass.ColumnsOf([][]equivclass.Code{codes}), len(codes))[0]
	width := 5 * (scale.Hi - scale.Lo)
	for _, c := range codes {
		if v := d.Units(c); v != equivclass.MissingNumber && (v < scale.Lo-width || v > scale.Hi+width) {
			n++
		}
	}
	return n
}

func differ(n int) string {
	if n == 1 {
		return "1 value differs"
	}
	return fmt.Sprintf("%d values differ", n)
}
