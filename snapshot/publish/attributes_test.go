package publish_test

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/promise"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/audit/table"
	"anond/snapshot/publish"
	"anond/snapshot/readback"
	"anond/snapshot/render"
	"anond/snapshot/verify"
)

// twoAttributes are people with two sensitive attributes that go together, in classes of three and buckets of two
// classes; each release gives birth to a pool of some buckets.
type twoAttributes struct {
	in      *render.Input
	values  [][2]string // by record
	buckets [][]equivclass.RecordID
}

// newTwo makes the pools, each of so many buckets.
func newTwo(t *testing.T, r *rand.Rand, pools ...int) *twoAttributes {
	t.Helper()
	attributes := []equivclass.Attribute{{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "drug, dose", Role: equivclass.Sensitive, Type: equivclass.Categorical},
		{Name: "income", Role: equivclass.Sensitive, Type: equivclass.Integer, Buckets: []int64{0, 100, 200}, Exact: true}}
	schema, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	require.NoError(t, err)
	var dicts []*equivclass.Dictionary
	for _, a := range attributes {
		dicts = append(dicts, equivclass.NewDictionary(a))
	}
	out := &twoAttributes{in: &render.Input{Shared: true,
		Columns: render.Columns{Schema: schema, QI: make([]equivclass.Column, 1), SA: make([]equivclass.Column, 3)}}}
	bucket := 0
	for born, buckets := range pools {
		for range buckets {
			var members []equivclass.RecordID
			drug := r.Perm(6)
			for i := range 6 {
				ill := strings.Fields("flu cold gout")[(i+bucket)%3]
				with := strings.Fields("A B C")[drug[i]%3]
				if i == 0 {
					with = strings.Fields("A B C")[(i+bucket)%3] // they go together
				}
				values := []string{strconv.Itoa(20 + bucket%7*3 + i%3), ill, with}
				values = append(values, strconv.Itoa((i+bucket)%3*100+(13*i+7*bucket)%100))
				if i > 0 && with == out.last(members, with) {
					values[2] = "D"
				}
				if i%3 == 0 {
					out.in.Classes = append(out.in.Classes, render.Class{Born: uint32(born + 1), Bucket: uint32(bucket + 1)})
				}
				at := equivclass.RecordID(len(out.values))
				c := &out.in.Classes[len(out.in.Classes)-1]
				c.Members, members = append(c.Members, at), append(members, at)
				out.values = append(out.values, [2]string{values[1], values[2]})
				for j, d := range dicts {
					code, why := d.Encode([]byte(values[j]))
					require.Equal(t, equivclass.Accepted, why)
					if column := &out.in.QI[0]; j > 0 {
						out.in.SA[j-1].Append(code)
					} else {
						column.Append(code)
					}
				}
			}
			out.buckets = append(out.buckets, members)
			bucket++
		}
	}
	for _, d := range dicts {
		out.in.Dictionaries = append(out.in.Dictionaries, d.Frozen())
	}
	return out
}

// last is the drug if more than one of the members has it.
func (x *twoAttributes) last(members []equivclass.RecordID, drug string) string {
	n := 0
	for _, m := range members {
		if x.values[m][1] == drug {
			n++
		}
	}
	if n >= 2 {
		return drug
	}
	return ""
}

func twoSettings(recoding render.Recoding) *render.Settings {
	return &render.Settings{Dataset: "d", Recoding: recoding, Seed: render.Secret{1}, FanIn: 2,
		Tables:   [][2]string{{"income", "ill"}, {"drug, dose", "ill"}},
		Policy:   snapshot.Policy{K: 3, L: 2, Republication: "append"},
		Promises: map[int]*promise.Promise{2: {Gain: promise.NewRatio(20, 1), Most: promise.NewRatio(2, 3)}}}
}

// publish makes all releases, through the gate.
func (x *twoAttributes) publish(t *testing.T, recoding render.Recoding, releases int) string {
	return x.publishBy(t, twoSettings(recoding), releases)
}

func (x *twoAttributes) publishBy(t *testing.T, s *render.Settings, releases int) string {
	t.Helper()
	dir := t.TempDir()
	to := &publish.Publisher{FS: snapshot.OS(), Dir: filepath.Join(dir, "releases"), Ledger: filepath.Join(dir, "ledger"),
		Gate: auditGate{gate.New(format.Policy{K: 3, L: 2, Republication: "append", Level: "L2", MaxRegroups: new(int)})}}
	require.NoError(t, to.Open())
	for n := uint32(1); n <= uint32(releases); n++ {
		in := *x.in
		in.Release, in.CreatedAt = n, 1_700_000_000
		in.Classes = slices.DeleteFunc(slices.Clone(in.Classes), func(c render.Class) bool { return c.Born > n })
		_, err := to.Publish(&in, s)
		require.NoError(t, err)
		to.Gate.(auditGate).Commit()
	}
	return to.Dir
}

