package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass"
)

// loadTexts loads the plain file with other attributes, and a hierarchy file.
func loadTexts(t *testing.T, attributes, hierarchy string) (*config.Config, string) {
	t.Helper()
	before, rest, _ := strings.Cut(plainFile, "    - {name: patient")
	_, after, _ := strings.Cut(rest, "type: categorical}\nsubject")
	content := before + attributes + "\nsubject" + after
	c, warnings, err := config.Load("a.yaml", testEnvironment, func(name string) ([]byte, error) {
		if name == "a.yaml" {
			return []byte(content), nil
		}
		return []byte(hierarchy), nil
	})
	var said strings.Builder
	if err != nil {
		said.WriteString(err.Error() + "\n")
	}
	for _, w := range warnings {
		said.WriteString("warning: " + w.String() + "\n")
	}
	return c, said.String()
}

const textAttributes = `    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: city, role: quasi, hierarchy: city.csv}
    - {name: diagnosis, role: sensitive, type: categorical, max_length: 4KiB}`

// TestTextOfAnAttribute: normalized unless the schema says otherwise, hierarchies
// and their copies included.
func TestTextOfAnAttribute(t *testing.T) {
	const tree = "a ;e\u0301;*\nb;\u00e9;*\nB;n;*\n"
	c, said := loadTexts(t, textAttributes, tree)
	require.NotNil(t, c, said)
	assert.Equal(t, "warning: city.csv:3: schema.attributes[2].hierarchy: the leaves of lines 2 and 3 differ only by dots, case, "+
		"hyphens or spaces, and count as two values; if they mean the same, set aliases: fold at the attribute, or write them in the same "+
		"way at the source\n", said)
	a := c.Schema().Attributes()
	assert.Equal(t, []equivclass.Text{{}, {}, {}, {MaxLength: 4096}}, []equivclass.Text{a[0].Text, a[1].Text, a[2].Text, a[3].Text})
	_, found := a[2].Hierarchy.Leaf([]byte("a"))
	assert.True(t, found)
	assert.Equal(t, "a;\u00e9;*\nb;\u00e9;*\nB;n;*\n", string(c.Hierarchies[0].Content))

	exact, said := loadTexts(t, strings.Replace(textAttributes, "hierarchy: city.csv", "hierarchy: city.csv, text: exact", 1), tree)
	require.NotNil(t, exact, said)
	a = exact.Schema().Attributes()
	assert.True(t, a[2].Text.Exact)
	_, found = a[2].Hierarchy.Leaf([]byte("a "))
	assert.True(t, found)
	assert.Equal(t, tree, string(exact.Hierarchies[0].Content))
}

// TestTextIsFixedUnderAState: states that were made before texts were normalized
// have the digests of text: exact. A bound may change, but for that of the sensitive attribute.
func TestTextIsFixedUnderAState(t *testing.T) {
	normal, _ := loadTexts(t, textAttributes, "a;*\nb;*\n")
	exact, _ := loadTexts(t, strings.NewReplacer("subject}", "subject, text: exact}", "city.csv}", "city.csv, text: exact}", "4KiB}",
		"8KiB, text: exact}").Replace(textAttributes), "a;*\nb;*\n")
	assert.Equal(t, []string{"schema.attributes[city].text", "schema.attributes[diagnosis].max_length", "schema.attributes[diagnosis].text",
		"schema.attributes[patient].text"},
		changed(normal.Digests(), exact.Digests()))
	for key := range exact.Digests() {
		assert.NotContains(t, key, ".text", "a state of old knows no such key")
	}
	longer, _ := loadTexts(t, strings.Replace(textAttributes, "4KiB", "1MiB", 1), "a;*\nb;*\n")
	assert.Equal(t, []string{"schema.attributes[diagnosis].max_length"}, changed(normal.Digests(), longer.Digests()))
	longer, _ = loadTexts(t, strings.Replace(textAttributes, "role: subject", "role: subject, max_length: 2KiB", 1), "a;*\nb;*\n")
	assert.Empty(t, changed(normal.Digests(), longer.Digests()))
}

