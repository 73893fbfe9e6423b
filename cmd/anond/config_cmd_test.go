package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass"
	"anond/ingest/decode"
	"anond/internal/testkit/programtest"
)

// TestConfigInitPassesCheck: what init prints, check accepts.
func TestConfigInitPassesCheck(t *testing.T) {
	r := anond(t, "config", "init")
	require.Equal(t, result{exitOK, config.Starting, ""}, r)
	path := file(t, "anond.yaml", r.stdout)
	want := result{exitOK, path + ": ok: dataset hospital, 2 quasi-identifiers, k 10, l 5, level L2\n" + meaningOf(config.L2), ""}
	assert.Equal(t, want, anond(t, "config", "check", "-c", path))
	assert.Equal(t, want, anond(t, "config", "check", "--config="+path))
}

// TestConfigInitTakesAPipedTable: with the columns that it names, what init prints publishes a table that is piped in.
func TestConfigInitTakesAPipedTable(t *testing.T) {
	s := &site{t: t, dir: programtest.TempDir(t)}
	s.config = s.path("anond.yaml")
	s.write("anond.yaml", anond(t, "config", "init").stdout)
	table := rows("patient,age,postcode,diagnosis", 1200, func(i int) string {
		return fmt.Sprintf("p%d,%d,%d,%s", i, 18+i*7919%73, 8000+i%40, ills[i*29%101%len(ills)])
	})
	r := s.pipe(string(table), "run --once")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, s.must("audit"), "CERTIFIED")
}

func meaningOf(l config.Level) string {
	sentences := l.Meaning()
	return strings.Join(sentences[:], "\n") + "\n"
}

// TestConfigCheckExplainsTheLevel: what the one means is not said of the other.
func TestConfigCheckExplainsTheLevel(t *testing.T) {
	said := map[config.Level]string{}
	for _, l := range []config.Level{config.L1, config.L2} {
		s := newSite(t, fileSource, "on: update", "")
		s.edit("level: L1", "level: "+string(l))
		r := s.run("config check")
		require.Equal(t, exitOK, r.code, r.stderr)
		assert.True(t, strings.HasSuffix(r.stdout, ", level "+string(l)+"\n"+meaningOf(l)), r.stdout)
		said[l] = meaningOf(l)

		r = s.run("config check --json")
		var a struct{ Level, Meaning string }
		require.NoError(t, json.Unmarshal([]byte(r.stdout), &a))
		assert.Equal(t, string(l), a.Level)
		assert.Equal(t, strings.TrimSpace(strings.ReplaceAll(meaningOf(l), "\n", " ")), a.Meaning)
	}
	assert.Contains(t, said[config.L2], "is safe also against someone who reads this program")
	assert.Contains(t, said[config.L1], "is not safe against someone who reads this program")
}

// TestConfigCheckReportsAllFaults with place, key, reason and suggestion, and
// exits with 78.
func TestConfigCheckReportsAllFaults(t *testing.T) {
	content := strings.NewReplacer("k: 10 ", "k: 2 ", "type: stdin ", "type: stdim ", "missing:", "mising:").Replace(config.Starting)
	path := file(t, "anond.yaml", content)
	r := anond(t, "config", "check", "-c", path)
	assert.Equal(t, exitConfig, r.code)
	assert.Empty(t, r.stdout)
	lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
	require.Len(t, lines, 5, r.stderr)
	assert.Regexp(t, `anond\.yaml:10:9: source\.type: "stdim" is not one of the known values; did you mean stdin\?`, lines[0])
	assert.Regexp(t, `anond\.yaml:\d+:3: schema\.mising: is an unknown key; did you mean schema\.missing\?$`, lines[1])
	assert.Regexp(t, `anond\.yaml:\d+:6: policy\.k: is 2, below l = 5: .*; raise k to 5 or more$`, lines[2])
	assert.Equal(t, "error: "+path+" cannot be used: 3 faults", lines[3])
	assert.True(t, strings.HasPrefix(lines[4], "hint: "))
}

func TestConfigCheckJSON(t *testing.T) {
	type answer struct {
		OK       bool
		Faults   []config.Fault
		Warnings []config.Warning
	}
	check := func(content string) (result, answer) {
		r := anond(t, "config", "check", "--json", "-c", file(t, "anond.yaml", content))
		var a answer
		require.NoError(t, json.Unmarshal([]byte(r.stdout), &a))
		return r, a
	}
	r, a := check(strings.Replace(config.Starting, "payload: false", "payload: true", 1))
	assert.Equal(t, exitOK, r.code)
	assert.True(t, a.OK)
	assert.NotNil(t, a.Faults)
	require.Len(t, a.Warnings, 1)
	assert.Equal(t, "dead_letter.payload", a.Warnings[0].Key)

	r, a = check("version: 1\n")
	assert.Equal(t, exitConfig, r.code)
	assert.False(t, a.OK)
	assert.Len(t, a.Faults, 5)
	assert.Equal(t, 1, strings.Count(r.stderr, "\n"))
}

