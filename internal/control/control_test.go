package control

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/internal/fault"
	"anond/internal/testkit/programtest"
)

// puppet is a daemon that answers what a test tells it to.
type puppet struct {
	err   error
	asked []string
	// removed: the copy was removed.
	removed atomic.Bool
}

func (p *puppet) note(what string) error { p.asked = append(p.asked, what); return p.err }

func (p *puppet) Status() ([]byte, error) { return []byte(`{"dataset":"hospital"}`), p.note("status") }
func (p *puppet) Release(context.Context) (*Released, error) {
	return &Released{Release: 7, Newcomers: 12}, p.note("release")
}
func (p *puppet) Plan(context.Context) (*Plan, error) {
	return &Plan{Outlook: &incremental.Outlook{Newcomers: 3}}, p.note("plan")
}
func (p *puppet) Pause(context.Context) (*Changed, error) {
	return &Changed{Changed: true}, p.note("pause")
}
func (p *puppet) Resume(context.Context) (*Changed, error) { return &Changed{}, p.note("resume") }
func (p *puppet) Reload(context.Context) (*Changed, error) {
	return &Changed{Keys: []string{"log.level"}}, p.note("reload")
}
func (p *puppet) Forget(_ context.Context, subject []byte) (json.RawMessage, error) {
	return json.RawMessage(`{"dataset":"hospital"}`), p.note("forget " + string(subject))
}

func (p *puppet) Replay(_ context.Context, which json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(`{"letters":7}`), p.note("replay " + string(which))
}

func (p *puppet) Backup(_ context.Context, to string) (json.RawMessage, error) {
	return json.RawMessage(`{"release":7}`), p.note("backup " + to)
}
func (p *puppet) Copy(context.Context) (string, func(), error) {
	return "/state/copy", func() { p.removed.Store(true) }, p.note("copy")
}

// place is a path for a socket in a directory of its own, short enough wherever tests run.
func place(t *testing.T) string {
	return filepath.Join(programtest.TempDir(t), "s")
}

func serve(t *testing.T, d daemonInfo, lines *Journal) (*Server, *Client) {
	path := place(t)
	l, err := Listen(path)
	require.NoError(t, err)
	s := Serve(l, d, lines, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = s.Close() })
	return s, NewClient(path)
}

// TestEveryOrderArrives: each call of a client is one of the daemon, with its answer.
func TestEveryOrderArrives(t *testing.T) {
	d := &puppet{}
	_, c := serve(t, d, nil)
	ctx := t.Context()
	text, err := c.Status(ctx)
	require.NoError(t, err)
	require.JSONEq(t, `{"dataset":"hospital"}`, string(text))
	released, err := c.Release(ctx)
	require.NoError(t, err)
	require.Equal(t, &Released{Release: 7, Newcomers: 12}, released)
	plan, err := c.Plan(ctx)
	require.NoError(t, err)
	require.Equal(t, 3, plan.Newcomers)
	changed, err := c.Pause(ctx)
	require.NoError(t, err)
	require.True(t, changed.Changed)
	_, err = c.Resume(ctx)
	require.NoError(t, err)
	reloaded, err := c.Reload(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"log.level"}, reloaded.Keys)
	receipt, err := c.Forget(ctx, []byte("ann\xff"))
	require.NoError(t, err)
	require.JSONEq(t, `{"dataset":"hospital"}`, string(receipt))
	require.Equal(t, []string{"status", "release", "plan", "pause", "resume", "reload", "forget ann\xff"}, d.asked)
}

// TestFaultsArrive with their kind and hint.
func TestFaultsArrive(t *testing.T) {
	d := &puppet{err: fault.Errorf(fault.Privacy, "ask again", "release 3 is in progress")}
	_, c := serve(t, d, nil)
	_, err := c.Release(t.Context())
	require.Equal(t, d.err, err)
	d.err = errors.New("disk full")
	_, err = c.Plan(t.Context())
	require.Equal(t, fault.Errorf(fault.Failed, "", "disk full"), err)
}

// TestOnlyTheUserAndRoot: a process of another user is answered nothing.
func TestOnlyTheUserAndRoot(t *testing.T) {
	require.True(t, mayConnect(0))
	require.True(t, mayConnect(os.Geteuid()))
	require.False(t, mayConnect(os.Geteuid()+1))
	for name, user := range map[string]func(net.Conn) (int, bool){
		"another": func(net.Conn) (int, bool) { return os.Geteuid() + 4711, true },
		"unknown": func(net.Conn) (int, bool) { return 0, false },
	} {
		if name == "unknown" && !checksPeers {
			continue
		}
		d, path := &puppet{}, place(t)
		l, err := Listen(path)
		require.NoError(t, err)
		s := newServer(d, nil, slog.New(slog.DiscardHandler))
		s.user = user
		go func() { _ = s.http.Serve(l) }()
		t.Cleanup(func() { _ = s.Close() })
		_, err = NewClient(path).Pause(t.Context())
		require.ErrorContains(t, err, "only the user of anond and root", name)
		require.Empty(t, d.asked)
	}
}

