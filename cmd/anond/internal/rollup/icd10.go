package rollup

import (
	"fmt"
	"regexp"
)

var icd = regexp.MustCompile(`^[A-Z][0-9][0-9A-Z](\.?[0-9A-Z]{1,4})?$`)

// chapters of the WHO's ICD-10, by their first and last category. The one for special purposes has all of U here: editions
// end it at U85, U89 or U99.
var chapters = []struct{ from, to string }{
	{"A00", "B99"}, {"C00", "D48"}, {"D50", "D89"}, {"E00", "E90"}, {"F00", "F99"}, {"G00", "G99"}, {"H00", "H59"}, {"H60", "H95"},
	{"I00", "I99"}, {"J00", "J99"}, {"K00", "K93"}, {"L00", "L99"}, {"M00", "M99"}, {"N00", "N99"}, {"O00", "O99"}, {"P00", "P96"},
	{"Q00", "Q99"}, {"R00", "R99"}, {"S00", "T98"}, {"U00", "U99"}, {"V01", "Y98"}, {"Z00", "Z99"},
}

// ICD10 rolls a code up to its category (E11.9 and E11 to E11.-, as ICD writes it) and to the range of its chapter.
// National modifications have the same shape; a category that lies between two chapters of
// the WHO, such as D49 of ICD-10-CM, belongs to the earlier one; but its V00 is an external
// cause as V01 is, and no code for special purposes.
func ICD10(code string) ([]string, error) {
	if !icd.MatchString(code) {
		return nil, fmt.Errorf("%w: it is no code of ICD-10, such as E11.9", ErrCode)
	}
	category := code[:3]
	chapter := chapters[0]
	for _, c := range chapters {
		if category >= c.from || category == "V00" && c.from == "V01" {
			chapter = c
		}
	}
	return []string{category + ".-", chapter.from + "-" + chapter.to}, nil
}
