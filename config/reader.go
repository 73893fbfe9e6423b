package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"anond/internal/fault"
)

// key is one line of the table: where a value goes, how it is read, what it is
// if it is not set, and what it means.
type key struct {
	path     string // dotted, relative to the table
	value    value
	def      string // default, as YAML text; "": none
	derived  string // default that follows from other settings, in words
	required bool
	doc      string
}

// value reads one setting from its node.
type value interface {
	// kind is the type in the words of the reference.
	kind() string
	// read stores the node's value or reports a fault for key.
	read(r *reader, key string, n *yaml.Node)
	// json returns what was read, secrets redacted.
	json() any
	// shape describes the value to JSON Schema.
	shape() object
}

// place is where something stands in the configuration file.
type place struct{ line, column int }

// reader walks the nodes of a configuration file along the key table and
// gathers faults. Not safe for concurrent use.
type reader struct {
	file string
	expander
	at       map[string]place      // where the value of a key that is set stands
	referred map[string]*yaml.Node // values that refer to a file
	failed   map[string]bool       // keys with a fault: cross checks leave them alone
	faults   []Fault
	warnings []Warning
	edits    []Edit // of the document, before it is walked
	shards   bool   // the file is of several shards
	shard    string // the one that it is read for
	open     bool   // which is the first, as nobody has named one
}

func newReader(file, base string, lookup Lookup, read ReadFile) *reader {
	return &reader{file: file, expander: expander{lookup: lookup, read: read, base: base}, at: map[string]place{},
		referred: map[string]*yaml.Node{}, failed: map[string]bool{}}
}

// document parses the file and walks it. Only a single document is a
// configuration.
func (r *reader) document(content []byte, keys []key) {
	var documents []*yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(string(content)))
	for len(documents) < 2 {
		var n yaml.Node
		if err := decoder.Decode(&n); err != nil {
			if len(documents) == 0 || !errors.Is(err, io.EOF) {
				r.syntax(err, content)
			}
			break
		}
		documents = append(documents, &n)
	}
	switch {
	case len(documents) == 0:
	case len(documents) == 2:
		r.faultAt(documents[1], "", "the file has a second document", "keep one document, without a line ---")
	case len(documents[0].Content) == 1:
		for i := range r.edits {
			r.edit(documents[0].Content[0], &r.edits[i])
		}
		r.forOneShard(documents[0].Content[0])
		if r.section("", "", keys, documents[0].Content[0]) {
			r.defaults("", keys)
		}
	}
}

// section walks a mapping: the keys of table below rel, of the element scope.
// It reports whether there was one.
func (r *reader) section(scope, rel string, table []key, n *yaml.Node) bool {
	full := join(scope, rel)
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" && full != "" {
		return true // its keys are all commented out
	}
	if n.Kind != yaml.MappingNode {
		r.faultAt(n, full, "is "+described(n)+", must be a section of keys", "write one key per line, each followed by a colon")
		return false
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, child := n.Content[i], n.Content[i+1]
		path := join(rel, name.Value)
		if name.Kind != yaml.ScalarNode || name.ShortTag() != "!!str" || name.Value == "" {
			r.faultAt(name, full, "has "+described(name)+" where a key is expected", "aliases, merge keys and non-text keys are not supported")
			continue
		}
		if !knows(table, path) {
			r.unknown(scope, rel, table, name, child)
			continue
		}
		if line, twice := seen[name.Value]; twice {
			r.faultAt(name, join(scope, path), fmt.Sprintf("is set twice, first on line %d", line), "keep one of them")
			continue
		}
		seen[name.Value] = name.Line
		r.entry(scope, path, table, name, child)
	}
	return true
}

// entry reads one known key of a mapping: a setting or a section.
func (r *reader) entry(scope, path string, table []key, name, n *yaml.Node) {
	full := join(scope, path)
	for _, k := range table {
		switch {
		case k.path == path:
			r.at[full] = place{n.Line, n.Column}
			r.setting(full, k, n)
			return
		case strings.HasPrefix(k.path, path+"."):
			r.at[full] = place{name.Line, name.Column}
			r.section(scope, path, table, n)
			return
		}
	}
}

func (r *reader) setting(full string, k key, n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode:
		r.faultAt(n, full, "is an alias", "write the value itself")
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null":
		r.faultAt(n, full, "has no value", "give it one or remove the key")
	default:
		k.value.read(r, full, n)
	}
}

// defaults sets what the file does not, and reports what it must set.
func (r *reader) defaults(scope string, table []key) {
	for _, k := range table {
		full := join(scope, k.path)
		if r.set(full) || r.failed[full] {
			continue
		}
		if k.required {
			r.fault(full, "is missing and has no default", lowerFirst(firstSentence(k.doc)))
			continue
		}
		if k.def == "" {
			continue
		}
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(k.def), &n); err != nil {
			panic("config: the default of " + k.path + " is not YAML") // a fault of the table, caught by its test
		}
		k.value.read(r, full, n.Content[0])
	}
}

