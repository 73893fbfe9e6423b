package audit

import (
	"bytes"
	"encoding/csv"
	stdjson "encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// Every decoder takes any bytes: it must not panic, must not use memory out of
// proportion to the input, and its error must not repeat the input (rule V, values).

func seeds(f *testing.F, name string) {
	p, _ := standard()
	o := p.write(f, p.render())
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(o.Releases), name))
	require.NoError(f, err)
	require.NotEmpty(f, paths)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
}

func checkError(t *testing.T, data []byte, err error) {
	if err == nil {
		return
	}
	var broken *format.UnreadableError
	require.ErrorAs(t, err, &broken)
	require.LessOrEqual(t, broken.Line, bytes.Count(data, []byte("\n"))+1)
	require.Less(t, len(err.Error()), 200)
}

// checkFuzzedParts: whatever a manifest says of its parts can be tested and
// numbered, and follows from itself.
func checkFuzzedParts(t *testing.T, m *format.Manifest) {
	f := &format.Faults{}
	format.CheckLayout(m, f)
	whole := f.N == 0
	l := format.NewLayout(m, 0)
	for i, p := range m.Parts {
		for _, c := range []int{1, p.Classes} {
			if c > 0 && l.At[p.Name] == i {
				part, number := l.Place(l.Start[i] + uint32(c) - 1)
				require.Equal(t, p.Name, part)
				require.Equal(t, c, number)
			}
		}
	}
	s := format.Follow(m, m, f)
	if whole {
		require.True(t, s.Whole)
		require.Empty(t, format.Died(l, l, m.Release, f))
		require.Zero(t, f.N)
	}
}

// FuzzPartName: a name that is read prints back as itself.
func FuzzPartName(f *testing.F) {
	for _, s := range []string{"part-000001", "part-000001-000010", "part-1000000", "part-0000001", "part-000010-000001",
		"part-000001-000001", "part-", "part-000000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		b, ok := format.ParsePartName(name)
		if !ok {
			return
		}
		again := format.PartName(b.First)
		if b.First < b.Last {
			again += strings.TrimPrefix(format.PartName(b.Last), "part")
		}
		require.Equal(t, name, again)
	})
}

// FuzzCompaction: any files are refused or compared; the file of one part is its
// own compaction; and the file of two is not the file of one.
func FuzzCompaction(f *testing.F) {
	for _, s := range []string{"age,illness,class\n20,a,1\n20,b,1\n", "group,illness,count\n1,a,2\n",
		"bucket,illness,count\n1,a,2\n"} {
		f.Add([]byte(s), []byte(s))
	}
	f.Add([]byte("\n"), []byte("0"))
	s := fuzzSchema()
	f.Fuzz(func(t *testing.T, old, now []byte) {
		for _, name := range []string{"data.csv", "st.csv"} {
			compare := func(now []byte, before ...[]byte) (bool, error) {
				p, all := &format.Part{}, [][][]byte{}
				for i, b := range before {
					p.Replaces = append(p.Replaces, format.Replaced{FirstClass: 1 + 7*i, Classes: 7})
					all = append(all, [][]byte{b})
				}
				found := &format.Faults{}
				_, err := table.CheckCompaction(&format.Manifest{Release: 1}, s, p, [][]byte{now}, all, []string{name}, found)
				checkError(t, append(bytes.Clone(old), now...), err)
				return found.N == 0, err
			}
			if same, err := compare(old, old); err == nil {
				require.True(t, same)
			}
			if same, err := compare(now, old, now); err == nil && same {
				require.False(t, bytes.Contains(old[bytes.IndexByte(old, '\n')+1:], []byte("\n")),
					"the old part has rows that the new one has no room for")
			}
		}
	})
}

func FuzzManifest(f *testing.F) {
	seeds(f, "releases/000002/manifest.json")
	l2Seeds(f, "permutation", "releases/000004/manifest.json", func(b []byte) { f.Add(b) })
	eras, err := os.ReadFile(filepath.Join(standardEras().write(f).Releases, "000006", "manifest.json"))
	require.NoError(f, err)
	f.Add(eras)
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := format.ParseManifest("manifest.json", data)
		checkError(t, data, err)
		if err == nil {
			require.Equal(t, format.FormatVersion, m.FormatVersion)
			agreesWithJSON(t, data, m)
			m.Policy.Principles()
			chain.CheckClaims(m, &format.Faults{})
			checkFuzzedParts(t, m)
			checkFuzzedEras(t, m)
		}
	})
}

