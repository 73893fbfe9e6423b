package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/internal/cli"
	"anond/internal/profile"
	"anond/internal/testkit/hospital"
	"anond/lab/anonymize"
	"anond/lab/methods"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/testdata"
)

var recodings = []string{snapshot.NameGeneralization, snapshot.NameAnatomy, snapshot.NamePermutation}

// classMethods are those whose classes any recoding of classes can show.
func classMethods() []methods.Method {
	return slices.DeleteFunc(methods.All(), func(m methods.Method) bool { return m.Only })
}

// ward is a directory with a configuration and a file of admissions.
type ward struct {
	*site
	rows [][]string // of the file: patient, age, sex, postcode, admission, diagnosis
	semi string     // file of semi-sensitive attributes, or empty
}

// newWard writes n admissions, some of them of one patient, as CSV.
func newWard(t *testing.T, n int) *ward {
	w := &ward{site: newSite(t)}
	stream := hospital.New(7)
	for range n {
		a := stream.Next()
		w.rows = append(w.rows, []string{a.Patient, strconv.Itoa(a.Age), a.Sex, a.Postcode, a.Admission, a.Diagnosis})
	}
	w.write("admissions.csv", sheetOf(t, w.rows))
	return w
}

var wardHeader = []string{"patient", "age", "sex", "postcode", "admission", "diagnosis"}

func sheetOf(t *testing.T, rows [][]string) string {
	var b strings.Builder
	c := csv.NewWriter(&b)
	require.NoError(t, c.Write(wardHeader))
	require.NoError(t, c.WriteAll(rows))
	return b.String()
}

// first keeps the first admission of each patient, as the release does.
func (w *ward) first() (out [][]string) {
	seen := map[string]bool{}
	for _, r := range w.rows {
		if !seen[r[0]] {
			out = append(out, r)
		}
		seen[r[0]] = true
	}
	return out
}

// anonymize runs the command with the ward's configuration.
func (w *ward) anonymize(in, out string, more ...string) result {
	w.t.Helper()
	if w.semi != "" {
		more = append(more, "--semi", w.semi)
	}
	return lab(w.t, append([]string{"anonymize", w.path(in), "--out", w.path(out), "-c", w.config}, more...)...)
}

func (w *ward) report(in, out string, more ...string) *anonymize.Report {
	w.t.Helper()
	r := w.anonymize(in, out, append(more, "--json")...)
	require.Equal(w.t, cli.OK, r.code, r.stderr)
	report := &anonymize.Report{}
	require.NoError(w.t, json.Unmarshal([]byte(r.stdout), report))
	return report
}

// consistent demands the auditor's verdict on a directory.
func consistent(t *testing.T, dir string) {
	t.Helper()
	report, err := audit.Dir(audit.Options{Releases: dir})
	require.NoError(t, err)
	assert.Equal(t, audit.VerdictConsistent, report.Verdict)
}

// TestEveryMethodInEveryRecoding: what was asked is reached, every record is
// accounted for, and the auditor, from the files alone, finds nothing.
func TestEveryMethodInEveryRecoding(t *testing.T) {
	tier.NotShort(t, "it makes many releases")
	w := newWard(t, 900)
	for i, m := range classMethods() {
		for j, recoding := range recodings {
			t.Run(m.Name+"/"+recoding, func(t *testing.T) {
				if i%len(recodings) != j { // every method and every recoding, not every pair
					tier.Heavy(t, "TestFrozenAnonymize runs every pair")
				}
				out := m.Name + "-" + recoding
				r := w.report("admissions.csv", out, "--method", m.Name, "--recoding", recoding, "-k", "6", "-l", "3", "-p", "4", "-t", "0.9")
				assert.Equal(t, 900, r.Read)
				assert.Equal(t, 900-len(w.first()), r.Held.SubjectRepeat)
				assert.Equal(t, r.Read, r.Published+r.Held.NoClass+r.Held.SubjectRepeat+r.Held.Refused)
				assert.NotZero(t, r.Classes.Count)
				assert.GreaterOrEqual(t, r.Achieved.K, 6)
				assert.Equal(t, r.Classes.Min, r.Achieved.K)
				assert.GreaterOrEqual(t, r.Achieved.FrequencyL, 3)
				assert.GreaterOrEqual(t, r.Achieved.DistinctL, 4)
				assert.LessOrEqual(t, r.Achieved.T[0].T, 0.9)
				consistent(t, w.path(out))
			})
		}
	}
}

