package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
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

// TestProgramsOfBackups: restic and rclone take backups elsewhere as RECOVER says, and a rehearsal with what they bring back
// certifies the releases, leaves nothing behind, and is told by the next run. Without the programs a copy does.
func TestProgramsOfBackups(t *testing.T) {
	for name, c := range map[string]struct{ send, fetch string }{
		"restic": {"[restic, backup]", "[restic, restore, latest, --target]"},
		"rclone": {`[sh, -c, 'rclone copy "$0" backup:anond']`, "[rclone, copy, --max-age, 2d, 'backup:anond']"},
		"cp":     {`[sh, -c, 'mkdir -p there && cp "$0" there']`, "[cp, -r, there]"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("WARNING: SKIPPED: %s is not installed", name)
			}
			s := newSite(t, fileSource, "on: records, every: 400",
				fmt.Sprintf(`, backup: {dir: ./copies, keep: 1, command: %s, fetch: %s}`, c.send, c.fetch))
			t.Chdir(s.dir)
			t.Setenv("RESTIC_REPOSITORY", s.path("repository"))
			t.Setenv("RESTIC_PASSWORD", "hunter2")
			t.Setenv("XDG_CACHE_HOME", s.path("cache"))
			t.Setenv("RCLONE_CONFIG_BACKUP_TYPE", "alias")
			t.Setenv("RCLONE_CONFIG_BACKUP_REMOTE", s.path("remote"))
			if name == "restic" {
				out, err := exec.Command("restic", "init").CombinedOutput()
				require.NoError(t, err, "%s", out)
			}
			s.atLevel("L2", "")
			r := s.run("state rehearse")
			require.Equal(t, exitFailed, r.code, "there is no copy yet: %s", r.stderr)
			s.write("admissions.ndjson", ndjson(1, 2000))
			r = s.run("run --once")
			require.Equal(t, exitOK, r.code, r.stderr)
			require.Contains(t, r.stderr, "backup_sent")
			assert.NotContains(t, s.read("state/status.json"), `"rehearsed"`)

			s.write("admissions.ndjson", ndjson(1, 3000)) // releases that the copy does not know are left out
			copied := newestBackup(t, s.path("copies"))
			s.edit("command: "+c.send, `command: ["false"]`)
			require.Equal(t, exitOK, s.run("run --once").code)
			require.NotEqual(t, copied, newestBackup(t, s.path("copies")))
			out := s.must("state rehearse")
			assert.Contains(t, out, "CERTIFIED")
			assert.Contains(t, out, "rehearsed "+filepath.Base(copied))
			_, err := os.Stat(s.path("state/.rehearsal"))
			require.ErrorIs(t, err, os.ErrNotExist, "persons' values would stay")
			require.Equal(t, exitOK, s.run("run --once").code)
			assert.Contains(t, s.read("state/status.json"), `"rehearsed"`)
		})
	}
}

// TestARehearsalFindsADamagedCopy: also one that loads, but is not what was sent.
func TestARehearsalFindsADamagedCopy(t *testing.T) {
	s := newSite(t, fileSource, "on: records, every: 400", `, backup: {dir: ./copies, command: [sh, -c, 'mkdir -p there && cp "$0" there'],
  fetch: [cp, -r, there]}`)
	t.Chdir(s.dir)
	s.atLevel("L2", "")
	s.write("admissions.ndjson", ndjson(1, 2000))
	require.Equal(t, exitOK, s.run("run --once").code)
	sent := newestBackup(t, s.path("there"))
	whole, err := os.ReadFile(sent)
	require.NoError(t, err)
	changed := bytes.Clone(whole)
	changed[len(changed)-1] ^= 1
	for name, damaged := range map[string][]byte{"cut": whole[:len(whole)/2], "changed": changed} {
		require.NoError(t, os.WriteFile(sent, damaged, 0o600))
		r := s.run("state rehearse")
		assert.Equal(t, exitFailed, r.code, name)
		assert.Contains(t, r.stderr, "its checksum differs", name)
	}
	assert.NoFileExists(t, s.path("copies/hospital.rehearsal.json"))
	require.NoError(t, os.WriteFile(sent, whole, 0o600))
	s.must("state rehearse")
	assert.FileExists(t, s.path("copies/hospital.rehearsal.json"))

	s.edit(`,
  fetch: [cp, -r, there]`, "")
	r := s.run("state rehearse")
	assert.Equal(t, exitConfig, r.code)
	assert.Contains(t, r.stderr, "state.backup.fetch is not set")
}

// newestBackup is the newest backup of a directory.
func newestBackup(t *testing.T, dir string) string {
	names, err := filepath.Glob(filepath.Join(dir, "hospital-*.db"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	return names[len(names)-1]
}
