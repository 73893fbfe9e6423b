package config

import (
	"fmt"
	"strings"
)

// Key documents one key of the configuration. A key inside a list has [] behind
// the name of the list.
type Key struct{ Key, Type, Default, Doc string }

// Reference returns all keys, in the order in which they are documented. It is
// made from the table that the walker follows.
func Reference() []Key { return reference("", new(Config).keys()) }

func reference(scope string, table []key) []Key {
	var out []Key
	for _, k := range table {
		full := join(scope, k.path)
		out = append(out, Key{full, k.value.kind(), k.shownDefault(scope != ""), k.doc})
		if inner, ok := k.value.(interface{ table() []key }); ok {
			out = append(out, reference(full+"[]", inner.table())...)
		}
	}
	return out
}

func (k key) shownDefault(element bool) string {
	switch {
	case k.required:
		return "required"
	case k.derived != "":
		return k.derived
	case k.def == "" && element:
		return "none"
	}
	return "`" + k.def + "`"
}

// ReferenceMarkdown writes the reference as docs/CONFIGURATION.md holds it.
func ReferenceMarkdown() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	block := ""
	for _, k := range Reference() {
		if name, _, _ := strings.Cut(k.Key, "."); name != block {
			if strings.Contains(k.Key, ".") || block == "" {
				fmt.Fprintf(&b, "\n## %s\n\n", map[bool]string{true: name, false: "the file"}[strings.Contains(k.Key, ".")])
				b.WriteString("| key | type | default | meaning |\n|---|---|---|---|\n")
			}
			block = name
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Key, k.Type, k.Default, strings.ReplaceAll(k.Doc, "|", "\\|"))
	}
	return b.String()
}

const referenceHead = `# Configuration

<!-- Generated from the key table of package config; a test keeps it equal: go test ./config -rewrite -->

One YAML file. ` + "`anond config init`" + ` prints a commented one to start from, ` + "`anond config check`" + ` reports everything that is wrong with
one as ` + "`file:line:column: key: reason; suggestion`" + ` and exits with 78, ` + "`anond config show`" + ` prints what is in effect.

- An unknown key, a key set twice and a value of the wrong type are refused. Aliases and merge keys are not supported.
- Paths are relative to the file.
- In values, ` + "`${VAR}`" + ` is the environment variable VAR (not set: a fault), ` + "`${VAR:-text}`" + ` has a default, ` + "`${VAR:?text}`" + ` a message of its own,
  ` + "`${file:/path}`" + ` is the content of a file less one trailing newline. ` + "`$$`" + ` is a dollar sign; any other ` + "`$`" + ` stands for itself. References do not nest,
  need quotes inside [ ] and { }, and what they bring in cannot change the structure of the file.
- Durations are written ` + "`10s`, `15m`, `24h`" + `; sizes in bytes or as ` + "`512MiB`, `4GiB`" + `.
- What is fixed once a release is decided: ` + "`dataset`, `schema`" + ` (the content of hierarchies included, ` + "`max_length`" + ` not), ` + "`subject`, `policy`, `release.recoding`, `release.slices`" + `. A difference
  at start is exit 78 and names the key. Earlier releases were made under those settings, and later ones must be safe alongside them.
  A hierarchy may gain leaves, as long as every leaf keeps its whole path.
  Before release 1 they may change, but for what decides how records are stored: name, role, type, text, buckets and flag of an attribute, whether it
  has a hierarchy, and ` + "`schema.missing`" + `. To change those, start over with ` + "`anond state reset`" + `.
`
