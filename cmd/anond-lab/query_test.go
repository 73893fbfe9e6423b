package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/query"
	"anond/internal/cli"
	"anond/lab/anonymize"
	"anond/lab/estimate"
	"anond/snapshot"
)

// cells reads a data file of a release.
func cells(t *testing.T, dir, name string) [][]string {
	path := filepath.Join(dir, name) // of plain files
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join(dir, "000001", "part-000001", name)
	}
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	return rows[1:]
}

// The question of these tests: age from 20 to 60, sex F, region 1 (a label of
// the hierarchy), one of two diagnoses. Naive answers follow, each from the text
// of the files alone.
const question = `count where age in [20,60] and sex = F and postcode = 1xxx and diagnosis in {influenza, asthma}`

func asked(diagnosis string) bool { return diagnosis == "influenza" || diagnosis == "asthma" }

// naiveAge is the share of the whole ages of a cell that lie in [20,60].
func naiveAge(t *testing.T, cell string) float64 {
	lo, hi, ranged := strings.Cut(strings.Trim(cell, "[]"), ",")
	if !ranged {
		hi = lo
	}
	from, err := strconv.Atoi(lo)
	require.NoError(t, err)
	to, err := strconv.Atoi(hi)
	require.NoError(t, err)
	n := 0
	for age := from; age <= to; age++ {
		if age >= 20 && age <= 60 {
			n++
		}
	}
	return float64(n) / float64(to-from+1)
}

// naiveRegion is the share of region 1 in a postcode cell: 30 codes a region,
// four regions.
func naiveRegion(cell string) float64 {
	switch {
	case cell == "*":
		return 0.25
	case cell[0] == '1':
		return 1
	}
	return 0
}

func naiveSex(cell string) float64 {
	switch cell {
	case "F":
		return 1
	case "M":
		return 0
	}
	return 0.5
}

func naiveGeneralization(t *testing.T, dir string) (sum float64) {
	for _, r := range cells(t, dir, "data.csv") {
		if asked(r[4]) {
			sum += naiveAge(t, r[0]) * naiveSex(r[1]) * naiveRegion(r[2])
		}
	}
	return sum
}

// shares counts, in each group, the rows and those that satisfy each test.
func shares(t *testing.T, rows [][]string, group int, weight func([]string) int, tests ...func([]string) bool) (
	size map[string]float64, hits []map[string]float64) {
	size = map[string]float64{}
	for range tests {
		hits = append(hits, map[string]float64{})
	}
	for _, r := range rows {
		size[r[group]] += float64(weight(r))
		for i, test := range tests {
			if test(r) {
				hits[i][r[group]] += float64(weight(r))
			}
		}
	}
	return size, hits
}

func one([]string) int { return 1 }

func naiveAnatomy(t *testing.T, dir string) (sum float64) {
	size, left := shares(t, cells(t, dir, "qit.csv"), 4, one, func(r []string) bool {
		return naiveAge(t,
			r[0]) == 1 && r[1] == "F" && r[2][0] == '1'
	})
	_, right := shares(t, cells(t, dir, "st.csv"), 0, func(r []string) int { n, _ := strconv.Atoi(r[2]); return n },
		func(r []string) bool { return asked(r[1]) })
	for g, n := range size {
		sum += left[0][g] * right[0][g] / n
	}
	return sum
}

func naivePermutation(t *testing.T, dir string) (sum float64) {
	size, left := shares(t, cells(t, dir, "pqt.csv"), 4, one,
		func(r []string) bool { return naiveAge(t, r[0]) == 1 }, func(r []string) bool { return r[1] == "F" },
		func(r []string) bool { return r[2][0] == '1' })
	_, right := shares(t, cells(t, dir, "pst.csv"), 0, one, func(r []string) bool { return asked(r[1]) })
	for g, n := range size {
		sum += n * (left[0][g] / n) * (left[1][g] / n) * (left[2][g] / n) * (right[0][g] / n)
	}
	return sum
}

