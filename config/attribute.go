package config

import (
	"fmt"

	"anond/equivclass"
	"anond/ingest/dialect"
	"anond/ingest/pointer"
)

// textForm says how the texts of an attribute become values.
type textForm string

// The forms of texts; the empty one is normalizeText.
const (
	normalizeText textForm = "normalize"
	exactText     textForm = "exact"
)

// aliasForm says whether texts that differ only by their spelling are one value.
type aliasForm string

// The forms of aliases; the empty one is keepAliases.
const (
	keepAliases aliasForm = "keep"
	foldAliases aliasForm = "fold"
)

// spelling is what equivclass.Fold takes away, in words.
const spelling = "dots, case, hyphens or spaces"

func (a *attributeSettings) textKeys() []key {
	return []key{
		{path: "text", value: oneOf(&a.Text, normalizeText, exactText), derived: "normalize",
			doc: "How texts of a category or subject become values. " +
				"normalize: white space at both ends is removed, each run of spaces inside becomes one space, characters are composed (Unicode NFC); " +
				"so `flu` and `flu ` are one value, and `p1` and `p1 ` one person. exact: as written. " +
				"The same applies to the hierarchy and the declared shares of the attribute. " +
				"Control and invisible characters and invalid UTF-8 are refused in both modes."},
		{path: "aliases", value: oneOf(&a.Aliases, keepAliases, foldAliases), derived: "keep", doc: "Whether texts of a category that differ " +
			"only by dots, case, hyphens or spaces are one value, such as E11.9 and e119. keep: they are as many values as there are spellings, " +
			"and count as different. fold: they are one, shown without these characters in upper case."},
		{path: "max_length", value: bytesSize(&a.MaxLength), derived: "1KiB",
			doc: "Longest text of a category, subject or record key, in bytes of UTF-8; longer ones are refused as value_too_long."},
	}
}

// textual reports whether the values of the attribute are texts.
func (a *attributeSettings) textual() bool {
	return a.Role == equivclass.Subject || a.Role == equivclass.RecordKey || stored(a.Role) && !a.Type.Numeric()
}

// textRule is how the schema has it.
func (a *attributeSettings) textRule() equivclass.Text {
	return equivclass.Text{Exact: a.Text == exactText, Folded: a.Aliases == foldAliases, MaxLength: int(a.MaxLength)}
}

func (a *attributeSettings) checkText(r *reader, at string, fault attributeFault) {
	for _, k := range []string{"text", "max_length"} {
		if full := join(at, k); r.set(full) && !a.textual() {
			r.warn(full, "is not used: it belongs to a category or subject", "remove it")
		}
	}
	if a.Aliases == foldAliases && (!stored(a.Role) || a.Type.Numeric()) {
		fault("aliases", "is fold, which belongs to a category", "remove it")
	} else if a.Aliases == foldAliases && a.Text == exactText {
		fault("aliases", "is fold, but text is exact", "remove one of them")
	}
	const most = 1 << 30
	if full := join(at, "max_length"); r.set(full) && r.sound(full) && (a.MaxLength < 1 || a.MaxLength > most) {
		fault("max_length", "is not between 1 byte and 1GiB", "write for instance 4KiB, or remove it")
	}
}

// sameRule refuses two attributes that share a hierarchy file but not how its
// texts are read.
func (c *Config) sameRule(r *reader, i int) bool {
	a := &c.Attributes[i]
	for j := range c.Attributes[:i] {
		if b := &c.Attributes[j]; b.Hierarchy == a.Hierarchy && stored(b.Role) && b.textRule() != a.textRule() {
			r.fault(fmt.Sprintf("schema.attributes[%d].hierarchy", i),
				fmt.Sprintf("is also the hierarchy of %q, which has another text, aliases or max_length", b.Name),
				"write the same for both, or use two files")
			return false
		}
	}
	return true
}

// twins finds texts that differ only by dots, case, hyphens or spaces: note returns an
// earlier text that is spelled differently.
type twins map[string]string

func (t twins) note(text string) (before string, twin bool) {
	folded := string(equivclass.Fold([]byte(text)))
	before, seen := t[folded]
	if !seen {
		t[folded] = text
	}
	return before, seen && before != text
}

// warnOfTwins warns of leaves that differ only by their spelling: they count as two
// values, which people who type them seldom mean.
func (r *reader) warnOfTwins(name, key string, tree *equivclass.Hierarchy) {
	seen, warned := twins{}, 0
	for leaf := range equivclass.Code(tree.Leaves()) {
		before, twin := seen.note(tree.Label(int(leaf)))
		if !twin {
			continue
		}
		if warned++; warned > shownFaults {
			return
		}
		other, _ := tree.Leaf([]byte(before))
		lines := []int{tree.Line(other), tree.Line(leaf)}
		first, second := min(lines[0], lines[1]), max(lines[0], lines[1])
		r.warnings = append(r.warnings, Warning{File: name, Line: second, Key: key,
			Reason:     fmt.Sprintf("the leaves of lines %d and %d differ only by "+spelling+", and count as two values", first, second),
			Suggestion: "if they mean the same, set aliases: fold at the attribute, or write them in the same way at the source"})
	}
}

// Paths are the JSON Pointers of the attributes that have one, by name.
func (c *Config) Paths() map[string]string {
	out := map[string]string{}
	for _, a := range c.Attributes {
		if a.Path != "" {
			out[a.Name] = a.Path
		}
	}
	return out
}

// Dates says how dates are written, by the name of their attribute, where they are not YYYY-MM-DD.
func (c *Config) Dates() map[string]dialect.DateForm {
	out := map[string]dialect.DateForm{}
	for i := range c.Attributes {
		if a := &c.Attributes[i]; stored(a.Role) && a.dates() != (dialect.DateForm{}) {
			out[a.Name] = a.dates()
		}
	}
	return out
}

// checkPointers checks where attributes lie: each pointer by itself, and that no two lie in
// one value.
func checkPointers(c *Config, r *reader) {
	root := pointer.New()
	for i, a := range c.Attributes {
		if (a.Name == "__op" || a.Name == "__deleted") && (c.Source.Format == formatJSON || c.Source.Format == CSV) {
			r.warn(fmt.Sprintf("schema.attributes[%d].name", i), "is a member of flat change events: in format "+string(c.Source.Format)+
				" updates and deletes count as people", "set source.format to debezium-flat, or read a source of inserts only")
		}
		at := fmt.Sprintf("schema.attributes[%d].path", i)
		if !r.sound(at, fmt.Sprintf("schema.attributes[%d].name", i)) || a.Role == equivclass.Identifier || a.Role == equivclass.Drop {
			continue
		}
		steps := []string{a.Name}
		if a.Path != "" {
			if c.Source.Format == CSV {
				r.warn(at, "is not used: a field of CSV has no members", "remove it, or set source.format")
			}
			var err error
			if steps, err = pointer.Parse(a.Path); err != nil {
				r.fault(at, err.Error(), "write for instance /code/coding/0/code; in a name, ~ is ~0 and / is ~1")
				continue
			}
		}
		if other, ok := root.Add(steps, i); !ok && (a.Path != "" || c.Attributes[other].Path != "") {
			r.fault(at, fmt.Sprintf("lies in the value of attribute %q, or around it", c.Attributes[other].Name),
				"give each attribute a value of its own")
		}
	}
}
