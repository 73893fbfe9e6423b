package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/cmd/anond/internal/doctor"
)

// doctored runs the doctor and returns its findings by check, the worst of each.
func (s *site) doctored(args string) (found map[string]doctor.Finding, code int) {
	s.t.Helper()
	r := s.run(strings.TrimSpace("doctor --json " + args))
	var all []doctor.Finding
	require.NoError(s.t, json.Unmarshal([]byte(r.stdout), &all), r.stderr)
	worse := map[doctor.Grade]int{doctor.OK: 1, doctor.Note: 2, doctor.Warning: 3, doctor.Failed: 4}
	found = map[string]doctor.Finding{}
	for _, f := range all {
		if f.Grade == doctor.Warning || f.Grade == doctor.Failed {
			require.NotEmpty(s.t, f.Remedy, "%+v", f)
		}
		if worse[f.Grade] > worse[found[f.Check].Grade] {
			found[f.Check] = f
		}
	}
	return found, r.code
}

// TestDoctor: each thing that can be wrong is found, comes with a remedy, and decides the
// exit code. No line has a person's value.
func TestDoctor(t *testing.T) {
	s := newSite(t, "{type: file, file: {path: in.ndjson}}", "on: interval, every: 1h", "")
	found, code := s.doctored("")
	require.Zero(t, code)
	require.Equal(t, doctor.Warning, found["source.file"].Grade, "no file yet")
	require.Equal(t, doctor.Note, found["promise"].Grade)

	marked := `{"patient":"canary","age":"canary","sex":"F","postcode":"canary","admission":"canary","diagnosis":"canary"}`
	s.write("in.ndjson", ndjson(1, 500)+marked+"\n")
	found, code = s.doctored("--sample 5000")
	require.Zero(t, code)
	require.Equal(t, doctor.Warning, found["schema"].Grade)
	require.Contains(t, found["schema"].Detail, "of the first 501 records would be refused")
	require.NotContains(t, fmt.Sprint(found), "canary")

	s.must("run --once")
	found, _ = s.doctored("")
	require.Equal(t, doctor.OK, found["promise"].Grade)
	require.Equal(t, doctor.OK, found["clock"].Grade)
	require.Contains(t, found["disk of the releases"].Detail, "free")

	require.NoError(t, os.Chmod(s.path("state/anond.db"), 0o644))
	found, code = s.doctored("")
	require.Equal(t, exitFailed, code)
	require.Contains(t, found["state.path"].Remedy, "chmod 600")
	require.NoError(t, os.Chmod(s.path("state/anond.db"), 0o600))

	s.edit("{type: file, file: {path: in.ndjson}}", `{type: kafka, kafka: {brokers: ["127.0.0.1:1"], topic: t}}`)
	found, code = s.doctored("")
	require.Equal(t, exitFailed, code)
	require.Equal(t, doctor.Failed, found["connection"].Grade)
	require.Equal(t, doctor.Note, found["schema"].Grade)

	s.edit("k: 5", "k: none")
	require.Equal(t, exitConfig, s.run("doctor").code)
}

// TestDoctorOnPromises: records of other people say whether l can be reached; those of the
// source never do (rule B, buckets).
func TestDoctorOnPromises(t *testing.T) {
	s := newSite(t, "{type: file, file: {path: in.ndjson}}", "on: interval, every: 1h", "")
	s.edit("level: L1", "level: L2")
	one := regexp.MustCompile(`"diagnosis":"[^"]*"`).ReplaceAllString(ndjson(1, 100), `"diagnosis":"flu"`)
	s.write("in.ndjson", one)
	s.write("others.ndjson", one)
	found, code := s.doctored("")
	require.Zero(t, code)
	require.NotContains(t, found["promise"].Detail, "%")
	found, code = s.doctored("--data " + s.path("others.ndjson"))
	require.Equal(t, exitFailed, code)
	require.Equal(t, doctor.Failed, found["promise by --data"].Grade)
}