func TestConfigCheckPrintsWarnings(t *testing.T) {
	path := file(t, "anond.yaml", strings.Replace(config.Starting, "payload: false", "payload: true", 1))
	r := anond(t, "config", "check", "-c", path)
	assert.Equal(t, exitOK, r.code)
	assert.True(t, strings.HasPrefix(r.stderr, "warning: "+path+":"), r.stderr)
}

// TestWarningsOfTheConfiguration: those who set a daemon up see them, and nobody else: they
// would stand in the way of each answer.
func TestWarningsOfTheConfiguration(t *testing.T) {
	s := newSite(t, "{type: file, file: {path: in.ndjson}}", "on: interval, every: 1h", "")
	s.edit("path: ./dead-letter}", "path: ./dead-letter, payload: true}")
	s.write("in.ndjson", ndjson(1, 20))
	for _, line := range []string{"run --once", "config check", "doctor"} {
		r := s.run(line)
		assert.Equal(t, 1, strings.Count(r.stdout+r.stderr, "dead_letter.payload"), line)
		if line == "run --once" {
			for entry := range strings.Lines(r.stderr) {
				assert.True(t, json.Valid([]byte(entry)), "a log for programs has events only: %s", entry)
			}
			assert.Contains(t, r.stderr, `"event":"config_warning"`)
		}
	}
	for _, line := range []string{"status", "config show", "release list", "release verify", "state info", "state check", "dlq list",
		"state browse", "audit"} {
		assert.NotContains(t, s.run(line).stderr, "warning", line)
	}
}

func TestConfigMissingFile(t *testing.T) {
	r := anond(t, "config", "check", "-c", "nowhere.yaml")
	assert.Equal(t, exitConfig, r.code)
	assert.Contains(t, r.stderr, "nowhere.yaml: cannot be read: there is no such file; ")
}

func TestConfigShow(t *testing.T) {
	path := configurationFile(t)
	r := anond(t, "config", "show", "-c", path)
	require.Equal(t, exitOK, r.code)
	assert.Regexp(t, `(?m)^policy\.k +line \d+ +10$`, r.stdout)
	assert.Regexp(t, `(?m)^policy\.threshold +default +9$`, r.stdout)

	r = anond(t, "config", "show", "--json", "-c", path)
	require.Equal(t, exitOK, r.code)
	var shown struct{ Policy map[string]any }
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &shown))
	assert.InDelta(t, 9, shown.Policy["threshold"], 0)
}

func TestConfigSchema(t *testing.T) {
	r := anond(t, "config", "schema")
	require.Equal(t, exitOK, r.code)
	assert.True(t, json.Valid([]byte(r.stdout)))
	assert.Contains(t, r.stdout, "json-schema.org")
}

// TestRuleVConfigShowsNoSecret: neither form of show contains the password.
func TestRuleVConfigShowsNoSecret(t *testing.T) {
	const kafka = "kafka:\n    brokers: [b:9092]\n    topic: t\n    sasl: {mechanism: scram-sha-512, username: u, password: hush-hush}\n"
	path := file(t, "anond.yaml", strings.NewReplacer("type: stdin ", "type: kafka ",
		"#kafka:\n    #brokers: [127.0.0.1:9092]\n    #topic: admissions\n", kafka).Replace(config.Starting))
	for _, args := range [][]string{{"config", "show", "-c", path}, {"config", "show", "--json", "-c", path},
		{"config", "check", "--json", "-c", path}} {
		r := anond(t, args...)
		require.Equal(t, exitOK, r.code, r.stderr)
		assert.NotContains(t, r.stdout+r.stderr, "hush-hush")
	}
	assert.Contains(t, anond(t, "config", "show", "-c", path).stdout, "[redacted]")
}

// TestReasonsCanBeIgnored: dead_letter.ignore knows every reason for which a
// record may be refused.
func TestReasonsCanBeIgnored(t *testing.T) {
	for _, reason := range []equivclass.Reason{
		equivclass.ReasonMissing, equivclass.ReasonNumber, equivclass.ReasonDate, equivclass.ReasonHierarchy, equivclass.ReasonCategory,
		equivclass.ReasonInteger, equivclass.ReasonUTF8, equivclass.ReasonControl, equivclass.ReasonInvisible, equivclass.ReasonTooLong,
		decode.ReasonTooLarge, decode.ReasonMalformedJSON, decode.ReasonDuplicate, decode.ReasonNotAnObject, decode.ReasonNested,
		decode.ReasonMalformedCSV,
		decode.ReasonFieldCount, decode.ReasonHeader, decode.ReasonEnvelope, decode.ReasonUnsupported, decode.ReasonTombstone,
	} {
		path := file(t, "anond.yaml", strings.Replace(config.Starting, "#ignore: [unsupported_operation]", fmt.Sprintf("ignore: [%s]", reason),
			1))
		r := anond(t, "config", "check", "-c", path)
		assert.Equal(t, exitOK, r.code, r.stderr)
	}
}
