package audit

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// documented writes the documents of a release and names them in its manifest, unless a test did.
func documented(t testing.TB, man map[string]any, put func(name string, text []byte)) {
	data := inForm(t, man)
	var m struct {
		Parts []struct {
			Part  string
			Files []struct {
				Name, SHA256 string
				Bytes        int64
			}
		}
	}
	if _, set := man["documents"]; set || json.Unmarshal(data, &m) != nil {
		return
	}
	resources := []any{}
	for _, p := range m.Parts {
		for _, f := range p.Files {
			resources = append(resources, map[string]any{"path": p.Part + "/" + f.Name, "bytes": f.Bytes, "hash": "sha256:" + f.SHA256})
		}
	}
	pack, err := json.Marshal(map[string]any{"resources": resources})
	require.NoError(t, err)
	var entries []any
	for i, text := range [][]byte{pack, []byte("for receivers\n")} {
		name := []string{"datapackage.json", "receiver.md"}[i]
		put(name, text)
		entries = append(entries, map[string]any{"name": name, "sha256": format.HexSHA(text), "bytes": len(text)})
	}
	man["documents"] = entries
}

// inForm writes a manifest as the format wants it.
func inForm(t testing.TB, man any) []byte {
	text, err := json.Marshal(man)
	require.NoError(t, err)
	var all any
	require.NoError(t, json.Unmarshal(text, &all))
	var out, indented bytes.Buffer
	var write func(v any)
	write = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			keys := slices.SortedFunc(maps.Keys(v), func(a, b string) int { return format.KeyOrder[a] - format.KeyOrder[b] })
			for i, key := range keys {
				out.WriteString(map[bool]string{true: "{", false: ","}[i == 0] + `"` + key + `":`)
				write(v[key])
			}
			out.WriteString(map[bool]string{true: "{}", false: "}"}[len(keys) == 0])
		case []any:
			out.WriteByte('[')
			for i := range v {
				if i > 0 {
					out.WriteByte(',')
				}
				write(v[i])
			}
			out.WriteByte(']')
		default:
			text, err := json.Marshal(v)
			require.NoError(t, err)
			out.Write(text)
		}
	}
	write(all)
	require.NoError(t, json.Indent(&indented, out.Bytes(), "", "  "))
	return append(indented.Bytes(), '\n')
}

// requireVerdict demands the verdict and the exit code that a finding gives.
func requireVerdict(t *testing.T, kind string, r *Report) {
	t.Helper()
	want, code := verdictViolated, 3
	if kind == format.KindUnexpectedFile {
		want, code = verdictUnreadable, 1
	}
	require.Equal(t, want, r.Verdict)
	require.Equal(t, code, r.ExitCode())
}

// TestFormOfManifests: every way to write a manifest but one is reported, in any object of it.
func TestFormOfManifests(t *testing.T) {
	o := standardL2("buckets").write(t)
	path := filepath.Join(o.Releases, "000004", "manifest.json")
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, format.Canonical(good))
	for name, edit := range map[string][2]string{
		"keys of the manifest":  {"  \"dataset\": \"test\",\n  \"release\": 4,\n", "  \"release\": 4,\n  \"dataset\": \"test\",\n"},
		"keys of the policy":    {"    \"k\": 4,\n    \"l\": 2,\n", "    \"l\": 2,\n    \"k\": 4,\n"},
		"keys of a file":        {"          \"bytes\"", "          \"rows\": 4,\n          \"bytes\""},
		"space":                 {"\"release\": 4", "\"release\":  4"},
		"indent":                {"\n  \"release\"", "\n   \"release\""},
		"a text escaped":        {`"test"`, `"\u0074est"`},
		"a number with zeros":   {`"max_frequency": 0.5`, `"max_frequency": 0.50`},
		"a number in exponents": {`"max_frequency": 0.5`, `"max_frequency": 5e-1`},
		"no line break":         {"\n}\n", "\n}"},
		"a line break more":     {"\n}\n", "\n}\n\n"},
	} {
		text := strings.Replace(string(good), edit[0], edit[1], 1)
		require.NotEqual(t, string(good), text, name)
		require.False(t, format.Canonical([]byte(text)), name)
	}
	rewrite(t, path, func(b []byte) []byte { return bytes.Replace(b, []byte("\n}\n"), []byte("\n}"), 1) })
	r, err := Dir(o)
	require.NoError(t, err)
	require.Contains(t, kinds(r.Violations), format.KindNotCanonical)
}

