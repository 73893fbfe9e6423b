package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/programtest"
	"anond/snapshot"
)

// bareSite is a directory with a configuration and an input of its own.
func bareSite(t *testing.T, configuration, input string) *site {
	t.Helper()
	s := &site{t: t, dir: programtest.TempDir(t)}
	s.config = filepath.Join(s.dir, "anond.yaml")
	s.write("anond.yaml", configuration)
	s.write("in.json", input)
	return s
}

const numbersConfig = `version: 1
dataset: case
source: {type: file, format: json, file: {path: in.json}}
dead_letter: {type: file, path: ./dl}
schema:
  attributes:
    - {name: id, role: subject}
%s
    - {name: dx, role: sensitive, type: categorical}
policy: {k: 2, l: 2, max_hold: 0s, level: %s}
initial: {%s: 4}
release: {dir: ./releases, recoding: %s, trigger: {on: records, every: 60}}
state: {path: ./state/anond.db}
http: {listen: off}
`

// certifiedManifest has the audit certify the site, and returns the newest manifest.
func (s *site) certifiedManifest() (m snapshot.Manifest) {
	s.t.Helper()
	require.NoError(s.t, json.Unmarshal([]byte(s.must("release show --json")), &m))
	if m.Policy.Level == "L2" {
		s.must("audit --replay 1 --require-certified")
	} else {
		s.must("audit --require-certified")
	}
	return m
}

// TestTwoExtremeDecimalsAreRefused: -1e308 and 1e308 ended a dataset, since their distance
// is no float64.
func TestTwoExtremeDecimalsAreRefused(t *testing.T) {
	s := bareSite(t, fmt.Sprintf(numbersConfig, "    - {name: income, role: quasi, type: decimal}", "L2", "min_pool", "buckets"),
		strings.Join([]string{
			`{"id": 1, "income": -1e+308, "dx": "flu"}`, `{"id": 2, "income": 1e+308, "dx": "angina"}`,
			`{"id": 3, "income": 10, "dx": "flu"}`, `{"id": 4, "income": 20, "dx": "angina"}`,
			`{"id": 5, "income": 10, "dx": "flu"}`, `{"id": 6, "income": 20, "dx": "angina"}`, ""}, "\n"))
	s.must("run --once")
	assert.Equal(t, 4, s.certifiedManifest().Records)
	assert.Contains(t, s.must("dlq list"), "value_out_of_range")
}

// TestNoAcceptedNumberEndsADataset: whatever number the intake takes in, from the smallest
// to the largest of its type and at and around multiples of steps, every release is
// rendered, passes the gate and is certified by the audit, and its loss is a number in [0,1].
func TestNoAcceptedNumberEndsADataset(t *testing.T) {
	tier.NotShort(t, "it runs many datasets")
	t.Parallel()
	const most = 1_000_000_000_000_000
	forms := [][2]string{{"L2", "buckets"}, {"L2", "anatomy"}, {"L2", "permutation"}, {"L1", "generalization"}, {"L1", "anatomy"}}
	steps := []string{"", ", steps: [0.1]", ", steps: [0.05, 0.1, 1]", ", steps: [0.01]", ", steps: [1.1]", ", steps: [1.1, 11000000000]"}
	for seed := range uint64(30) {
		form := forms[seed%uint64(len(forms))]
		r := rand.New(rand.NewPCG(seed, 5))
		digits := 2 + r.IntN(3)
		step := steps[seed%uint64(len(steps))]
		attributes := fmt.Sprintf("    - {name: i, role: quasi, type: integer%s}\n    - {name: d, role: quasi, type: decimal, digits: %d%s}\n"+
			"    - {name: t, role: quasi, type: date%s}",
			[]string{"", ", steps: [7]", ", steps: [1000000000000000]"}[r.IntN(3)], digits, step,
			[]string{"", ", steps: [30]", ", steps: [30000, 900000]"}[r.IntN(3)])
		integer := func() string {
			switch r.IntN(6) {
			case 0:
				return []string{"1000000000000000", "-1000000000000000", "999999999999999", "1e15", "-1e15", "0", "-0"}[r.IntN(7)]
			case 1: // refused
				return []string{"1e19", "9223372036854775807", "-9223372036854775808", "18446744073709551615", "1000000000000001", "1e308",
					"-1e400"}[r.IntN(7)]
			default:
				return fmt.Sprint(r.Int64N(2*most+1)>>r.IntN(52) - r.Int64N(3))
			}
		}
		decimal := func() string {
			first, _, _ := strings.Cut(strings.TrimPrefix(step, ", steps: "), " ")
			unit := map[string]int64{"[0.1]": 1000, "[0.05,": 500, "[0.01]": 100, "[1.1]": 11000, "[1.1,": 11000}[first]
			units := r.Int64N(41) - 20
			if unit > 0 { // at a multiple, and the numbers next to it
				units = units*unit/100 + r.Int64N(3) - 1
			}
			switch r.IntN(8) {
			case 0:
				units = most - r.Int64N(3)
			case 1:
				units = -most + r.Int64N(3)
			case 2: // refused
				return []string{"-1e308", "1e308", "1e400", "0.1234567891", "1e-400", "99999999999999999", "NaN"}[r.IntN(7)]
			}
			return fmt.Sprintf("%de-%d", units, digits)
		}
		date := func() string {
			switch r.IntN(6) {
			case 0:
				return []string{"0000-01-01", "9999-12-31", "0001-01-01", "9999-12-30"}[r.IntN(4)]
			case 1: // refused
				return []string{"10000-01-01", "-0001-01-01", "2024-02-30"}[r.IntN(3)]
			default:
				return fmt.Sprintf("%04d-%02d-%02d", r.IntN(10000), 1+r.IntN(12), 1+r.IntN(28))
			}
		}
		var lines strings.Builder
		for n := range 240 {
			fmt.Fprintf(&lines, `{"id": %d, "i": "%s", "d": "%s", "t": "%s", "dx": "v%d"}`+"\n", n, integer(), decimal(), date(), n%4)
		}
		s := bareSite(t, fmt.Sprintf(numbersConfig, attributes, form[0],
			map[string]string{"L2": "min_pool", "L1": "min_records"}[form[0]], form[1]), lines.String())
		s.must("run --once")
		m := s.certifiedManifest()
		q := m.Quality
		require.True(t, m.Records > 50 && q.NCP >= 0 && q.BoxNCP >= q.NCP && q.BoxNCP <= 1, "seed %d: %+v", seed, q)
	}
}

