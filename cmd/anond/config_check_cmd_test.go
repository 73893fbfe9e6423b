package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/merge"
	"anond/internal/profile"
)

// lastYear is a file of people of the hospital, some diagnoses so many times.
func lastYear(times ...int) string {
	b := strings.Builder{}
	b.WriteString("patient,age,sex,postcode,admission,diagnosis\n")
	n := 0
	for value, count := range times {
		for range count {
			n++
			fmt.Fprintf(&b, "p%d,%d,F,1101,planned,d%d\n", n, 20+n%60, value)
		}
	}
	return b.String()
}

// TestConfigCheckSaysWhatPoolsAreNeeded: by the shares of other people's data, at
// either level, as text and as JSON.
// Mutations: k times l is left out; the next l is not asked; the top share of the wrong value.
func TestConfigCheckSaysWhatPoolsAreNeeded(t *testing.T) {
	common := []int{97, 97, 97, 97, 97, 97, 96, 96, 96, 130}
	for _, c := range []struct {
		policy string
		times  []int
		want   []string
	}{
		{"k: 10, l: 5, level: L2", common, []string{
			`In these 1000 records "diagnosis" has 10 different values, the most frequent one with 13.0 %.`,
			"Pools of up to 20000 records can keep l = 6, or gain 1.141 against these shares, or at_most 0.143 of the most frequent value.",
			"At level L2 and with these shares, l = 5 needs pools of 847 records; l = 6 of 2917.",
			"initial.min_pool is 1000, and 847 are enough."}},
		{"k: 10, l: 5, level: L2}\ninitial: {min_pool: 800", common, []string{
			`In these 1000 records "diagnosis" has 10 different values, the most frequent one with 13.0 %.`,
			"Pools of up to 16000 records can keep l = 6, or gain 1.158 against these shares, or at_most 0.145 of the most frequent value.",
			"At level L2 and with these shares, l = 5 needs pools of 847 records; l = 6 of 2917.",
			"initial.min_pool is 800: write 847, so that the first pool is unlikely to be refused."}},
		{"k: 10, l: 5, level: L2, diversity: [{entropy: 5.5}]}\ninitial: {min_pool: 847", common, []string{
			`In these 1000 records "diagnosis" has 10 different values, the most frequent one with 13.0 %.`,
			"Pools of up to 16940 records can keep l = 6, or gain 1.154 against these shares, or at_most 0.144 of the most frequent value.",
			"At level L2 and with these shares, l = 5 needs pools of 847 records; l = 6 of 2917.",
			"initial.min_pool is 847, and 847 are enough.",
			"The tests of policy.diversity may need more."}},
		{"k: 10, l: 7, level: L1", common, []string{
			`In these 1000 records "diagnosis" has 10 different values, the most frequent one with 13.0 %.`,
			"Pools of up to 20000 records can keep l = 6, or gain 1.141 against these shares, or at_most 0.143 of the most frequent value.",
			"At level L2 and with these shares, l = 7 needs pools of 22661 records; no pool is large enough for l = 8."}},
		{"k: 600, l: 2, level: L1", common, []string{
			`In these 1000 records "diagnosis" has 10 different values, the most frequent one with 13.0 %.`,
			"Pools of up to 20000 records can keep l = 6, or gain 1.141 against these shares, or at_most 0.143 of the most frequent value.",
			"At level L2 and with these shares, l = 2 needs pools of 1200 records; l = 3 of 1800."}},
		{"k: 10, l: 5, level: L2", []int{10, 30, 30, 30}, []string{
			`In these 100 records "diagnosis" has 4 different values, the most frequent one with 30.0 %.`,
			"Pools of up to 20000 records can keep l = 3, or gain 1.134 against these shares, or at_most 0.318 of the most frequent value.",
			"At level L2 and with these shares, no pool is large enough for l = 5: a value may have 1/l = 20.0 % at most.",
			"l = 3 is reachable with pools of 5862 records; or divide the most frequent value."}},
		{"k: 10, l: 2, level: L2", []int{5, 5}, []string{
			`In these 10 records "diagnosis" has 2 different values, the most frequent one with 50.0 %.`,
			"Pools of up to 20000 records can keep gain 1.08 against these shares, or at_most 0.519 of the most frequent value.",
			"At level L2 and with these shares, no pool is large enough for l = 2: a value may have 1/l = 50.0 % at most.",
			"Not even l = 2 is reachable: divide the most frequent value."}},
		{"k: 10, l: 2, level: L2", nil, []string{"The data have no record that could be published, so they say nothing about pools.",
			profile.Channel}},
	} {
		t.Run(c.policy, func(t *testing.T) {
			s := newSite(t, fileSource, "on: update", "")
			s.edit("k: 5, l: 3, level: L1", c.policy)
			s.write("last.csv", lastYear(c.times...))
			r := s.run("config check", "--data", s.path("last.csv"))
			code := exitOK
			if strings.Contains(r.stdout, "no pool is large enough for l = 5") || strings.Contains(r.stdout, "Not even l = 2") {
				code = exitPrivacy
			}
			require.Equal(t, code, r.code, r.stderr)
			text, tables, _ := strings.Cut(r.stdout, "\n\nLoss of classes")
			assert.Equal(t, c.times != nil, strings.Contains(tables, "Level L2: pools that l needs:"))
			said := strings.Split(strings.TrimSpace(text), "\n")
			require.Greater(t, len(said), 3, r.stdout)
			assert.Equal(t, c.want, said[3:])

			r = s.run("config check --json", "--data", s.path("last.csv"))
			require.Equal(t, code, r.code, r.stderr)
			var a struct {
				OK    bool
				Pools *profile.Pools
			}
			require.NoError(t, json.Unmarshal([]byte(r.stdout), &a))
			require.NotNil(t, a.Pools)
			assert.Equal(t, code == exitOK, a.OK)
			for _, need := range a.Pools.Need {
				assert.Contains(t, r.stdout, fmt.Sprintf(`"l": %d`, need.L))
				assert.LessOrEqual(t, need.L, a.Pools.L+1)
			}
		})
	}
}

