package crashtest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onStdin is a clinic of four people, published.
func onStdin(t *testing.T) *site {
	t.Helper()
	s := newSite(t, clinic("{type: stdin, format: csv}"))
	r := s.run("id,age,city,ill\np1,30,c1,d1\np2,31,c1,d2\np3,32,c1,d3\np4,33,c1,d4\n", "run")
	require.Equal(t, 0, r.code, r.stderr)
	require.NotEmpty(t, s.read("releases/000001/part-000001/data.csv"))
	return s
}

// temporary gives the commands of a site a directory for temporary files, and
// returns what lies there.
func (s *site) temporary() func() []string {
	s.t.Helper()
	dir := s.path("tmp")
	require.NoError(s.t, os.Mkdir(dir, 0o700))
	s.env = append(s.env, "TMPDIR="+dir)
	return func() (names []string) {
		require.NoError(s.t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if path != dir {
				names = append(names, path)
			}
			return err
		}))
		return names
	}
}

// blockedAudit starts an audit and returns when it waits to read the ledger,
// which is a pipe that nobody writes: it holds the private exports then.
func blockedAudit(s *site) *process {
	s.t.Helper()
	ledger := s.path("ledger")
	require.NoError(s.t, os.Remove(ledger))
	require.NoError(s.t, syscall.Mkfifo(ledger, 0o600))
	p := s.start("audit", "-c", "anond.yaml")
	p.until("the audit reads the ledger", func() bool {
		f, err := os.OpenFile(ledger, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			s.t.Cleanup(func() { _ = f.Close() }) // open, so that the audit goes on waiting
		}
		return err == nil
	})
	return p
}

// TestAuditAnswersTheFirstSignal: and leaves no export behind.
func TestAuditAnswersTheFirstSignal(t *testing.T) {
	chosen.Demand(t)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		s := onStdin(t)
		left := s.temporary()
		p := blockedAudit(s)
		p.signal(sig)
		assert.Equal(t, 1, p.wait())
		assert.Contains(t, p.log.String(), "interrupted")
		assert.Empty(t, left())
	}
}

// TestAKilledAuditLeavesNoExport: the exports of an audit are in no file at any
// time, so nothing has to be removed.
func TestAKilledAuditLeavesNoExport(t *testing.T) {
	chosen.Demand(t)
	s := onStdin(t)
	left := s.temporary()
	p := blockedAudit(s)
	assert.Empty(t, left(), "while it runs")
	p.signal(syscall.SIGKILL)
	assert.Equal(t, -1, p.wait())
	assert.Empty(t, left(), "after it was killed")
	require.NoError(t, filepath.WalkDir(s.dir, func(path string, _ fs.DirEntry, err error) error {
		assert.NotContains(t, []string{"members.csv", "records.csv"}, filepath.Base(path))
		return err
	}))
}

// TestPrivateExportsNeverReplaceAFile: an export follows no link and empties no
// file, and what it writes is for its owner alone.
func TestPrivateExportsNeverReplaceAFile(t *testing.T) {
	chosen.Demand(t)
	for _, command := range []string{"members", "records", "backup"} {
		s := onStdin(t)
		s.write("victim", "precious")
		require.NoError(t, os.Symlink("victim", s.path("link")))
		require.NoError(t, os.Symlink("nowhere", s.path("dangling")))
		for _, out := range []string{"victim", "link", "dangling", "state/anond.db", "releases/000001/part-000001/data.csv", "releases"} {
			r := s.run("", "state", command, "--out", out)
			assert.Equal(t, 1, r.code, "%s --out %s: %s", command, out, r.stderr)
			assert.Contains(t, r.stderr, "exists", "%s --out %s", command, out)
		}
		assert.Equal(t, "precious", s.read("victim"))
		assert.Empty(t, s.read("nowhere"))
		assert.Equal(t, 0, s.run("", "state", "check").code)
		assert.Equal(t, 0, s.run("", "release", "verify").code)

		r := s.run("", "state", command, "--out", "fresh")
		require.Equal(t, 0, r.code, r.stderr)
		info, err := os.Stat(s.path("fresh"))
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o600), info.Mode())
		assert.NotZero(t, info.Size())
	}
}

// TestAFailedExportLeavesNothing: half of an export is no export, and still
// holds persons' values.
func TestAFailedExportLeavesNothing(t *testing.T) {
	chosen.Demand(t)
	s := onStdin(t)
	r := s.run("", "state", "members", "--release", "7", "--out", "half.csv")
	assert.Equal(t, 1, r.code)
	_, err := os.Lstat(s.path("half.csv"))
	assert.True(t, errors.Is(err, fs.ErrNotExist))
}

// TestAuditFindsTheConfigurationByItself: -c has a default, as everywhere.
func TestAuditFindsTheConfigurationByItself(t *testing.T) {
	chosen.Demand(t)
	s := onStdin(t)
	r := s.run("", "audit")
	assert.Equal(t, 0, r.code, r.stderr)
	assert.True(t, strings.HasPrefix(r.stdout, "Audit of clinic: CERTIFIED"), r.stdout)
	require.NoError(t, os.Remove(s.path("anond.yaml")))
	r = s.run("", "audit")
	assert.Equal(t, 78, r.code)
	assert.Contains(t, r.stderr, "anond.yaml")
	assert.Equal(t, 0, s.run("", "audit", "--releases", "releases").code)
	assert.Equal(t, 2, s.run("", "audit", "--members", "x").code)
}
