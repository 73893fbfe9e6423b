package describe

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/snapshot"
)

func clinic() *snapshot.Manifest {
	return &snapshot.Manifest{FormatVersion: snapshot.FormatVersion, Dataset: "Clinic North", Release: 3, CreatedAt: "2026-11-27T00:00:00Z",
		About:  &snapshot.About{Licence: "CC-BY-4.0", Contact: "data@example.org"},
		Schema: []snapshot.SchemaEntry{{Name: "age", Role: equivclass.Quasi}, {Name: "illness", Role: equivclass.Sensitive}},
		Policy: snapshot.Policy{K: 5, L: 3, Level: snapshot.PolicyL2}, Recoding: snapshot.NamePermutation,
		Values: snapshot.ValuesDrawn, Records: 20,
		Parts: []snapshot.PartEntry{{Part: "part-000001-000002", Files: []snapshot.FileEntry{{Name: "data.csv", SHA256: "ab", Bytes: 7}}},
			{Part: "part-000003", Files: []snapshot.FileEntry{{Name: "values.csv", SHA256: "cd", Bytes: 9}}}},
		Privacy: snapshot.Privacy{Attributes: []snapshot.AttributePrivacy{{Name: "illness", Cap: "1/3"}, {Name: "hiv", Cap: "1/1"}}}}
}

// TestDocumentsSayWhatTheManifestSays: names, files with their hashes, columns, caps, licence and contact.
func TestDocumentsSayWhatTheManifestSays(t *testing.T) {
	out, err := Of(clinic())
	require.NoError(t, err)
	require.Len(t, out, 2)
	var p dataPackage
	require.NoError(t, json.Unmarshal(out[0].Text, &p))
	assert.Equal(t, "clinic-north", p.Name)
	assert.Equal(t, []license{{Name: "CC-BY-4.0"}}, p.Licenses)
	assert.Equal(t, []contributor{{Title: "data@example.org", Email: "data@example.org", Role: "contact"}}, p.Contributors)
	assert.Equal(t, []attributeCap{{"illness", "1/3"}, {"hiv", "1/1"}}, p.Anond.Caps)
	require.Len(t, p.Resources, 2)
	assert.Equal(t, "part-000001-000002/data.csv", p.Resources[0].Path)
	assert.Equal(t, "sha256:ab", p.Resources[0].Hash)
	var names []string
	for _, f := range p.Resources[0].Schema.Fields {
		names = append(names, f.Name+" "+f.Type)
	}
	assert.Equal(t, []string{"age string", "illness string", "class integer", "bucket integer"}, names)
	assert.Contains(t, p.Resources[0].Schema.Fields[1].Description, "not this person's")
	text := string(out[1].Text)
	for _, says := range []string{"# Clinic North, release 3", "20 people", "k = 5", "illness: no value has a larger share than 1/3",
		"hiv: the share that some values may have of a bucket is not bounded", "drawn", "Licence: CC-BY-4.0", "Contact: data@example.org"} {
		assert.Contains(t, text, says)
	}
	assert.Less(t, strings.Count(text, "\n"), 40)
	again, err := Of(clinic())
	require.NoError(t, err)
	assert.Equal(t, out, again)
}

// TestTheSheetSaysOfWhatACapIs: of an interval of exact numbers, and of those who have a value where missing ones have no cap.
func TestTheSheetSaysOfWhatACapIs(t *testing.T) {
	m := clinic()
	m.Schema[1].Promise, m.Schema[1].Values = &snapshot.Promise{Open: true}, snapshot.ValuesExact
	assert.Contains(t, string(sheet(m)),
		"illness: no interval of numbers has a larger share than 1/3 of those of a bucket who have one; how many have none is not bounded.")
}

// TestEveryFileHasItsColumns: of each recoding and level.
func TestEveryFileHasItsColumns(t *testing.T) {
	for _, x := range []struct{ recoding, level, file, want string }{
		{snapshot.NameBuckets, snapshot.PolicyL2, "data.csv", "age class bucket"},
		{snapshot.NameAnatomy, snapshot.PolicyL2, "data.csv", "age class bucket"},
		{snapshot.NameBuckets, snapshot.PolicyL2, "tables.csv", "pool attribute value with with_value count"},
		{snapshot.NameGeneralization, "", "data.csv", "age illness class"},
		{snapshot.NameAnatomy, "", "qit.csv", "age group"},
		{snapshot.NameAnatomy, "", "st.csv", "group illness count"},
		{snapshot.NamePermutation, "", "pqt.csv", "age group"},
		{snapshot.NamePermutation, "", "pst.csv", "group illness"},
	} {
		m := clinic()
		m.Recoding, m.Policy.Level, m.Values = x.recoding, x.level, ""
		var names []string
		for _, f := range fields(m, x.file) {
			names = append(names, f.Name)
		}
		assert.Equal(t, x.want, strings.Join(names, " "), x.recoding, x.level, x.file)
	}
}