// checkFuzzedEras: eras divide parts and numbers, and a manifest follows itself.
func checkFuzzedEras(t *testing.T, m *format.Manifest) {
	parts, records := 0, 0
	for i, s := range m.ByEra() {
		parts, records = parts+len(s.Parts), records+s.Records
		require.Equal(t, i < len(m.Eras), s.Former())
		require.Same(t, m, s.Whole())
		for j := range s.Parts {
			if format.CheckEras(nil, m, &format.Faults{}) {
				require.Equal(t, s.Until(), m.Under(&s.Parts[j]).Until())
			}
		}
	}
	require.Equal(t, len(m.Parts), parts)
	require.Equal(t, m.Records, records)
	format.CheckContract(m, m, &format.Faults{})
	format.CheckEras(m, m, &format.Faults{})
}

// agreesWithJSON holds the reader against encoding/json, which is laxer.
func agreesWithJSON(t *testing.T, data []byte, m *format.Manifest) {
	t.Helper()
	var plain map[string]stdjson.RawMessage
	require.NoError(t, stdjson.Unmarshal(data, &plain))
	var policy map[string]stdjson.RawMessage
	var parts []map[string]stdjson.RawMessage
	require.NoError(t, stdjson.Unmarshal(plain["policy"], &policy))
	number := func(of map[string]stdjson.RawMessage, name string) (n int) {
		if raw := of[name]; raw != nil {
			require.NoError(t, stdjson.Unmarshal(raw, &n))
		}
		return n
	}
	require.Equal(t, number(plain, "release"), m.Release)
	require.Equal(t, number(plain, "records"), m.Records)
	require.Equal(t, number(policy, "k"), m.Policy.K)
	require.Equal(t, number(policy, "l"), m.Policy.L)
	if raw := plain["parts"]; raw != nil {
		require.NoError(t, stdjson.Unmarshal(raw, &parts))
	}
	require.Len(t, m.Parts, len(parts))
	for i, p := range parts {
		var name string
		require.NoError(t, stdjson.Unmarshal(p["part"], &name))
		require.Equal(t, name, m.Parts[i].Name)
	}
}

func fuzzSchema() *format.Schema {
	h, _ := format.ParseHierarchy("city.csv", []byte(testHierarchy))
	m := &format.Manifest{Schema: []format.Column{{Name: "person", Role: "subject"}, {Name: "age", Role: "quasi", Type: "integer"},
		{Name: "city", Role: "quasi", Type: "categorical"}, {Name: "job", Role: "quasi", Type: "categorical"},
		{Name: "illness", Role: "sensitive"}}}
	return format.NewSchema(m, map[string]*format.LabelTree{"city": h})
}

func FuzzTable(f *testing.F) {
	seeds(f, "releases/00000[13]/part-*/data.csv")
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &table.TableReader{S: fuzzSchema(), Release: 1, F: &format.Faults{}, Rows: map[string]int{}}
		tab, err := r.Read("generalization", []string{"data.csv"}, [][]byte{data})
		checkError(t, data, err)
		if err == nil {
			require.Equal(t, tab.M+1, len(tab.Start))
			require.Equal(t, bytes.Count(data, []byte("\n"))-1 >= tab.Rows(), true)
		}
	})
}

func FuzzBuckets(f *testing.F) {
	f.Add([]byte("age,city,job,group\n20,north-1,clerk,1\n21,south-1,clerk,1\n"), []byte("group,illness,count\n1,a,1\n1,b,1\n"), true)
	f.Add([]byte("age,city,job,group\n20,north-1,clerk,1\n21,south-1,clerk,1\n"), []byte("group,illness\n1,a\n1,b\n"), false)
	f.Fuzz(func(t *testing.T, qi, sa []byte, anatomy bool) {
		if bytes.Contains(sa, []byte("00000")) {
			t.Skip("a count may be large by right; keep memory small here")
		}
		r := &table.TableReader{S: fuzzSchema(), Release: 1, F: &format.Faults{}, Rows: map[string]int{}}
		recoding := "permutation"
		if anatomy {
			recoding = "anatomy"
		}
		_, err := r.Read(recoding, []string{"qi.csv", "sa.csv"}, [][]byte{qi, sa})
		checkError(t, append(qi, sa...), err)
	})
}

