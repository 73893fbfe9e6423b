package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/config"
	"anond/internal/testkit/programtest"
	"anond/testdata"
)

var rewriteInit = flag.Bool("rewrite-init", false, "write the expected configurations of anond init anew")

// sketched is a table that somebody may have, and what init is told of it.
type sketched struct {
	name, file string
	text       []byte
	flags      string
}

// ills are values that stand nowhere else.
var ills = strings.Fields("zq-flu zq-gout zq-asthma zq-angina zq-eczema zq-ulcer zq-anemia zq-sciatica zq-cataract")

// rows makes a text of so many rows.
func rows(header string, n int, row func(i int) string) []byte {
	var b bytes.Buffer
	if header != "" {
		b.WriteString(header + "\n")
	}
	for i := range n {
		b.WriteString(row(i) + "\n")
	}
	return b.Bytes()
}

// tables are those of the golden configurations. ill gives the sensitive value of a row.
func tables(t *testing.T, ill func(i int) string) []sketched {
	sex := func(i int) string { return string("mf"[i*31%7%2]) }
	wide := []byte{0xff, 0xfe}
	for _, r := range string(rows("id;age;sex;dx", 400, func(i int) string {
		return fmt.Sprintf("p%d;%d;%s;%s", i, 20+i%60, sex(i),
			ill(i))
	})) {
		wide = append(wide, byte(r), byte(r>>8))
	}
	crlf := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte{'\n'}, []byte("\r\n")) }
	return []sketched{
		{name: "clinic", file: "in.csv", text: rows("patient,age,sex,postcode,weight,income,diagnosis", 1200, func(i int) string {
			return fmt.Sprintf("p%d,%d,%s,%d,%d,%s,%s", i, 18+i*7919%73, sex(i), 8000+i*1283%40, 45+i*3571%71, ill(i/2), ill(i))
		})},
		{name: "semicolons", file: "Patienten 2024.csv", text: crlf(rows("PatNr;Geburtsdatum;Geschlecht;PLZ;Gr\xf6\xdfe;Krankheit", 500,
			func(i int) string {
				return fmt.Sprintf("%d;%02d.%02d.%d;%s;%04d;1,%02d;%s", 5000+7*i, 1+i%28, 1+i%12, 1940+i*7919%70, sex(i), 1000+i*1283%400,
					50+i*37%50, ill(i))
			}))},
		{name: "odd", file: "odd.tsv", text: rows("\tsubject id\tage\tcountry\tsite\tsmall\tnote\tlast visit\temail\tresult", 900,
			func(i int) string {
				age, country := fmt.Sprint(20+i*7919%60), fmt.Sprintf("land%d", i%6)
				if i%50 == 7 {
					age, country = "999", "N/A"
				}
				return fmt.Sprintf("%d\ts%d\t%s\t%s\tzq-site\t%d\tcame on foot the %d. time and left\t2024-%02d-%02dT08:30:00Z\tm%d@example.org\t%s",
					i+1,
					i/3, age, country, i%97/96, i, 1+i%12, 1+i%28, i, ill(i))
			})},
		{name: "fhir", file: "conditions.ndjson", text: rows("", 600, func(i int) string {
			born := fmt.Sprintf("%d-%02d-%02d", 1930+i*7919%80, 1+i%12, 1+i%28)
			return fmt.Sprintf(`{"resourceType":"Condition","subject":{"reference":"Patient/p%d"},"contained":[{"resourceType":"Patient",`+
				`"gender":"%s","birthDate":"%s","address":[{"postalCode":"%d"}]}],"code":{"coding":[{"system":"http://zq.example","code":"%s"}]}}`,
				i, sex(i), born[:[]int{10, 7, 4}[i%3]], 8000+i%10, ill(i))
		})},
		{name: "debezium", file: "in.ndjson", text: rows("", 400, func(i int) string {
			return fmt.Sprintf(`{"op":"c","before":null,"after":{"id":%d,"birth_date":%d,"sex":"%s","dx":"%s"}}`,
				100+3*i, -3000+37*i, sex(i), ill(i))
		})},
		{name: "flat", file: "flat.json", text: rows("", 400, func(i int) string {
			return fmt.Sprintf(`{"id":%d,"class":"c%d","age":%d,"sex":"%s","dx":"%s","__op":"c","__deleted":"false"}`,
				100+3*i, i%4, 20+i%60, sex(i), ill(i))
		})},
		{name: "plain", file: "plain.csv", text: rows("id,age,sex,shoe", 400, func(i int) string {
			return fmt.Sprintf("%d,%d,%s,%s", 100+3*i, 20+i%60, sex(i), ill(i))
		})},
		{name: "utf16", file: "in.csv", text: wide},
		{name: "adult", file: "adult.csv", flags: "--sensitive occupation", text: firstRows(t, 4000)},
	}
}