// TestFormOfAnyText: what the publisher's encoder makes of texts and numbers is the form.
func TestFormOfAnyText(t *testing.T) {
	for _, v := range []any{"<b>&'\"\\/\t\n\b\f\r\x00\x1f\x7f\u2028\u2029é😀", 0.1, 1e21, 1e20, 1e-6, 1e-7, 5e-324, math.MaxFloat64,
		-0.5, 1 << 62, []int{}, map[string]int{}} {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		require.NoError(t, e.Encode(map[string]any{"dataset": v}))
		require.True(t, format.Canonical(text.Bytes()), text.String())
	}
}

// TestFormOfTables: a field that is quoted without need is reported, in a header, a part and a
// compaction.
func TestFormOfTables(t *testing.T) {
	for file, field := range map[string]string{"part-000003/data.csv": "age", "part-000004/values.csv": "illness",
		"part-000001-000002/data.csv": "clerk"} {
		o := standardL2("buckets").write(t)
		path := filepath.Join(o.Releases, "000004", file)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.Remove(path))
		quoted := bytes.Replace(text, []byte(field), []byte(`"`+field+`"`), 1)
		require.NotEqual(t, string(text), string(quoted), file)
		require.NoError(t, os.WriteFile(path, quoted, 0o444))
		r, err := Dir(o)
		require.NoError(t, err)
		if file == "part-000003/data.csv" { // it stood in the release before, so it is not parsed again
			require.Contains(t, kinds(r.Violations), format.KindLinkReplaced)
			continue
		}
		require.Contains(t, kinds(r.Violations), format.KindNotCanonical, file)
	}
}

// TestCopiesOfAReleaseThatBeginsMeanwhile: a file next to the releases that came after the audit began is of a release that no manifest at
// hand is of, and no stray; the next audit sees that it is one.
func TestCopiesOfAReleaseThatBeginsMeanwhile(t *testing.T) {
	p, _ := standard()
	o := p.write(t, p.render())
	o.Progress = func(int, int) {
		require.NoError(t, os.WriteFile(filepath.Join(o.Releases, "hierarchies", "grown.csv"), nil, 0o644))
	}
	for _, want := range []string{VerdictCertified, verdictUnreadable} {
		r, err := Dir(o)
		require.NoError(t, err)
		require.Equal(t, want, r.Verdict)
	}
}

// TestUnnamedFiles: what nothing names makes releases unreadable, wherever it lies, and nothing else does; names
// with a leading dot are ignored. A breach stays one.
func TestUnnamedFiles(t *testing.T) {
	for _, name := range []string{"notes.txt", "000004.csv", "000009.json", "hierarchies/other.csv", "pruned/notes", "000002/notes",
		"000002/part-000001/more.csv", "shards/0", "CURRENT/x"} {
		p, _ := standard()
		o := p.write(t, p.render())
		r, err := Dir(o)
		require.NoError(t, err)
		require.Equal(t, VerdictCertified, r.Verdict)
		hidden := filepath.Join(o.Releases, filepath.Dir(name), "."+filepath.Base(name))
		if name == "CURRENT/x" {
			name, hidden = "CURRENT2", filepath.Join(o.Releases, ".x")
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(hidden), 0o755))
		require.NoError(t, os.WriteFile(hidden, nil, 0o644))
		if filepath.Dir(name) == "shards" {
			require.NoError(t, os.RemoveAll(filepath.Join(o.Releases, "shards")))
		}
		r, err = Dir(o)
		require.NoError(t, err)
		require.Equal(t, VerdictCertified, r.Verdict, "hidden %s", name)

		path := filepath.Join(o.Releases, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, nil, 0o644))
		r, err = Dir(o)
		require.NoError(t, err)
		require.Equal(t, verdictUnreadable, r.Verdict, name)
		require.Equal(t, []string{format.KindUnexpectedFile}, kinds(r.Violations), name)
		require.Equal(t, 1, r.ExitCode())
		var text strings.Builder
		require.NoError(t, r.Text(&text))
		require.Contains(t, text.String(), "UNREADABLE")

		rewrite(t, o.Ledger, appendLine(strings.TrimSuffix(otherLine(4), "\n")))
		r, err = Dir(o)
		require.NoError(t, err)
		require.Equal(t, verdictViolated, r.Verdict, name)
		require.Equal(t, 3, r.ExitCode())
	}
}
