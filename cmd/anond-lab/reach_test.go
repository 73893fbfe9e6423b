package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/query"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/testkit/programtest"
	"anond/internal/upkeep"
	"anond/lab/estimate"
	"anond/snapshot/audit"
	"anond/snapshot/readback"
	"anond/testdata"
)

// trial is a table with sensitive attributes, as an owner of data writes it.
type trial struct {
	file      string
	numbers   string
	texts     string
	sensitive []string // one attribute of the schema each
	tables    string
	made      func() (header []string, rows [][]string) // in place of a file
	every     int                                       // a cut for each so many records; 0: all at once
	seed      uint64                                    // other people of the table; 0: the first ones
}

func adultTrial(tables string, sensitive ...string) trial {
	out := trial{file: testdata.Adult, numbers: "age", texts: "workclass education marital-status race native-country",
		tables: tables, sensitive: sensitive}
	if !strings.Contains(strings.Join(sensitive, ""), "name: sex") {
		out.texts += " sex"
	}
	return out
}

func acsTrial(tables string, sensitive ...string) trial {
	return trial{file: testdata.ACS, numbers: "AGEP EDU", texts: "SEX MSP RAC1P", tables: tables, sensitive: sensitive}
}

func diabetesTrial(tables string, sensitive ...string) trial {
	return trial{file: "diabetes130.csv.gz", numbers: "time_in_hospital", texts: "race gender age admission_type_id", tables: tables,
		sensitive: sensitive}
}

func carsTrial(sensitive ...string) trial {
	return trial{file: "fremtpl2.csv.gz", numbers: "VehPower VehAge DrivAge", texts: "Area VehGas Region", sensitive: sensitive}
}

// trialRows is how many people of a table are used, the first ones.
const trialRows = 15000

const (
	yesNo      = "{name: %s, role: sensitive, type: categorical, promise: {gain: 2, at_most: {%q: %s}}}"
	occupation = "{name: occupation, role: sensitive, type: categorical, promise: {l: 5}}"
	incomeToo  = "{name: income, role: sensitive, type: categorical, promise: {l: 5, gain: 2}}"
	hoursToo   = "{name: hours-per-week, role: sensitive, type: integer, buckets: [0, 35, 40, 41, 50], promise: {l: 5, gain: 2}}"
	incomes    = "{name: PINCP, role: sensitive, type: integer, " +
		"buckets: [0, 1, 5000, 12000, 20000, 29000, 38000, 50000, 68000, 100000], values: exact, promise: {l: 5}}"
)

func named(kind, name, most string, share string) string { return fmt.Sprintf(kind, name, most, share) }

// table reads a file of this tree, or of the directory that ANOND_DATA names; without, the test is skipped.
func trialTable(t *testing.T, file string) (header []string, rows [][]string) {
	t.Helper()
	if header, rows, err := testdata.Rows(file); err == nil {
		return header, rows
	}
	dir := os.Getenv("ANOND_DATA")
	if dir == "" {
		fmt.Fprintf(os.Stderr, "WARNING: %s was SKIPPED: ANOND_DATA does not name the directory of %s\n", t.Name(), file)
		t.Skipf("SKIPPED: ANOND_DATA does not name the directory of %s", file)
	}
	f, err := os.Open(filepath.Join(dir, file))
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	all, err := csv.NewReader(z).ReadAll()
	require.NoError(t, err)
	return all[0], all[1:]
}

// reached is what became of a trial: the newest release, and for each person the row and the bucket.
type reached struct {
	release *readback.Release
	site    *site // with members.csv and records.csv
	quasi   []string
	header  []string
	numeric map[string]bool
	people  [][]string // who is published
	bucket  []string   // of each, by part and number
	waiting int
}

