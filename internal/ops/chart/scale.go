package chart

import (
	"math"
	"strconv"
)

// scale maps data to pixels along one axis.
type scale struct {
	lo, hi   float64 // data; exponents of ten if log
	from, to float64 // pixels
	log      bool
	step     float64
}

// newScale spans the values, or the axis' own bounds, widened to whole ticks.
func newScale(a Axis, values []float64, from, to float64) scale {
	s := scale{from: from, to: to, log: a.Log, lo: math.Inf(1), hi: math.Inf(-1)}
	for _, v := range values {
		s.lo, s.hi = min(s.lo, s.unit(v)), max(s.hi, s.unit(v))
	}
	if a.Min != 0 || a.Max != 0 {
		s.lo, s.hi = s.unit(a.Min), s.unit(a.Max)
	}
	if math.IsInf(s.lo, 0) || math.IsInf(s.hi, 0) { // nothing to show
		s.lo, s.hi = 0, 1
	}
	if s.hi == s.lo {
		s.lo, s.hi = s.lo-.5, s.hi+.5
	}
	s.step = niceStep((s.hi - s.lo) / 6)
	if a.Whole {
		s.step = max(1, s.step)
	}
	if s.log {
		s.step = max(1, math.Ceil((s.hi-s.lo)/8))
	}
	s.lo, s.hi = math.Floor(s.lo/s.step+1e-9)*s.step, math.Ceil(s.hi/s.step-1e-9)*s.step
	return s
}

// unit is a value as the scale measures it.
func (s scale) unit(v float64) float64 {
	if s.log {
		return math.Log10(v)
	}
	return v
}

// at returns the pixel of a value.
func (s scale) at(v float64) float64 {
	return s.from + (s.unit(v)-s.lo)/(s.hi-s.lo)*(s.to-s.from)
}

// tick is a labelled place on an axis.
type tick struct {
	At    float64
	Label string
}

func (s scale) ticks() []tick {
	var out []tick
	for i := 0; ; i++ {
		u := s.lo + float64(i)*s.step
		if u > s.hi+s.step/2 {
			return out
		}
		v := u
		if s.log {
			v = math.Pow(10, math.Round(u))
		}
		out = append(out, tick{pixel(s.at(v)), label(v, s.step, s.log)})
	}
}

// niceStep rounds a step up to 1, 2 or 5 times a power of ten.
func niceStep(raw float64) float64 {
	base := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if raw <= m*base*(1+1e-9) {
			return m * base
		}
	}
	return 10 * base
}

// label writes a tick's value with the digits that its step needs, large values
// with k or M.
func label(v, step float64, log bool) string {
	if log {
		step = v
	}
	suffix := ""
	switch {
	case math.Abs(v) >= 1e6 && step >= 1e5:
		v, step, suffix = v/1e6, step/1e6, "M"
	case math.Abs(v) >= 1e4 && step >= 1e2:
		v, step, suffix = v/1e3, step/1e3, "k"
	}
	digits := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if v == 0 {
		text = "0"
	}
	return text + suffix
}

// pixel rounds to a tenth, so that the last bit of a sum changes no file.
func pixel(v float64) float64 { return math.Round(v*10) / 10 }
