package figures

import (
	"fmt"
	"math"
	"strconv"
	"strings"
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
