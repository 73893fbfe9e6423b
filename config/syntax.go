package config

import (
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

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
		r.fault("", "the file is empty", "anond config init prints a starting file")
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