// TestAdviceByThoseWhoArePublishedIsAChannel is said each time: as text, as JSON, by the doctor, and if no record could be used.
func TestAdviceByThoseWhoArePublishedIsAChannel(t *testing.T) {
	const says = "exactly the whole first pool"
	s := newSite(t, fileSource, "on: update", "")
	for _, times := range [][]int{{50, 50, 50, 50}, nil} {
		s.write("last.csv", lastYear(times...))
		for _, command := range []string{"config check", "config check --json", "doctor", "doctor --json"} {
			assert.Contains(t, s.run(command, "--data", s.path("last.csv")).stdout, says, command)
		}
	}
	assert.NotContains(t, s.must("config check"), says)
}

// TestPoolsAreThoseOfTheMachine: what is said is merge.MinPool of the same counts.
func TestPoolsAreThoseOfTheMachine(t *testing.T) {
	s := newSite(t, fileSource, "on: update", "")
	s.edit("l: 3", "l: 4")
	s.write("last.csv", lastYear(40, 30, 20, 60, 70, 60, 80, 40))
	r := s.run("config check --json", "--data", s.path("last.csv"))
	require.Equal(t, exitOK, r.code, r.stderr)
	var a struct{ Pools profile.Pools }
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &a))
	require.Len(t, a.Pools.Need, 3)
	for _, need := range a.Pools.Need {
		n, possible := merge.MinPool(merge.Bag{{Value: 0, N: 40}, {Value: 1, N: 30}, {Value: 2, N: 20}, {Value: 3, N: 60}, {Value: 4, N: 70},
			{Value: 5, N: 60}, {Value: 6, N: 80}, {Value: 7, N: 40}}, need.L)
		require.True(t, possible)
		assert.Equal(t, n, need.Records)
	}
	assert.Equal(t, a.Pools.Need[2].Records, a.Pools.MinPool)
}