// TestTwoAttributes: bags of all attributes by bucket and by pool, and pair tables of pools with at least eight buckets, say what
// the people have, over parts that are joined, too; the gate lets it pass and the audit finds it consistent.
func TestTwoAttributes(t *testing.T) {
	for _, recoding := range sharedRecodings() {
		x := newTwo(t, rand.New(rand.NewPCG(4, 4)), 9, 3, 8)
		dir := x.publish(t, recoding, 3)
		m, err := snapshot.Show(snapshot.OS(), dir, 3)
		require.NoError(t, err)
		require.Len(t, m.Parts, 2, "the first two are joined")
		require.Equal(t, [][]string{{"ill", "drug, dose"}, {"ill", "income"}}, m.Tables)
		require.Equal(t, "exact", m.Schema[3].Values)
		require.Equal(t, []string{"ill", "drug, dose"}, []string{m.Privacy.Attributes[0].Name, m.Privacy.Attributes[1].Name})
		require.Equal(t, snapshot.Ratio("1/2"), m.Privacy.Attributes[0].Cap)
		require.Equal(t, snapshot.Ratio("2/3"), m.Schema[2].Promise.Most)

		have, want := map[string]int{}, map[string]int{}
		for p, part := range m.Parts {
			for _, row := range rowsOf(t, dir, &part, "tables.csv") {
				require.Equal(t, "ill", row[1])
				if row[3] == "income" {
					require.Contains(t, []string{"0..100", "100..200", "200+"}, row[4], "no number stands next to another value")
					continue
				}
				n, err := strconv.Atoi(row[5])
				require.NoError(t, err)
				have[fmt.Sprint(p, row[0], row[2], row[4])] += n
			}
		}
		for bucket, members := range x.buckets {
			in := "01"
			if bucket >= 12 {
				in = "11"
			} else if bucket >= 9 {
				continue // a pool of three buckets
			}
			for _, i := range members {
				want[fmt.Sprint(in[:1], in[1:], x.values[i][0], x.values[i][1])]++
			}
		}
		assert.Equal(t, want, have)
		for _, part := range m.Parts {
			bags := map[string]int{}
			for _, row := range rowsOf(t, dir, &part, "values.csv") {
				n, _ := strconv.Atoi(row[3])
				bags[row[1]] += n
			}
			assert.Equal(t, map[string]int{"ill": part.Rows, "drug, dose": part.Rows, "income": part.Rows}, bags)
		}
		r, err := audit.Dir(audit.Options{Releases: dir})
		require.NoError(t, err)
		require.Empty(t, r.Violations)
	}
}

func rowsOf(t *testing.T, dir string, part *snapshot.PartEntry, file string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "000003", part.Part, file))
	require.NoError(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	require.NoError(t, err)
	return rows[1:]
}

