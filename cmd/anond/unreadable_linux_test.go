package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/internal/ops/doctor"
)

// asUser starts a command without the right to ignore the modes of files, which tests that
// run as root have.
func (s *site) asUser(command string, options ...func(*exec.Cmd)) *process {
	s.t.Helper()
	started := make(chan *process)
	go func() {
		runtime.LockOSThread()                  // ends with the goroutine: its rights are gone
		for _, right := range []uintptr{1, 2} { // CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
			_, _, err := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_CAPBSET_DROP, right, 0)
			if err != 0 && os.Geteuid() == 0 {
				s.t.Errorf("the right %d stays: %v", right, err)
			}
		}
		started <- s.start(command, options...)
	}()
	return <-started
}

// TestUnreadableDirectories: a directory that may be entered and not be read cannot be opened to make the
// names in it durable. That stops no release, and is told at start and by the doctor.
func TestUnreadableDirectories(t *testing.T) {
	for ledger, told := range map[string]bool{"closed/ledger/file": true, "closed/made/ledger/file": false, "closed/file": true} {
		s := newSite(t, "{type: file, file: {path: in.ndjson}}", "on: interval, every: 1h", "")
		s.edit("dir: ./releases", "dir: ./releases, ledger: "+ledger)
		s.write("in.ndjson", ndjson(1, 500))
		require.NoError(t, os.MkdirAll(s.path("closed/ledger"), 0o755))
		require.NoError(t, os.Chmod(s.path("closed"), 0o311)) // as the owner, what 0711 is for others
		t.Cleanup(func() { require.NoError(t, os.Chmod(s.path("closed"), 0o755)) })

		p := s.asUser("run --once")
		require.Equal(t, exitOK, p.wait(), p.stderr.String())
		require.Equal(t, told, strings.Contains(p.stderr.String(), `"event":"directory_unreadable"`), p.stderr.String())
		require.Contains(t, s.read(ledger), "1 ")

		var out lines
		p = s.asUser("doctor", func(c *exec.Cmd) { c.Stdout = &out })
		require.Equal(t, exitOK, p.wait(), &out)
		require.Equal(t, told, strings.Contains(out.String(), "the names in "+s.path("closed")+" cannot be made durable"), &out)
		require.NotContains(t, s.names(), ".tmp-", "the doctor leaves nothing")
	}
}

// names are the paths of all that the site has.
func (s *site) names() string {
	var out strings.Builder
	require.NoError(s.t, filepath.WalkDir(s.dir, func(path string, _ os.DirEntry, err error) error {
		out.WriteString(path + "\n")
		if errors.Is(err, os.ErrPermission) {
			return nil
		}
		return err
	}))
	return out.String()
}

// TestDoctorDoesWhatAReleaseDoes: a directory whose mode lets anybody write, on a file system that makes none.
func TestDoctorDoesWhatAReleaseDoes(t *testing.T) {
	s := newSite(t, "{type: file, file: {path: in.ndjson}}", "on: interval, every: 1h", "")
	s.edit("dir: ./releases", "dir: /proc/anond")
	found, code := s.doctored("")
	require.Equal(t, exitFailed, code)
	require.Equal(t, doctor.Failed, found["release.dir"].Grade)
	require.Equal(t, doctor.OK, found["state.path"].Grade)
}
