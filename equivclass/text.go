package equivclass

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The reasons for which a text cannot be a value, whatever the attribute holds.
const (
	ReasonUTF8      Reason = "invalid_utf8"
	ReasonControl   Reason = "control_character"   // line breaks, NUL and the other control characters
	ReasonInvisible Reason = "invisible_character" // shows nothing, or turns the direction of what follows
	ReasonTooLong   Reason = "value_too_long"      // above Text.MaxLength
)

// DefaultMaxLength bounds a text value, in bytes of UTF-8.
const DefaultMaxLength = 1024

// Text says how a text becomes a value. The zero Text normalizes: two texts
// that look the same to a reader are the same value, so that `flu` and `flu `
// in one class do not count as two diagnoses.
type Text struct {
	// Exact takes texts as they are written. They are still refused for what no
	// release could show: invalid UTF-8, control and invisible characters, length.
	Exact bool
	// Folded makes one value of texts that differ only by what Fold takes away; the
	// value is the fold. Labels of a hierarchy above its leaves stay as they are.
	Folded bool
	// MaxLength is the longest text in bytes of UTF-8; 0 means DefaultMaxLength.
	MaxLength int
}

// Clean returns the value of a text, or the reason why it has none.
// Normalization removes white space (as Unicode defines it) at both ends,
// replaces each run of spaces inside by one space, and composes characters
// (Unicode's form NFC).
//
// The result aliases raw or is new; raw is not changed. Cleaning twice changes
// nothing more. Cost: one pass without allocation for ASCII and for text that
// is normalized already.
func (t Text) Clean(raw []byte) ([]byte, Reason) {
	limit := t.MaxLength
	if limit == 0 {
		limit = DefaultMaxLength
	}
	text, why := t.normalize(raw, limit)
	if t.Folded && why == Accepted {
		if text = Fold(text); len(text) > limit {
			return nil, ReasonTooLong
		}
	}
	return text, why
}

// CompareTexts is the canonical order of the values of a category: by bytes, a missing one
// last.
func CompareTexts(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == MissingText:
		return 1
	case b == MissingText:
		return -1
	}
	return strings.Compare(a, b)
}

// Fold returns what texts have in common that differ only by dots, case, hyphens (of any
// length, and minus signs) or spaces: the text without these, in upper case. A text of
// nothing else is its own fold, and so is a fold.
//
// It is a function of the text alone. The spelling that came first, or most often, would
// depend on people who may not be published (rule B, buckets).
func Fold(text []byte) []byte {
	kept := bytes.Map(func(r rune) rune {
		if r == '.' || r == '\u2212' || unicode.In(r, unicode.Zs, unicode.Pd) {
			return -1
		}
		return r
	}, norm.NFD.Bytes(text)) // upper case of a letter and of its marks is not that of both as one rune
	if len(kept) == 0 {
		return text
	}
	return norm.NFC.Bytes(bytes.ToUpper(bytes.ToLower(kept)))
}

// cleanColumn cleans a text of a line of a hierarchy: the leaf, and labels, which are not
// folded unless they repeat the leaf.
func (t Text) cleanColumn(path []string, column int) ([]byte, Reason) {
	t.Folded = t.Folded && path[column] == path[0]
	return t.Clean([]byte(path[column]))
}

func (t Text) normalize(raw []byte, limit int) ([]byte, Reason) {
	if !t.Exact {
		raw = bytes.TrimSpace(raw)
	}
	if len(raw) <= limit && printable(raw, t.Exact) {
		return raw, Accepted
	}
	switch {
	case len(raw) > maxShrink*limit:
		return nil, ReasonTooLong
	case !utf8.Valid(raw):
		return nil, ReasonUTF8
	case !t.Exact:
		raw = oneSpace(norm.NFC.Bytes(raw))
	}
	if why := checkRunes(raw); why != Accepted {
		return nil, why
	}
	if len(raw) > limit {
		return nil, ReasonTooLong
	}
	return raw, Accepted
}

// maxShrink bounds the length of a text that is normalized, in multiples of its
// value's length: three Hangul letters of three bytes each become one syllable
// of three.
const maxShrink = 4

// printable reports whether a text is its own value: printable ASCII, without
// two spaces in a row unless texts are taken as written.
func printable(raw []byte, exact bool) bool {
	before := byte(0)
	for _, b := range raw {
		if b < ' ' || b > '~' || b == ' ' && before == ' ' && !exact {
			return false
		}
		before = b
	}
	return true
}

// checkRunes refuses what a release cannot show as one value in one line. The
// text is valid UTF-8.
func checkRunes(text []byte) Reason {
	before := rune(0)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r < ' ' || '\x7f' <= r && r < '\u00a0' || r == '\u2028' || r == '\u2029': // classes Cc, Zl and Zp
			return ReasonControl
		case invisible(r) && !joins(before, r, text[i+n:]):
			return ReasonInvisible
		}
		before, i = r, i+n
	}
	return Accepted
}

// invisible reports characters that show nothing by themselves (Unicode's
// property Default_Ignorable_Code_Point) and those that change the direction of
// others. Two texts that differ in them look alike.
func invisible(r rune) bool {
	const softHyphen, second, last, more = '\u00ad', '\u034f', '\u3164', '\ufe00'
	if r < second && r != softHyphen || last < r && r < more {
		return false // most European, Chinese and Korean characters, without a table lookup
	}
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// joins reports the invisible characters that a text needs: joiners inside it,
// which change the letters of some scripts and combine several emoji into one,
// and variation selectors. After letters of European scripts and ASCII they
// have no meaning.
func joins(before, r rune, rest []byte) bool {
	if before <= unicode.MaxASCII || unicode.In(before, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
		return false
	}
	const zwnj, zwj = '\u200c', '\u200d'
	return unicode.Is(unicode.Variation_Selector, r) || (r == zwnj || r == zwj) && len(rest) > 0
}

// oneSpace replaces each run of space characters (Unicode's class Zs, no tab or
// line break) by one U+0020.
func oneSpace(text []byte) []byte {
	if !manySpaces(text) {
		return text
	}
	out := make([]byte, 0, len(text))
	before := false
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch space := unicode.Is(unicode.Zs, r); {
		case !space:
			out, before = append(out, text[i:i+n]...), false
		case !before:
			out, before = append(out, ' '), true
		}
		i += n
	}
	return out
}

// manySpaces reports a space other than U+0020, or two in a row.
func manySpaces(text []byte) bool {
	before := rune(0)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r != ' ' && unicode.Is(unicode.Zs, r) || r == ' ' && before == ' ' {
			return true
		}
		before, i = r, i+n
	}
	return false
}

// Clean returns the value of a raw text of the attribute: every text becomes a
// value by this function. A text of white space alone is missing and is
// returned empty. Numbers, dates and flags lose white space at their ends;
// ParseNumber decides whether they can be read.
func (a *Attribute) Clean(raw []byte) ([]byte, Reason) {
	if a.textual() {
		return a.Text.Clean(raw)
	}
	return bytes.TrimSpace(raw), Accepted
}

// textual reports whether the attribute's values are texts, and not numbers or
// flags.
func (a *Attribute) textual() bool { return !a.Type.Numeric() }
