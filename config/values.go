package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"anond/equivclass"
	"anond/internal/fault"
)

// scalar is a setting of one word, number or line.
type scalar[T any] struct {
	to         *T
	name       string                       // kind
	tags       []string                     // YAML types it may be written as
	parse      func(text string) (T, error) // errors never repeat the text
	show       func(T) any                  // nil: as it is
	quiet      bool                         // never repeat the text in a fault
	suggestion string                       // what to do about a wrong YAML type
	form       object                       // for JSON Schema; nil: any text
}

func (s scalar[T]) kind() string { return s.name }

func (s scalar[T]) json() any {
	if s.show != nil {
		return s.show(*s.to)
	}
	return *s.to
}

func (s scalar[T]) read(r *reader, full string, n *yaml.Node) {
	text, literal, ok := r.text(full, n, s.name, s.tags, s.suggestion, s.quiet)
	if !ok {
		return
	}
	v, err := s.parse(text)
	if err == nil {
		*s.to = v
		return
	}
	if no := fault.Fault(nil); errors.As(err, &no) && literal && !s.quiet {
		err = complain(fmt.Sprintf("%q %s", shortened(text), err), fault.Hint(err))
	}
	r.complain(n, full, err)
}

func shortened(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[:60], "") + "..."
	}
	return text
}

// inQuotes makes a text of anything.
const inQuotes = "put it in quotes"

// text is any text.
func text(to *string) value {
	return scalar[string]{to: to, name: "text", tags: []string{"!!str"}, suggestion: inQuotes,
		parse: func(s string) (string, error) { return s, nil }}
}

// secret is a text that is shown nowhere.
func secret(to *Secret) value {
	return scalar[Secret]{to: to, name: "secret text", tags: []string{"!!str"}, suggestion: inQuotes, quiet: true,
		parse: func(s string) (Secret, error) { return NewSecret(s), nil }}
}

// word is a name that goes into file names, metrics and manifests.
func word(to *string) value {
	return scalar[string]{to: to, name: "name", tags: []string{"!!str"}, suggestion: inQuotes, parse: func(s string) (string, error) {
		for _, c := range []byte(s) {
			if c != '-' && c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
				return "", complain("is not a valid name", "use letters, digits, - _ and .")
			}
		}
		if s == "" || s == "." || s == ".." {
			return "", complain("is not a valid name", "use letters, digits, - _ and .")
		}
		return s, nil
	}}
}

// oneOf is one of a few words.
func oneOf[T ~string](to *T, choices ...T) value {
	words := make([]string, len(choices))
	for i, c := range choices {
		words[i] = string(c)
	}
	all := strings.Join(words, ", ")
	return scalar[T]{to: to, name: "one of " + all, tags: []string{"!!str"}, suggestion: "write the word", form: object{{"enum", choices}},
		parse: func(s string) (T, error) {
			for _, c := range choices {
				if s == string(c) {
					return c, nil
				}
			}
			suggestion := "write one of " + all
			if w := nearest(s, words); w != "" {
				suggestion = fmt.Sprintf("did you mean %s? It is one of %s", w, all)
			}
			return "", complain("is not one of the known values", suggestion)
		}}
}

// boolean is true or false, and no other word for them.
func boolean(to *bool) value {
	return scalar[bool]{to: to, name: "true or false", tags: []string{"!!bool"}, suggestion: "write true or false, without quotes",
		form: object{{"type", "boolean"}}, parse: func(s string) (bool, error) {
			switch s {
			case "true":
				return true, nil
			case "false":
				return false, nil
			}
			return false, complain("is neither true nor false", "write one of them")
		}}
}

// atLeast is a whole number with a lower bound, and why it has that bound.
func atLeast(bound int, why string, to *int) value {
	return scalar[int]{to: to, name: fmt.Sprintf("integer >= %d", bound), tags: []string{"!!int"}, suggestion: "write for instance 10",
		form: object{{"type", "integer"}, {"minimum", bound}}, parse: func(s string) (int, error) {
			v, err := whole(s)
			if err == nil && v < bound {
				err = complain(fmt.Sprintf("is below %d", bound), why)
			}
			return v, err
		}}
}