// spelled is an input in which everybody has one illness, in two spellings.
func spelled() string {
	var lines strings.Builder
	for n := range 40 {
		fmt.Fprintf(&lines, `{"id": %d, "age": %d, "dx": %q}`+"\n", n, 20+n, []string{"E11.9", "E119"}[n%2])
	}
	return lines.String()
}

// TestTwoSpellingsAreOneIllness: with aliases: fold a pool in which everybody has E11.9 or
// E119 has one value and is not published; without, it is, and warned of, without a value.
func TestTwoSpellingsAreOneIllness(t *testing.T) {
	configuration := fmt.Sprintf(numbersConfig, "    - {name: age, role: quasi, type: integer}", "L2", "min_pool", "buckets")
	folded := bareSite(t, strings.Replace(configuration, "name: dx, role", "name: dx, aliases: fold, role", 1), spelled())
	assert.NotEqual(t, exitOK, folded.run("run --once").code)
	assert.NoDirExists(t, folded.path("releases/000001"))

	kept := bareSite(t, configuration, spelled())
	r := kept.run("run --once")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stderr, `"event":"values_alike","attribute":"dx","values":1`)
	assert.NotContains(t, r.stderr, "E11")
	r = kept.run("config check", "--data", kept.path("in.json"), "--format", "json")
	require.Equal(t, exitPrivacy, r.code, "one of two values is at what is promised: no second pool could follow")
	assert.Contains(t, r.stdout, `"dx": 1 value differs from another one only by dots, case, hyphens or spaces`)
	assert.NotContains(t, r.stdout, "E11")

	var half strings.Builder // a further illness: classes of E119 and I10
	for n := range 40 {
		fmt.Fprintf(&half, `{"id": %d, "age": %d, "dx": %q}`+"\n", n, 20+n, []string{"E11.9", "i10", "e119", "I-10"}[n%4])
	}
	folded = bareSite(t, folded.read("anond.yaml"), half.String())
	folded.must("run --once")
	assert.Equal(t, "fold", folded.certifiedManifest().Schema[2].Aliases)
	assert.Contains(t, folded.must("release cat --file values.csv"), "E119")
	assert.InDelta(t, 20, asked(t, folded.path("releases"), "count where dx = e11.9").Estimate, 1e-9)
}

// TestHierarchyOfSpelledCodes: a list of codes in two spellings makes one leaf, and says how
// records find it.
func TestHierarchyOfSpelledCodes(t *testing.T) {
	r := anond(t, "hierarchy", "icd10", file(t, "codes.txt", "E11.9\nE119\n"))
	assert.Equal(t, result{exitOK, "E119;E11.-;E00-E90;*\n", "warning: codes with several spellings, or headings: 1; their leaves have no " +
		"dots and hyphens: set aliases: fold at the attribute, so that records with any spelling have them\n"}, r)
}

