package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"anond/equivclass/equivtest/tier"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass/query"
	"anond/internal/cli"
	"anond/internal/profile"
	"anond/internal/testkit/hospital"
	"anond/lab/anonymize"
	"anond/snapshot"
	"anond/snapshot/audit"
)

// clinicSchema has two semi-sensitive attributes, as clinicSemi says: sex by t, postcode by l.
const clinicSchema = `dataset: clinic
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: sex, role: quasi, type: categorical}
    - {name: postcode, role: quasi, type: categorical}
    - {name: sex_private, role: drop}
    - {name: postcode_private, role: drop}
    - {name: diagnosis, role: sensitive, type: categorical}
`

const clinicSemi = `{"sex": {"flag": "sex_private", "t": 0.3}, "postcode": {"flag": "postcode_private", "l": 3}}`

// clinicRow is a record of the clinic: patient, age, sex, postcode, the flags of
// both, diagnosis.
type clinicRow []string

// newClinic writes n admissions with flags; few say that their sex is private.
func newClinic(t *testing.T, n int) (w *ward, rows []clinicRow) {
	w = &ward{site: newSite(t)}
	w.write("clinic.yaml", clinicSchema)
	w.config = w.path("clinic.yaml")
	w.write("semi.json", clinicSemi)
	w.semi = w.path("semi.json")
	stream := hospital.New(11)
	seen := map[string]bool{}
	var b strings.Builder
	c := csv.NewWriter(&b)
	require.NoError(t, c.Write([]string{"patient", "age", "sex", "postcode", "sex_private", "postcode_private", "diagnosis"}))
	yes := func(b bool) string { return map[bool]string{true: "Yes", false: "no"}[b] }
	for i := 0; len(rows) < n; i++ {
		a := stream.Next()
		if seen[a.Patient] {
			continue
		}
		seen[a.Patient] = true
		row := clinicRow{a.Patient, strconv.Itoa(a.Age), a.Sex, a.Postcode, yes(i%7 == 0), yes(i%3 == 0), a.Diagnosis}
		rows = append(rows, row)
		require.NoError(t, c.Write(row))
	}
	c.Flush()
	w.write("clinic.csv", b.String())
	return w, rows
}

var lgbMethods = []string{"lgb-mdp", "lgb-ncp", "lgb-fixed"}

// TestLGBFromFileToAnswer: anonymize, verify, audit, evaluate, query. What the
// report states is what the files say to a naive reader.
func TestLGBFromFileToAnswer(t *testing.T) {
	tier.NotShort(t, "it runs many tables")
	t.Parallel()
	w, rows := newClinic(t, 600)
	for _, method := range lgbMethods {
		t.Run(method, func(t *testing.T) {
			r := w.report("clinic.csv", method, "--method", method, "-k", "6", "-l", "4")
			assert.Equal(t, r.Read, r.Published+r.Held.NoClass)
			assert.GreaterOrEqual(t, r.Achieved.K, 6)
			assert.GreaterOrEqual(t, r.Achieved.FrequencyL, 4)
			require.Len(t, r.Local, 3)
			assert.LessOrEqual(t, r.Local[0].T.T, 0.3+1e-9)
			assert.GreaterOrEqual(t, r.Local[1].L, 3)
			assert.Equal(t, r.Published, r.Local[2].Sensitive)
			w.level(method, r)
			naiveLocal(t, w.path(method), r)

			e := evaluation(t, w.path(method), "--original", w.path("clinic.csv"), "-c", w.config)
			assert.Equal(t, []any{r.Classes, r.Published, r.Achieved.K, r.Achieved.FrequencyL},
				[]any{e.Classes, e.Published, e.Attributes[0].Achieved.K, e.Attributes[0].Achieved.FrequencyL})
			if r.Held.NoClass == 0 {
				assert.InDelta(t, r.Loss.NCP, e.Loss.NCP, 1e-4)
			}
			assert.InDelta(t, r.Loss.RE, e.Loss.RE, 1e-6)
			for i := range r.Local {
				assert.Equal(t, []any{r.Local[i].Promise, r.Local[i].Sensitive, r.Local[i].L},
					[]any{e.Local[i].Promise, e.Local[i].Sensitive, e.Local[i].L})
				assert.InDelta(t, r.Local[i].Width, e.Local[i].Width, 1e-6)
			}
			assert.Equal(t, e.Attributes[0].Error.Asked, e.Attributes[0].Error.Inside+missed(e, r), "bounds hold the truth of what is published")

			truth, ages := 0.0, 0.0
			for _, row := range rows {
				if row[2] == "F" && asked(row[6]) {
					truth++
					age, _ := strconv.Atoi(row[1])
					ages += float64(age)
				}
			}
			a := w.ask(method, "clinic.csv", "count where sex = F and diagnosis in {influenza, asthma}")
			assert.InDelta(t, naiveLGBCount(t, w.path(method)), a.Estimate, 1e-6)
			s := w.ask(method, "clinic.csv", "sum(age) where sex = F and diagnosis in {influenza, asthma}")
			if r.Held.NoClass == 0 {
				assert.True(t, a.Lower <= truth && truth <= a.Upper)
				assert.True(t, s.Lower <= ages && ages <= s.Upper)
			}
		})
	}
}

