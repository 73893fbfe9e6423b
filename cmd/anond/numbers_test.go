package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/cmd/anond/internal/programtest"
	"anond/equivclass/equivtest/tier"
	"anond/snapshot"
	"anond/snapshot/audit"
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

// audited audits with both exports and returns the verdict and the newest manifest.
func (s *site) audited() (string, snapshot.Manifest) {
	s.t.Helper()
	s.must("state members", "--out", s.path("members.csv"))
	s.must("state records", "--out", s.path("records.csv"))
	report, err := audit.Dir(audit.Options{Releases: s.path("releases"), Members: s.path("members.csv"), Records: s.path("records.csv"),
		Ledger: s.path(filepath.Join("state", "ledger"))})
	require.NoError(s.t, err)
	require.Empty(s.t, report.Violations)
	var m snapshot.Manifest
	require.NoError(s.t, json.Unmarshal([]byte(s.must("release show --json")), &m))
	return string(report.Verdict), m
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
	verdict, m := s.audited()
	assert.Equal(t, []any{"certified", 4}, []any{verdict, m.Records})
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
		verdict, m := s.audited()
		require.Equal(t, "certified", verdict, "seed %d: %s", seed, attributes)
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
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stdout, `"dx": 1 value differs from another one only by dots, case, hyphens or spaces`)
	assert.NotContains(t, r.stdout, "E11")

	var half strings.Builder // a further illness: classes of E119 and I10
	for n := range 40 {
		fmt.Fprintf(&half, `{"id": %d, "age": %d, "dx": %q}`+"\n", n, 20+n, []string{"E11.9", "i10", "e119", "I-10"}[n%4])
	}
	folded = bareSite(t, folded.read("anond.yaml"), half.String())
	folded.must("run --once")
	verdict, m := folded.audited()
	assert.Equal(t, []any{"certified", "fold"}, []any{verdict, m.Schema[2].Aliases})
	assert.Contains(t, folded.must("release cat --file buckets.csv"), "E119")
	assert.Contains(t, anond(t, "query", folded.path("releases"), "count where dx = e11.9").stdout, "estimate  20.00")
}

// TestHierarchyOfSpelledCodes: a list of codes in two spellings makes one leaf, and says how
// records find it.
func TestHierarchyOfSpelledCodes(t *testing.T) {
	r := anond(t, "hierarchy", "icd10", file(t, "codes.txt", "E11.9\nE119\n"))
	assert.Equal(t, result{exitOK, "E119;E11.-;E00-E90;*\n", "warning: codes with several spellings, or headings: 1; their leaves have no " +
		"dots and hyphens: set aliases: fold at the attribute, so that records with any spelling have them\n"}, r)
}
