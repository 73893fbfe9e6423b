package dashboard

import (
	"fmt"
	"strconv"
	"time"

	"anond/cmd/anond/internal/monitor"
)

// count writes a number with thin spaces between groups of three digits.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

func percent(share float64) string { return fmt.Sprintf("%.1f\u202f%%", 100*share) }

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// span writes a duration with one unit.
func span(d time.Duration) string {
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

func ago(v *monitor.View, t time.Time) string {
	now := v.Report.Time
	if now.IsZero() {
		return clock(t)
	}
	return span(max(0, now.Sub(t))) + " ago"
}

// rate is the newest throughput that is known.
func rate(samples []monitor.Sample) string {
	if n := len(samples); n > 0 && samples[n-1].Rate >= 0 {
		return count(int(samples[n-1].Rate + .5))
	}
	return "-"
}

func bytes10(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	v, i := float64(n), 0
	for v >= 1000 && i < len(units)-1 {
		v, i = v/1000, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d\u202fB", n)
	}
	return fmt.Sprintf("%.1f\u202f%s", v, units[i])
}