// TestConfigCheckRefusesWhatARunWould: a promise that no pool can keep is exit 3, at both levels, and columns that a run would refuse are
// exit 78; each comes with lines that make it good.
func TestConfigCheckRefusesWhatARunWould(t *testing.T) {
	s := newSite(t, fileSource, "on: update", "")
	s.write("last.csv", lastYear(10, 30, 30, 30))
	for _, level := range []string{"L1", "L2"} {
		s.edit("k: 5, l: 3, level: L1", "k: 5, l: 4, level: "+level)
		r := s.run("config check", "--data", s.path("last.csv"))
		assert.Equal(t, exitPrivacy, r.code, r.stderr)
		assert.Contains(t, r.stderr, "error: what is promised cannot be kept: the most frequent value has 30.0 %, and l 4 allows 25.0 %\n"+
			"hint: write l: 3   # under policy, or promise: {gain: ")
		assert.Equal(t, exitPrivacy, s.run("config check --json", "--data", s.path("last.csv")).code)
		s.edit("l: 4", "l: 3")
		assert.Equal(t, exitOK, s.run("config check", "--data", s.path("last.csv")).code)
		s.edit("k: 5, l: 3, level: "+level, "k: 5, l: 3, level: L1")
	}

	more := strings.NewReplacer("diagnosis\n", "diagnosis,Ward No,yes\n", "d0\n", "d0,secret,1\n", "d1\n",
		"d1,secret,1\n").Replace(lastYear(9, 9))
	s.write("last.csv", more)
	r := s.run("config check", "--data", s.path("last.csv"))
	assert.Equal(t, exitConfig, r.code, r.stderr)
	const says = "A run refuses this header. Add to schema.attributes, with the role that fits:\n"
	_, lines, found := strings.Cut(r.stdout, says)
	require.True(t, found, r.stdout)
	assert.NotContains(t, r.stdout+r.stderr, "secret")
	s.write("in.csv", more)
	s.edit("source: "+fileSource, "source: {type: file, format: csv, file: {path: in.csv}}")
	assert.NotEqual(t, exitOK, s.run("run --once").code)
	s.edit("    - {name: diagnosis, role: sensitive, type: categorical}\n",
		"    - {name: diagnosis, role: sensitive, type: categorical}\n"+lines)
	r = s.run("config check --json", "--data", s.path("last.csv"))
	assert.NotEqual(t, exitConfig, r.code, r.stdout+r.stderr)

	s.edit(lines, "")
	r = s.run("config check --json", "--data", s.path("last.csv"))
	assert.Equal(t, exitConfig, r.code)
	var a struct {
		OK      bool
		Columns []string
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &a))
	assert.False(t, a.OK)
	assert.Equal(t, []string{`- {name: "Ward No", role: drop}`, `- {name: "yes", role: drop}`}, a.Columns)

	s.write("last.csv", "secret,1,2,3,4,5,6,7,8\n")
	r = s.run("config check", "--data", s.path("last.csv"))
	assert.Equal(t, exitConfig, r.code)
	assert.NotContains(t, r.stdout+r.stderr, "secret", "a line of a file without header is a person's")
}

// TestRuleVDataOfACheck: refused lines are named by number, attribute and reason, and
// nothing that is printed has a value.
func TestRuleVDataOfACheck(t *testing.T) {
	s := newSite(t, fileSource, "on: update", "")
	s.write("last.csv", lastYear(9, 9, 9, 9)+"p99,forty,F,1101,planned,secret\n")
	r := s.run("config check", "--data", s.path("last.csv"))
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stderr, `:38: refused: not_a_number (attribute "age")`)
	assert.NotRegexp(t, `forty|secret|\bd[0-3]\b`, r.stdout+r.stderr)

	s.write("last.csv", "patient,age\np1,40\n")
	r = s.run("config check", "--data", s.path("last.csv"))
	assert.Equal(t, exitConfig, r.code)
	assert.Contains(t, r.stderr, `"diagnosis"`)
	r = s.run("config check", "--data", s.path("nowhere.csv"))
	assert.Equal(t, exitFailed, r.code)
	r = s.run("config check", "--data", s.path("last.csv"), "--format", "xml")
	assert.Equal(t, exitUsage, r.code)
}