// level holds the level that the report states against the text of the files.
func (w *ward) level(method string, r *anonymize.Report) {
	sizes, rows := map[string]int{}, map[[3]string]int{} // by class; by attribute, bucket and class
	classes := map[[2]string]map[string]bool{}
	for _, row := range cells(w.t, w.path(method), "lgb.csv") {
		sizes[row[4]]++
		for j, cell := range row[:4] {
			if n, ok := strings.CutPrefix(cell, "*"); ok && n != "" {
				b := [2]string{strconv.Itoa(j), n}
				if classes[b] == nil {
					classes[b] = map[string]bool{}
				}
				classes[b][row[4]] = true
				rows[[3]string{b[0], b[1], row[4]}]++
			}
		}
	}
	crossing := 0
	for key, n := range rows {
		if len(classes[[2]string{key[0], key[1]}]) > 1 && n < sizes[key[2]] {
			crossing++
		}
	}
	text := w.anonymize("clinic.csv", method+"-text", "--method", method, "-k", "6", "-l", "4").stdout
	if method == "lgb-fixed" {
		assert.Zero(w.t, crossing)
		assert.Equal(w.t, snapshot.LevelL0L1, r.Level)
		assert.NotContains(w.t, text, "Level rows")
	} else {
		assert.NotZero(w.t, crossing)
		assert.Equal(w.t, "rows", r.Level)
		assert.Contains(w.t, text, "Level rows, weaker than L0")
		assert.Contains(w.t, text, "Method lgb-fixed keeps 1/l for both")
	}
}

// ask answers a query from plain files, next to the table that they came from.
func (w *ward) ask(out, original, text string) query.Answer {
	w.t.Helper()
	o, err := anonymize.Open(w.path(out))
	require.NoError(w.t, err)
	cfg, _, err := config.LoadOneOff(w.config, os.LookupEnv, os.ReadFile)
	require.NoError(w.t, err)
	t, err := anonymize.Read(w.t.Context(), anonymize.Input{Input: profile.Input{Name: w.path(original)}, Semi: o.About.Semi}, cfg.Schema)
	require.NoError(w.t, err)
	require.NoError(w.t, o.Load(t))
	q, err := query.Parse(text)
	require.NoError(w.t, err)
	bound, err := query.Bind(q, o.Release.Dicts)
	require.NoError(w.t, err)
	return o.Estimator(o.Release).Estimate(bound)
}

// missed allows as many queries outside the bounds as held records can cause.
func missed(e anonymize.Evaluation, r *anonymize.Report) int {
	if r.Held.NoClass == 0 {
		return 0
	}
	return e.Attributes[0].Error.Asked - e.Attributes[0].Error.Inside
}

