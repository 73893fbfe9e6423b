package crashtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// threeReleases is a site with three releases of three people each.
func threeReleases(t *testing.T) *site {
	t.Helper()
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}"))
	s.write("in.csv", "id,age,city,ill\n")
	for i := range 3 {
		s.append("in.csv", people(i))
		r := s.run("", "run", "--once")
		require.Equal(t, 0, r.code, r.stderr)
		require.Len(t, events(t, r.stderr, "release_published"), 1)
	}
	return s
}

// people are three lines of a new class.
func people(i int) string {
	var b strings.Builder
	for j := range 3 {
		fmt.Fprintf(&b, "p%d-%d,%d,c%d,d%d\n", i, j, 30+10*i+j, i, j)
	}
	return b.String()
}

// flip changes one byte of a public file.
func (s *site) flip(name string) {
	s.t.Helper()
	data := []byte(s.read(name))
	require.NotEmpty(s.t, data)
	data[len(data)/2] ^= 1
	require.NoError(s.t, os.Remove(s.path(name))) // a link of the file elsewhere stays as it is
	require.NoError(s.t, os.WriteFile(s.path(name), data, 0o644))
}

// TestDamageOfTheNewestReleaseIsNamed: it is a fault of the file, not of anond,
// and the message says which file.
func TestDamageOfTheNewestReleaseIsNamed(t *testing.T) {
	chosen.Demand(t)
	for name, c := range map[string]struct {
		spoil func(*site)
		file  string
	}{
		"a stray file":   {func(s *site) { s.write("releases/000003/notes.txt", "mine") }, "000003/notes.txt"},
		"a flipped byte": {func(s *site) { s.flip("releases/000003/part-000003/data.csv") }, "000003/part-000003/data.csv"},
		"the manifest":   {func(s *site) { s.flip("releases/000003/manifest.json") }, "000003/manifest.json"},
		"a file is gone": {func(s *site) { require.NoError(s.t, os.Remove(s.path("releases/000003/part-000003/data.csv"))) },
			"000003/part-000003/data.csv"},
		"the release gone": {func(s *site) { require.NoError(s.t, os.RemoveAll(s.path("releases/000003"))) }, "000003"},
	} {
		t.Run(name, func(t *testing.T) {
			s := threeReleases(t)
			c.spoil(s)
			r := s.run("", "run", "--once")
			assert.Equal(t, 1, r.code, r.stderr)
			assert.Contains(t, r.stderr, "the published files are damaged: "+c.file)
			assert.Contains(t, r.stderr, "hint:")
			assert.NotContains(t, r.stderr, "fault of anond")
		})
	}
}

// TestAChangeInPlaceIsOneOfEveryRelease: releases share the files of parts, so one
// that is written to, its mode notwithstanding, is damage of the newest too.
func TestAChangeInPlaceIsOneOfEveryRelease(t *testing.T) {
	s := threeReleases(t)
	path := s.path("releases/000001/part-000001/data.csv")
	require.NoError(t, os.Chmod(path, 0o644))
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = file.WriteString("x")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	r := s.run("", "run", "--once")
	assert.Equal(t, 1, r.code, r.stderr)
	assert.Contains(t, r.stderr, "the published files are damaged: 000003/part-000001/data.csv")
}

// TestDamageOfAnOlderReleaseIsReported: reading and publishing go on, log and
// status name the first fault.
func TestDamageOfAnOlderReleaseIsReported(t *testing.T) {
	chosen.Demand(t)
	s := threeReleases(t)
	s.flip("releases/000001/part-000001/data.csv")
	p := s.start("run")
	p.waitFor(`"event":"release_damaged"`)
	p.until("status.json names the fault", func() bool { return s.damage() != nil })
	assert.Equal(t, map[string]any{"faults": 1.0, "release": 1.0, "file": "000001/part-000001/data.csv", "kind": "hash_mismatch"}, s.damage())
	s.append("in.csv", people(3))
	p.waitFor(`"event":"release_published"`)
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
	found := events(t, p.log.String(), "release_damaged")
	require.Len(t, found, 1)
	assert.Equal(t, []any{1.0, "000001/part-000001/data.csv", "hash_mismatch"}, []any{found[0]["release"], found[0]["file"], found[0]["kind"]})
	assert.Equal(t, 1, s.run("", "release", "verify", "-c", "anond.yaml").code)
}

// TestOnceLooksAtEveryRelease: a run that ends by itself ends after the check.
func TestOnceLooksAtEveryRelease(t *testing.T) {
	chosen.Demand(t)
	s := threeReleases(t)
	s.write("releases/000002/notes.txt", "mine")
	require.NoError(t, os.RemoveAll(s.path("releases/000001")))
	r := s.run("", "run", "--once")
	assert.Equal(t, 0, r.code, r.stderr)
	assert.Len(t, events(t, r.stderr, "release_damaged"), 1)
	checked := events(t, r.stderr, "releases_checked")
	require.Len(t, checked, 1)
	assert.EqualValues(t, 2, checked[0]["faults"])
	assert.Equal(t, "000002/notes.txt", s.damage()["file"])

	require.NoError(t, os.Remove(s.path("releases/000002/notes.txt")))
	r = s.run("", "run", "--once")
	assert.EqualValues(t, 1, events(t, r.stderr, "releases_checked")[0]["faults"])
	assert.Equal(t, "000001", s.damage()["file"])
}

// damage is what status.json says of damaged releases; nil if nothing.
func (s *site) damage() map[string]any {
	s.t.Helper()
	var status struct {
		Damage map[string]any `json:"damage"`
	}
	data, err := os.ReadFile(filepath.Join(s.dir, "state", "status.json"))
	if err != nil {
		return nil
	}
	require.NoError(s.t, json.Unmarshal(data, &status))
	return status.Damage
}
