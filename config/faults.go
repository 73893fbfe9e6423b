package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"anond/equivclass"
	"anond/internal/fault"
)

// Fault is one thing that is wrong with a configuration, or with a file that
// it names.
type Fault struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`   // from 1; 0: the file as a whole
	Column int    `json:"column,omitempty"` // from 1; 0: the line as a whole
	Key    string `json:"key,omitempty"`    // such as policy.k or schema.attributes[2].type
	Reason string `json:"reason"`
	// Suggestion says how to correct it; may be empty.
	Suggestion string `json:"suggestion,omitempty"`
}

// String writes file:line:column: key: reason; suggestion.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	for _, n := range []int{f.Line, f.Column} {
		if n > 0 {
			fmt.Fprintf(&b, ":%d", n)
		}
	}
	if f.Key != "" {
		b.WriteString(": " + f.Key)
	}
	b.WriteString(": " + f.Reason)
	if f.Suggestion != "" {
		b.WriteString("; " + f.Suggestion)
	}
	return b.String()
}

// Warning is a setting that is valid and may not be what the operator meant.
type Warning Fault

// String writes a warning as Fault does.
func (w Warning) String() string { return Fault(w).String() }

// Faults is the error of Load: everything that is wrong, in the order of the
// file (files that it names come after it).
type Faults struct{ List []Fault }

// Fault implements fault.Fault.
func (f *Faults) Fault() (fault.Kind, string) {
	return fault.Config, "docs/CONFIGURATION.md lists every key with its type and default"
}

// shownFaults is how many faults are shown of a configuration, and of a hierarchy.
const shownFaults = equivclass.ShownFaults

// Shown are the first faults.
func (f *Faults) Shown() []Fault { return f.List[:min(len(f.List), shownFaults)] }

// Error writes one fault a line, up to shownFaults.
func (f *Faults) Error() string {
	var lines []string
	for _, fault := range f.Shown() {
		lines = append(lines, fault.String())
	}
	if more := len(f.List) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more faults", more))
	}
	return strings.Join(lines, "\n")
}

// Sum says of which file how many there are.
func (f *Faults) Sum() string {
	if n := len(f.List); n != 1 {
		return fmt.Sprintf("%s cannot be used: %d faults", f.List[0].File, n)
	}
	return f.List[0].File + " cannot be used: 1 fault"
}

// inOrder sorts faults by place; those of the configuration file come first.
func inOrder(faults []Fault, file string) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(
			compareBool(a.File != file, b.File != file),
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Key, b.Key),
		)
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// nearest returns the candidate that a mistyped word most likely meant, or "".
// A word within a third of its length in edits counts as mistyped.
func nearest(word string, candidates []string) string {
	best, limit := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if d := edits(strings.ToLower(word), strings.ToLower(c)); d < limit {
			best, limit = c, d
		}
	}
	return best
}

// edits is the number of letters to insert, delete, change or swap with their
// neighbour to turn a into b (optimal string alignment).
func edits(a, b string) int {
	row := func() []int { return make([]int, len(b)+1) }
	before, last, next := row(), row(), row()
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(last[j]+1, next[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}

// meant finds the key that an unknown one stands for: one of the same section,
// else one of that name in another section.
func meant(unknown string, known []string) string {
	section, name := splitKey(unknown)
	var siblings []string
	for _, k := range known {
		if s, n := splitKey(k); s == section {
			siblings = append(siblings, n)
		} else if rest, ok := strings.CutPrefix(k, section+"."); ok && section != "" {
			siblings = append(siblings, strings.SplitN(rest, ".", 2)[0])
		} else if section == "" {
			siblings = append(siblings, strings.SplitN(k, ".", 2)[0])
		}
	}
	if n := nearest(name, siblings); n != "" {
		return join(section, n)
	}
	best, common := "", -1
	for _, k := range known {
		if _, n := splitKey(k); n == name && shared(k, unknown) > common {
			best, common = k, shared(k, unknown)
		}
	}
	return best
}

func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func splitKey(key string) (section, name string) {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return key[:i], key[i+1:]
	}
	return "", key
}

func join(section, name string) string {
	if section == "" {
		return name
	}
	return section + "." + name
}

// A malformed file may have a secret in any place: as an anchor, as a tag, as a
// key. So these faults are reported by their place, and nothing is repeated that
// could be a value.

var (
	yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+)(?:, column (\d+))?: )?(.*)$`)
	// aliasOf finds the name in the parser's messages about aliases and anchors.
	aliasOf = regexp.MustCompile(`^(?:unknown anchor|anchor) '(.*)' (?:referenced|value contains itself)$`)
	// mark is a character that the parser names in quotes, such as ':'.
	mark = regexp.MustCompile(`'.'`)
)

// syntax reports that the file is no YAML. The parser names a line at best.
func (r *reader) syntax(err error, content []byte) {
	if errors.Is(err, io.EOF) {
		r.fault("", "the file is empty", "anond init DATA writes one for a table")
		return
	}
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	at := place{1, 1}
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = m[3]
		if n, err := strconv.Atoi(m[1]); err == nil {
			at = place{n, 1}
		}
		if n, err := strconv.Atoi(m[2]); err == nil {
			at.column = n
		}
	}
	if m := aliasOf.FindStringSubmatch(text); m != nil {
		r.report(aliasIn(content, m[1]), "", "has an undefined alias (* and a name)", "put a text that begins with * in quotes")
		return
	}
	if strings.ContainsAny(mark.ReplaceAllString(text, ""), "'\"`") { // it quotes more than a character: perhaps a value
		text = "unexpected text"
	}
	r.report(at, "", "is not YAML: "+text, "check indentation and quotes at and above this line")
}

// aliasIn finds the first use of an alias: the parser does not say where it is.
func aliasIn(content []byte, name string) place {
	line := 0
	for text := range strings.Lines(string(content)) {
		line++
		if i := strings.Index(text, "*"+name); i >= 0 {
			return place{line, i + 1}
		}
	}
	return place{1, 1}
}

// knows reports whether a path is a key of the table or a section of it.
func knows(table []key, path string) bool {
	for _, k := range table {
		if k.path == path || strings.HasPrefix(k.path, path+".") {
			return true
		}
	}
	return false
}

// keyLike is the shape of all keys.
var keyLike = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// unknown reports a key that the table does not have. It is named only if it
// looks like a key and cannot be the end of a secret that lost its quotes: in
// `{password: a,b}` the parser sees a key b.
func (r *reader) unknown(scope, rel string, table []key, name, n *yaml.Node) {
	path := join(rel, name.Value)
	known := make([]string, len(table))
	for i, k := range table {
		known[i] = k.path
	}
	suggestion := "remove it; docs/CONFIGURATION.md lists the keys"
	if k := meant(path, known); k != "" {
		suggestion = "did you mean " + join(scope, k) + "?"
		r.failed[join(scope, k)] = true // one fault is enough: not missing, too
	}
	if empty := n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"; empty || holdsSecret(table, rel) || !keyLike.MatchString(name.Value) {
		r.report(place{name.Line, name.Column}, join(scope, rel), "has an unknown key", suggestion)
		return
	}
	r.faultAt(name, join(scope, path), "is an unknown key", suggestion)
}

// holdsSecret reports whether a section has a secret among its own keys.
func holdsSecret(table []key, rel string) bool {
	for _, k := range table {
		if _, secret := k.value.(scalar[Secret]); secret {
			if section, _ := splitKey(k.path); section == rel {
				return true
			}
		}
	}
	return false
}
