package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

const inputConfig = `version: 1
dataset: input
source: {type: file, format: csv, file: {path: in.csv}}
dead_letter: {type: file, path: ./letters, max_share: 1}
schema:
  attributes:
    - {name: id, role: subject}
    - {name: born, role: quasi, type: date}
    - {name: weight, role: quasi, type: decimal}
    - {name: dx, role: sensitive, type: categorical}
policy: {k: 2, l: 2, max_hold: 0s}
initial: {min_pool: 4}
release: {dir: ./releases}
state: {path: ./state/anond.db}
http: {listen: off}
`

// inputOf writes forty people, each by a function of number, birthday, weight and illness. One in four has an umlaut.
func inputOf(line func(i int, born, weight, dx string) string) string {
	var out strings.Builder
	for i := range 40 {
		illness := []string{"Grippe", "Gürtelrose", "Angina", "Asthma"}[i%4]
		out.WriteString(line(i, fmt.Sprintf("19%02d-%02d-%02d", 40+i, 1+i%12, 1+i%28), fmt.Sprintf("%d.5", 60+i%9), illness))
	}
	return out.String()
}

var toWindows1252 = strings.NewReplacer("ü", "\xfc")

// TestInputAsPeopleHaveIt: a table in the form of a spreadsheet, in another encoding, or of FHIR is published whole once the keys are
// set that the refusal before names, and certified.
func TestInputAsPeopleHaveIt(t *testing.T) {
	for name, x := range map[string]struct {
		in     string
		before string // of standard error, without the keys
		edits  []string
		shows  string // in the newest release
	}{
		"a spreadsheet": {
			in: toWindows1252.Replace("sep=;\r\nid;born;weight;dx;note\r\n" + inputOf(func(i int, born, weight, dx string) string {
				return fmt.Sprintf("p%d;%s.%s.%s;\"%s\";%s;x\r\n", i, born[8:], born[5:7], born[:4], strings.Replace(weight, ".", ",", 1), dx)
			})),
			before: "in.csv is not UTF-8 (line 4), and looks like Windows-1252\nhint: set source.csv.encoding: windows-1252",
			edits: []string{"format: csv,", `format: csv, csv: {delimiter: ";", encoding: windows-1252, decimal: ","},`,
				"schema:\n", "schema:\n  others: drop\n", "type: date}", `type: date, format: "%d.%m.%Y"}`},
			shows: "Gürtelrose",
		},
		"time stamps": {
			in: "id\tborn\tweight\tdx\n" + inputOf(func(i int, born, weight, dx string) string {
				return fmt.Sprintf("p%d\t%sT10:00:00.000Z\t%s\t%s\n", i, born, weight, dx)
			}),
			before: `hint: the file has tab between its fields (41 of the first 41 records have 4): set source.csv.delimiter: tab`,
			edits:  []string{"format: csv,", `format: csv, csv: {delimiter: tab},`, "type: date}", "type: date, format: datetime}"},
			shows:  "Gürtelrose",
		},
		"partial dates": {
			in: inputOf(func(i int, born, weight, dx string) string {
				return fmt.Sprintf(`{"id":%d,"born":%q,"weight":%s,"dx":%q}`+"\n", i, born[:[]int{4, 7, 10}[i%3]], weight, dx)
			}),
			before: `"dead_letter":27`,
			edits:  []string{"format: csv,", "format: json,", "type: date}", "type: date, precision: year}"},
			shows:  `"precision":"year"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &site{t: t, dir: t.TempDir()}
			s.config = s.path("anond.yaml")
			s.write("anond.yaml", inputConfig)
			s.write("in.csv", x.in)
			if strings.Contains(x.before, "dead_letter") {
				s.edit("format: csv,", "format: json,")
				x.edits = x.edits[2:]
			}
			r := s.run("run --once")
			assert.Contains(t, r.stderr, x.before)
			assert.NotContains(t, r.stderr, "Gürtelrose")
			if r.code == exitOK {
				s = &site{t: t, dir: t.TempDir()}
				s.config = s.path("anond.yaml")
				s.write("anond.yaml", strings.Replace(inputConfig, "format: csv,", "format: json,", 1))
				s.write("in.csv", x.in)
			} else {
				assert.Equal(t, exitConfig, r.code)
			}
			for i := 0; i < len(x.edits); i += 2 {
				s.edit(x.edits[i], x.edits[i+1])
			}
			s.must("config check")
			s.must("run --once")
			c := s.counts().Counts
			require.Equal(t, []int{40, 0}, []int{c.Published, int(c.DeadLetter)})
			assert.Contains(t, s.must("audit"), "CERTIFIED")
			var all strings.Builder
			for _, content := range s.releases() {
				all.WriteString(content)
			}
			assert.Contains(t, all.String(), x.shows)
		})
	}
}

// TestRefusalsOfInputSayNoValue: neither the log nor the list of dead letters has a text of a record.
func TestRefusalsOfInputSayNoValue(t *testing.T) {
	const canary = "CANARY7731"
	for name, x := range map[string]struct {
		format, in string
		reasons    map[equivclass.Reason]int
	}{
		"debezium": {"debezium", inputOf(func(i int, born, weight, dx string) string {
			return fmt.Sprintf(`{"op":"c","after":{"id":"%s%d","born":%q,"weight":%s,"dx":%q}}`+"\n", canary, i, born,
				[]string{weight, `"AfQ="`}[i%4/3], []string{dx, "__debezium_unavailable_value"}[i%4/2*(1-i%2)])
		}), map[equivclass.Reason]int{"encoded_decimal": 10, "unavailable_value": 10}},
		"registry": {"json", inputOf(func(i int, born, weight, dx string) string {
			return fmt.Sprintf("\x00\x00\x00\x00\x01"+`{"id":"%s%d","born":%q,"weight":%s,"dx":%q}`+"\n", canary, i, born, weight, dx)
		}), map[equivclass.Reason]int{"schema_registry_framing": 40}},
		"encoding": {"csv", "id,born,weight,dx\n" + canary + ",1940-01-01,60.5,G\xfcrtelrose\n", nil},
		"header":   {"csv", canary + ";1940-01-01;60.5;" + canary + "\n", nil},
	} {
		s := &site{t: t, dir: t.TempDir()}
		s.config = s.path("anond.yaml")
		s.write("anond.yaml", strings.Replace(inputConfig, "format: csv,", "format: "+x.format+",", 1))
		s.write("in.csv", x.in)
		r := s.run("run --once")
		said := r.stderr + r.stdout
		if x.reasons == nil {
			assert.Equal(t, exitConfig, r.code, name)
		} else {
			refused := s.counts().Counts.Refused
			for why, n := range x.reasons {
				assert.Equal(t, n, int(refused[why]), "%s %s", name, why)
			}
			said += s.must("dlq list") + s.must("status")
		}
		for _, text := range []string{canary, "1940-01-01", "rtelrose", "AfQ", "60.5"} {
			assert.NotContains(t, said, text, name)
		}
	}
}