// TestTheKernelSaysWhoConnects on Linux.
func TestTheKernelSaysWhoConnects(t *testing.T) {
	if !checksPeers {
		t.Skip("only on Linux")
	}
	path := place(t)
	l, err := Listen(path)
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	go func() {
		if c, err := net.Dial("unix", path); err == nil {
			defer func() { _ = c.Close() }()
			_, _ = c.Read(make([]byte, 1))
		}
	}()
	c, err := l.Accept()
	require.NoError(t, err)
	uid, known := userOf(c)
	require.NoError(t, c.Close())
	require.True(t, known)
	require.Equal(t, os.Geteuid(), uid)
}

// TestListenIsCareful: it replaces what a killed process has left, and nothing else.
func TestListenIsCareful(t *testing.T) {
	path := place(t)
	l, err := Listen(path)
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	_, err = Listen(path)
	require.ErrorIs(t, err, ErrUnsafe, "somebody answers")

	l.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, l.Close()) // as a killed process leaves it
	l, err = Listen(path)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.NoFileExists(t, path)

	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	_, err = Listen(path)
	require.ErrorIs(t, err, ErrUnsafe)
	require.FileExists(t, path)
	require.NoError(t, os.Remove(path))

	require.NoError(t, os.Chmod(filepath.Dir(path), 0o777))
	_, err = Listen(path)
	require.ErrorIs(t, err, ErrUnsafe)
	require.ErrorContains(t, err, "others may write")
}

// TestNobodyAnswers: no socket, or one that a killed process has left.
func TestNobodyAnswers(t *testing.T) {
	path := place(t)
	_, err := NewClient(path).Status(t.Context())
	require.ErrorIs(t, err, ErrNobody)
	l, err := Listen(path)
	require.NoError(t, err)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, l.Close())
	_, err = NewClient(path).Status(t.Context())
	require.ErrorIs(t, err, ErrNobody)
}

// TestEvents: a listener gets the newest lines that it chooses, and all that follow, until the server ends.
func TestEvents(t *testing.T) {
	j := NewJournal()
	log := slog.New(slog.NewJSONHandler(j, nil))
	for i := range kept + 50 {
		log.Info("before", "n", i)
	}
	s, c := serve(t, &puppet{}, j)
	var seen []int
	number := func(line []byte) int {
		var l struct{ N int }
		require.NoError(t, json.Unmarshal(line, &l))
		return l.N
	}
	even := func(line []byte) bool { return number(line)%2 == 0 }
	err := c.Events(t.Context(), 3, even, func(line []byte) error {
		switch seen = append(seen, number(line)); len(seen) {
		case 3:
			log.Info("after", "n", 1001)
		case 4:
			go func() { _ = s.Close() }()
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []int{kept + 44, kept + 46, kept + 48, 1001}, seen)
}

// TestASlowListenerHoldsNobodyUp: lines are written whoever listens.
func TestASlowListenerHoldsNobodyUp(t *testing.T) {
	j := NewJournal()
	_, following, stop := j.listen(0)
	defer stop()
	for range behind + 10 {
		_, err := j.Write([]byte("line\n"))
		require.NoError(t, err)
	}
	require.Len(t, following, behind)
}

// TestALongPathIsRefused by the system, in words.
func TestALongPathIsRefused(t *testing.T) {
	_, err := Listen(filepath.Join(filepath.Dir(place(t)), strings.Repeat("x", 120)))
	require.ErrorIs(t, err, syscall.EINVAL)
}

// TestCopyIsRemoved: the copy that was made for a command is there until the command
// closes, is killed, or the daemon ends, and not longer.
func TestCopyIsRemoved(t *testing.T) {
	for what, end := range map[string]func(closing func(), cancel context.CancelFunc, s *Server){
		"closed":     func(closing func(), _ context.CancelFunc, _ *Server) { closing() },
		"killed":     func(_ func(), cancel context.CancelFunc, _ *Server) { cancel() },
		"daemon end": func(_ func(), _ context.CancelFunc, s *Server) { _ = s.Close() },
	} {
		t.Run(what, func(t *testing.T) {
			d := &puppet{}
			s, c := serve(t, d, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			path, closing, err := c.Copy(ctx)
			require.NoError(t, err)
			defer closing()
			require.Equal(t, "/state/copy", path)
			require.False(t, d.removed.Load())
			end(closing, cancel, s)
			require.Eventually(t, d.removed.Load, time.Hour, time.Millisecond)
		})
	}
	d := &puppet{err: errors.New("no room")}
	_, c := serve(t, d, nil)
	_, _, err := c.Copy(t.Context())
	require.ErrorContains(t, err, "no room")
	require.False(t, d.removed.Load())
	_, err = c.Backup(t.Context(), "/b")
	require.ErrorContains(t, err, "no room")
	d.err = nil
	text, err := c.Backup(t.Context(), "/b")
	require.NoError(t, err)
	require.JSONEq(t, `{"release":7}`, string(text))
	require.Equal(t, []string{"copy", "backup /b", "backup /b"}, d.asked)
}