// adult is a configuration and the first rows of Adult.
func adult(t testing.TB, rows int) (dir string) {
	header, all, err := testdata.Rows(testdata.Adult)
	require.NoError(t, err)
	var b strings.Builder
	out := csv.NewWriter(&b)
	var attributes strings.Builder
	for _, name := range header {
		attributes.WriteString("    - " + adultAttribute(name) + "\n")
	}
	require.NoError(t, out.WriteAll(append([][]string{header}, all[:rows]...)))
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "adult.csv"), []byte(b.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "adult.yaml"), []byte("schema:\n  attributes:\n"+attributes.String()), 0o600))
	return dir
}

func adultAttribute(name string) string {
	switch {
	case name == "occupation":
		return "{name: occupation, role: sensitive, type: categorical}"
	case name == "age" || name == "education-num":
		return "{name: " + name + ", role: quasi, type: integer}"
	case slices.Contains([]string{"workclass", "marital-status", "race", "sex", "native-country"}, name):
		return "{name: " + name + ", role: quasi, type: categorical}"
	}
	return "{name: " + name + ", role: drop}"
}

// TestMethodsOnAdult: every method on real data, in the recoding it was made for.
func TestMethodsOnAdult(t *testing.T) {
	tier.NotShort(t, "it runs every method")
	dir := adult(t, 4000)
	all := methods.All()
	for _, m := range all[:tier.Of(t, 0, 4, len(all))] {
		t.Run(m.Name, func(t *testing.T) {
			out := filepath.Join(dir, m.Name)
			r := lab(t, "anonymize", filepath.Join(dir, "adult.csv"), "-c", filepath.Join(dir, "adult.yaml"), "--out", out, "--method", m.Name,
				"-k", "10", "-l", "5", "--json")
			require.Equal(t, cli.OK, r.code, r.stderr)
			var report anonymize.Report
			require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
			assert.Equal(t, 4000, report.Published)
			assert.GreaterOrEqual(t, report.Achieved.K, 10)
			assert.GreaterOrEqual(t, report.Achieved.FrequencyL, 5)
			if !m.Only { // those are plain files
				consistent(t, out)
			}
		})
	}
}

// BenchmarkMethods is the time of each method on the 30,162 training rows of
// Adult at k=10, l=5: of the partitioning alone, and of the whole command.
func BenchmarkMethods(b *testing.B) {
	dir := adult(b, 30162)
	for _, m := range methods.All() {
		b.Run(m.Name, func(b *testing.B) {
			seconds := 0.0
			for b.Loop() {
				out := filepath.Join(b.TempDir(), "release")
				var stdout, stderr strings.Builder
				code := run(b.Context(), []string{"anonymize", filepath.Join(dir, "adult.csv"), "-c", filepath.Join(dir, "adult.yaml"), "--out", out,
					"--method", m.Name, "-k", "10", "-l", "5", "--json"}, cli.Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
					Lookup: func(string) (string, bool) { return "", false }})
				require.Equal(b, cli.OK, code, stderr.String())
				var report anonymize.Report
				require.NoError(b, json.Unmarshal([]byte(stdout.String()), &report))
				seconds += report.Seconds
			}
			b.ReportMetric(seconds/float64(b.N), "s-partition/op")
		})
	}
}

// TestAnonymizeGolden: the whole output of one run.
func TestAnonymizeGolden(t *testing.T) {
	w := newWard(t, 600)
	r := w.anonymize("admissions.csv", "out", "--method", "permutation", "--seed", "3", "-k", "5", "-l", "4", "--entropy", "3.5")
	require.Equal(t, cli.OK, r.code, r.stderr)
	got := strings.ReplaceAll(r.stdout, w.dir, "DIR")
	path := filepath.Join("testdata", "anonymize.golden")
	if *rewrite {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "read the difference, then run with -rewrite")
}

