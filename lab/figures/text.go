package figures

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Number writes a value with some significant digits, whole numbers in full.
func Number(v float64, digits int) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e12 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// Short writes a value with three significant digits, as sentences have it.
func Short(v float64) string {
	if math.Abs(v) >= 1000 && !math.IsInf(v, 0) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// List writes values with three significant digits, one after the other.
func List(values []float64) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strings.Join(texts, ", ")
}

// span is the shortest text of an interval.
func span(lo, hi float64) string {
	if a, b := Short(lo), Short(hi); a != b {
		return a + " to " + b
	}
	return Short(lo)
}

// lineWidth is the width of a line of Markdown, in characters.
const lineWidth = 140

// item writes a text as an item of a Markdown list, wrapped. A line begins with
// no word that would begin another item.
func item(text string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			b.WriteString("- ")
			width = 2
		case width+1+n > lineWidth && !startsItem(word):
			b.WriteString("\n  ")
			width = 2
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += n
	}
	return b.String()
}

func startsItem(word string) bool {
	number := strings.TrimLeft(word, "0123456789")
	return strings.Trim(word, "-+*#>=|") == "" || len(word) > 1 && (number == "." || number == ")")
}
