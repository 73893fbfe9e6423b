package hierarchies

import (
	"fmt"
	"regexp"
	"strings"
)

// icd is a code in upper case: a category and its subdivision, and what national catalogues
// put behind it: the hyphen of a heading (E11.-), marks of dual coding and their extension
// (A18.0+, M01.0*, U80.0!, A00.9+0), certainty and side (E11.90 G, M54.5 GR).
var icd = regexp.MustCompile(`^[A-Z][0-9][0-9A-Z](\.?[0-9A-Z]{1,4})?\.?-?([+*†‡#!][0-9]{0,2})?( ?[A-Z]){0,2}$`)

// chapters of ICD-10, by their first and last category in any edition: the WHO ends neoplasms
// at D48 and ICD-10-CM at D49, and so for K95, O9A and V00. The chapter for special purposes
// has all of U.
var chapters = []struct{ from, to string }{
	{"A00", "B99"}, {"C00", "D49"}, {"D50", "D89"}, {"E00", "E90"}, {"F00", "F99"}, {"G00", "G99"}, {"H00", "H59"}, {"H60", "H95"},
	{"I00", "I99"}, {"J00", "J99"}, {"K00", "K95"}, {"L00", "L99"}, {"M00", "M99"}, {"N00", "N99"}, {"O00", "O9A"}, {"P00", "P96"},
	{"Q00", "Q99"}, {"R00", "R99"}, {"S00", "T98"}, {"U00", "U99"}, {"V00", "Y99"}, {"Z00", "Z99"},
}

// ICD10 rolls a code up to its category (E11.9 and E11 to E11.-, as ICD writes it) and to the range of its chapter. A
// category in no chapter stays below the root. Spellings of one code are one leaf.
var ICD10 = Kind{Levels: func(code string) ([]string, error) {
	code = strings.ToUpper(code)
	if !icd.MatchString(code) {
		return nil, fmt.Errorf("%w: it is no code of ICD-10, such as E11.9", errCode)
	}
	category := code[:3]
	for _, c := range chapters {
		if c.from <= category && category <= c.to {
			return []string{category + ".-", c.from + "-" + c.to}, nil
		}
	}
	return []string{category + ".-"}, nil
}, Spellings: true}
