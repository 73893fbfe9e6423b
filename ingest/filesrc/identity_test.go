package filesrc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/ingest"
)

// daily are lines of one day, of which all days have the first ones in common.
func daily(day string, shared, own int) string {
	var b strings.Builder
	for i := range shared {
		fmt.Fprintf(&b, "{\"a\":%d}\n", i)
	}
	for i := range own {
		fmt.Fprintf(&b, "{\"%s\":%d}\n", day, i)
	}
	return b.String()
}

// events keeps which events were logged.
type events struct{ names []string }

func (e *events) Enabled(context.Context, slog.Level) bool { return true }
func (e *events) WithAttrs([]slog.Attr) slog.Handler       { return e }
func (e *events) WithGroup(string) slog.Handler            { return e }
func (e *events) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "event" {
			e.names = append(e.names, a.Value.String())
		}
		return true
	})
	return nil
}

// count says how many of the lines of a day were read.
func (s *reading) count(day string) (n int) {
	for _, l := range s.lines {
		if strings.HasPrefix(l, `{"`+day+`"`) {
			n++
		}
	}
	return n
}

// followed follows a pattern; each time that there is nothing to read, the next step is taken.
func (s *reading) followed(t *testing.T, cfg Config, steps ...func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	stop := errors.New("no more steps")
	cfg.Layout, cfg.Follow = NDJSON, true
	cfg.Wait = func(context.Context, time.Duration) error {
		if len(steps) == 0 {
			return stop
		}
		steps[0]()
		steps = steps[1:]
		return nil
	}
	src, err := Open(ctx, cfg, s.resume(false))
	require.NoError(t, err)
	defer func() { require.NoError(t, src.Close()) }()
	for {
		c, err := src.Next(ctx)
		if err != nil {
			require.ErrorIs(t, err, stop)
			return
		}
		s.apply(t, c)
	}
}

// TestFilesThatBeginAlike: the same first record does not make them the same file, nor do 4 KiB where people have a subject;
// where they have none, the later one is set aside, since whoever is in both would be published twice. The source goes
// on, and a restart tells the same.
func TestFilesThatBeginAlike(t *testing.T) {
	for _, c := range []struct {
		name   string
		shared int  // lines
		apart  bool // there is a subject
		read   bool // the second one is
	}{{"one record", 1, false, true}, {"much, and a subject", 1000, true, true}, {"much, and no subject", 1000, false, false}} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			log := &events{}
			cfg := Config{Paths: []string{filepath.Join(dir, "*.json")}, Layout: NDJSON, Apart: c.apart, Log: slog.New(log)}
			monday, tuesday := filepath.Join(dir, "monday.json"), filepath.Join(dir, "tuesday.json")
			write(t, monday, daily("mon", c.shared, 20))
			s, lines := newReading(), 20
			s.followed(t, cfg, func() { write(t, tuesday, daily("tue", c.shared, 20)) }, func() {},
				func() { extend(t, monday, daily("mon", 0, 5)); extend(t, tuesday, daily("tue", 0, 5)) }, func() {})
			if c.read {
				lines = 25
			} else {
				lines = 0
			}
			require.Equal(t, 25, s.count("mon"))
			require.Equal(t, lines, s.count("tue"))
			require.Equal(t, !c.read, slices.Contains(log.names, "file_set_aside"), log.names)

			log.names = nil
			extend(t, monday, daily("mon", 0, 1)) // after a restart, and under other names
			require.NoError(t, os.Rename(tuesday, filepath.Join(dir, "a.json")))
			left := s.run(t, cfg)
			require.Equal(t, 26, s.count("mon"))
			require.Equal(t, lines, s.count("tue"))
			require.Equal(t, !c.read, slices.Contains(log.names, "file_set_aside"), log.names)
			require.Equal(t, map[bool]int{false: 1}[c.read], left.SetAside)
		})
	}
}