// TestQueryAgainstNaive: the estimate is what a naive program finds in the text
// of the files, and the truth lies within the bounds.
func TestQueryAgainstNaive(t *testing.T) {
	w := newWard(t, 500)
	truth, ages := 0.0, 0.0
	for _, r := range w.first() {
		if naiveAge(t, r[1]) == 1 && r[2] == "F" && r[3][0] == '1' && asked(r[5]) {
			truth++
			age, err := strconv.Atoi(r[1])
			require.NoError(t, err)
			ages += float64(age)
		}
	}
	require.NotZero(t, truth)
	for recoding, naive := range map[string]func(*testing.T, string) float64{
		snapshot.NameGeneralization: naiveGeneralization, snapshot.NameAnatomy: naiveAnatomy, snapshot.NamePermutation: naivePermutation,
	} {
		for _, method := range []string{"extract", "arp-up", "mondrian"} {
			t.Run(method+"/"+recoding, func(t *testing.T) {
				out := method + "-" + recoding
				w.report("admissions.csv", out, "--method", method, "--recoding", recoding, "-k", "4", "-l", "2")
				for _, dir := range []string{w.path(out), w.path(out + "/000001")} {
					a := askJSON(t, dir, question)
					assert.InDelta(t, naive(t, w.path(out)), a.Estimate, 1e-6)
					assert.LessOrEqual(t, a.Lower, truth)
					assert.GreaterOrEqual(t, a.Upper, truth)
				}
				s := askJSON(t, w.path(out), strings.Replace(question, "count", "sum(age)", 1))
				assert.LessOrEqual(t, s.Lower, ages)
				assert.GreaterOrEqual(t, s.Upper, ages)
				all := askJSON(t, w.path(out), "count")
				assert.Equal(t, []float64{float64(len(w.first())), all.Estimate, all.Estimate}, []float64{all.Estimate, all.Lower, all.Upper})
			})
		}
	}
}

// TestQueryByModel: the model answers unless shares are asked for; the estimate and its interval stand within the bounds, for each recoding
// that has a model, and a sum over --by is the count.
func TestQueryByModel(t *testing.T) {
	w := newWard(t, 500)
	for _, recoding := range []string{snapshot.NameGeneralization, snapshot.NameAnatomy, snapshot.NamePermutation} {
		w.report("admissions.csv", recoding, "--recoding", recoding, "-k", "4", "-l", "2")
		ask := func(args ...string) (a answer) {
			r := lab(t, append([]string{"query", w.path(recoding), question, "--json"}, args...)...)
			require.Equal(t, cli.OK, r.code, r.stderr)
			require.NoError(t, json.Unmarshal([]byte(r.stdout), &a))
			return a
		}
		a := ask()
		require.Equal(t, "model", a.Estimator)
		assert.LessOrEqual(t, *a.Lower, *a.Low)
		assert.LessOrEqual(t, *a.High, *a.Upper)
		if !a.Hidden {
			assert.LessOrEqual(t, *a.Low, *a.Estimate)
			assert.LessOrEqual(t, *a.Estimate, *a.High)
		}
		plain := ask("--shares")
		require.Equal(t, "shares", plain.Estimator)
		assert.Nil(t, plain.Low)
		assert.NotNil(t, plain.Estimate)
		assert.Regexp(t, `(?m)^95 % +\d+\.\d\d to \d+\.\d\d$`, lab(t, "query", w.path(recoding), question).stdout)

		r := lab(t, "query", w.path(recoding), "count", "--by", "sex,diagnosis", "--csv")
		require.Equal(t, cli.OK, r.code, r.stderr)
		rows, err := csv.NewReader(strings.NewReader(r.stdout)).ReadAll()
		require.NoError(t, err)
		assert.Equal(t, []string{"sex", "diagnosis", "estimate", "low", "high", "lower", "upper", "note"}, rows[0])
		sum, hidden := 0., false
		for _, row := range rows[1:] {
			v, _ := strconv.ParseFloat(row[2], 64)
			sum, hidden = sum+v, hidden || row[2] == ""
			assert.Equal(t, row[2] == "", row[7] == unseen)
		}
		if !hidden {
			assert.InDelta(t, float64(len(w.first())), sum, 1)
		}
		assert.Contains(t, lab(t, "query", w.path(recoding), "count", "--by", "sex").stdout, "estimate")
		assert.Equal(t, cli.Misused, lab(t, "query", w.path(recoding), "count", "--by", "nothing").code)
		assert.Equal(t, cli.Misused, lab(t, "query", w.path(recoding), "count", "--by", "sex,sex").code)
		assert.Equal(t, cli.Misused, lab(t, "query", w.path(recoding), "count", "--by", "sex,age,diagnosis").code)
	}
}

// byShares is an answer whose numbers are there.
type byShares struct {
	Recoding               string
	Estimate, Lower, Upper float64
	Absent                 []query.AbsentValue
	Pending                int
}

func askJSON(t *testing.T, dir, query string) (a byShares) {
	t.Helper()
	r := lab(t, "query", dir, query, "--json", "--shares")
	require.Equal(t, cli.OK, r.code, r.stderr)
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &a))
	return a
}

func evaluation(t *testing.T, args ...string) (e anonymize.Evaluation) {
	t.Helper()
	r := lab(t, append([]string{"evaluate", "--json"}, args...)...)
	require.Equal(t, cli.OK, r.code, r.stderr)
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &e))
	return e
}