// lacking is an input of people of whom some have no value of an attribute, in ways that
// sources write so.
func lacking(n int, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 9))
	var lines strings.Builder
	for id := range n {
		drop := func(text string, ways ...string) string {
			if r.IntN(5) > 0 {
				return text
			}
			return ways[r.IntN(len(ways))]
		}
		fmt.Fprintf(&lines, `{"id": %d, "age": %s, "income": %s, "born": %s, "town": %s, "zip": %s, "dx": %s}`+"\n", id,
			drop(fmt.Sprint(20+r.IntN(60)), "null", `""`, "999", `"N/A"`), drop(fmt.Sprintf("%d.5", r.IntN(90)), "null", "-1", `"-1.0"`),
			drop(fmt.Sprintf(`"19%02d-%02d-11"`, r.IntN(99), 1+r.IntN(12)), "null", `"9999-12-31"`),
			drop(fmt.Sprintf("%q", []string{"Bern", "Chur", "Zug"}[r.IntN(3)]), "null", `"unknown"`, `"?"`),
			drop([]string{`"8001"`, `"8002"`, `"3011"`}[r.IntN(3)], "null", `" "`),
			drop(fmt.Sprintf(`"v%d"`, r.IntN(4)), "null", `"none"`))
	}
	return lines.String()
}

const lackingAttributes = `    - {name: age, role: quasi, type: integer, missing_values: [999, N/A]%s}
    - {name: income, role: quasi, type: decimal, digits: 1, missing_values: [-1]%s}
    - {name: born, role: quasi, type: date, missing_values: [9999-12-31]}
    - {name: town, role: quasi, type: categorical, missing_values: [unknown, "?"]}
    - {name: zip, role: quasi, hierarchy: zip.csv}`

// TestMissingValues: with missing: value people without a number, date or category are
// published in every recoding, pass gate and audit, and are read by queries and replay; with
// missing: refuse they are dead letters.
func TestMissingValues(t *testing.T) {
	tier.NotShort(t, "it runs every recoding")
	for _, form := range [][3]string{{"L2", "min_pool", "buckets"}, {"L2", "min_pool", "anatomy"}, {"L2", "min_pool", "permutation"},
		{"L1", "min_records", "generalization"}, {"L1", "min_records", "anatomy"}, {"L1", "min_records", "permutation"}} {
		t.Run(form[0]+" "+form[2], func(t *testing.T) {
			t.Parallel()
			for step, steps := range []string{"", ", steps: [10, 100]"} {
				configuration := fmt.Sprintf(numbersConfig, fmt.Sprintf(lackingAttributes, steps, steps), form[0], form[1], form[2])
				configuration = strings.Replace(configuration, "policy:", "  missing: value\npolicy:", 1)
				configuration = strings.Replace(configuration, "dx, role: sensitive", "dx, missing_values: [none], role: sensitive", 1)
				s := bareSite(t, configuration, lacking(400, uint64(step)))
				s.write("zip.csv", "8001;80;*\n8002;80;*\n3011;30;*\n")
				s.must("run --once")
				s.certifiedManifest()
				rows := s.must("release cat")
				require.Greater(t, strings.Count(rows, "\n"), 300)
				for _, cell := range map[string][]string{"anatomy": {",?,"}, "permutation": {",?,"}}[form[2]] {
					assert.Contains(t, rows, cell)
				}
				if form[2] == "buckets" || form[2] == "generalization" {
					assert.Regexp(t, `(?m)^part-000001,(\?|"\[\d+,\d+\]\|\?"|\d+\|\?),`, rows, "an age that is missing, or may be")
					assert.Contains(t, rows, `|?}`)
				}
				assert.NotContains(t, rows, "unknown")
				assert.NotContains(t, rows, "9999-12-31")
				for _, q := range []string{"count where age > 30", "count where town = Bern and born >= 1950-01-01", "sum(income) where age < 50"} {
					assert.False(t, math.IsNaN(asked(t, s.path("releases"), q).Estimate), q)
				}
			}
		})
	}
	configuration := fmt.Sprintf(numbersConfig, fmt.Sprintf(lackingAttributes, "", ""), "L2", "min_pool", "buckets")
	s := bareSite(t, configuration, lacking(400, 1))
	s.write("zip.csv", "8001;80;*\n8002;80;*\n3011;30;*\n")
	s.must("run --once")
	assert.NotContains(t, s.must("release cat"), "?")
	assert.Contains(t, s.must("dlq list"), "missing_value")
}