// literal is a value as records have it: a text, a number or a date, as it is written.
func literal(to *string) value {
	return scalar[string]{to: to, name: "text, number or date", tags: []string{"!!str", "!!int", "!!float", "!!timestamp", "!!bool", "!!null"},
		suggestion: inQuotes, form: object{}, parse: func(s string) (string, error) { return s, nil }}
}

// digits is a number of digits behind the point.
func digits(to **int) value {
	return scalar[*int]{to: to, name: "integer 0..9", tags: []string{"!!int"}, suggestion: "write for instance 2",
		form: object{{"type", "integer"}, {"minimum", 0}, {"maximum", equivclass.MostDigits}}, parse: func(s string) (*int, error) {
			v, err := whole(s)
			if err == nil && (v < 0 || v > equivclass.MostDigits) {
				err = complain(fmt.Sprintf("is not between 0 and %d", equivclass.MostDigits), "write how many digits the source has")
			}
			return &v, err
		}}
}

// weight is a number above 0 and at most 1, which is the default and kept as 0.
func weight(to *float64) value {
	return scalar[float64]{to: to, name: "number 0.001..1", tags: []string{"!!int", "!!float"},
		form: object{{"type", "number"}, {"minimum", 0.001}, {"maximum", 1}}, show: func(v float64) any {
			if v == 0 {
				return nil
			}
			return v
		}, parse: func(s string) (float64, error) {
			v, err := finite(s)
			if err == nil && (v < 0.001 || v > 1) {
				err = complain("is not between 0.001 and 1", "write 1 for what counts most, and less for what counts less")
			}
			if v == 1 {
				v = 0
			}
			return v, err
		}}
}

// whole reads a plain decimal integer. 010 is refused: some readers take it as
// ten, others as eight (octal).
func whole(s string) (int, error) {
	digits := strings.TrimPrefix(s, "-")
	v, err := strconv.Atoi(s)
	if err != nil || len(digits) > 1 && digits[0] == '0' || s[0] == '+' {
		return 0, complain("is not an integer in plain decimal digits", "write for instance 10")
	}
	return v, nil
}

// number is a finite number.
func number(to *float64) value {
	return scalar[float64]{to: to, name: "number", tags: []string{"!!int", "!!float"}, form: object{{"type", "number"}}, parse: finite}
}

func finite(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, complain("is not a number", "write for instance 2.5")
	}
	return v, nil
}

// duration is a time span of at least bound.
func duration(to *time.Duration, bound time.Duration) value {
	return scalar[time.Duration]{to: to, name: "duration", tags: []string{"!!str"},
		suggestion: "write a number and a unit, such as 10s, 15m or 24h", show: func(d time.Duration) any { return span(d) },
		parse: func(s string) (time.Duration, error) { return parseSpan(s, bound) }}
}

// parseDuration reads a time span as every key has it: as Go writes one, such as 1h30m, with days before it if there are any: 90d, 1d12h.
func parseDuration(s string) (time.Duration, error) {
	text, rest, found := strings.Cut(s, "d")
	if !found {
		return time.ParseDuration(s)
	}
	const day = 24 * time.Hour
	days, err := strconv.ParseUint(text, 10, 31)
	d := time.Duration(days) * day
	switch {
	case err != nil:
		return 0, err
	case days > uint64(math.MaxInt64/day)-1 || strings.ContainsAny(rest, "+-"):
		return 0, strconv.ErrRange
	case rest == "":
		return d, nil
	}
	more, err := time.ParseDuration(rest)
	if err == nil && more >= day {
		err = strconv.ErrRange
	}
	return d + more, err
}

// inUnits writes a time span as a number of the largest unit that has it whole, d, h, m or s; what is none, or has none, stays as it is.
func inUnits(s string) string {
	d, err := parseDuration(s)
	if err != nil || d%time.Second != 0 {
		return s
	}
	seconds := int64(d / time.Second)
	for _, u := range []struct {
		name string
		of   int64
	}{{"d", 86400}, {"h", 3600}, {"m", 60}} {
		if seconds%u.of == 0 {
			return strconv.FormatInt(seconds/u.of, 10) + u.name
		}
	}
	return strconv.FormatInt(seconds, 10) + "s"
}

