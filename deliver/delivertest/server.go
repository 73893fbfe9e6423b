package delivertest

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

// program finds one of PostgreSQL. Debian keeps those of the server out of PATH.
func program(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) == 0 {
		return ""
	}
	return slices.Max(found)
}

// Server is a PostgreSQL of its own, on a socket in a directory of its own.
type Server struct {
	t    testing.TB
	dir  string
	as   *syscall.Credential // nil: as this process
	proc *exec.Cmd
}

// NewServer starts one. It is skipped where PostgreSQL is not installed. The server does
// not run as root: then it is that of the user postgres, or nobody.
func NewServer(t testing.TB) *Server {
	t.Helper()
	tier.NotShort(t, "it starts a PostgreSQL")
	if program("initdb") == "" || program("postgres") == "" {
		t.Skip("WARNING: SKIPPED: PostgreSQL is not installed (Debian: postgresql)")
	}
	place := ""
	if os.Geteuid() == 0 {
		place = "/tmp" // another user has to enter it, and TMPDIR may be root's alone
	}
	dir, err := os.MkdirTemp(place, "pg") // a socket has a short path
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Server{t: t, dir: dir}
	if os.Geteuid() == 0 {
		s.as = unprivileged(t)
		require.NoError(t, os.Chown(dir, int(s.as.Uid), int(s.as.Gid)))
	}
	out, err := s.command("initdb", "-D", filepath.Join(dir, "data"), "-A", "trust", "-U", "anond", "--no-sync", "-E", "UTF8",
		"--locale=C").CombinedOutput()
	require.NoError(t, err, "%s", out)
	s.Start()
	t.Cleanup(s.Stop)
	return s
}

func unprivileged(t testing.TB) *syscall.Credential {
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
			gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
			if err1 == nil && err2 == nil {
				return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
			}
		}
	}
	t.Skip("WARNING: SKIPPED: PostgreSQL does not run as root, and there is neither a user postgres nor nobody")
	return nil
}

func (s *Server) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(program(name), args...)
	c.Dir = s.dir
	c.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	return c
}

// Start starts the server, and returns when it answers.
func (s *Server) Start() {
	s.t.Helper()
	var log bytes.Buffer
	s.proc = s.command("postgres", "-D", filepath.Join(s.dir, "data"), "-k", s.dir, "-c", "listen_addresses=", "-F", "-c", "autovacuum=off")
	s.proc.Stdout, s.proc.Stderr = &log, &log
	require.NoError(s.t, s.proc.Start())
	require.Eventually(s.t, func() bool { return exec.Command("psql", s.URL(), "-Atc", "SELECT 1").Run() == nil }, time.Minute,
		20*time.Millisecond, "PostgreSQL does not start")
}

// Stop ends the server at once.
func (s *Server) Stop() {
	if s.proc != nil {
		_ = s.proc.Process.Signal(syscall.SIGQUIT)
		_ = s.proc.Wait()
		s.proc = nil
	}
}

// URL is how clients connect.
func (s *Server) URL() string {
	return fmt.Sprintf("postgres:///postgres?host=%s&user=anond", url.QueryEscape(s.dir))
}

// Psql runs SQL by PostgreSQL's own client, the foreign party.
func (s *Server) Psql(sql string) string {
	s.t.Helper()
	var errs bytes.Buffer
	c := exec.Command("psql", s.URL(), "-X", "-At", "-v", "ON_ERROR_STOP=1", "-c", sql)
	c.Stderr = &errs
	out, err := c.Output()
	require.NoError(s.t, err, "%s: %s", sql, &errs)
	return strings.TrimSuffix(string(out), "\n")
}