// TestRangeAndTheMarkItself: numbers outside of their range are implausible, and a category
// that looks like a missing value is refused.
func TestRangeAndTheMarkItself(t *testing.T) {
	var lines strings.Builder
	for id := range 40 {
		fmt.Fprintf(&lines, `{"id": %d, "age": %d, "town": %q, "dx": "v%d"}`+"\n", id, []int{30, 120, 121, -1, 0}[id%5],
			[]string{"Bern", "Chur", "Zug", "?"}[id%4], id%3)
	}
	s := bareSite(t, fmt.Sprintf(numbersConfig, "    - {name: age, role: quasi, type: integer, range: [0, 120]}\n"+
		"    - {name: town, role: quasi, type: categorical}", "L2", "min_pool", "buckets"), lines.String())
	s.must("run --once")
	letters := s.must("dlq list")
	assert.Contains(t, letters, "implausible")
	assert.Contains(t, letters, "value_refused")
	assert.NotRegexp(t, `\b121\b|-1\b|\?`, s.must("release cat"))
}

// TestOnePlaceholderMakesNobodyElseVague: with one date of 9999 and one number of 99999999 among 1,500, the cells of the
// others are as narrow as without them, and the published loss does not fall; in later releases,
// too. Numbers are measured by the scale that the manifest names.
func TestOnePlaceholderMakesNobodyElseVague(t *testing.T) {
	medians := func(placeholders bool) (days, numbers, loss float64, scale []float64) {
		r := rand.New(rand.NewPCG(3, 3))
		people := func(from, to int) string {
			var lines strings.Builder
			for id := from; id < to; id++ {
				born, zip := fmt.Sprintf("%04d-%02d-%02d", 1940+r.IntN(70), 1+r.IntN(12), 1+r.IntN(28)), 1000+r.IntN(9000)
				if placeholders && (id == 700 || id == 2000) {
					born = "9999-12-31"
				}
				if placeholders && (id == 900 || id == 2200) {
					zip = 99999999
				}
				fmt.Fprintf(&lines, `{"id": %d, "born": %q, "zip": %d, "dx": "v%d"}`+"\n", id, born, zip, r.IntN(4))
			}
			return lines.String()
		}
		s := bareSite(t, fmt.Sprintf(numbersConfig, "    - {name: born, role: quasi, type: date}\n    - {name: zip, role: quasi, type: integer}",
			"L2", "min_pool", "buckets"), people(0, 1500))
		s.edit("k: 2", "k: 5")
		s.edit("every: 60", "every: 1500")
		s.edit("min_pool: 4", "min_pool: 1000")
		s.must("run --once")
		s.append("in.json", people(1500, 3000))
		s.must("run --once")
		m := s.certifiedManifest()
		require.Equal(t, uint32(2), m.Release)
		release := s.must("release cat")
		median := func(cell string, width func(lo, hi string) float64) float64 {
			var widths []float64
			for _, ends := range regexp.MustCompile(cell).FindAllStringSubmatch(release, -1) {
				widths = append(widths, width(ends[1], ends[2]))
			}
			slices.Sort(widths)
			return widths[len(widths)/2]
		}
		days = median(`\[(\d{4}-\d\d-\d\d),(\d{4}-\d\d-\d\d)\]`, func(lo, hi string) float64 {
			from, err := time.Parse(time.DateOnly, lo)
			require.NoError(t, err)
			to, err := time.Parse(time.DateOnly, hi)
			require.NoError(t, err)
			return to.Sub(from).Hours() / 24
		})
		numbers = median(`\[(\d{1,8}),(\d{1,8})\]`, func(lo, hi string) float64 {
			from, err := strconv.Atoi(lo)
			require.NoError(t, err)
			to, err := strconv.Atoi(hi)
			require.NoError(t, err)
			return float64(to - from)
		})
		return days, numbers, m.Quality.NCP, []float64{m.Schema[1].Scale, m.Schema[2].Scale}
	}
	days, numbers, loss, scale := medians(true)
	daysBefore, numbersBefore, lossBefore, _ := medians(false)
	t.Logf("with %v %v %v, without %v %v %v", days, numbers, loss, daysBefore, numbersBefore, lossBefore)
	assert.InEpsilon(t, daysBefore, days, .05)
	assert.InEpsilon(t, numbersBefore, numbers, .05)
	assert.GreaterOrEqual(t, loss, lossBefore)
	assert.LessOrEqual(t, loss, lossBefore+4*5/3000./2, "four classes of five lose one cell of two")
	assert.Equal(t, []float64{30000, 9000}, scale)
}