// reach publishes a trial with k = 10, and demands that the audit certifies all releases and that whoever is not published is one
// of too few for another pool.
func (tr trial) reach(t *testing.T) *reached {
	t.Helper()
	header, rows := []string(nil), [][]string(nil)
	if tr.made != nil {
		header, rows = tr.made()
	} else {
		header, rows = trialTable(t, tr.file)
	}
	if rows = slices.Clone(rows); tr.seed > 0 {
		rand.New(rand.NewPCG(tr.seed, 1)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	cuts := "initial: {min_pool: 10000}\nrelease: {dir: ./releases"
	if tr.every > 0 {
		cuts = fmt.Sprintf("initial: {min_pool: 1000, max_records: 1000}\nrelease: {dir: ./releases, trigger: {on: records, every: %d}",
			tr.every)
	}
	at := func(name string) int { return slices.Index(header, name) }
	numbers, texts := strings.Fields(tr.numbers), strings.Fields(tr.texts)
	out := &reached{quasi: slices.Concat(numbers, texts), numeric: map[string]bool{}}
	out.header = slices.Clone(out.quasi)
	schema := ""
	for _, name := range out.quasi {
		kind := "categorical"
		if slices.Contains(numbers, name) {
			kind, out.numeric[name] = "integer", true
		}
		schema += fmt.Sprintf("    - {name: %s, role: quasi, type: %s}\n", name, kind)
	}
	for _, line := range tr.sensitive {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "{name: "), ",")
		out.header, schema = append(out.header, name), schema+"    - "+line+"\n"
	}
	s := &site{t: t, dir: programtest.TempDir(t)}
	s.config = s.path("anond.yaml")
	s.write("anond.yaml", "version: 1\ndataset: trial\nsource: {type: file, format: csv, file: {path: in.csv}}\nschema:\n  attributes:\n"+
		"    - {name: person, role: subject}\n"+schema+"policy: {k: 10}\n"+cuts+tr.tables+"}\n")
	var text strings.Builder
	w := csv.NewWriter(&text)
	require.NoError(t, w.Write(append([]string{"person"}, out.header...)))
	kept := 0
	seen := map[string]bool{}
	for i, row := range rows {
		cells, usable := []string{}, true
		for _, name := range out.header {
			cell := ""
			switch {
			case name == "claim":
				cell = map[bool]string{true: "no", false: "yes"}[row[at("ClaimRate")] == "0"]
			case name == "PINCP" && row[at(name)] != "N": // whole dollars; who has none, or lost money, is left out as in the study
				v, err := strconv.ParseFloat(row[at(name)], 64)
				require.NoError(t, err)
				cell, usable = strconv.Itoa(int(v)), usable && v >= 0
			default:
				cell = strings.Trim(row[at(name)], "[)") // a range is no value
			}
			usable = usable && cell != "" && (tr.file != testdata.ACS || cell != "N")
			cells = append(cells, cell)
		}
		if who := at("patient_nbr"); who >= 0 {
			usable = usable && !seen[row[who]]
			seen[row[who]] = seen[row[who]] || usable
		}
		if usable {
			require.NoError(t, w.Write(append([]string{strconv.Itoa(i)}, cells...)))
			kept++
		}
		if kept == trialRows {
			break
		}
	}
	w.Flush()
	s.write("in.csv", text.String())
	cfg, _, err := config.Load(s.config, os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	require.NoError(t, daemon.Run(t.Context(), cfg, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true}))
	exporter, err := upkeep.OpenExporter(cfg)
	require.NoError(t, err)
	var members, records bytes.Buffer
	require.NoError(t, exporter.Members(&members, 1, exporter.Releases()))
	require.NoError(t, exporter.Records(&records))
	s.write("members.csv", members.String())
	s.write("records.csv", records.String())
	report, err := audit.Dir(audit.Options{Releases: s.path("releases"), Members: s.path("members.csv"), Records: s.path("records.csv")})
	require.NoError(t, err)
	require.Empty(t, report.Violations)
	require.Equal(t, audit.VerdictCertified, report.Verdict)

	out.site = s
	out.release, err = readback.Open(s.path("releases"))
	require.NoError(t, err)
	require.NoError(t, out.release.Load(nil))
	rows, err = csv.NewReader(&records).ReadAll()
	require.NoError(t, err)
	cells := map[string][]string{}
	for _, row := range rows[1:] { // record,arrived_in_release,person and the columns
		cells[row[0]] = row[3:]
	}
	listed, err := csv.NewReader(&members).ReadAll()
	require.NoError(t, err)
	last := fmt.Sprint(out.release.Manifest.Release)
	for _, m := range listed[1:] { // release,record,part,class,bucket
		if m[0] == last {
			out.people, out.bucket = append(out.people, cells[m[1]]), append(out.bucket, m[2]+" "+m[4])
		}
	}
	out.waiting = kept - len(out.people)
	require.Less(t, out.waiting, kept/50)
	return out
}

