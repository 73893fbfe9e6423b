package snapshot

import (
	"math"
	"strconv"
	"time"

	"anond/equivclass"
)

// appendField appends a text as a CSV field (RFC 4180): quoted if it holds a
// comma, a quote, CR or LF.
func appendField(buf []byte, text string) []byte {
	if !needsQuotes(text) {
		return append(buf, text...)
	}
	buf = append(buf, '"')
	for i := range len(text) {
		if text[i] == '"' {
			buf = append(buf, '"')
		}
		buf = append(buf, text[i])
	}
	return append(buf, '"')
}

func needsQuotes(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case ',', '"', '\n', '\r':
			return true
		}
	}
	return false
}

// appendNumber appends a number or date as its type is written in a release:
// the same text as equivclass.FormatValue, without its allocation.
func appendNumber(buf []byte, t equivclass.Type, v float64) []byte {
	switch {
	case t == equivclass.Date:
		return time.Unix(int64(v)*86400, 0).UTC().AppendFormat(buf, time.DateOnly)
	case v == math.Trunc(v) && math.Abs(v) < 1<<53:
		return strconv.AppendInt(buf, int64(v), 10)
	default:
		return strconv.AppendFloat(buf, v, 'f', -1, 64)
	}
}

// appendHeader appends a header line.
func appendHeader(buf []byte, names []string) []byte {
	for i, name := range names {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = appendField(buf, name)
	}
	return append(buf, '\n')
}