// naiveLocal reads both files of LGB as text and holds them against the report.
func naiveLocal(t *testing.T, dir string, r *anonymize.Report) {
	t.Helper()
	sizes := map[string]int{}
	rowsOf := map[string]map[string]int{} // by attribute, bucket: rows that name it
	names := []string{"age", "sex", "postcode", "diagnosis"}
	for _, row := range cells(t, dir, "lgb.csv") {
		sizes[row[4]]++
		for j, cell := range row[:4] {
			if n, ok := strings.CutPrefix(cell, "*"); ok && n != "" {
				if rowsOf[names[j]] == nil {
					rowsOf[names[j]] = map[string]int{}
				}
				rowsOf[names[j]][n]++
			}
		}
	}
	least := math.MaxInt
	for _, n := range sizes {
		least = min(least, n)
	}
	assert.Equal(t, least, r.Achieved.K)
	held, top := map[string]map[string]int{}, map[string]float64{}
	counts := map[string]map[string]int{}
	for _, row := range cells(t, dir, "buckets.csv") {
		n, err := strconv.Atoi(row[3])
		require.NoError(t, err)
		for _, m := range []*map[string]map[string]int{&held, &counts} {
			if (*m)[row[0]] == nil {
				(*m)[row[0]] = map[string]int{}
			}
		}
		held[row[0]][row[1]] += n
		counts[row[0]][row[1]+"\x00"+row[2]] += n
	}
	assert.Equal(t, rowsOf, held, "as many rows name a bucket as it has values")
	for attribute, of := range counts {
		for key, n := range of {
			bucket, _, _ := strings.Cut(key, "\x00")
			top[attribute] = max(top[attribute], float64(n)/float64(held[attribute][bucket]))
		}
	}
	assert.LessOrEqual(t, top["postcode"], 1.0/3+1e-9)
	assert.InDelta(t, r.Achieved.MaxFrequency, top["diagnosis"], 1e-9)
}

// naiveLGBCount estimates the question from the text of the files.
func naiveLGBCount(t *testing.T, dir string) (sum float64) {
	share := map[string]float64{} // attribute, bucket: share that is asked for
	total := map[string]float64{}
	rows := cells(t, dir, "buckets.csv")
	for _, row := range rows {
		n, _ := strconv.ParseFloat(row[3], 64)
		total[row[0]+row[1]] += n
		if row[0] == "sex" && row[2] == "F" || row[0] == "diagnosis" && asked(row[2]) {
			share[row[0]+row[1]] += n
		}
	}
	for _, row := range cells(t, dir, "lgb.csv") {
		sex := naiveSex(row[1])
		if n, ok := strings.CutPrefix(row[1], "*"); ok {
			sex = share["sex"+n] / total["sex"+n]
		}
		d := "diagnosis" + strings.TrimPrefix(row[3], "*")
		sum += sex * share[d] / total[d]
	}
	return sum
}

