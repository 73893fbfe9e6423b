package config

import (
	"fmt"
	"strings"
)

// Key documents one key of the configuration. A key inside a list has [] behind
// the name of the list.
type Key struct {
	Key, Type, Default, Doc string
	Change                  Change
}

// Reference returns all keys, in the order in which they are documented. It is
// made from the table that the walker follows.
func Reference() []Key { return reference("", new(Config).keys()) }

func reference(scope string, table []key) []Key {
	var out []Key
	for _, k := range table {
		full := join(scope, k.path)
		out = append(out, Key{full, k.value.kind(), k.shownDefault(scope != ""), k.doc, ChangeOf(full)})
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
				b.WriteString("| key | type | default | change | meaning |\n|---|---|---|---|---|\n")
			}
			block = name
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Key, k.Type, k.Default, k.Change, strings.ReplaceAll(k.Doc, "|", "\\|"))
	}
	return b.String()
}

// referenceHead is the text above the tables; ~ stands for a backtick.
var referenceHead = strings.ReplaceAll(`# Configuration

<!-- Generated from the key table of package config; a test keeps it equal: go test ./config -rewrite -->

The configuration is one YAML file. ~anond init DATA~ writes one for a table ([EXAMPLE.md](EXAMPLE.md#a-configuration-for-your-own-table)),
and ~anond config init~ prints one with every key and a comment. ~anond config check~ reports
all faults as ~file:line:column: key: reason; suggestion~ and exits with 78. ~anond config show~ prints the settings in effect.

- An unknown key, a key set twice and a value of the wrong type are refused. Aliases and merge keys are not supported.
- Paths are relative to the file.
- The file and those that it names are regular files: the configuration and a secret of at most 1 MiB, a hierarchy of at most 256 MiB.
  Of many faults, the first 20 are printed.
- In values, ~${VAR}~ is the environment variable VAR (an error if it is not set), ~${VAR:-text}~ has a default,
  ~${VAR:?text}~ has an error message, and ~${file:/path}~ is the content of a file without one trailing newline. ~$$~ is a
  dollar sign; any other ~$~ stands for itself. References cannot be nested, need quotes inside [ ] and { }, and cannot change the
  structure of the file.
- The column "change" says when a changed value takes effect. ~reload~: at ~anond reload~ or SIGHUP, and at a start. ~restart~: at a
  start. ~next pool~: by ~anond config apply~, for the pools that are fixed from then on (level L2; [RUN.md](RUN.md#settings-that-change));
  without it, and at level L1, as ~fixed~. Of ~range~ and ~hierarchy~ that holds for quasi-identifiers. ~newcomers~: by
  ~anond config apply --lapse~, for people who come from then on (level L2, with a subject); so are ~range~ and ~max_length~ of sensitive
  attributes, and all keys of an attribute that is new, behind the others. ~fixed~: never for a dataset that has a release. A reload
  takes in all changes of the file or none.
- ~anond-deliver~ and ~anond-deliver consume~ read ~outputs~ at their start. The daemon does not look at it, and takes any change of it in.
- Durations are written ~10s~, ~15m~, ~24h~; sizes in bytes or as ~512MiB~, ~4GiB~.
- Once a release is decided, a start under other settings of the dataset is exit 78 and names the key: ~dataset~, ~schema~
  (including the content of hierarchies and ~max_length~ of the sensitive attribute, but not of others), ~subject~, ~policy~,
  ~release.recoding~, ~source.max_record_bytes~ and ~source.csv~. A hierarchy may gain leaves, as long as every leaf keeps its whole path;
  that of the sensitive attribute only with a subject. Without one, ~source.format~ and ~path~ are fixed, too; with one the form of the
  subject: its ~path~, and whether ~source.format~ is csv, where all is text (~form~ of the attribute).
- Before release 1 these settings may change, except ~policy.level~ and those that determine how records are stored: name, role, type,
  text and buckets of an attribute, whether it has a hierarchy, and ~schema.missing~; and those that determine which sensitive
  values are accepted (above). To change those, start over with ~anond state reset~. At level L2 the first pool is fixed once, and keeps
  its settings. If it is refused, ~anond config apply~ changes ~policy.l~, ~policy.diversity~ and promises for it, and
  ~initial.on_refusal~ may change.
`, "~", "`")