// TestAFullExportEachNight: a file that replaces the one before, and begins like it, is read from its beginning where
// people have a subject: also where it is shorter, and where it got the inode of the one before.
func TestAFullExportEachNight(t *testing.T) {
	for name, replace := range map[string]func(path, text string){
		"another inode": func(path, text string) {
			write(t, path+".new", text)
			require.NoError(t, os.Rename(path+".new", path))
		},
		"the same inode": func(path, text string) { write(t, path, text) },
	} {
		t.Run(name, func(t *testing.T) {
			path := temp(t, "export.json")
			cfg := Config{Paths: []string{path}, Layout: NDJSON, Apart: true}
			s := newReading()
			for night, own := range []int{10, 20, 5, 5} {
				replace(path, daily(fmt.Sprint("n", night), 1000, own))
				s.run(t, cfg)
				require.Equal(t, own, s.count(fmt.Sprint("n", night)))
			}
			require.Len(t, s.positions, 4)
			s.run(t, cfg)
			require.Len(t, s.lines, 4*1000+10+20+5+5, "nothing is read again")
		})
	}
}

// TestAFileIsKnownByItsBeginningAtFirstSight: what comes behind does not make it another file, wherever it lies.
func TestAFileIsKnownByItsBeginningAtFirstSight(t *testing.T) {
	for _, size := range []int{1, 10, 400, 5000} {
		path := temp(t, "f")
		write(t, path, daily("d", 0, size))
		s := newReading()
		s.run(t, Config{Paths: []string{path}, Layout: NDJSON})
		copied := write(t, temp(t, "copied"), daily("d", 0, size)+daily("e", 0, 3)) // another inode
		s.run(t, Config{Paths: []string{copied}, Layout: NDJSON})
		require.Len(t, s.lines, size+3)
		require.Len(t, s.positions, 1)
	}
}

// TestTwoCopiesAreToldApartByInode: each goes on where it was read to, whatever its name; where the inodes do not tell, by what
// was read.
func TestTwoCopiesAreToldApartByInode(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	cfg := Config{Paths: []string{path("*")}, Layout: NDJSON, Apart: true}
	write(t, path("a"), daily("x", 0, 1000))
	write(t, path("b"), daily("x", 0, 1000)+daily("b", 0, 1))
	s := newReading()
	s.run(t, cfg)
	require.Len(t, s.lines, 2001)
	require.NoError(t, os.Rename(path("a"), path("c")))
	extend(t, path("c"), daily("c", 0, 2))
	extend(t, path("b"), daily("b", 0, 2))
	s.run(t, cfg)
	require.Len(t, s.lines, 2005)
	for _, name := range []string{"b", "c"} { // moved to another disk
		text, err := os.ReadFile(path(name))
		require.NoError(t, err)
		write(t, path("new-"+name), string(text)+daily(name, 0, 1))
	}
	require.NoError(t, errors.Join(os.Remove(path("b")), os.Remove(path("c"))))
	s.run(t, cfg)
	require.Len(t, s.lines, 2007)
	require.Len(t, s.positions, 2)
}

// TestARenamedFileIsFollowed: under a name that matches as well it is the same file.
func TestARenamedFileIsFollowed(t *testing.T) {
	dir := t.TempDir()
	s := newReading()
	old, renamed := filepath.Join(dir, "old.json"), filepath.Join(dir, "a.json")
	write(t, old, daily("a", 0, 3))
	s.followed(t, Config{Paths: []string{filepath.Join(dir, "*.json")}}, func() { require.NoError(t, os.Rename(old, renamed)) }, func() {},
		func() { extend(t, renamed, daily("a", 0, 2)) }, func() { write(t, old, daily("b", 0, 2)) }, func() {})
	require.Equal(t, 5, s.count("a"))
	require.Equal(t, 2, s.count("b"))
	require.Len(t, s.positions, 2)
}

// TestAShorterFileStops, where nobody would be known again.
func TestAShorterFileStops(t *testing.T) {
	path := write(t, temp(t, "f"), daily("a", 0, 1000))
	cfg := Config{Paths: []string{path}, Layout: NDJSON}
	s := newReading()
	s.run(t, cfg)
	write(t, path, daily("a", 0, 900))
	_, err := Open(context.Background(), cfg, s.resume(true))
	require.ErrorIs(t, err, ingest.ErrReplaced)
}