// FuzzCell: a cell that parses prints back as itself, contains what it was made
// of, and a value parses as a point.
func FuzzCell(f *testing.F) {
	for _, s := range []string{"1", "-0.5", "[1,2]", "[2,1]", "{a|b}", "a", "*", "north", "north-1", "2024-02-29",
		"[2024-02-29,2024-03-01]", "1e5", "", "{|a}"} {
		f.Add(s)
	}
	h, _ := format.ParseHierarchy("city.csv", []byte(testHierarchy))
	f.Fuzz(func(t *testing.T, text string) {
		for _, a := range []*format.Attribute{format.NewAttribute("n", format.TypeNumber, nil), format.NewAttribute("d", format.TypeDate, nil),
			format.NewAttribute("c", format.TypeCategory, nil), format.NewAttribute("h", format.TypeCategory, h)} {
			id, reason := a.Intern([]byte(text))
			if reason != "" {
				require.NotContains(t, reason, "%")
				continue
			}
			require.Equal(t, text, a.Cells[id].Text)
			require.Zero(t, a.Compare(id, id))
			if v, reason := a.InternValue([]byte(text)); reason == "" {
				require.True(t, a.Contains(id, v))
			}
			for _, m := range a.Cells[id].Members {
				require.True(t, a.Contains(id, m))
			}
		}
	})
}

func FuzzMembers(f *testing.F) {
	seeds(f, "members.csv")
	l2Seeds(f, "buckets", "members.csv", func(b []byte) { f.Add(b) })
	f.Fuzz(func(t *testing.T, data []byte) {
		index := &chain.RecordIndex{Ids: map[string]uint32{}}
		m, err := chain.ParseMembers("members.csv", data, index)
		checkError(t, data, err)
		if err == nil {
			for _, column := range m.Class {
				require.LessOrEqual(t, len(column), len(index.Ids))
			}
			names := map[string]bool{}
			for _, row := range plainRows(t, data) {
				names[row[1]] = true
			}
			require.Len(t, index.Ids, len(names))
		}
	})
}

func FuzzRecords(f *testing.F) {
	seeds(f, "records.csv")
	f.Fuzz(func(t *testing.T, data []byte) {
		s := fuzzSchema()
		r, err := chain.ParseRecords("records.csv", data, s, &chain.RecordIndex{Ids: map[string]uint32{}}, false)
		checkError(t, data, err)
		if err == nil {
			require.Len(t, r.Qi, r.N*len(s.Qi))
			require.Equal(t, len(plainRows(t, data)), len(r.Known))
		}
	})
}

// plainRows reads a CSV file with encoding/csv, without its header.
func plainRows(t *testing.T, data []byte) [][]string {
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	require.NoError(t, err)
	return rows[1:]
}

func FuzzLedger(f *testing.F) {
	seeds(f, "ledger")
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, _, err := chain.ParseLedger("ledger", data)
		checkError(t, data, err)
		if err != nil {
			return
		}
		require.Len(t, lines, bytes.Count(data, []byte("\n")))
		for _, m := range regexp.MustCompile(`(?m)^([1-9][0-9]*) ([0-9a-f]{64}) parts .*\n`).FindAllSubmatch(data, -1) {
			n, err := strconv.Atoi(string(m[1]))
			require.NoError(t, err)
			require.Equal(t, string(m[2]), lines[n].Manifest)
		}
	})
}

func FuzzHierarchy(f *testing.F) {
	f.Add([]byte(testHierarchy))
	f.Add([]byte("a;*\nb;*\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := format.ParseHierarchy("h.csv", data)
		checkError(t, data, err)
		if err == nil {
			var all []int32
			for i := range h.Paths {
				all = append(all, int32(i))
			}
			root := h.Paths[0][len(h.Paths[0])-1]
			require.Contains(t, h.Leaves, h.Common(all))
			require.True(t, h.Leaves[root].Covers(len(all)-1))
			var plain []string // a second, simple reader
			for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
				if line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"); line != "" {
					plain = append(plain, line)
				}
			}
			require.Len(t, h.Paths, len(plain))
			for i, line := range plain {
				require.True(t, strings.HasSuffix(strings.Join(h.Paths[i], ";"), line))
				require.EqualValues(t, i, h.Leaf[strings.SplitN(line, ";", 2)[0]])
			}
		}
	})
}