// medianBucket is the number of people who share a bucket with the median person.
func (r *reached) medianBucket() int {
	counts, sizes := map[string]int{}, []int{}
	for _, b := range r.bucket {
		counts[b]++
	}
	for _, b := range r.bucket {
		sizes = append(sizes, counts[b])
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}

// TestNaturalColumnsArePublished: yes or no, skewed, two and three together, each as an owner would write it: all published, and
// certified from the files and the private exports.
func TestNaturalColumnsArePublished(t *testing.T) {
	tier.Heavy(t, "it publishes ten tables of 15,000 people")
	sex, income := named(yesNo, "sex", "Female", "0.6"), named(yesNo, "income", ">50K", "0.5")
	readmitted, tested := named(yesNo, "readmitted", "<30", "0.3"), named(yesNo, "A1Cresult", ">8", "0.3")
	disabled := named(yesNo, "DPHY", "1", "0.4")
	for _, tr := range []trial{
		adultTrial("", income),
		adultTrial("", sex),
		adultTrial(", tables: [[income, sex]]", income, sex),
		adultTrial(", tables: [[income, occupation]]", income, sex, occupation),
		acsTrial("", disabled),
		acsTrial(", tables: [[DPHY, PINCP]]", disabled, incomes),
		diabetesTrial("", readmitted),
		diabetesTrial("", tested),
		diabetesTrial(", tables: [[readmitted, A1Cresult]]", readmitted, tested),
		carsTrial(named(yesNo, "claim", "yes", "0.8")),
	} {
		var names []string
		for _, line := range tr.sensitive {
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "{name: "), ",")
			names = append(names, name)
		}
		t.Run(tr.file+" "+strings.Join(names, ","), func(t *testing.T) {
			r := tr.reach(t)
			t.Logf("%d published, %d wait, median person's bucket %d", len(r.people), r.waiting, r.medianBucket())
		})
	}
}

// TestARareValueMayBecomeFrequent: a yes that 2 % of the people of a feed have, and 15 % in the end. With the odds of each pool's own
// table as a reference, none of its pools is quarantined: all are published.
func TestARareValueMayBecomeFrequent(t *testing.T) {
	tier.Heavy(t, "it publishes 40 releases")
	r := trial{numbers: "age zip", sensitive: []string{named(yesNo, "ill", "yes", "0.5")}, every: 500,
		made: func() (header []string, rows [][]string) {
			rng := rand.New(rand.NewPCG(4, 4))
			for i := range trialRows {
				ill := map[bool]string{true: "yes", false: "no"}[rng.IntN(1000) < 20+130*i/trialRows]
				rows = append(rows, []string{strconv.Itoa(18 + rng.IntN(60)), strconv.Itoa(8000 + rng.IntN(30)), ill})
			}
			return []string{"age", "zip", "ill"}, rows
		}}.reach(t)
	t.Logf("%d published in %d releases, %d wait, median person's bucket %d", len(r.people), r.release.Manifest.Release, r.waiting,
		r.medianBucket())
	assert.Greater(t, r.release.Manifest.Release, uint32(10))
}

// restriction is a condition on a column.
type restriction struct {
	column int
	lo, hi float64 // of a number
	set    map[string]bool
}

func (c restriction) holds(cell string) bool {
	if c.set != nil {
		return c.set[cell]
	}
	v, err := strconv.ParseFloat(cell, 64)
	return err == nil && c.lo <= v && v <= c.hi
}

// askedSet are queries over the people of a release: on two random quasi-identifiers, of a number a random range and of others a random
// set, and on sensitive attributes a random set of at most half of their values.
type askedSet struct {
	where [][]restriction
	hits  [][]int // who matches
}

// draw keeps queries that match a share of the people between two bounds.
func (r *reached) draw(seed uint64, n int, from, to float64, sensitive ...string) (out askedSet) {
	rng := rand.New(rand.NewPCG(seed, 30))
	domain := make([][]string, len(r.header))
	for j := range r.header {
		for _, p := range r.people {
			domain[j] = append(domain[j], p[j])
		}
		slices.Sort(domain[j])
		domain[j] = slices.Compact(domain[j])
	}
	for range 400 * n {
		var where []restriction
		for _, j := range rng.Perm(len(r.quasi))[:2] {
			c := restriction{column: j}
			if values := domain[j]; r.numeric[r.header[j]] {
				a, _ := strconv.ParseFloat(values[rng.IntN(len(values))], 64)
				b, _ := strconv.ParseFloat(values[rng.IntN(len(values))], 64)
				c.lo, c.hi = min(a, b), max(a, b)
			} else {
				c.set = subset(rng, values, len(values))
			}
			where = append(where, c)
		}
		for _, name := range sensitive {
			j := slices.Index(r.header, name)
			where = append(where, restriction{column: j, set: subset(rng, domain[j], max(1, len(domain[j])/2))})
		}
		var hits []int
	people:
		for i, p := range r.people {
			for _, c := range where {
				if !c.holds(p[c.column]) {
					continue people
				}
			}
			hits = append(hits, i)
		}
		if share := float64(len(hits)) / float64(len(r.people)); from <= share && share < to {
			out.where, out.hits = append(out.where, where), append(out.hits, hits)
		}
		if len(out.where) == n {
			break
		}
	}
	return out
}