func parseSpan(s string, bound time.Duration) (time.Duration, error) {
	d, err := parseDuration(s)
	switch {
	case err != nil:
		return 0, complain("is not a duration", "write a number and a unit, such as 10s, 15m or 24h")
	case d < bound:
		return 0, complain("is too short", "write at least "+span(bound))
	}
	return d, nil
}

// span writes a duration in short form: 15m, not 15m0s.
func span(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// bytesSize is a number of bytes, written with or without a binary unit.
func bytesSize(to *int64) value {
	return scalar[int64]{to: to, name: "size", tags: []string{"!!int", "!!str"}, form: object{{"type", []string{"integer", "string"}}},
		parse: parseSize}
}

func parseSize(s string) (int64, error) {
	bad := complain("is not a size", "write a number of bytes, or one with KiB, MiB, GiB or TiB")
	unit := int64(1)
	for i, suffix := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			s, unit = strings.TrimSpace(rest), int64(1)<<(10*(i+1))
		}
	}
	if s == "" {
		return 0, bad
	}
	v, err := whole(s)
	if err != nil || v < 0 || int64(v) > math.MaxInt64/unit {
		return 0, bad
	}
	return int64(v) * unit, nil
}

// pathValue is a path, relative to the configuration file.
type pathValue struct{ to *string }

func path(to *string) value { return pathValue{to} }

func (p pathValue) kind() string { return "path" }
func (p pathValue) json() any    { return *p.to }

func (p pathValue) read(r *reader, full string, n *yaml.Node) {
	s, _, ok := r.text(full, n, "path", []string{"!!str"}, inQuotes, false)
	switch {
	case !ok:
	case s == "":
		r.faultAt(n, full, "is an empty path", "name a file or directory, or remove the key")
	case strings.HasPrefix(s, "~/"):
		r.faultAt(n, full, "starts with ~, which anond does not expand", "write ${HOME}/... instead")
	case strings.ContainsRune(s, 0):
		r.faultAt(n, full, "has a zero byte", "remove it")
	default:
		*p.to = within(r.base, s)
	}
}

// list is a list of scalars.
type list[T any] struct {
	to *[]T
	of func(*T) value
}

func (l list[T]) kind() string { return "list of " + l.of(new(T)).kind() }

func (l list[T]) json() any {
	if *l.to == nil {
		return []T{}
	}
	return *l.to
}

// example shows how such a list is written, a list of lists too.
func (l list[T]) example() string {
	if strings.HasPrefix(l.of(new(T)).kind(), "list") {
		return "write it as a list of lists: [[a, b], [c]]"
	}
	return "write it in brackets: [a, b]"
}

func (l list[T]) read(r *reader, full string, n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		r.faultAt(n, full, "is "+described(n)+", must be a list", l.example())
		return
	}
	items := make([]T, len(n.Content))
	before := len(r.faults)
	for i, child := range n.Content {
		l.of(&items[i]).read(r, fmt.Sprintf("%s[%d]", full, i), child)
	}
	if len(r.faults) > before {
		r.failed[full] = true
		return
	}
	*l.to = items
}

// objects is a list of sections that share a table of keys.
type objects[T any] struct {
	to   *[]T
	keys func(*T) []key
}

func (o objects[T]) kind() string { return "list of sections" }

func (o objects[T]) table() []key { return o.keys(new(T)) }

func (o objects[T]) json() any {
	out := make([]object, len(*o.to))
	for i := range *o.to {
		for _, m := range treeOf(o.keys(&(*o.to)[i])) {
			if !isEmpty(m.value) {
				out[i] = append(out[i], m)
			}
		}
	}
	return out
}

func (o objects[T]) read(r *reader, full string, n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		r.faultAt(n, full, "is "+described(n)+", must be a list", "start each element with - and write its keys below or in braces")
		return
	}
	items := make([]T, len(n.Content))
	before := len(r.faults)
	for i, child := range n.Content {
		scope := fmt.Sprintf("%s[%d]", full, i)
		r.at[scope] = place{child.Line, child.Column}
		table := o.keys(&items[i])
		if child.Kind != yaml.MappingNode {
			r.faultAt(child, scope, "is "+described(child)+", must be a section of keys", "write it in braces: {name: age, role: quasi}")
			continue
		}
		r.section(scope, "", table, child)
		r.defaults(scope, table)
	}
	if len(r.faults) > before {
		r.failed[full] = true
	}
	*o.to = items
}
