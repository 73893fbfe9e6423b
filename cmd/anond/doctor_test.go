package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"anond/config"
	"anond/internal/dataset"
	"anond/internal/ops/doctor"
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

// TestDoctorAsksOnce: brokers that are away are asked once for each thing, at the same time. No limit of time is
// needed for that: there is none here.
func TestDoctorAsksOnce(t *testing.T) {
	p := newShardedTopic(t, kfake.SeedTopics(2, "admissions"))
	s := p.journaled(0, 2)
	s.edit(p.cluster.ListenAddrs()[0], "127.0.0.1:1") // no port that others may draw
	cfg, _, err := config.Load(s.config, os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	found := make(chan []string, 1)
	go func() {
		probed, err := dataset.ProbeSource(t.Context(), cfg)
		var failed []string
		for _, p := range probed {
			if p.Err != nil && !errors.Is(p.Err, context.Canceled) {
				failed = append(failed, p.What)
			}
		}
		if err == nil {
			found <- failed
		}
	}()
	select {
	case failed := <-found:
		require.Equal(t, []string{"connection", "journal"}, failed)
	case <-time.After(patience):
		require.Fail(t, "it asks again and again")
	}
}

// TestDoctorOnPromises: records of other people say whether l can be reached; those of the
// source never do (rule B, buckets).
func TestDoctorOnPromises(t *testing.T) {
	s := newSite(t, "{type: file, file: {path: in.ndjson}}", "on: interval, every: 1h", "")
	s.atLevel("L2", "")
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