func subset(rng *rand.Rand, values []string, most int) map[string]bool {
	out := map[string]bool{}
	for _, i := range rng.Perm(len(values))[:1+rng.IntN(most)] {
		out[values[i]] = true
	}
	return out
}

// bind makes a query in the dictionaries of a release.
func (r *reached) bind(t *testing.T, where []restriction, mean string, dicts []*equivclass.Dictionary) *query.Bound {
	q := query.Query{Sum: mean, Mean: mean != ""}
	for _, c := range where {
		x := query.Condition{Attribute: r.header[c.column]}
		if c.set == nil {
			x.Range = &query.TextRange{Lo: fmt.Sprint(c.lo), Hi: fmt.Sprint(c.hi)}
		}
		for v := range c.set {
			x.Values = append(x.Values, v)
		}
		slices.Sort(x.Values)
		q.Where = append(q.Where, x)
	}
	bound, err := query.Bind(q, dicts)
	require.NoError(t, err)
	return bound
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// errorOf is the median relative error of answers to queries.
func (d askedSet) errorOf(answer func(i int) float64, truth func(i int) float64) float64 {
	var errs []float64
	for i := range d.where {
		if v := truth(i); v != 0 {
			errs = append(errs, math.Abs(answer(i)-v)/math.Abs(v))
		}
	}
	return median(errs)
}

func (d askedSet) count(i int) float64 { return float64(len(d.hits[i])) }

const trialSeeds = 3

// TestSeveralAttributesCostLittle: occupation alone, and with income and hours.
func TestSeveralAttributesCostLittle(t *testing.T) {
	tier.Heavy(t, "it publishes 15,000 people twice, and asks")
	alone := adultTrial("", occupation).reach(t)
	three := adultTrial("", occupation, incomeToo, hoursToo).reach(t)
	assert.LessOrEqual(t, three.medianBucket(), 70)
	var sum [2]float64
	for seed := range uint64(trialSeeds) {
		for i, r := range []*reached{alone, three} {
			d, one := r.draw(1+seed, 300, .01, .05, "occupation"), r.release.Each()[0]
			known := one.Estimator()
			sum[i] += d.errorOf(func(i int) float64 { return known.Estimate(r.bind(t, d.where[i], "", one.Dicts)).Estimate }, d.count)
		}
	}
	t.Logf("median bucket %d, with two more %d; error %.4f, with two more %.4f", alone.medianBucket(), three.medianBucket(),
		sum[0]/trialSeeds, sum[1]/trialSeeds)
	assert.LessOrEqual(t, sum[1], 1.25*sum[0])
}

// TestPairTablesAreWorthTuples: what two attributes have together is fitted to a table of the pool and to bags, and errs hardly more
// than a release would that showed tuples in each bucket.
func TestPairTablesAreWorthTuples(t *testing.T) {
	tier.Heavy(t, "it publishes three tables, and asks")
	for _, c := range []struct {
		trial
		pair [2]string
	}{
		{adultTrial(", tables: [[occupation, income]]", occupation, incomeToo),
			[2]string{"occupation", "income"}},
		{adultTrial(", tables: [[occupation, income]]", occupation, incomeToo, hoursToo), [2]string{"occupation", "income"}},
		{diabetesTrial(", tables: [[diag_1, readmitted]]", "{name: diag_1, role: sensitive, type: categorical, promise: {l: 5}}",
			named(yesNo, "readmitted", "<30", "0.3")), [2]string{"diag_1", "readmitted"}},
	} {
		t.Run(c.file+" "+strings.Join(c.pair[:], ",")+fmt.Sprint(len(c.sensitive)), func(t *testing.T) {
			r := c.reach(t)
			joint, ok := r.release.Joint()
			require.True(t, ok)
			without := *joint
			without.Tables = nil
			tuples, match := r.tuples(t, c.pair)
			var sum [3]float64
			for seed := range uint64(trialSeeds) {
				d := r.draw(1+seed, 300, .01, .05, c.pair[0], c.pair[1])
				for i, answer := range []func(where []restriction) float64{
					func(where []restriction) float64 { return tuples.Estimate(match(where)).Estimate },
					func(where []restriction) float64 { return joint.Estimate(r.bind(t, where, "", joint.Dicts)).Estimate },
					func(where []restriction) float64 { return without.Estimate(r.bind(t, where, "", joint.Dicts)).Estimate },
				} {
					sum[i] += d.errorOf(func(i int) float64 { return answer(d.where[i]) }, d.count) / trialSeeds
				}
			}
			t.Logf("tuples in buckets %.4f, pair tables %.4f (%.3f times), bags alone %.4f", sum[0], sum[1], sum[1]/sum[0], sum[2])
			assert.LessOrEqual(t, sum[1], 1.1*sum[0])
		})
	}
}

// tuples is a release that shows the tuples of two attributes in each bucket, which must not be published; match makes a query about it.
func (r *reached) tuples(t *testing.T, pair [2]string) (out *query.BucketRelease, match func([]restriction) *query.Bound) {
	buckets, ok := r.release.AsBuckets()
	require.True(t, ok)
	d := len(buckets.Dicts) - 1
	tuple := equivclass.NewDictionary(equivclass.Attribute{Name: "tuple", Role: equivclass.Sensitive, Type: equivclass.Categorical})
	x, y := slices.Index(r.header, pair[0]), slices.Index(r.header, pair[1])
	var of [][2]string // by code
	in := map[string][]equivclass.Code{}
	for i, p := range r.people {
		code, why := tuple.Encode([]byte(p[x] + "/" + p[y]))
		require.Equal(t, equivclass.Accepted, why)
		if int(code) == len(of) {
			of = append(of, [2]string{p[x], p[y]})
		}
		in[r.bucket[i]] = append(in[r.bucket[i]], code)
	}
	shown := *buckets
	shown.Dicts = append(slices.Clone(buckets.Dicts[:d]), tuple)
	shown.Bags = nil
	keys := slices.SortedFunc(maps.Keys(in), func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	require.Len(t, keys, len(buckets.Bags))
	require.Len(t, r.release.Manifest.Parts, 1, "buckets stand by number")
	for i, key := range keys {
		require.Equal(t, buckets.Bags[i].Total, len(in[key]))
		shown.Bags = append(shown.Bags, equivclass.BagOfCodes(in[key]))
	}
	return &shown, func(where []restriction) *query.Bound {
		var columns []restriction
		m := make([]bool, tuple.Len())
		for code, values := range of {
			m[code] = true
			for side, j := range []int{x, y} {
				for _, c := range where {
					m[code] = m[code] && (c.column != j || c.holds(values[side]))
				}
			}
		}
		for _, c := range where {
			if c.column != x && c.column != y {
				columns = append(columns, c)
			}
		}
		q := r.bind(t, columns, "", shown.Dicts)
		q.Preds = append(q.Preds, query.Predicate{Attribute: d, Match: m})
		return q
	}
}

// TestMeansOfExactNumbers: the mean income over ranges of quasi-identifiers, by a model, and by the shares of buckets, which suffice where
// many people match. The bounds hold the truth.
func TestMeansOfExactNumbers(t *testing.T) {
	tier.Heavy(t, "it publishes 15,000 people, and asks")
	r := acsTrial("", incomes).reach(t)
	one := r.release.Each()[0]
	known := one.Estimator()
	buckets, ok := one.AsBuckets()
	require.True(t, ok)
	model := estimate.NewModel(buckets)
	at := slices.Index(r.header, "PINCP")
	number := func(i int) float64 {
		v, err := strconv.ParseFloat(r.people[i][at], 64)
		require.NoError(t, err)
		return v
	}
	for _, size := range []struct {
		name     string
		from, to float64
		shares   float64 // by them, the error that is allowed
	}{{"1 to 5 %", .01, .05, .6}, {"above 5 %", .05, 1, .4}, {"above 1 %", .01, 1, .4}} {
		var shares, fitted, width []float64
		for seed := range uint64(trialSeeds) {
			d := r.draw(1+seed, 300, size.from, size.to)
			truth := func(i int) (sum float64) {
				for _, p := range d.hits[i] {
					sum += number(p)
				}
				return sum / float64(len(d.hits[i]))
			}
			asked := func(i int) *query.Bound { return r.bind(t, d.where[i], "PINCP", one.Dicts) }
			shares = append(shares, d.errorOf(func(i int) float64 {
				a := known.Estimate(asked(i))
				require.LessOrEqual(t, a.Lower, truth(i)+1e-6)
				require.GreaterOrEqual(t, a.Upper, truth(i)-1e-6)
				width = append(width, (a.Upper-a.Lower)/truth(i))
				return a.Estimate
			}, truth))
			fitted = append(fitted, d.errorOf(func(i int) float64 { return model.Estimate(asked(i)) }, truth))
		}
		t.Logf("%s: shares %.3f, model %.3f, bounds %.2f times the mean wide", size.name, shares, fitted, median(width))
		assert.LessOrEqual(t, slices.Max(shares), size.shares)
		assert.LessOrEqual(t, slices.Max(fitted), .4)
	}
}
