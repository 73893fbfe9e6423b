package state

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"anond/equivclass"
)

// What a first pool was refused under, and whether more is asked of it now. A pool that
// does not satisfy a requirement does not satisfy one that implies it either: such a start
// would only be refused again, so it is refused before anything is read (RaisedError).

// Demands are the names of what a requirement asks of a bag. The state keeps those of a
// refusal.
func Demands(want equivclass.Requirement) []string {
	out := []string{equivclass.FrequencyL{L: want.L}.Name()}
	for _, p := range want.Extra {
		out = append(out, p.Name())
	}
	return out
}

// AsksMore reports whether all that was asked is asked still, and something more.
func AsksMore(now, before []string) bool { return implies(now, before) && !implies(before, now) }

// implies reports whether every bag that satisfies the demands of the one list satisfies
// those of the other.
func implies(these, those []string) bool {
	for _, that := range those {
		if !slices.ContainsFunc(these, func(this string) bool { return covers(this, that) }) {
			return false
		}
	}
	return true
}

// weaker reports whether a kind implies another at the same number: no value above 1/l means
// an entropy of at least log l, and that means at least l values.
func weaker(kind, other string) bool {
	return kind == "frequency" && (other == "entropy" || other == "distinct") || kind == "entropy" && other == "distinct"
}

// covers reports whether one demand implies another. It knows the same kind with numbers
// that are at least as strict, and the kinds that are weaker.
func covers(this, that string) bool {
	kind, these := demandOf(this)
	other, those := demandOf(that)
	if kind != other {
		return weaker(kind, other) && stricter(these[0], those[0], false)
	}
	if len(these) != len(those) {
		return false
	}
	for i := range these {
		// Of recursive(c,l) and t-close(t,distance) a smaller first number is the stricter one.
		if !stricter(these[i], those[i], i == 0 && (kind == "recursive" || kind == "t-close")) {
			return false
		}
	}
	return true
}

// demandOf divides the name of a principle, kind(a,b).
func demandOf(name string) (kind string, arguments []string) {
	kind, rest, _ := strings.Cut(strings.TrimSuffix(name, ")"), "(")
	return kind, strings.Split(rest, ",")
}

// stricter compares two arguments: numbers, or texts that have to be equal.
func stricter(a, b string, small bool) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, other := strconv.ParseFloat(b, 64)
	switch {
	case err != nil || other != nil:
		return a == b
	case small:
		return x <= y
	default:
		return x >= y
	}
}

// Under names the principles of a requirement, that of l first, and the promises by attribute.
func (p *Policy) Under() string { return strings.Join(p.demands(), " ") }

// demands are those of the requirement and of the promises. Of a promise it has a digest: two that differ are not
// compared, so that either may follow the other.
func (p *Policy) demands() []string {
	out := Demands(p.Requirement)
	for _, attribute := range slices.Sorted(maps.Keys(p.Promises)) {
		of, text := p.Promises[attribute], []byte(nil)
		text = fmt.Append(text, of.L, of.Gain, of.Most, of.Open)
		for _, value := range slices.Sorted(maps.Keys(of.AtMost)) {
			text = fmt.Appendf(text, " %q %s", value, of.AtMost[value])
		}
		for _, value := range slices.Sorted(maps.Keys(of.Reference)) {
			text = fmt.Appendf(text, " %q %d", value, of.Reference[value])
		}
		digest := sha256.Sum256(text)
		out = append(out, fmt.Sprintf("promise(%d:%x)", attribute, digest[:8]))
	}
	return out
}
