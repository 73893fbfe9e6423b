package anond_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/query"
	"anond/lab/estimate"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/publish/publishtest"
	"anond/snapshot/readback"
	"anond/snapshot/render"
)

// clientsConfig has what the clients read: numbers, dates, sets, labels of a hierarchy, missing values, several sensitive attributes
// with promises and pair tables, and exact numbers.
const clientsConfig = `version: 1
dataset: clinic
source: {type: stdin, format: csv}
schema:
  missing: value
  attributes:
    - {name: id, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: sex, role: quasi, type: categorical}
    - {name: city, role: quasi, type: categorical, hierarchy: city.csv}
    - {name: weight, role: quasi, type: decimal, digits: 1}
    - {name: seen, role: quasi, type: date}
    - {name: illness, role: sensitive, type: categorical}
    - {name: income, role: sensitive, type: integer, values: exact, buckets: [0, 20, 40, 60, 80], promise: {l: 3}}
    - {name: smoker, role: sensitive, type: categorical, missing: open, promise: {gain: 3, at_most: {"yes": 0.6}}}
policy: {level: L2, k: 5, l: 3, max_hold: 0s}
initial: {min_pool: 100}
release: {dir: ./RECODING, ledger: ./RECODING-ledger, recoding: RECODING, tables: [[illness, smoker], [income, illness]]}
state: {path: ./RECODING.db}
`

// joinedConfig has releases of which parts are joined and buckets leave.
const joinedConfig = `version: 1
dataset: joined
source: {type: stdin, format: csv}
schema:
  attributes:
    - {name: id, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: illness, role: sensitive, type: categorical}
policy: {level: L2, k: 5, l: 3, max_hold: 0s}
subject: {erasure: {mode: bucket, every: 1s}}
initial: {min_pool: 100}
release: {dir: ./joined, ledger: ./joined-ledger}
state: {path: ./joined.db}
`

// clientsQueries are asked of package lab/estimate, which anond-lab query asks, and of the clients.
var clientsQueries = []string{
	"count",
	"count where age in (40,60] and illness = flu",
	"count where city = west and seen >= 2015-01-01 and smoker = yes",
	"count where illness in {flu, asthma} and smoker = yes",
	"count where age < 50 and illness = flu and smoker = yes and income >= 20",
	`count where smoker = "?"`,
	"count where smoker not in {yes}",
	"count where income in [20,40) and illness = flu",
	"count where age != 44 and weight > 70.25",
	`count where illness = "mig, raine" and city in {Bonn, Diez} and city != Bonn and sex in {F, M}`,
	"mean(income)",
	"mean(income) where age < 40 and income < 45 and illness = flu",
	"sum(income) where illness = flu and smoker = no",
	"mean(age) where smoker = yes and illness != flu",
	"mean(weight) where age > 50 and illness = asthma",
	"sum(age) where age < 30 and city = north",
}

// clientsHistories are asked of a release whose people have histories.
var clientsHistories = []string{
	"count where illness ever = i3",
	"count where age < 40 and illness ever in {i0, i4}",
	"count where age < 40 and illness first = i0",
	"count where illness first not in {i0, i1}",
	"count where age >= 50 and illness whole in {i1 then i1, i2}",
	"count where illness ever = i0 then i1",
	"count where illness first = i3 and illness ever != i4 and age < 60",
	"mean(age) where illness ever = i0",
}