// TestEvaluateAgreesWithAnonymize: measured from the files and from the classes
// in memory, a release costs the same and reaches the same.
func TestEvaluateAgreesWithAnonymize(t *testing.T) {
	w := newWard(t, 500)
	for _, recoding := range recodings {
		t.Run(recoding, func(t *testing.T) {
			r := w.report("admissions.csv", recoding, "--method", "arp-up", "--recoding", recoding, "-k", "6", "-l", "3", "--recursive", "2,2")
			w.write("first.csv", sheetOf(t, w.first()))
			e := evaluation(t, w.path(recoding), "--original", w.path("admissions.csv"))
			assert.Equal(t, e, evaluation(t, w.path(recoding), "--original", w.path("first.csv"), "-c", w.config))
			assert.Equal(t, r.Classes, e.Classes)
			assert.Equal(t, r.Achieved, e.Attributes[0].Achieved)
			assert.Equal(t, []any{r.Loss.CDM, r.Loss.CAVG, r.Loss.CMDM}, []any{e.Loss.CDM, e.Loss.CAVG, e.Loss.CMDM})
			assert.InDeltaSlice(t, []float64{r.Loss.NCP, r.Loss.RE, r.Loss.RCE, r.Loss.Low},
				[]float64{e.Loss.Box, e.Loss.RE, e.Loss.RCE, e.Loss.Low}, 1e-4)
			if recoding == snapshot.NameAnatomy {
				assert.InDelta(t, r.Loss.GLP, e.Loss.GLP, 1e-9)
			}
			for i, x := range e.Loss.Phi2 {
				assert.InDelta(t, r.Loss.Phi2[i].Preserved, x.Preserved, 1e-9, x.Attribute)
			}
			assert.Equal(t, 1000, e.Attributes[0].Error.Asked+e.Attributes[0].Error.Empty)
			assert.Equal(t, e.Attributes[0].Error.Asked, e.Attributes[0].Error.Inside, "bounds hold")
			assert.Positive(t, e.Attributes[0].Error.Mean)
		})
	}
}

// TestEvaluateDaemonRelease: a release of the daemon is measured like any other,
// and of a chain the one that is named.
func TestEvaluateDaemonRelease(t *testing.T) {
	s := published(t, 2000)
	newest := evaluation(t, s.path("releases"), "--original", s.path("admissions.ndjson"))
	first := evaluation(t, s.path("releases/000001"), "--original", s.path("admissions.ndjson"))
	assert.Equal(t, uint32(1), first.Release)
	assert.Greater(t, newest.Release, first.Release)
	assert.Greater(t, newest.Published, first.Published)
	assert.GreaterOrEqual(t, newest.Attributes[0].Achieved.FrequencyL, 3)
	assert.Less(t, newest.Published, newest.Original+1)
	all := askJSON(t, s.path("releases"), "count")
	assert.Equal(t, float64(newest.Published), all.Estimate)
	assert.Equal(t, newest.Original-newest.Published, all.Pending)
}

// TestReleaseFilesAreChecked: a file that was changed is not measured.
func TestReleaseFilesAreChecked(t *testing.T) {
	w := newWard(t, 200)
	w.report("admissions.csv", "out", "-k", "4", "-l", "2")
	w.write("out/000001/part-000001/data.csv", w.read("out/000001/part-000001/data.csv")+"\n")
	r := lab(t, "query", w.path("out"), "count")
	assert.Equal(t, cli.Failed, r.code)
	assert.Contains(t, r.stderr, "data.csv is not the file that the manifest describes")
}

// varied is a schema of every kind of attribute: dates, decimals with steps, a
// hierarchy, sets, missing values, and a number in buckets as what is sensitive.
const varied = `schema:
  missing: value
  attributes:
    - {name: seen, role: quasi, type: date}
    - {name: weight, role: quasi, type: decimal, steps: [2.5, 10]}
    - {name: place, role: quasi, hierarchy: places.csv}
    - {name: colour, role: quasi, type: categorical}
    - {name: cost, role: sensitive, type: integer, buckets: [0, 100, 200, 500]}
`

