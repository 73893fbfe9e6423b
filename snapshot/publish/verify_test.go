package publish_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/verify"
)

func TestListAndShow(t *testing.T) {
	p, intents := published(t)
	list, err := snapshot.List(p.FS, p.Dir)
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, []int{7, 3}, []int{list[0].Newcomers, list[1].Newcomers})
	assert.Equal(t, []bool{false, true}, []bool{list[0].Current, list[1].Current})
	assert.Equal(t, 1, list[1].Pending)
	m, err := snapshot.Show(p.FS, p.Dir, 0)
	require.NoError(t, err)
	assert.Equal(t, uint32(2), m.Release)
	assert.Equal(t, list[0].SHA256, m.Previous.SHA256)
	assert.Equal(t, intents[1].Records, m.Records)
	_, err = snapshot.Show(p.FS, p.Dir, 3)
	require.ErrorIs(t, err, snapshot.ErrNoRelease)
	empty, err := snapshot.List(p.FS, filepath.Join(p.Dir, "nothing"))
	require.NoError(t, err)
	assert.Empty(t, empty)
}

func TestVerifyFindsNothingWrong(t *testing.T) {
	p, _ := published(t)
	v, err := verify.Dir(p.FS, p.Dir, p.Ledger)
	require.NoError(t, err)
	assert.True(t, v.OK(), "%v", v.Findings)
	assert.Equal(t, 2, v.Releases)
	assert.Equal(t, 10, v.Files)
	read := int64(0)
	for _, name := range []string{"000001/part-000001/qit.csv", "000001/part-000001/st.csv", "000002/part-000002/qit.csv",
		"000002/part-000002/st.csv", "000001/datapackage.json", "000001/receiver.md", "000002/datapackage.json", "000002/receiver.md"} {
		info, err := os.Stat(filepath.Join(p.Dir, name))
		require.NoError(t, err)
		read += info.Size()
	}
	assert.Equal(t, read, v.Bytes, "links are read once")
}

// overwrite changes a file that nobody may write to.
func overwrite(t *testing.T, path string, data []byte) {
	t.Helper()
	require.NoError(t, os.Chmod(path, 0o644))
	require.NoError(t, os.WriteFile(path, data, 0o644))
}

// TestVerifyFindsEveryFault spoils one thing at a time.
func TestVerifyFindsEveryFault(t *testing.T) {
	edit := func(name, from, to string) func(t *testing.T, p *publish.Publisher) {
		return func(t *testing.T, p *publish.Publisher) {
			path := filepath.Join(p.Dir, name)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Contains(t, string(data), from)
			overwrite(t, path, []byte(strings.Replace(string(data), from, to, 1)))
		}
	}
	remove := func(name string) func(t *testing.T, p *publish.Publisher) {
		return func(t *testing.T, p *publish.Publisher) {
			require.NoError(t, os.RemoveAll(filepath.Join(p.Dir, name)))
		}
	}
	create := func(name string) func(t *testing.T, p *publish.Publisher) {
		return func(t *testing.T, p *publish.Publisher) {
			require.NoError(t, os.WriteFile(filepath.Join(p.Dir, name), nil, 0o644))
		}
	}
	p, _ := published(t)
	for _, hidden := range []string{".DS_Store", "000002/.nfs1", "000002/part-000001/.x", "hierarchies/.swp"} {
		create(hidden)(t, p)
	}
	v, err := verify.Dir(p.FS, p.Dir, p.Ledger)
	require.NoError(t, err)
	assert.Empty(t, v.Findings, "names with a leading dot are ignored")
	for name, tc := range map[string]struct {
		spoil func(t *testing.T, p *publish.Publisher)
		kind  string
	}{
		"a byte of data":        {edit("000001/part-000001/qit.csv", "ward-e", "ward-w"), verify.FindHash},
		"a file lost":           {remove("000002/part-000002/st.csv"), verify.FindMissingFile},
		"a file more":           {create("000002/ids.csv"), verify.FindUnexpectedFile},
		"a file more, inside":   {create("000002/part-000001/ids.csv"), verify.FindUnexpectedFile},
		"a part lost":           {remove("000002/part-000001"), verify.FindMissingFile},
		"a file alongside":      {create("notes.txt"), verify.FindUnexpectedFile},
		"a manifest changed":    {edit("000001/manifest.json", `"k": 3`, `"k": 4`), verify.FindChain},
		"no previous":           {edit("000002/manifest.json", `"previous": {`, `"previous": null, "was": {`), verify.FindChain},
		"a manifest broken":     {edit("000002/manifest.json", `"release": 2`, `"release": "flu"`), verify.FindUnreadable},
		"a newer format":        {edit("000002/manifest.json", `"format_version": 6`, `"format_version": 7`), verify.FindUnreadable},
		"another number":        {edit("000002/manifest.json", `"release": 2`, `"release": 3`), verify.FindNumber},
		"a release lost":        {remove("000001"), verify.FindNumber},
		"the newest lost":       {remove("000002"), verify.FindCurrent},
		"CURRENT behind":        {edit("CURRENT", "000002", "000001"), verify.FindCurrent},
		"CURRENT broken":        {edit("CURRENT", "000002", "2"), verify.FindCurrent},
		"a hierarchy changed":   {edit("hierarchies/postcode.csv", "1011", "9011"), verify.FindHierarchy},
		"a hierarchy lost":      {remove("hierarchies"), verify.FindHierarchy},
		"a hierarchy outside":   {edit("000002/manifest.json", "hierarchies/postcode.csv", "hierarchies/../CURRENT"), verify.FindHierarchy},
		"a file outside":        {edit("000002/manifest.json", `"st.csv"`, `"../CURRENT"`), verify.FindUnexpectedFile},
		"the newest manifest":   {edit("000002/manifest.json", `"pending": 1`, `"pending": 0`), verify.FindLedger},
		"ledger short a line":   {inLedger(`(?m)^2 .*\n`, ""), verify.FindLedger},
		"ledger of other files": {inLedger(`(?m)(^2 .* parts )....`, "${1}0000"), verify.FindLedger},
		"ledger of others":      {inLedger(`(?m)(^2 .* people )`, "${1}1"), verify.FindLedger},
		"the ledger torn": {func(t *testing.T, p *publish.Publisher) { require.NoError(t, os.Truncate(p.Ledger, 250)) },
			verify.FindLedger},
		"the ledger broken": {func(t *testing.T, p *publish.Publisher) {
			require.NoError(t, os.WriteFile(p.Ledger, []byte("x\n"), 0o644))
		}, verify.FindLedger},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := published(t)
			tc.spoil(t, p)
			v, err := verify.Dir(p.FS, p.Dir, p.Ledger)
			require.NoError(t, err)
			var kinds []string
			for _, f := range v.Findings {
				kinds = append(kinds, f.Kind)
				noValues(t, f.Detail)
			}
			assert.Contains(t, kinds, tc.kind)
		})
	}
}

// inLedger edits the ledger.
func inLedger(expression, by string) func(t *testing.T, p *publish.Publisher) {
	return func(t *testing.T, p *publish.Publisher) {
		was, err := os.ReadFile(p.Ledger)
		require.NoError(t, err)
		now := regexp.MustCompile(expression).ReplaceAll(was, []byte(by))
		require.NotEqual(t, string(was), string(now))
		require.NoError(t, os.WriteFile(p.Ledger, now, 0o644))
	}
}