// TestTwoAttributesMutated: each damage to the files of a part with two sensitive attributes is found by the auditor's reader.
func TestTwoAttributesMutated(t *testing.T) {
	dir := newTwo(t, rand.New(rand.NewPCG(6, 6)), 8).publish(t, render.Buckets(), 1)
	text, err := os.ReadFile(filepath.Join(dir, "000001", "manifest.json"))
	require.NoError(t, err)
	swap := strings.NewReplacer(",ill,", `,"drug, dose",`, `,"drug, dose",`, ",ill,")
	line := func(file string, from func(fields string) bool, to func(line string) string) func(map[string]string) {
		return func(files map[string]string) {
			lines := strings.Split(files[file], "\n")
			i := slices.IndexFunc(lines[1:], from) + 1
			require.Positive(t, i)
			lines[i] = to(lines[i])
			files[file] = strings.Join(lines, "\n")
		}
	}
	first := func(string) bool { return true }
	more := func(line string) string {
		at := strings.LastIndexByte(line, ',') + 1
		n, err := strconv.Atoi(line[at:])
		require.NoError(t, err)
		return line[:at] + strconv.Itoa(n+1)
	}
	for name, x := range map[string]struct {
		edit func(files map[string]string)
		want string
	}{
		"nothing":                    {func(map[string]string) {}, ""},
		"a table off by one":         {line("tables.csv", first, more), format.KindPairTable},
		"a row of a table is gone":   {line("tables.csv", first, func(string) string { return "1,ill,flu,ill,flu,1" }), format.KindPairTable},
		"a pool's bag off by one":    {line("pools.csv", first, more), format.KindPoolBag},
		"a value's count off by one": {line("values.csv", first, more), format.KindBucketSize},
		"attributes swapped in buckets": {func(files map[string]string) { files["values.csv"] = swap.Replace(files["values.csv"]) },
			format.KindPoolBag},
		"attributes swapped in buckets and pools": {func(files map[string]string) {
			files["values.csv"], files["pools.csv"] = swap.Replace(files["values.csv"]), swap.Replace(files["pools.csv"])
		}, format.KindPairTable},
		"attributes in another order": {func(files map[string]string) {
			files["values.csv"], files["pools.csv"] = swap.Replace(files["values.csv"]), swap.Replace(files["pools.csv"])
		}, format.KindRowOrder},
		"a value above its cap": {func(files map[string]string) {
			files["values.csv"] = regexp.MustCompile(`(?m)^1,ill,.*\n`).ReplaceAllString(files["values.csv"], "")
			files["values.csv"] = strings.Replace(files["values.csv"], "count\n", "count\n1,ill,cold,4\n1,ill,flu,2\n", 1)
		}, format.KindValueAboveL},
	} {
		t.Run(name, func(t *testing.T) {
			man, err := format.ParseManifest("manifest.json", text)
			require.NoError(t, err)
			files := map[string]string{}
			for _, file := range man.DataFiles() {
				b, err := os.ReadFile(filepath.Join(dir, "000001", "part-000001", file))
				require.NoError(t, err)
				files[file] = string(b)
			}
			x.edit(files)
			var data [][]byte
			for _, file := range man.DataFiles() {
				data = append(data, []byte(files[file]))
			}
			r := &table.TableReader{S: format.NewSchema(man, nil), Release: 1, F: &format.Faults{}, Rows: map[string]int{}, Pairs: man.Pairs()}
			tab, err := r.Read(man.Form(), man.DataFiles(), data)
			require.NoError(t, err)
			table.CheckBuckets(man, r.S, tab.Shared, r.F)
			var kinds []string
			for _, v := range r.F.List {
				kinds = append(kinds, v.Kind)
			}
			if x.want == "" {
				require.Empty(t, kinds)
			} else {
				require.Contains(t, kinds, x.want)
			}
		})
	}
}

// TestOneColumnIsPermuted: whoever of a class has which value of one attribute, what both have together apart, all files are the same
// but the pair tables (rule U, units: Merge and files see the bags of attributes).
func TestOneColumnIsPermuted(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, recoding := range sharedRecodings() {
		x := newTwo(t, r, 9)
		other := *x.in
		other.SA = slices.Clone(x.in.SA)
		codes := other.SA[1].Codes()
		for _, c := range other.Classes {
			was := make([]equivclass.Code, len(c.Members))
			for i, m := range c.Members {
				was[i] = codes[m]
			}
			for i, j := range r.Perm(len(was)) {
				codes[c.Members[i]] = was[j]
			}
		}
		other.SA[1] = equivclass.ColumnOf(codes)
		one, two := memory{}, memory{}
		for _, y := range []struct {
			in *render.Input
			to memory
		}{{x.in, one}, {&other, two}} {
			in := *y.in
			in.Release, in.CreatedAt = 1, 1_700_000_000
			_, err := renderBehind(&in, twoSettings(recoding), nil, y.to)
			require.NoError(t, err)
		}
		require.NotEqual(t, one["part-000001/tables.csv"], two["part-000001/tables.csv"])
		for _, name := range []string{"data.csv", "values.csv", "pools.csv", "buckets.csv"} {
			require.Equal(t, one["part-000001/"+name], two["part-000001/"+name], name)
		}
	}
}

