package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBackupsOfARunningDaemon: a copy follows releases, the newest ones stay, each is
// what its description says, and the newest takes the place of a lost state.
func TestBackupsOfARunningDaemon(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 400", ", backup: {dir: ./copies, keep: 2}")
	s.edit("policy:", "initial: {max_records: 600}\npolicy:")
	const killed = "copies/.hospital-20260101T000000Z-r000001.db.incomplete"
	s.write("copies/hospital-notes.txt", "not ours")
	s.write(killed, "of a process that was killed")
	s.write("admissions.ndjson", ndjson(1, 2000))
	s.must("run --once")
	s.write("admissions.ndjson", ndjson(1, 3000))
	s.must("run --once")
	older, err := filepath.Glob(s.path("copies/hospital-*.db"))
	require.NoError(t, err)
	for _, ending := range []string{"", ".json"} { // the newest so far; later runs remove it
		s.write("older.db"+ending, s.read("copies/"+filepath.Base(older[len(older)-1])+ending))
	}
	s.write("admissions.ndjson", ndjson(1, 4000))
	r := s.run("run --once")
	require.Equal(t, exitOK, r.code)
	assert.Contains(t, r.stderr, "backup_made")

	copies, err := filepath.Glob(s.path("copies/hospital-*.db"))
	require.NoError(t, err)
	require.Len(t, copies, 2)
	assert.FileExists(t, s.path("copies/hospital-notes.txt"))
	assert.NoFileExists(t, s.path(killed))
	newest := copies[1]
	var described struct {
		SHA256  string
		Release int
		Records int
	}
	require.NoError(t, json.Unmarshal([]byte(s.read("copies/"+filepath.Base(newest)+".json")), &described))
	content, err := os.ReadFile(newest)
	require.NoError(t, err)
	sum := sha256.Sum256(content)
	assert.Equal(t, hex.EncodeToString(sum[:]), described.SHA256)
	assert.Equal(t, s.counts().Newest.Release, uint32(described.Release))

	// The state is lost. An older copy is refused, the newest goes on.
	require.NoError(t, os.Rename(s.path("state/anond.db"), s.path("lost")))
	r = s.run("state restore --from " + s.path("older.db"))
	assert.Equal(t, exitBehind, r.code, r.stderr)
	assert.NoFileExists(t, s.path("state/anond.db"))
	s.must("state restore --from " + newest)
	s.write("admissions.ndjson", ndjson(1, 5000))
	s.must("run --once")
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")

	// A copy that is older than the releases leaves the state in place.
	before := s.read("state/anond.db")
	require.NoError(t, os.WriteFile(newest, content, 0o600)) // it was removed meanwhile
	r = s.run("state restore --from " + newest)
	assert.Equal(t, exitBehind, r.code)
	assert.Equal(t, before, s.read("state/anond.db"))

	// A changed copy, and one of another dataset.
	copies, err = filepath.Glob(s.path("copies/hospital-*.db"))
	require.NoError(t, err)
	require.NoError(t, os.Truncate(copies[1], int64(len(content))/2))
	r = s.run("state restore --from " + copies[1])
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "its checksum differs")
	s.edit("dataset: hospital", "dataset: clinic")
	r = s.run("state restore --from " + copies[2])
	assert.Equal(t, exitConfig, r.code)
	assert.Contains(t, r.stderr, "is a backup of the dataset hospital")
}

// TestBackupsAreTakenElsewhere: a program of the owner gets each backup, what it fails at is said and tried again with the next one, and
// what it has is a state whose releases an audit certifies.
func TestBackupsAreTakenElsewhere(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 400",
		`, backup: {dir: ./copies, keep: 1, command: [sh, -c, 'test -e there && cp "$0" there']}`)
	t.Chdir(s.dir)
	s.atLevel("L2", "")
	s.edit("release: {dir: ./releases", "release: {dir: ./releases, ledger: ./state/ledger")
	s.edit("path: ./state/anond.db", `path: "${ANOND_STATE:-./state/anond.db}"`)
	s.write("admissions.ndjson", ndjson(1, 2000))
	r := s.run("run --once")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stderr, "backup_not_sent")
	assert.Contains(t, r.stderr, "state.backup.command sh: exit status 1")

	require.NoError(t, os.Mkdir(s.path("there"), 0o700))
	s.write("admissions.ndjson", ndjson(1, 3000))
	r = s.run("run --once")
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Contains(t, r.stderr, "backup_sent")
	assert.Contains(t, s.read("copies/"+filepath.Base(newestBackup(t, s.path("copies")))+".json"), `"sent": "`)
	sent := newestBackup(t, s.path("there"))
	assert.Equal(t, filepath.Base(newestBackup(t, s.path("copies"))), filepath.Base(sent))

	t.Setenv("ANOND_STATE", sent)
	assert.Contains(t, s.must("audit --replay 1 --require-certified"), "CERTIFIED")
}

// newestBackup is the newest backup of a directory.
func newestBackup(t *testing.T, dir string) string {
	names, err := filepath.Glob(filepath.Join(dir, "hospital-*.db"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	return names[len(names)-1]
}