// firstRows are those of Adult, which the project has.
func firstRows(t *testing.T, n int) (out []byte) {
	packed, err := testdata.Files.ReadFile("adult.csv.gz")
	require.NoError(t, err)
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	in := bufio.NewReader(unpacked)
	for range n + 1 {
		line, err := in.ReadBytes('\n')
		require.NoError(t, err)
		out = append(out, line...)
	}
	return out
}

// TestInitThenRun: for tables of different shapes, init writes the configuration that is expected, a run of it publishes at once, and the
// auditor certifies that. No cell of the table, but placeholders, is in the configuration, and it has at most 40 lines.
func TestInitThenRun(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	for _, x := range tables(t, func(i int) string { return ills[i*29%101%len(ills)] }) {
		t.Run(x.name, func(t *testing.T) {
			s := &site{t: t, dir: programtest.TempDir(t)}
			s.config = s.path("anond.yaml")
			s.write(x.file, string(x.text))
			t.Chdir(s.dir)
			r := s.run("init --k 5 --l 2", append(strings.Fields(x.flags), x.file)...)
			require.Equal(t, exitOK, r.code, r.stderr)
			got := s.read("anond.yaml")
			golden := filepath.Join(here, "testdata", "init", x.name+".yaml")
			if *rewriteInit {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
			assert.LessOrEqual(t, strings.Count(got, "\n"), 40)
			assert.NotContains(t, got, "zq")
			assert.NotContains(t, got, "land")

			r = s.run("config check", "--data", s.path(x.file))
			require.Equal(t, exitOK, r.code, r.stderr)
			assert.NotContains(t, r.stderr, "refused")
			r = s.run("run --once")
			require.Equal(t, exitOK, r.code, r.stderr)
			assert.Contains(t, s.must("audit"), "CERTIFIED")
			r = s.run("init --k 5 --l 2", s.path(x.file))
			assert.Equal(t, exitFailed, r.code, "it exists")
			assert.Contains(t, r.stderr, "--force")
			assert.Equal(t, got, s.read("anond.yaml"))
		})
	}
}

// TestRuleHInitSaysNothingOfSensitiveValues: whatever the sensitive values are (another one, one for all, numbers, none), the configuration
// is the same to the last byte.
func TestRuleHInitSaysNothingOfSensitiveValues(t *testing.T) {
	written := func(ill func(i int) string, without ...string) (out []string) {
		for _, x := range tables(t, ill) {
			if slices.Contains(without, x.name) || x.name == "adult" {
				continue // its values are its own
			}
			s := &site{t: t, dir: programtest.TempDir(t)}
			s.config = s.path("anond.yaml")
			s.write(x.file, string(x.text))
			t.Chdir(s.dir)
			r := s.run("init --k 5 --l 2", x.file)
			require.Equal(t, exitOK, r.code, x.name+r.stderr)
			out = append(out, s.read("anond.yaml"))
		}
		return out
	}
	want := written(func(i int) string { return ills[i%len(ills)] })
	for _, ill := range []func(i int) string{
		func(int) string { return "one" },
		func(i int) string { return fmt.Sprint(i) },
		func(i int) string { return fmt.Sprint(1000 * (i % 2)) },
		func(int) string { return "" },
		func(i int) string { return []string{"N/A", "", "999", "-1", "1900-01-01", "E11.9"}[i%6] },
		func(i int) string { return fmt.Sprintf("2024-01-%02d", 1+i%28) },
		func(i int) string { return fmt.Sprintf("[a long text number %d with words", i) },
	} {
		assert.Equal(t, want, written(ill))
	}
	commas := []string{"clinic", "plain"} // these have them between fields
	assert.Equal(t, written(func(i int) string { return ills[i%len(ills)] }, commas...),
		written(func(i int) string { return fmt.Sprintf("%d,5", i) }, commas...))
}

// TestInitRefuses what no configuration reads, and what it was not told, with what to do.
func TestInitRefuses(t *testing.T) {
	for _, c := range []struct {
		text, args string
		code       int
		want       string
	}{
		{"a,b\n1,2\n", "", exitUsage, "--k and --l"},
		{"a,b\n1,2\n", "--k 3 --l 5", exitUsage, "at most k"},
		{"a,b\n1,2\n", "--k 5 --l 3 --sensitive c", exitUsage, `no column "c"`},
		{"", "--k 5 --l 3", exitFailed, ""},
		{"id,dx\n1,flu\r2,gout\n", "--k 5 --l 3 --kafka 127.0.0.1:1", exitUsage, "either a file or a topic"},
		{"\x00\x00\x00\x00\x07{\"id\":\"p1\"}\n", "--k 5 --l 3", exitFailed, "registry"},
		{"PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaa", "--k 5 --l 3", exitFailed, ""},
		{"[\n{\"id\": 1}\n]\n", "--k 5 --l 3", exitFailed, "jq"},
		{"id,class\n1,zq\n2,zq\n", "--k 5 --l 3 --sensitive class", exitFailed, "rename"},
	} {
		s := &site{t: t, dir: programtest.TempDir(t)}
		s.config = s.path("anond.yaml")
		s.write("in.csv", c.text)
		r := s.run("init", append(strings.Fields(c.args), s.path("in.csv"))...)
		assert.Equal(t, c.code, r.code, "%q %s: %s", c.text, c.args, r.stderr)
		assert.Contains(t, r.stderr, c.want)
		assert.NotContains(t, r.stderr+r.stdout, "zq")
		assert.NoFileExists(t, s.config)
	}
}

// TestInitOfATopic: the first records of a topic, and nothing is joined or committed.
func TestInitOfATopic(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "admissions"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	for i := range 300 {
		value := fmt.Sprintf("{\"patient\": \"p%d\",\n \"age\": %d, \"sex\": \"%c\", \"diagnosis\": %q}", i, 20+i%60, "mf"[i%2], ills[i%7])
		require.NoError(t, client.ProduceSync(t.Context(), &kgo.Record{Topic: "admissions", Value: []byte(value)}).FirstErr())
	}
	s := &site{t: t, dir: programtest.TempDir(t)}
	s.config = s.path("anond.yaml")
	r := s.run("init --k 5 --l 3 --topic admissions", "--kafka", cluster.ListenAddrs()[0])
	require.Equal(t, exitOK, r.code, r.stderr)
	text := s.read("anond.yaml")
	assert.Contains(t, text, "# Written by anond init, from the first 300 records with 4 columns.")
	assert.Contains(t, text, fmt.Sprintf("kafka: {brokers: [%q], topic: admissions}", cluster.ListenAddrs()[0]))
	assert.NotContains(t, text, "zq")
	s.must("config check")
	s.edit("policy:", "initial: {min_pool: 100}\npolicy:")
	require.Equal(t, exitOK, s.run("run --once").code)
	assert.Contains(t, s.must("audit"), "CERTIFIED")
}

// TestConfigInitAndInitAgree: the full reference has every key that init writes.
func TestConfigInitAndInitAgree(t *testing.T) {
	for _, key := range []string{"others:", "missing:", "min_pool:", "complete:", "delimiter:", "encoding:", "decimal:", "format:"} {
		assert.Contains(t, config.Starting, key)
	}
}

// TestInitSaysWhoWouldBeAPerson: without a column that names one, every row is, and so is a row of totals at the end, which changes no
// guess. Neither is silent, and no text of the row is shown.
func TestInitSaysWhoWouldBeAPerson(t *testing.T) {
	for _, x := range []struct{ header, last, subject, total string }{
		{"age;sex;dx\n", ";;\n", "no column names the person: each row counts as a person of its own", ""},
		{"PatNr;sex;dx\n", "Gesamt: 4711;;\n;;\n", "", "in.csv:42: the last row looks like a total"},
		{"PatNr;sex;dx\n", "\n;Summe;\n", "", "in.csv:43: the last row looks like a total"},
		{"PatNr;sex;dx\n", "77;f;total\n", "", ""},
	} {
		text := x.header
		for i := range 40 {
			text += fmt.Sprintf("%d;%s;%s\n", 20+i, []string{"f", "m"}[i%2], ills[i%len(ills)])
		}
		s := &site{t: t, dir: programtest.TempDir(t)}
		s.config = s.path("anond.yaml")
		s.write("in.csv", text+x.last)
		t.Chdir(s.dir)
		r := s.run("init --k 5 --l 2 --sensitive dx", "in.csv")
		require.Equal(t, exitOK, r.code, r.stderr)
		assert.Equal(t, x.subject != "", strings.Contains(r.stdout, "no column names"), r.stdout)
		assert.Contains(t, r.stdout, x.subject)
		assert.Equal(t, x.total != "", strings.Contains(r.stdout, "total"), r.stdout)
		assert.Contains(t, r.stdout, x.total)
		assert.NotContains(t, r.stdout, "4711")
	}
}