// historied publishes three releases of people with histories of one, two and three records, in buckets of three classes of five. No value
// is in the histories of more than a third of a bucket.
func historied(t *testing.T, dir string, rng *rand.Rand) {
	t.Helper()
	attributes := []equivclass.Attribute{{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}}
	schema, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	require.NoError(t, err)
	ages, ill := equivclass.NewDictionary(attributes[0]), equivclass.NewSequences(attributes[1], 3)
	in := &render.Input{Shared: true,
		Columns: render.Columns{Schema: schema, QI: make([]equivclass.Column, 1), SA: make([]equivclass.Column, 1)}}
	for bucket := range uint32(60) {
		length := 1 + int(bucket)/20
		for i := range 15 {
			if i%5 == 0 {
				in.Classes = append(in.Classes, render.Class{Born: uint32(length), Bucket: bucket + 1,
					Stratum: []string{"plain", "2", "3+updated"}[length-1]})
			}
			age := 20 + i/5*15 + rng.IntN(20)
			var history []string
			for range length {
				history = append(history, fmt.Sprintf("i%d", 3*(i%3)+min(2, rng.IntN(2)+age/50)))
			}
			code, _ := ages.Encode([]byte(fmt.Sprint(age)))
			in.QI[0].Append(code)
			in.SA[0].Append(ill.Sequence(equivclass.Joined(history)))
			c := &in.Classes[len(in.Classes)-1]
			c.Members = append(c.Members, equivclass.RecordID(15*int(bucket)+i))
		}
	}
	in.Dictionaries = []*equivclass.Dictionary{ages.Frozen(), ill.Frozen()}
	p := &publish.Publisher{FS: snapshot.OS(), Dir: dir, Ledger: dir + "-ledger", Gate: openGate{}}
	require.NoError(t, p.Open())
	for release := range uint32(3) {
		of := *in
		of.Release, of.CreatedAt = release+1, 1_700_000_000+int64(release)
		of.Classes = slices.DeleteFunc(slices.Clone(in.Classes), func(c render.Class) bool { return c.Born > release+1 })
		_, err := p.Publish(&of, &render.Settings{Dataset: "histories", Recoding: render.Buckets(), Seed: [32]byte{1}, Settle: "90d",
			Updates: "apply", MaxRecords: 3, Policy: snapshot.Policy{K: 5, L: 3, Republication: "append", SubjectRepeat: "history"}})
		require.NoError(t, err)
	}
}

// openGate lets everything pass.
type openGate struct{}

func (openGate) Check(string, []render.Placement) error { return nil }