// TestFormatsAgree: the same records as NDJSON, packed or from standard input
// give the same files; the seed decides what is drawn.
func TestFormatsAgree(t *testing.T) {
	w := newWard(t, 400)
	var lines strings.Builder
	for _, r := range w.rows {
		fmt.Fprintf(&lines, `{"patient":%q,"age":%s,"sex":%q,"postcode":%q,"admission":%q,"diagnosis":%q,"unlisted":1}`+"\n", r[0], r[1], r[2],
			r[3], r[4], r[5])
	}
	w.write("admissions.ndjson", lines.String())
	flags := []string{"--method", "permutation", "--seed", "5", "-k", "5", "-l", "3"}
	w.report("admissions.csv", "a", flags...)
	w.report("admissions.ndjson", "b", flags...)
	w.report("admissions.csv", "c", "--method", "permutation", "--seed", "6", "-k", "5", "-l", "3")
	for _, name := range []string{"pqt.csv", "pst.csv"} {
		assert.Equal(t, w.read("a/000001/part-000001/"+name), w.read("b/000001/part-000001/"+name), name)
	}
	assert.NotEqual(t, w.read("a/000001/part-000001/pqt.csv"), w.read("c/000001/part-000001/pqt.csv"))
}

// TestAnonymizeInfeasible: exit 3, the share and what is reachable, no value, and
// nothing that could be taken for a release.
func TestAnonymizeInfeasible(t *testing.T) {
	w := newWard(t, 10)
	var rows [][]string
	for i := range 100 {
		diagnosis := "canary-common"
		if i%5 < 3 {
			diagnosis = fmt.Sprintf("canary-%d", i%6)
		}
		rows = append(rows, []string{fmt.Sprint("P", i), fmt.Sprint(i % 50), "F", "1101", "planned", diagnosis})
	}
	w.write("in.csv", sheetOf(t, rows))
	for _, c := range []struct{ flags, want, hint string }{
		{"-l 3", `error: the most frequent value of "diagnosis" has 40.0 % of the 100 records (40), more than 1/l = 33.3 %`,
			"hint: l = 2 is reachable"},
		{"-l 1 -k 101", "error: k is 101, but there are 100 records", "hint: k = 100 is reachable"},
		{"-l 2 -p 8", "satisfy distinct(8)", "hint: there are 7 different values"},
		{"-l 2 --entropy 6.5", "satisfy entropy(6.5)", "hint: the entropy of all values allows 5."},
		{"-l 2 --recursive 0.5,3", "satisfy recursive(0.5,3)", "hint: with c = 0.5 not even l = 2 is reachable"},
	} {
		t.Run(c.flags, func(t *testing.T) {
			r := w.anonymize("in.csv", "out", strings.Fields(c.flags)...)
			assert.Equal(t, cli.Unprivate, r.code)
			assert.Contains(t, r.stderr, c.want)
			assert.Contains(t, r.stderr, c.hint)
			assert.NotContains(t, r.stdout+r.stderr, "canary")
			assert.NoDirExists(t, w.path("out"))
		})
	}
	for _, m := range methods.All() {
		assert.Equal(t, cli.Unprivate, w.anonymize("in.csv", "out", "-l", "3", "--method", m.Name).code, m.Name)
	}
	r := w.report("in.csv", "out", "-l", "2")
	assert.Equal(t, 100, r.Published, "the l that was said to be reachable is")
}

// TestAnonymizeHoldsNobodyNeedlessly: where the table as one class keeps what is
// asked, every method publishes everybody, but for further records of a person;
// a principle that is strict costs loss, not people.
func TestAnonymizeHoldsNobodyNeedlessly(t *testing.T) {
	tier.NotShort(t, "it runs every method")
	w := newWard(t, 300)
	for _, m := range methods.All() {
		if m.Recoding == recodingLGB {
			continue // keeps l alone for the sensitive attribute
		}
		for _, limit := range []string{"0.45", "0.02"} {
			out := m.Name + limit
			r := w.report("admissions.csv", out, "-k", "5", "-l", "3", "-t", limit, "--method", m.Name)
			assert.Zero(t, r.Held.NoClass, out)
			assert.Equal(t, r.Read, r.Published+r.Held.SubjectRepeat, out)
			want, err := strconv.ParseFloat(limit, 64)
			require.NoError(t, err)
			assert.LessOrEqual(t, r.Achieved.T[0].T, want+1e-9, out)
		}
	}
	e := evaluation(t, w.path("extract0.45"), "--original", w.path("admissions.csv"))
	assert.Positive(t, e.Published)
}