// TestTwoAttributesAreReadBack: in each recoding queries about any of several attributes are answered as its bags say, those
// about two as the pools' tables say where there is one; the bounds contain the truth.
func TestTwoAttributesAreReadBack(t *testing.T) {
	for _, recoding := range sharedRecodings() {
		for seed := range uint64(4) {
			x := newTwo(t, rand.New(rand.NewPCG(seed, 7)), 8, 9, 2)
			r, err := readback.Open(x.publish(t, recoding, 3))
			require.NoError(t, err)
			require.NoError(t, r.Load(nil))
			age, income := x.in.QI[0].Codes(), x.in.SA[2].Codes()
			truth := func(is func(age, income float64, ill, drug string) bool, worth bool) (out float64) {
				for i, v := range x.values {
					money := x.in.Dictionaries[3].Number(income[i])
					if is(x.in.Dictionaries[0].Number(age[i]), money, v[0], v[1]) {
						if out++; worth {
							out += money - 1
						}
					}
				}
				return out
			}
			for _, q := range []struct {
				text  string
				is    func(age, income float64, ill, drug string) bool
				exact bool
			}{
				{"count where ill = flu", func(_, _ float64, ill, _ string) bool { return ill == "flu" }, true},
				{`count where "drug, dose" = A`, func(_, _ float64, _, drug string) bool { return drug == "A" }, true},
				{"count where income < 150", func(_, income float64, _, _ string) bool { return income < 150 }, true},
				{"sum(income)", func(_, _ float64, _, _ string) bool { return true }, true},
				{"sum(income) where income >= 120", func(_, income float64, _, _ string) bool { return income >= 120 }, true},
				{`count where ill = flu and "drug, dose" = A`,
					func(_, _ float64, ill, drug string) bool { return ill == "flu" && drug == "A" }, false},
				{`count where age < 30 and ill != flu and "drug, dose" in {A, B}`, func(age, _ float64, ill, drug string) bool {
					return age < 30 && ill != "flu" && (drug == "A" || drug == "B")
				}, false},
				{"count where income < 130 and ill = gout",
					func(_, income float64, ill, _ string) bool { return income < 130 && ill == "gout" }, false},
				{"sum(income) where ill = gout and age > 25", func(age, _ float64, ill, _ string) bool { return ill == "gout" && age > 25 }, false},
				{`sum(income) where "drug, dose" = B and ill = gout`,
					func(_, _ float64, ill, drug string) bool { return ill == "gout" && drug == "B" }, false},
			} {
				a, _, err := r.Ask(q.text)
				require.NoError(t, err)
				want := truth(q.is, strings.HasPrefix(q.text, "sum"))
				require.LessOrEqual(t, a.Lower, want+1e-9, q.text)
				require.GreaterOrEqual(t, a.Upper, want-1e-9, q.text)
				require.LessOrEqual(t, a.Lower, a.Estimate+1e-6, q.text)
				require.GreaterOrEqual(t, a.Upper, a.Estimate-1e-6, q.text)
				if q.exact {
					require.InDelta(t, want, a.Estimate, 1e-9, q.text)
				} else if strings.HasPrefix(q.text, "count where ill = flu and") { // two buckets have no table
					require.InDelta(t, want, a.Estimate, 12, q.text)
					require.LessOrEqual(t, a.Upper-a.Lower, 8.0, q.text)
				}
			}
		}
	}
}

// TestDeclaredReferencesAreCopied: the counts stand next to the releases in their only form, one copy for attributes with the same
// counts; the audit and the check of the releases miss it, and see each change.
func TestDeclaredReferencesAreCopied(t *testing.T) {
	x := newTwo(t, rand.New(rand.NewPCG(1, 2)), 8, 8)
	s := twoSettings(render.Buckets())
	counts := map[string]int64{"A": 10, "B": 10, "C": 10, "D": 10, `E "x", y`: 0}
	for at, of := range map[int]map[string]int64{1: {"flu": 1, "cold": 1, "gout": 1}, 2: counts} {
		s.Promises[at] = &promise.Promise{Gain: promise.NewRatio(20, 1), L: 2, Reference: of}
	}
	releases := x.publishBy(t, s, 2)
	ledger := filepath.Join(filepath.Dir(releases), "ledger")
	m, err := snapshot.Show(snapshot.OS(), releases, 2)
	require.NoError(t, err)
	of := m.Schema[2].Promise.Reference
	path := filepath.Join(releases, of.File)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "value,count\nA,10\nB,10\nC,10\nD,10\n\"E \"\"x\"\", y\",0\n", string(text))
	require.Len(t, m.Copies(), 2)

	check := func() (*audit.Report, []verify.Finding, error) {
		found, err := verify.Dir(snapshot.OS(), releases, ledger)
		require.NoError(t, err)
		r, err := audit.Dir(audit.Options{Releases: releases, Ledger: ledger})
		return r, found.Findings, err
	}
	r, found, err := check()
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	require.Empty(t, found)
	require.NoError(t, os.Remove(path))
	_, found, err = check()
	require.ErrorContains(t, err, filepath.Base(path))
	require.Len(t, found, 2, "of each release")
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), "A,10", "A,11", 1)), 0o444))
	r, found, err = check()
	require.NoError(t, err)
	require.Len(t, found, 2)
	require.Equal(t, format.KindReference, r.Violations[0].Kind)
	require.Equal(t, 2, r.Violations[0].Count, "the counts, and the hash")
}
