// Package retire says what leaves the releases of a dataset: whole parts, by age on a public clock (rule W, what may leave).
//
// Theorem W. Let what leaves with a release be a function of the numbers of releases and of their public times. Then for every
// person t ever published, gone or not, and every value v, P(s(t)=v | all releases, program, law of draws) = count_B(v)/|B|, the
// share in the bucket B of t, as without a window (Theorem E, package equivclass/merge).
//
// Proof. Call full chain the same releases, each with every part that was ever born. (1) A release with a window is the full one
// without the parts up to the watermark, which is a function of numbers and times (Leaves). A part stands in the release of its birth
// at least. So the two chains are functions of each other, and the posteriors given them are the same. (2) For the full chain
// the proof of Theorem E holds as it stands: pools, classes and buckets are decided from those who wait, and from what
// is published by the bags of pools at birth (state.Born), which stay. Whoever left stays known by a digest, so what they send
// later is beyond (rule S, subjects) whether they left or not. (3) That a release is made because something leaves follows from
// public times. It has no births, and moves later numbers, times and keys of draws, none of which depends on a value. QED
//
// In shards each chain has a watermark of its own, by its own times, and Corollary U (docs/PROOFS.md) needs no more.
//
// What would break it: a second start for who left (the old release is kept: posterior 1.0, TestWindowWorlds has the twin), and a part
// that leaves by anything that follows from a value, or in pieces.
//
// This package is given numbers and times, and imports nothing of the module: it cannot see a record.
package retire

import (
	"fmt"
	"strconv"
)

// Window is how long a part stays: a number of releases, or an age. The zero Window keeps all parts for good.
type Window struct {
	n    int64
	unit byte // 'r': releases; 'd', 'h', 'm', 's': days to seconds
}

// seconds of a unit of an age; 0: it is none.
func seconds(unit byte) int64 {
	switch unit {
	case 'd':
		return 86400
	case 'h':
		return 3600
	case 'm':
		return 60
	case 's':
		return 1
	}
	return 0
}

// most bounds a window, so that sums of times do not overflow.
const most = 1 << 31

// Parse reads a window: 12 (releases) or 365d (also h, m, s).
func Parse(text string) (Window, error) {
	w := Window{unit: 'r'}
	digits := text
	if n := len(text); n > 0 && seconds(text[n-1]) > 0 {
		w.unit, digits = text[n-1], text[:n-1]
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || n > most/max(1, seconds(w.unit)) || strconv.FormatInt(n, 10) != digits {
		return Window{}, fmt.Errorf("is neither a number of releases nor an age in days such as 365d")
	}
	w.n = n
	return w, nil
}

// String is what Parse reads; empty: all stays.
func (w Window) String() string {
	switch w.unit {
	case 0:
		return ""
	case 'r':
		return strconv.FormatInt(w.n, 10)
	}
	return strconv.FormatInt(w.n, 10) + string(w.unit)
}

// None reports that nothing leaves.
func (w Window) None() bool { return w.unit == 0 }

// Releases is the number of releases, 0 if the window is an age; Age is the age in seconds, 0 if it is a number.
func (w Window) Releases() int64 {
	if w.unit == 'r' {
		return w.n
	}
	return 0
}

// Age is the age in seconds, 0 if the window is a number of releases.
func (w Window) Age() int64 { return w.n * seconds(w.unit) }

// Granule is which granule a birth is of: parts are joined inside of one alone, so that they leave whole. A granule
// is a twelfth of the window, at least 1 of its unit. Without a window there is a single one.
func (w Window) Granule(release uint32, created int64) int64 {
	switch {
	case w.None():
		return 0
	case w.unit == 'r':
		return (int64(release) - 1) / w.granule()
	}
	return created / w.granule() // times are not negative
}

// granule is the size of one, in releases or seconds.
func (w Window) granule() int64 { return max(1, w.n/12) * max(1, seconds(w.unit)) }

// Births are the releases so far: their public times by release - 1, which never fall.
type Births interface {
	Releases() uint32
	Created(release uint32) int64
}

// Leaves is the watermark of a release that is made at a time, behind those so far whose watermark is given: what was born in
// releases up to it is gone. It never falls, and lies at the end of a granule or at the newest release. Cost: the releases that leave.
func (w Window) Leaves(of Births, expired uint32, at int64) uint32 {
	next := of.Releases() + 1
	switch {
	case w.None():
	case w.unit == 'r':
		if over := int64(next) - w.n; over > 0 {
			expired = max(expired, uint32(over/w.granule()*w.granule()))
		}
	default:
		for r := expired + 1; r < next && w.gone(of.Created(r)) <= at; r++ {
			expired = r
		}
	}
	return expired
}

// gone is when a birth of a time leaves: when all of its granule has the age.
func (w Window) gone(created int64) int64 {
	return (w.Granule(0, created)+1)*w.granule() + w.Age()
}

// Next is when a release is due because the oldest birth behind the watermark leaves; false: no time makes one due. A
// window of releases is measured by releases, so it makes none.
func (w Window) Next(of Births, expired uint32) (at int64, ok bool) {
	if w.None() || w.unit == 'r' || expired >= of.Releases() {
		return 0, false
	}
	return w.gone(of.Created(expired + 1)), true
}

// Leaps reports that the clock lies more than a window ahead of when it was seen last, and of the newest release. Everything would leave
// at once: either nobody ran for so long, or the clock is wrong, and what has left does not come back.
func (w Window) Leaps(of Births, seen, now int64) bool {
	return w.Age() > 0 && of.Releases() > 0 && now-max(seen, of.Created(of.Releases())) > w.Age()
}