// TestMalformedInputsSayWhere: an error names file and line and never what
// stands there.
func TestMalformedInputsSayWhere(t *testing.T) {
	for _, c := range []struct{ name, file, from, to, want string }{
		{"number", "releases/000001/part-000001/data.csv", `"[20,27]"`, `"[020,27]"`,
			"data.csv:2: attribute age: not a number in shortest decimal form"},
		{"empty interval", "releases/000001/part-000001/data.csv", `"[20,27]"`, `"[27,27]"`,
			"data.csv:2: attribute age: interval is empty or a single value"},
		{"missing number", "releases/000001/part-000001/data.csv", `"[20,27]"`, `"[20,27]|?"`,
			"data.csv:2: attribute age: a missing value, which the manifest rules out"},
		{"missing value of a record", "records.csv", ",20,", ",?,", "attribute age: a missing value, which the manifest rules out"},
		{"missing sensitive value", "releases/000001/part-000001/data.csv", ",a,1\n", ",?,1\n",
			"data.csv:2: attribute illness: a missing value, which the manifest rules out"},
		{"label", "releases/000001/part-000001/data.csv", "*", "CANARY", "attribute city: value or label is not in the hierarchy"},
		{"class", "releases/000001/part-000001/data.csv", ",a,1\n", ",a,CANARY\n", "data.csv:2: class is not a positive number"},
		{"header", "releases/000001/part-000001/data.csv", "city", "CANARY", "data.csv:1: header lacks an attribute"},
		{"quote", "releases/000001/part-000001/data.csv", ",a,1\n", ",CAN\"ARY,1\n", "data.csv:2: quote inside an unquoted field"},
		{"manifest field", "releases/000001/manifest.json", `"recoding"`, `"CANARY"`, "manifest.json:"},
		{"manifest case", "releases/000001/manifest.json", `"recoding"`, `"Recoding"`, "unknown field"},
		{"manifest version", "releases/000001/manifest.json", `"format_version": 6`, `"format_version": 2`,
			"has format_version 2, and this auditor reads format 6 alone"},
		{"manifest of a union", "releases/000001/manifest.json", `"format_version": 6`, `"format_version": 3`,
			"has format_version 3, and this auditor reads format 6 alone"},
		{"manifest of version 1", "releases/000001/manifest.json", `"format_version": 6`, `"format_version": 1`,
			"has format_version 1, and this auditor reads format 6 alone"},
		{"part", "releases/000001/manifest.json", `"part-000001"`, `"../CANARY"`, "an entry of parts is malformed"},
		{"part of many digits", "releases/000001/manifest.json", `"part-000001"`, `"part-0000001"`, "an entry of parts is malformed"},
		{"member's part", "members.csv", "part-000001", "CANARY", "members.csv:2: part is not the name of a part"},
		{"member", "members.csv", "topic:0:0", "CANARY", "members.csv:2: not release"},
		{"record", "records.csv", "topic:0:0", "CANARY", "records.csv:2: record is not"},
		{"record value", "records.csv", "north-1", "CANARY", "records.csv:2: attribute city: value or label"},
		{"ledger", "ledger", "1 ", "one ", "ledger:1: does not seal a release"},
		{"hierarchy", "releases/hierarchies/city.csv", "north-2;north", "north-1;north", "city.csv:2: leaf occurs twice"},
		{"current", "releases/CURRENT", "000003", "CANARY", "CURRENT:1: is not six digits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := standard()
			o := p.write(t, p.render())
			rewrite(t, filepath.Join(filepath.Dir(o.Releases), c.file), func(b []byte) []byte {
				require.Contains(t, string(b), c.from)
				return []byte(strings.Replace(string(b), c.from, c.to, 1))
			})
			_, err := Dir(o)
			var broken *format.UnreadableError
			require.ErrorAs(t, err, &broken)
			require.Contains(t, err.Error(), c.want)
			require.NotContains(t, err.Error(), "CANARY")
		})
	}
}