// TestReportTellsWhoIsHeld: what a method cannot place is counted and told.
func TestReportTellsWhoIsHeld(t *testing.T) {
	var b strings.Builder
	r := anonymize.Report{Read: 9, Published: 6, Held: anonymize.Held{NoClass: 3}, Achieved: anonymize.Achieved{}}
	require.NoError(t, r.Text(&b))
	assert.Contains(t, b.String(), "held: 3, in no class")
}

// TestRuleVAnonymize: lines that cannot be taken are named by file, line and
// reason, and no value of any line is told, even in errors and reports.
func TestRuleVAnonymize(t *testing.T) {
	w := newWard(t, 300)
	for i := range w.rows {
		w.rows[i][4], w.rows[i][5] = "canary-admission", fmt.Sprintf("canary-%d", i%9)
	}
	text := sheetOf(t, w.rows) + "canary-x,canary-age,F,1101,planned,flu\n" + "canary-y,3,F,canary-code,planned,flu\n" + "canary,too,few\n" +
		"canary-z,4,F,1101,planned,\n" + "canary-q,4,F,1101,\"can\"ary,flu\n"
	w.write("in.csv", text)
	r := w.anonymize("in.csv", "out", "--recoding", "generalization")
	require.Equal(t, cli.OK, r.code, r.stderr)
	for line, want := range map[int]string{302: `refused: not_a_number (attribute "age"): write a plain number, such as 42`,
		303: `refused: value_not_in_hierarchy (attribute "postcode"): use a value of the hierarchy, or add it there`,
		304: "refused: wrong_field_count: write as many fields as in the header",
		305: `refused: missing_value (attribute "diagnosis"): give a value, or, unless it is a sensitive number, set schema.missing to value`,
		306: "refused: malformed_csv: quote whole fields, and double the quotes inside"} {
		assert.Contains(t, r.stderr, fmt.Sprintf("in.csv:%d: %s\n", line, want))
	}
	assert.Contains(t, r.stdout, "refused: 5, lines that do not fit the schema")
	assert.NotContains(t, r.stdout+r.stderr+w.read("out/000001/manifest.json"), "canary")
	e := lab(t, "evaluate", w.path("out"), "--original", w.path("in.csv"))
	require.Equal(t, cli.OK, e.code, e.stderr)
	assert.NotContains(t, e.stdout+e.stderr, "canary")

	strict := w.anonymize("in.csv", "strict", "--strict")
	assert.Equal(t, cli.Failed, strict.code)
	assert.Contains(t, strict.stderr, "error: 5 lines of 305 refused")
	assert.NotContains(t, strict.stderr, "canary")
	assert.NoDirExists(t, w.path("strict"))
}