// TestLGBRefusals: flags that cannot be read are refused by line; what cannot be
// kept names the attribute, the share and the l that can, never a value.
func TestLGBRefusals(t *testing.T) {
	w, rows := newClinic(t, 60)
	var b strings.Builder
	b.WriteString("patient,age,sex,postcode,sex_private,postcode_private,diagnosis\n")
	for i, r := range rows {
		postcode := "canary-common"
		if i%3 == 0 {
			postcode = fmt.Sprintf("canary-%d", i)
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s,no,yes,%s\n", r[0], r[1], r[2], postcode, r[6])
	}
	w.write("skewed.csv", b.String()+"PX,4,F,canary-x,perhaps,yes,flu\nPY,4,F,canary-y,,yes,flu\n")
	for _, method := range lgbMethods {
		r := w.anonymize("skewed.csv", "out", "--method", method, "-k", "4", "-l", "2")
		assert.Equal(t, cli.Unprivate, r.code)
		assert.Contains(t, r.stderr,
			`the most frequent sensitive value of "postcode" has 66.7 % of the 60 sensitive values (40), more than 1/l = 33.3 %`)
		assert.Contains(t, r.stderr, "hint: not even l = 2 is reachable")
		assert.Contains(t, r.stderr, `skewed.csv:62: refused: bad_flag (attribute "sex_private")`)
		assert.Contains(t, r.stderr, `skewed.csv:63: refused: bad_flag`)
		assert.NotContains(t, r.stdout+r.stderr, "canary")
		assert.NoDirExists(t, w.path("out"))
	}
	lonely := w.anonymize("clinic.csv", "lonely", "--method", "lgb-mdp", "-k", "61", "-l", "2")
	assert.Equal(t, cli.Unprivate, lonely.code)
	assert.Contains(t, lonely.stderr, "k is 61, but there are 60 records")
	far := w.anonymize("clinic.csv", "far", "--method", "lgb-mdp", "-k", "50", "-l", "2")
	assert.Equal(t, cli.Unprivate, far.code)
	assert.Contains(t, far.stderr, "no k = 50 records have the same values flagged")
}

// TestLGBFixedHoldsFewer: people of rare flags join those who protect more in
// attributes by t, and the report says so.
func TestLGBFixedHoldsFewer(t *testing.T) {
	w, _ := newClinic(t, 150)
	plain := w.report("clinic.csv", "plain", "--method", "lgb-ncp", "-k", "12", "-l", "3")
	fixed := w.report("clinic.csv", "fixed", "--method", "lgb-fixed", "-k", "12", "-l", "3")
	require.NotZero(t, plain.Held.NoClass)
	assert.LessOrEqual(t, fixed.Held.NoClass, plain.Held.NoClass)
	text := w.anonymize("clinic.csv", "text", "--method", "lgb-ncp", "-k", "12", "-l", "3").stdout
	assert.Contains(t, text, fmt.Sprintf("held: %d, because fewer than k = 12 people have the same flags", plain.Held.NoClass))
	assert.Contains(t, text, "a value is as probable as its share of the bucket")
}

// alonePromises are the releases that carry no promise.
var alonePromises = map[string][]string{
	"mixed":         {"--method", "arp-up", "--recoding", "slicing", "--slices", "age+diagnosis,sex,postcode+admission"},
	"randomization": {"--method", "arp-up", "--recoding", "randomization", "--retention", "0.4"},
	"ng":            {"--method", "ng"},
}

// TestReleasesWithoutPromise: they are written, measured and asked as others are, and say
// in file and report that they promise nothing.
func TestReleasesWithoutPromise(t *testing.T) {
	w := newWard(t, 500)
	for name, flags := range alonePromises {
		t.Run(name, func(t *testing.T) {
			flags := append(flags, "-k", "6", "-l", "3")
			r := w.report("admissions.csv", name, flags...)
			assert.Equal(t, "none", r.Across)
			text := w.anonymize("admissions.csv", name+"-text", flags...).stdout
			assert.Contains(t, text, "has no promise 1/l, neither by itself nor together with another release of the same people: ")
			assert.NotContains(t, text, "keeps its promise only by itself")
			assert.Contains(t, w.read(name+"/table.json"), "why_no_promise")
			_, err := audit.Dir(audit.Options{Releases: w.path(name)})
			assert.Error(t, err, "it is no release")

			e := evaluation(t, w.path(name), "--original", w.path("admissions.csv"), "-c", w.config)
			assert.Equal(t, "none", e.Across)
			assert.Equal(t, r.Classes, e.Classes)
			assert.InDelta(t, r.Loss.NCP, max(e.Loss.NCP, map[bool]float64{true: e.Loss.Box}[name == "mixed"]), 1e-4)
			assert.Equal(t, e.Attributes[0].Error.Asked, e.Attributes[0].Error.Inside)
			all := w.ask(name, "admissions.csv", "count")
			assert.InDelta(t, len(w.first()), all.Estimate, 1e-6)
		})
	}
}

// TestSlicingAgainstNaive: the estimate is that of group shares of each slice.
func TestSlicingAgainstNaive(t *testing.T) {
	w := newWard(t, 500)
	r := w.report("admissions.csv", "sliced", "--method", "arp-up", "--recoding", "slicing", "--slices", "age+sex,postcode,admission", "-k",
		"4", "-l", "2")
	assert.Empty(t, r.Across)
	rows := cells(t, w.path("sliced"), "sliced.csv")
	size, hits := shares(t, rows, 5, one,
		func(r []string) bool { return naiveAge(t, r[0]) == 1 && r[1] == "F" }, func(r []string) bool { return r[2][0] == '1' },
		func(r []string) bool { return asked(r[4]) })
	want := 0.0
	for g, n := range size {
		want += n * (hits[0][g] / n) * (hits[1][g] / n) * (hits[2][g] / n)
	}
	a := w.ask("sliced", "admissions.csv", question)
	assert.InDelta(t, want, a.Estimate, 1e-6)
	e := evaluation(t, w.path("sliced"), "--original", w.path("admissions.csv"), "-c", w.config)
	assert.Equal(t, e.Attributes[0].Error.Asked, e.Attributes[0].Error.Inside)
	assert.InDelta(t, r.Loss.RE, e.Loss.RE, 1e-9)

	anatomy := w.report("admissions.csv", "whole", "--method", "arp-up", "--recoding", "slicing", "--slices", "age+sex+postcode+admission",
		"-k", "4", "-l", "2")
	whole := evaluation(t, w.path("whole"), "--original", w.path("admissions.csv"), "-c", w.config)
	assert.InDelta(t, anatomy.Loss.GLP, whole.Loss.GLP, 1e-9, "one slice of all columns is anatomy")
}

// TestRingsAgainstNaive: each row is asked by its own cells.
func TestRingsAgainstNaive(t *testing.T) {
	w := newWard(t, 400)
	w.report("admissions.csv", "rings", "--method", "ng", "-k", "4", "-l", "3")
	a := w.ask("rings", "admissions.csv", question)
	assert.InDelta(t, naiveGeneralization(t, w.path("rings")), a.Estimate, 1e-6)
	truth := 0.0
	for _, r := range w.first() {
		if naiveAge(t, r[1]) == 1 && r[2] == "F" && r[3][0] == '1' && asked(r[5]) {
			truth++
		}
	}
	assert.True(t, a.Lower <= truth && truth <= a.Upper)
}

// TestRandomizationIsUnbiased: over many draws the mean of the estimates is the
// truth, where groups have exactly l values; a single one may be far off.
func TestRandomizationIsUnbiased(t *testing.T) {
	tier.Heavy(t, "it is statistics over many runs")
	w := newWard(t, 10)
	var rows [][]string
	for i := range 240 {
		rows = append(rows, []string{fmt.Sprint("P", i), fmt.Sprint(i % 40), []string{"F", "M"}[i/5%2], "1101", "planned",
			[]string{"a", "b", "c"}[i%3]})
	}
	w.write("in.csv", sheetOf(t, rows))
	const draws = 60
	sum, truth := 0.0, 0.0
	for _, r := range rows {
		if r[2] == "F" && r[5] == "a" {
			truth++
		}
	}
	var seen []float64
	for seed := range draws {
		out := fmt.Sprint("r", seed)
		require.Equal(t, cli.OK, w.anonymize("in.csv", out, "--method", "anatomy", "--recoding", "randomization", "--retention", "0.5", "-k",
			"30", "-l", "3", "--seed", strconv.Itoa(seed)).code)
		a := w.ask(out, "in.csv", "count where sex = F and diagnosis = a")
		sum += a.Estimate
		seen = append(seen, a.Estimate)
		assert.True(t, a.Lower <= truth && truth <= a.Upper)
	}
	// The deviation of one estimate is below 10 here, of the mean below 1.4: four
	// of these are exceeded in one of ten thousand choices of the seeds.
	assert.InDelta(t, truth, sum/draws, 5.6)
	slices.Sort(seen)
	assert.NotEqual(t, seen[0], seen[draws-1])
}

// TestGeneralizationTellsItsRecords: where cells do not overlap, GLP and phi^2
// are those of the classes; where they do, evaluate says why not.
func TestGeneralizationTellsItsRecords(t *testing.T) {
	w := newWard(t, 300)
	w.report("admissions.csv", "extract", "-k", "5", "-l", "2")
	other := evaluation(t, w.path("extract"), "--original", w.path("admissions.csv"))
	require.Len(t, other.Unmeasured, 1)
	assert.Contains(t, other.Unmeasured[0], "cells overlap")

	w.write("age.yaml", "schema:\n  attributes:\n    - {name: patient, role: subject}\n    - {name: age, role: quasi, type: integer}\n    "+
		"- {name: sex, role: drop}\n    - {name: postcode, role: drop}\n    - {name: admission, role: drop}\n    - {name: diagnosis, role: "+
		"sensitive, type: categorical}\n")
	w.config = w.path("age.yaml")
	r := w.report("admissions.csv", "ages", "--method", "mondrian", "-k", "5", "-l", "2")
	require.Greater(t, r.Classes.Count, 3)
	e := evaluation(t, w.path("ages"), "--original", w.path("admissions.csv"), "--dims", "2")
	assert.Empty(t, e.Unmeasured)
	assert.InDelta(t, r.Loss.GLP, e.Loss.GLP, 1e-9)
	assert.InDelta(t, r.Loss.Phi2[0].Preserved, e.Loss.Phi2[0].Preserved, 1e-9)
}

// TestRecodingUsage: what does not fit together is refused before anything is read.
func TestRecodingUsage(t *testing.T) {
	w := newWard(t, 50)
	c, _ := newClinic(t, 50)
	for _, x := range []struct {
		w    *ward
		args string
		want string
	}{
		{w, "--recoding slicing", "needs to know which columns stay together"},
		{w, "--recoding slicing --slices age,sex", `"postcode" is in no slice`},
		{w, "--recoding slicing --slices age+age,sex", `"age" is listed twice`},
		{w, "--recoding slicing --slices age+nose", `"nose" is not a quasi-identifier`},
		{w, "--slices age", "--slices does not belong to recoding generalization"},
		{w, "--recoding randomization", "needs the probability"},
		{w, "--recoding randomization --retention 1", "needs the probability"},
		{w, "--retention 0.5", "--retention does not belong"},
		{w, "--recoding lgb", "is written by the methods lgb-mdp"},
		{w, "--method ng -k 5 -l 1", "with l = 1 a row would show one person exactly"},
		{w, "--method ng --recoding anatomy", "method ng is written in recoding generalization alone"},
		{w, "--method lgb-mdp --recoding anatomy", "method lgb-mdp is written in recoding lgb alone"},
		{c, "-k 3 -l 2", "only recoding lgb publishes semi-sensitive attributes"},
	} {
		in := map[*ward]string{w: "admissions.csv", c: "clinic.csv"}[x.w]
		r := x.w.anonymize(in, "new", strings.Fields(x.args)...)
		assert.Equal(t, cli.Misused, r.code, x.args)
		assert.Contains(t, r.stderr, x.want, x.args)
		assert.NoDirExists(t, x.w.path("new"))
	}
	sealed := c.anonymize("clinic.csv", "t", "--method", "lgb-mdp", "-k", "3", "-l", "2", "-t", "0.2")
	assert.Equal(t, cli.Unprivate, sealed.code)
	assert.Contains(t, sealed.stderr, "t-closeness of the sensitive attribute is not kept by LGB")
}

// TestDamagedLocalFiles: readers name file and row, and never quote it.
func TestDamagedLocalFiles(t *testing.T) {
	w, _ := newClinic(t, 120)
	w.report("clinic.csv", "r", "--method", "lgb-mdp", "-k", "4", "-l", "3")
	for name, change := range map[string]func(text string) string{
		"lgb.csv":     func(s string) string { return strings.Replace(s, ",*1,", ",*99999,", 1) },
		"buckets.csv": func(s string) string { return strings.Replace(s, "diagnosis,1,", "diagnosis,7,", 1) },
	} {
		path := filepath.Join(w.path("r"), name)
		old, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotEqual(t, string(old), change(string(old)))
		require.NoError(t, os.WriteFile(path, []byte(change(string(old))), 0o644))
		r := lab(t, "evaluate", w.path("r"), "--original", w.path("clinic.csv"), "-c", w.config)
		assert.Equal(t, cli.Failed, r.code)
		assert.Contains(t, r.stderr, "is not the file that table.json describes")
		require.NoError(t, os.WriteFile(path, old, 0o644))
	}
}