// TestEveryKindOfAttribute: what is written is read back, in each recoding; the
// bounds hold the truth, and the ordered distance of t-closeness is kept.
func TestEveryKindOfAttribute(t *testing.T) {
	w := &site{t: t, dir: t.TempDir()}
	w.write("places.csv", "a1;a;*\na2;a;*\nb1;b;*\nb2;b;*\nb3;b;*\n")
	w.write("varied.yaml", varied)
	var b strings.Builder
	b.WriteString("seen,weight,place,colour,cost\n")
	costs, colours, places := []string{"5", "150", "300", "900"}, []string{"red", "", "deep blue", "red"},
		[]string{"a1", "a2", "b1", "b2", "b3"}
	truth := 0.0
	for i := range 240 {
		day, weight, place, colour, cost := 1+i*7%28, float64(i*13%400)/10, places[i*3%5], colours[i*5%4], costs[(i/3+i)%4]
		b.WriteString("2024-02-" + strconv.Itoa(100 + day)[1:] + "," + strconv.FormatFloat(weight, 'f', -1,
			64) + "," + place + "," + colour + "," + cost + "\n")
		if day >= 10 && weight < 20 && place[0] == 'b' && colour != "red" && cost == "150" {
			truth++
		}
	}
	w.write("varied.csv", b.String())
	require.NotZero(t, truth)
	for _, recoding := range recodings {
		t.Run(recoding, func(t *testing.T) {
			r := lab(t, "anonymize", w.path("varied.csv"), "-c", w.path("varied.yaml"), "--out", w.path(recoding), "--recoding", recoding, "-k",
				"6", "-l", "2", "-t", "0.3", "--ground", "ordered", "--json")
			require.Equal(t, cli.OK, r.code, r.stderr)
			var report anonymize.Report
			require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
			assert.Equal(t, 240, report.Published)
			require.Len(t, report.Achieved.T, 2)
			assert.Equal(t, "ordered", report.Achieved.T[1].Ground)
			assert.LessOrEqual(t, report.Achieved.T[1].T, 0.3+1e-9)
			consistent(t, w.path(recoding))
			a := askJSON(t, w.path(recoding),
				`count where seen >= 2024-02-10 and weight < 20 and place = b and colour in {"", "deep blue"} and cost = 100..200`)
			assert.LessOrEqual(t, a.Lower, truth)
			assert.GreaterOrEqual(t, a.Upper, truth)
			assert.LessOrEqual(t, a.Lower, a.Estimate)
			assert.GreaterOrEqual(t, a.Upper, a.Estimate)
			for _, by := range []string{"seen", "weight", "place", "colour", "cost", "seen,cost", "weight,place"} {
				var a answer
				r := lab(t, "query", w.path(recoding), "count", "--by", by, "--json")
				require.Equal(t, cli.OK, r.code, r.stderr)
				require.NoError(t, json.Unmarshal([]byte(r.stdout), &a))
				require.NotEmpty(t, a.Cells)
				sum := 0.
				for _, c := range a.Cells {
					require.LessOrEqual(t, *c.Lower, *c.Low, by)
					require.LessOrEqual(t, *c.Low, *c.High, by)
					require.LessOrEqual(t, *c.High, *c.Upper, by)
					if c.Estimate != nil {
						sum += *c.Estimate
					} else {
						sum += (*c.Low + *c.High) / 2
					}
				}
				assert.InDelta(t, 240, sum, 30, by)
			}
			require.Equal(t, cli.OK, lab(t, "impute", w.path(recoding), "-n", "1").code)
			e := evaluation(t, w.path(recoding), "--original", w.path("varied.csv"), "-c", w.path("varied.yaml"))
			assert.Equal(t, report.Achieved, e.Attributes[0].Achieved)
			assert.InDelta(t, report.Loss.NCP, e.Loss.Box, 1e-4)
			assert.Equal(t, e.Attributes[0].Error.Asked, e.Attributes[0].Error.Inside)
		})
	}
	other := lab(t, "evaluate", w.path(snapshot.NameAnatomy), "--original", w.path("varied.csv"))
	assert.Equal(t, cli.OK, other.code, "the manifest says that missing values are values")
}

// TestAHiddenAnswerHasNoNumber: where the promise hides the answer, text, CSV and JSON say so in place of the estimate, and give interval
// and bounds.
func TestAHiddenAnswerHasNoNumber(t *testing.T) {
	r := estimate.Reply{Answer: query.Answer{Estimate: 1048, Lower: 10, Upper: 2000}, Shares: 405, Low: 600, High: 1500, Hidden: true}
	a := &answer{Estimator: "model", Recoding: "buckets"}
	s := a.say(nil, r)
	a.Numbers = &s
	var out strings.Builder
	env := &environment{Env: cli.Env{Stdout: &out}}
	require.NoError(t, env.printAnswer(a))
	require.NoError(t, env.csvAnswer(a))
	require.NoError(t, cli.WriteJSON(&out, a))
	a.By, a.Cells, a.Numbers = []string{"degree"}, []Numbers{a.say([]string{"graduate"}, r)}, nil
	require.NoError(t, env.printAnswer(a))
	assert.NotContains(t, out.String(), "1048")
	assert.Contains(t, out.String(), "estimate  cannot be seen at this promise\n95 %      600.00 to 1500.00\nbounds    10 to 2000\n")
	assert.Contains(t, out.String(), ",600,1500,10,2000,cannot be seen at this promise\n")
	assert.Contains(t, out.String(), `"estimate": null`)
	assert.Regexp(t, `graduate +unseen +600\.0 +1500\.0`, out.String())
}