// TestAnonymizeUsage: what is asked wrongly is refused before anything is read.
func TestAnonymizeUsage(t *testing.T) {
	w := newWard(t, 50)
	w.report("admissions.csv", "full", "-l", "2", "-k", "3")
	in, out, dir := w.path("admissions.csv"), w.path("new"), w.path("full")
	w.write("nobody.csv", "")
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{cli.Misused, []string{"anonymize"}, "needs a file to read"},
		{cli.Misused, []string{"anonymize", in}, "needs a directory"},
		{cli.Misused, []string{"anonymize", in, "--out", dir, "-c", w.config}, "is not empty"},
		{cli.Misused, []string{"anonymize", in, "--out", out, "-c", w.config, "--method", "magic"}, `method "magic" is not known`},
		{cli.Misused, []string{"anonymize", in, "--out", out, "-c", w.config, "--recoding", "slicing"},
			"needs to know which columns stay together"},
		{cli.Misused, []string{"anonymize", in, "--out", out, "-c", w.config, "-k", "1"}, "at k = 1 a class may be one person"},
		{cli.Misused, []string{"anonymize", in, "--out", out, "-c", w.config, "-t", "0.2", "--ground", "ordered"}, "does not fit attribute"},
		{cli.Misused, []string{"anonymize", in, "--out", out, "-c", w.config, "--recursive", "x"}, "--recursive needs"},
		{cli.Misused, []string{"anonymize", in, "--out", out, "-c", w.config, "--recursive", "Inf,3"}, "--recursive needs"},
		{cli.Misused, []string{"anonymize", in, "--out", out, "-c", w.config, "-t", "0"}, "t = 0 is not between 0 and 1"},
		{cli.Misused, []string{"anonymize", in, "--out", out, "-c", w.config, "-t", "nan"}, "t = NaN is not between 0 and 1"},
		{cli.Misused, []string{"anonymize", in, "--out", out, "-c", w.config, "-k", "0"}, "at k = 0 a class may be one person"},
		{cli.Misused, []string{"anonymize", in, "--out", out, "-c", w.config, "-l", "0"}, "l = 0 is not a promise"},
		{cli.Misused, []string{"anonymize", in, "--out", out, "-c", w.config, "-p", "0"}, "every class satisfies -p 0"},
		{cli.Misused, []string{"anonymize", in, "--out", out, "-c", w.config, "--entropy", "nan"}, "every class satisfies --entropy NaN"},
		{cli.Misused, []string{"anonymize", in, "--out", in, "-c", w.config}, "is not a directory"},
		{cli.Misused, []string{"anonymize", in, "--out", out, "-c", w.config, "--format", "debezium"}, `format "debezium" is not known`},
		{cli.Misused, []string{"evaluate", dir, "--original", in, "--format", "xml"}, `format "xml" is not known`},
		{cli.Unprivate, []string{"anonymize", w.path("nobody.csv"), "--out", out, "-c", w.config}, "there is no record to publish"},
		{cli.Failed, []string{"anonymize", w.path("none.csv"), "--out", out, "-c", w.config}, "no such file"},
		{cli.BadConfig, []string{"anonymize", in, "--out", out, "-c", w.path("none.yaml")}, "cannot be read"},
		{cli.Misused, []string{"evaluate", dir}, "needs the source table"},
		{cli.Failed, []string{"evaluate", w.dir, "--original", in}, "neither manifest.json nor CURRENT"},
		{cli.Misused, []string{"query", dir, "count when"}, "query, column"},
		{cli.Misused, []string{"query", dir, "count where nose = 3"}, `no attribute "nose"`},
		{cli.Misused, []string{"query", dir, "sum(sex)"}, "cannot be summed"},
	} {
		r := lab(t, c.args...)
		assert.Equal(t, c.code, r.code, c.args)
		assert.Contains(t, r.stderr, c.want, c.args)
		assert.Empty(t, r.stdout, c.args)
	}
	assert.NoDirExists(t, out)
}

// TestAnonymizeIsInterrupted: who stops a run while it forms classes gets no
// release, not even of what was finished in time.
func TestAnonymizeIsInterrupted(t *testing.T) {
	w := newWard(t, 300)
	cfg, _, err := config.LoadOneOff(w.config, os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	table, err := anonymize.Read(t.Context(), anonymize.Input{Input: profile.Input{Name: w.path("admissions.csv")}}, cfg.Schema)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"mondrian", "lgb-fixed"} {
		method, err := methods.Find(name)
		require.NoError(t, err)
		_, err = anonymize.Run(ctx, table, anonymize.Options{Method: method, Recoding: method.Recoding,
			Want: equivclass.Requirement{K: 3, L: 2}, Ground: "equal", Dataset: "ward", Dir: w.path("out"), Now: time.Now})
		assert.ErrorIs(t, err, context.Canceled, name)
	}
	assert.NoDirExists(t, w.path("out"))
}

// TestMethodsAreListed: --list names each method, and a page of lab/docs/methods has
// a section for each.
func TestMethodsAreListed(t *testing.T) {
	text := lab(t, "anonymize", "--list").stdout
	var doc string
	for _, page := range []string{"CELLS.md", "GROUPS.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "lab", "docs", "methods", page))
		require.NoError(t, err)
		doc += string(text)
	}
	for _, m := range methods.All() {
		assert.Contains(t, text, "\n"+m.Name+" ")
		assert.Contains(t, doc, "\n## `"+m.Name+"`")
	}
}
