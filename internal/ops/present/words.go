// Package present has the words and charts that the dashboard and the report for a
// data-protection officer share: the same figure looks the same on both.
package present

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"anond/internal/ops/diskuse"
)

// Count writes a number with thin spaces between groups of three digits.
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// Percent writes a share.
func Percent(share float64) string { return fmt.Sprintf("%.1f\u202f%%", 100*share) }

// Clock writes a moment in UTC.
func Clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// Span writes a duration with one unit.
func Span(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// Bytes writes a size as the other surfaces do, on one line.
func Bytes(n int64) string { return strings.Replace(diskuse.Bytes(n), " ", "\u202f", 1) }