// text returns the expanded text of a scalar that carries one of the tags. A
// text that came from outside the file may carry any. quiet: no fault repeats
// any of it.
func (r *reader) text(full string, n *yaml.Node, kind string, tags []string, example string, quiet bool) (text string, literal, ok bool) {
	if n.Kind != yaml.ScalarNode {
		r.faultAt(n, full, "is "+described(n)+", must be "+withArticle(kind), example)
		return "", false, false
	}
	text, changed, err := r.expand(n.Value)
	file := changed && strings.Contains(n.Value, "${"+fileReference)
	if file && text == "" && (quiet || ofSecrets(full)) {
		err = complain("is empty", "write the secret into the file that it refers to")
	}
	if err != nil && quiet && !wholeReference(n.Value) {
		err = complain("has a reference that cannot be resolved", "write ${NAME} or ${file:/path} as the whole value; $${ stands for the "+
			"characters ${")
	}
	if err != nil {
		r.complain(n, full, err)
		return "", false, false
	}
	if file {
		r.referred[full] = n
	}
	if changed {
		return text, false, true
	}
	for _, tag := range tags {
		if n.ShortTag() == tag {
			return text, true, true
		}
	}
	if n.ShortTag() == "!!str" && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		example = "remove the quotes"
	}
	r.faultAt(n, full, "is "+described(n)+", must be "+withArticle(kind), example)
	return "", false, false
}

func withArticle(kind string) string {
	switch {
	case strings.HasPrefix(kind, "true") || strings.HasPrefix(kind, "one of"):
		return kind
	case strings.ContainsRune("aeiou", rune(kind[0])):
		return "an " + kind
	}
	return "a " + kind
}

// described names what a node is, never what it says.
func described(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a section"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.ShortTag() {
	case "!!str":
		return "a text"
	case "!!int":
		return "an integer"
	case "!!float":
		return "a number"
	case "!!bool":
		return "true or false"
	case "!!null":
		return "empty"
	case "!!timestamp":
		return "a date"
	case "!!merge":
		return "a merge key"
	}
	return "a value with a custom tag"
}

func (r *reader) complain(n *yaml.Node, full string, err error) {
	r.faultAt(n, full, err.Error(), fault.Hint(err))
}

func (r *reader) faultAt(n *yaml.Node, full, reason, suggestion string) {
	r.report(place{n.Line, n.Column}, full, reason, suggestion)
}

// fault reports a fault where the key stands, or where it would.
func (r *reader) fault(full, reason, suggestion string) {
	r.report(r.where(full), full, reason, suggestion)
}

func (r *reader) report(at place, full, reason, suggestion string) {
	r.failed[full] = true
	r.faults = append(r.faults, Fault{r.file, at.line, at.column, full, reason, suggestion})
}

func (r *reader) warn(full, reason, suggestion string) {
	at := r.where(full)
	r.warnings = append(r.warnings, Warning{r.file, at.line, at.column, full, reason, suggestion})
}

// where finds the place of a key, else of the nearest section around it.
func (r *reader) where(full string) place {
	for full != "" {
		if at, ok := r.at[full]; ok {
			return at
		}
		full = full[:max(strings.LastIndexAny(full, ".["), 0)]
	}
	return place{1, 1}
}

// set reports whether the file itself sets a key.
func (r *reader) set(full string) bool {
	_, ok := r.at[full]
	return ok
}

// sound reports whether all keys were read without fault, so that a rule that
// joins them makes sense.
func (r *reader) sound(keys ...string) bool {
	for _, k := range keys {
		if r.failed[k] {
			return false
		}
	}
	return true
}

// plain says why a file cannot be used without repeating its path.
func plain(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	return first
}

func lowerFirst(text string) string {
	if len(text) > 1 && text[1] >= 'a' && text[1] <= 'z' {
		return strings.ToLower(text[:1]) + strings.TrimSuffix(text[1:], ".")
	}
	return strings.TrimSuffix(text, ".")
}

// Edit sets a key of a configuration to a value as YAML encodes it, or removes it if the value is nil. The path has a name for
// each level; in a list it is that of an element's key `name`.
type Edit struct {
	Path  []string
	Value any
}

// edit changes the document.
func (r *reader) edit(n *yaml.Node, e *Edit) {
	line, column := n.Line, n.Column
	for i, name := range e.Path {
		if n.ShortTag() == "!!null" {
			*n = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
		}
		line, column = n.Line, n.Column
		at := child(n, name)
		switch {
		case at < 0 && e.Value == nil:
			return
		case at < 0 && n.Kind != yaml.MappingNode:
			r.faultAt(n, strings.Join(e.Path[:i], "."), "has no "+name, "name one that it has")
			return
		case at < 0:
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name, Line: line, Column: column},
				&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: line, Column: column})
			at = len(n.Content) - 1
		case e.Value == nil && i == len(e.Path)-1:
			n.Content = slices.Delete(n.Content, at-1, at+1)
			return
		}
		n = n.Content[at]
	}
	_ = n.Encode(e.Value) // plain values, or what was read as YAML
	placed(n, line, column)
}

// child is where in a node the value of a key is, or the element with a name; -1: nowhere.
func child(n *yaml.Node, name string) int {
	for i := range n.Content {
		switch {
		case n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == name:
			return i
		case n.Kind == yaml.SequenceNode && n.Content[i].Kind == yaml.MappingNode:
			if at := child(n.Content[i], "name"); at >= 0 && n.Content[i].Content[at].Value == name {
				return i
			}
		}
	}
	return -1
}

// placed gives what was set the place of the block around it.
func placed(n *yaml.Node, line, column int) {
	n.Line, n.Column = line, column
	for _, c := range n.Content {
		placed(c, line, column)
	}
}