// TestClients: clients/python and clients/r read what anond publishes, estimate what anond-lab query does, and check it.
func TestClients(t *testing.T) {
	tier.Heavy(t, "pandas takes longer to start than most tests run")
	r := reader{dir: t.TempDir(), pythons: map[string]string{}}
	python := r.pythonWith("pandas")
	if python == "" {
		fmt.Fprintln(os.Stderr, "WARNING: clients/python and clients/r WERE NOT TESTED: there is no pandas for python3")
		t.Skip("there is no pandas for python3")
	}
	r.bin = build(t)
	rng := rand.New(rand.NewPCG(7, 7))
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	line := func(i int) string {
		age := 18 + rng.IntN(70)
		shown := fmt.Sprint(age)
		if rng.IntN(20) == 0 {
			shown = ""
		}
		ill := []string{"flu", "asthma", `"mig, raine"`, "diabetes", "arthritis", "gout"}
		if age > 50 {
			ill = ill[1:]
		}
		return fmt.Sprintf("%d,%s,%s,%s,%.1f,%d-%02d-%02d,%s,%d,%s\n", i, shown, pick("F", "M", "X"), pick("Aalen", "Bonn", "Celle", "Diez"),
			45+75*rng.Float64(), 2010+rng.IntN(15), 1+rng.IntN(12), 1+rng.IntN(28), pick(ill...), rng.IntN(90), pick("yes", "no", "no", "no", ""))
	}
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644))
	}
	write("city.csv", "Aalen;south;*\nBonn;west;*\nCelle;north;*\nDiez;west;*\n")
	people := 0
	feed := func(name string, n int) {
		var text strings.Builder
		text.WriteString("id,age,sex,city,weight,seen,illness,income,smoker\n")
		for ; n > 0; n-- {
			text.WriteString(line(people))
			people++
		}
		write(name+".csv", text.String())
	}
	feeds := []string{"feed-0", "feed-1", "feed-2"}
	feed(feeds[0], 800)
	feed(feeds[1], 500)
	feed(feeds[2], 500)
	type answer struct {
		Of       string  `json:"of"`
		Query    string  `json:"query"`
		Estimate float64 `json:"estimate"`
		Low      float64 `json:"low"`
		High     float64 `json:"high"`
		Lower    float64 `json:"lower"`
		Upper    float64 `json:"upper"`
		Shares   float64 `json:"shares"`
		Hidden   bool    `json:"hidden"`
	}
	forget := func(config string, people ...int) { // buckets leave in the next period
		for _, p := range people {
			out, code := r.run(fmt.Sprintf("timeout 60 anond forget -c %s.yaml %d", config, p))
			require.Zero(t, code, out)
		}
		_, _ = r.run("sleep 1")
	}
	var answers []answer
	// Of these some people have left.
	leaves := map[string]string{"window": "buckets, window: 1", "erasure": "buckets"}
	for _, recoding := range []string{"buckets", "permutation", "window", "erasure"} {
		text := strings.NewReplacer("recoding: RECODING", "recoding: "+cmp.Or(leaves[recoding], recoding), "RECODING", recoding).
			Replace(clientsConfig)
		if recoding == "erasure" {
			text += "subject: {erasure: {mode: bucket, every: 1s}}\n"
		}
		write(recoding+".yaml", text)
		for i, name := range feeds {
			if recoding == "erasure" && i > 0 { // buckets of an old part and of a new one leave in the next period
				forget(recoding, 7*i, 500*i)
			}
			out, code := r.run(fmt.Sprintf("timeout 60 anond run -c %s.yaml < %s.csv", recoding, name))
			require.Zero(t, code, out)
		}
		release, err := readback.Open(filepath.Join(r.dir, recoding))
		require.NoError(t, err)
		require.NoError(t, release.Load(nil))
		joint, ok := release.Joint()
		require.True(t, ok)
		var bound []*query.Bound
		for _, q := range clientsQueries {
			parsed, err := query.Parse(q)
			require.NoError(t, err)
			b, err := query.Bind(parsed, joint.Dicts)
			require.NoError(t, err)
			bound = append(bound, b)
		}
		for i, a := range estimate.NewJoint(joint).Answers(bound) {
			answers = append(answers, answer{recoding, clientsQueries[i], a.Estimate, a.Low, a.High, a.Lower, a.Upper, a.Shares, a.Hidden})
		}
	}
	eras := publishtest.NewEras(t, 4)
	eras.Publish(t, filepath.Join(r.dir, "eras"))
	records, err := json.Marshal(eras.Records)
	require.NoError(t, err)
	write("eras.json", string(records))
	historied(t, filepath.Join(r.dir, "histories"), rng)
	release, err := readback.Open(filepath.Join(r.dir, "histories"))
	require.NoError(t, err)
	require.NoError(t, release.Load(nil))
	joint, ok := release.Joint()
	require.True(t, ok)
	for _, q := range clientsHistories {
		b, err := release.Bind(q)
		require.NoError(t, err)
		less, bound := joint.Seen(b)
		a := estimate.NewJoint(less).Answers([]*query.Bound{bound})[0]
		answers = append(answers, answer{"histories", q, a.Estimate, a.Low, a.High, a.Lower, a.Upper, a.Shares, a.Hidden})
	}
	write("joined.yaml", joinedConfig) // it is checked, and asked nothing
	for i := range 13 {
		var text strings.Builder
		text.WriteString("id,age,illness\n")
		for n := range 400 {
			fmt.Fprintf(&text, "%d,%d,%s\n", 400*i+n, 18+rng.IntN(70), pick("flu", "asthma", "gout", "cold", "angina", "burn"))
		}
		write("joined.csv", text.String())
		out, code := r.run("timeout 60 anond run -c joined.yaml < joined.csv")
		require.Zero(t, code, out)
		forget("joined", 7*i, 400*i)
	}
	text, err := json.Marshal(answers)
	require.NoError(t, err)
	write("answers.json", string(text))
	require.NoError(t, filepath.WalkDir("clients", func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() { // read here, so that go test does not take the result of another client from its cache
			_, err = os.ReadFile(path)
		}
		return err
	}))
	here, err := os.Getwd()
	require.NoError(t, err)
	out, code := r.run("ANOND_CASE=" + r.dir + " PYTHONDONTWRITEBYTECODE=1 " + python + " -m unittest discover -s " +
		filepath.Join(here, "clients", "python", "tests"))
	require.Zero(t, code, out)
	require.Contains(t, out, "Ran ")
	if strings.Contains(out, "WARNING") {
		fmt.Fprintln(os.Stderr, out)
	}
}