func TestTextRules(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"type: integer}", "type: integer, text: exact}", "warning: a.yaml:8:53: schema.attributes[1].text: is not used: it belongs to a " +
			"category or subject; remove it\n"},
		{"4KiB", "0", "a.yaml:10:73: schema.attributes[3].max_length: is not between 1 byte and 1GiB; write for instance 4KiB, or remove it\n"},
		{"4KiB", "2GiB",
			"a.yaml:10:73: schema.attributes[3].max_length: is not between 1 byte and 1GiB; write for instance 4KiB, or remove it\n"},
		{"max_length: 4KiB", "text: trim", "a.yaml:10:67: schema.attributes[3].text: \"trim\" is not one of the known values; write one of " +
			"normalize, exact\n"},
		{"type: categorical, max_length: 4KiB", "hierarchy: city.csv, text: exact", "a.yaml:10:53: schema.attributes[3].hierarchy: is also " +
			"the hierarchy of \"city\", which has another text, aliases or max_length; write the same for both, or use two files\n"},
		{"type: categorical, max_length: 4KiB", "hierarchy: city.csv", ""},
		{"type: categorical, max_length: 4KiB", "type: categorical, aliases: fold", ""},
		{"type: integer}", "type: integer, aliases: fold}", "a.yaml:8:56: schema.attributes[1].aliases: is fold, which belongs to a category; " +
			"remove it\n"},
		{"4KiB", "4KiB, text: exact, aliases: fold", "a.yaml:10:101: schema.attributes[3].aliases: is fold, but text is exact; remove one " +
			"of them\n"},
	} {
		_, said := loadTexts(t, strings.Replace(textAttributes, c.from, c.to, 1), "a;*\nb;*\nc;*\nd;*\ne;*\n")
		assert.Equal(t, c.want, said, c.to)
	}
}

// TestDeclaredSharesAreValues: declared values are texts like those of records.
func TestDeclaredSharesAreValues(t *testing.T) {
	c, said := loadChanged(t, "l: 5}", `l: 5, diversity: [{t: 0.2, reference: {"flu ": 0.5, Flu: 0.2, "e\u0301": 0.3}}]}`)
	require.NotNil(t, c, said)
	assert.Equal(t, []string{
		`warning: policy.diversity[0].reference: has "flu" and "Flu", which differ only by dots, case, hyphens or spaces, and count as ` +
			`two values`}, said)
	assert.Equal(t, []equivclass.ValueCount{{Value: "flu", Count: 5}, {Value: "Flu", Count: 2}, {Value: "\u00e9", Count: 3}},
		c.References()[3])

	_, said = loadChanged(t, "l: 5}", `l: 5, diversity: [{t: 0.2, reference: {"flu ": 0.5, flu: 0.5}}]}`)
	assert.Equal(t, []string{`policy.diversity[0].reference: has "flu" twice`}, said)
	_, said = loadChanged(t, "l: 5}", `l: 5, diversity: [{t: 0.2, reference: {"a\nb": 0.5, flu: 0.5}}]}`)
	assert.Equal(t, []string{
		`policy.diversity[0].reference: has "a\nb", which is not a value of attribute "diagnosis" (control_character)`}, said)
}

// TestAHierarchyThatIsNoTreeIsRefused names file and lines, and no label.
func TestAHierarchyThatIsNoTreeIsRefused(t *testing.T) {
	c, said := loadTexts(t, textAttributes, "a;x;north;*\nb;other;north;*\nc;other;south;*\n")
	assert.Nil(t, c)
	assert.Equal(t, "city.csv:3: schema.attributes[2].hierarchy: the label in column 2 has two parents, the next column here and the next "+
		"one on line 2; give each label one parent, for instance by naming the group in it\n", said)
}
