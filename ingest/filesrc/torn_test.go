package filesrc

import (
	"anond/incremental/state"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest"
	"anond/ingest/decode"
)

// A last line without line break is left unread until it has one, and is
// reported. CRLF may be cut in two, a header may be torn, and so may the mark.
func TestATornLastLineIsLeftUnread(t *testing.T) {
	for _, x := range []struct {
		name, before, after string
		layout              layout
		unread              ingest.Unread
		early, late         []string
	}{
		{"ndjson", "{}\n{\"a\":1", "2}\n", NDJSON, ingest.Unread{Unterminated: 1}, []string{"{}"}, []string{"{}", `{"a":12}`}},
		{"ndjson that is whole already", "{}\n{\"a\":1}", "\n", NDJSON, ingest.Unread{Unterminated: 1}, []string{"{}"},
			[]string{"{}", `{"a":1}`}},
		{"first record", "{\"a\":1", "2}\n", NDJSON, ingest.Unread{Unterminated: 1}, nil, []string{`{"a":12}`}},
		{"csv", "a,b\n\n1,2\n3,4", "56\n7,8\n", CSV, ingest.Unread{Unterminated: 1}, []string{"1,2"}, []string{"1,2", "3,456", "7,8"}},
		{"CRLF", "a,b\r\n1,2\r\n3,4\r", "\n", CSV, ingest.Unread{Unterminated: 1}, []string{"1,2"}, []string{"1,2", "3,4"}},
		{"a blank that becomes a record", "a,b\n1,2\n ", ",4\n", CSV, ingest.Unread{Unterminated: 1}, []string{"1,2"},
			[]string{"1,2", " ,4"}},
		{"header", "\n\na,", "b\n1,2\n", CSV, ingest.Unread{Unterminated: 1, WithoutRecord: 2}, nil, []string{"1,2"}},
		{"only a header", "a,b\n", "1,2\n", CSV, ingest.Unread{WithoutRecord: 1}, nil, []string{"1,2"}},
		{"only a mark", "\xef\xbb", "\xbfa,b\n1,2\n", CSV, ingest.Unread{Unterminated: 1}, nil, []string{"1,2"}},
		{"nothing", "", "a,b\n1,2\n", CSV, ingest.Unread{}, nil, []string{"1,2"}},
		{"a line of NULs", "a,b\n1,2\n\x00\x00", "\x00\n", CSV, ingest.Unread{Unterminated: 1}, []string{"1,2"},
			[]string{"1,2", "\x00\x00\x00"}},
	} {
		for _, packed := range []bool{false, true} {
			for _, follow := range []bool{false, true} {
				if follow && packed {
					continue
				}
				name, write := temp(t, "f"), write
				if packed {
					name += ".gz"
					write = func(t testing.TB, path, text string) string { return writePlain(t, path, gzipped(t, text)) }
				}
				path := write(t, name, x.before)
				cfg := Config{Paths: []string{path}, Layout: x.layout, Follow: follow}
				s := newReading()
				assert.Equal(t, x.unread, s.run(t, cfg), x.name)
				assert.Equal(t, x.early, s.lines, x.name)
				write(t, path, x.before+x.after)
				assert.Zero(t, s.run(t, cfg), x.name)
				assert.Equal(t, x.late, s.lines, x.name)
				fresh := newReading()
				fresh.run(t, cfg)
				fresh.positions, s.positions = under(fresh.positions), under(s.positions) // its first sight was another one
				assert.Equal(t, fresh, s, "%s: the same as if it had been read at once", x.name)
			}
		}
	}
}

// under leaves the names of files out.
func under(positions map[state.Partition]state.Position) map[state.Partition]state.Position {
	out := map[state.Partition]state.Position{}
	for _, at := range positions {
		out[state.Partition{ID: int32(len(out))}] = at
	}
	return out
}

// With multi-line fields a record may still grow from its open quote on.
func TestAnOpenQuoteAtTheEndIsLeftUnread(t *testing.T) {
	path := write(t, temp(t, "f"), "a,b\n1,2\n3,\"4\n5,6\n")
	cfg := Config{Paths: []string{path}, Layout: CSV, Multiline: true}
	s := newReading()
	assert.Equal(t, ingest.Unread{Unterminated: 2}, s.run(t, cfg))
	assert.Equal(t, []string{"1,2"}, s.lines)
	extend(t, path, "7\"\n8,9\n")
	assert.Zero(t, s.run(t, cfg))
	assert.Equal(t, []string{"1,2", "3,\"4\n5,6\n7\"", "8,9"}, s.lines)
	assert.Equal(t, map[equivclass.Reason]int{decode.ReasonHeaderLine: 1, decode.ReasonContinued: 2}, s.passed)
}

// A file that was declared complete, or read by a version that took a last line
// for whole, and has grown: it reads on, and the rest of the line is refused.
func TestALineThatGrewAfterItWasRead(t *testing.T) {
	for _, x := range []struct {
		before, after string
		late          []string
		grown         int
	}{
		{"a,b\n0,0\n1,2", "3\n4,5\n", []string{"0,0", "1,2", "3", "4,5"}, 1},
		{"a,b\n0,0\n1", "9,2\n4,5\n", []string{"0,0", "1", "9,2", "4,5"}, 1}, // the rest looks like a record
		{"a,b\n0,0\n1,2", "\n4,5\n", []string{"0,0", "1,2", "4,5"}, 0},
		{"a,b\n0,0\n1,2", "\r\n4,5\n", []string{"0,0", "1,2", "4,5"}, 0},
		{"a,b\n0,0\n1,2\r", "\n4,5\n", []string{"0,0", "1,2", "4,5"}, 0},
		{"a,b\n0,0\n" + long, long + "\n4,5\n", []string{"0,0", long[:65], "4,5"}, 0}, // refused either way
		{"a,b\n0,0\n1,2", long + "\n4,5\n", []string{"0,0", "1,2", long[:65], "4,5"}, 1},
	} {
		for _, again := range []func(*Config){
			func(c *Config) {}, func(c *Config) { c.Complete = false }, func(c *Config) { c.Multiline = true },
		} {
			path := write(t, temp(t, "f"), x.before)
			cfg := Config{Paths: []string{path}, Layout: CSV, MaxBytes: 64, Complete: true}
			s := newReading()
			s.run(t, cfg)
			again(&cfg)
			assert.Zero(t, s.run(t, cfg), "nothing more to read")
			extend(t, path, x.after)
			for range 2 {
				s.run(t, cfg)
				assert.Equal(t, x.late, s.lines)
				assert.Equal(t, x.grown, s.grown())
			}
		}
		t.Run("while it is followed", func(t *testing.T) {
			path := write(t, temp(t, "f"), x.before)
			s := followed(t, Config{Paths: []string{path}, Layout: CSV, MaxBytes: 64, Complete: true}, func() { extend(t, path, x.after) })
			assert.Equal(t, x.late, s.lines)
			assert.Equal(t, x.grown, s.grown())
		})
	}
}

// followed reads a followed file until nothing is left, calls act, and reads
// on.
func followed(t *testing.T, cfg Config, act func()) *reading {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	acted := false
	cfg.Follow = true
	cfg.Wait = func(context.Context, time.Duration) error {
		if acted {
			cancel()
			return ctx.Err()
		}
		acted = true
		act()
		return nil
	}
	s := newReading()
	src, err := Open(ctx, cfg, s.resume(false))
	require.NoError(t, err)
	defer src.Close()
	for {
		c, err := src.Next(ctx)
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			return s
		}
		s.apply(t, c)
	}
}

// The setting of multi-line fields may be changed under a state.
func TestMultilineMayBeChanged(t *testing.T) {
	for _, before := range []bool{false, true} {
		path := write(t, temp(t, "f"), "a,b\n0,0\n1,\"2\n3\"\n")
		s := newReading()
		s.run(t, Config{Paths: []string{path}, Layout: CSV, Multiline: before})
		read := len(s.lines)
		extend(t, path, "4,5\n")
		s.run(t, Config{Paths: []string{path}, Layout: CSV, Multiline: !before})
		assert.Equal(t, []string{"4,5"}, s.lines[read:])
	}
}

// What stands in the log names file, line and offset, and no value.
func TestUnreadLinesAreLogged(t *testing.T) {
	var log strings.Builder
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), "a,b\n1,2\n\n3,"+canary)
	write(t, filepath.Join(dir, "b"), "a,b\n")
	cfg := Config{Paths: []string{filepath.Join(dir, "*")}, Layout: CSV, Log: slog.New(slog.NewJSONHandler(&log, nil))}
	assert.Equal(t, ingest.Unread{Unterminated: 1, WithoutRecord: 1}, newReading().run(t, cfg))
	assert.Contains(t, log.String(), `"event":"unterminated_line","file":"`+filepath.Join(dir, "a")+`","offset":9,"lines":1,"line":4}`)
	assert.Contains(t, log.String(), `"event":"no_record","file":"`+filepath.Join(dir, "b")+`","lines":1}`)
	assert.Equal(t, 2, strings.Count(log.String(), "\n"))
	assert.NotContains(t, log.String(), canary)
}

// The last line of a followed file is usually being written. The log is told if
// it stays as it is.
func TestAStillLineOfAFollowedFileIsLoggedOnce(t *testing.T) {
	var log strings.Builder
	looks := 0
	path := write(t, temp(t, "f"), "{}\n{")
	first := write(t, temp(t, "g"), "{") // torn in its first record
	cfg := Config{Paths: []string{path, first}, Layout: NDJSON, Follow: true, Interval: stillFor / 4,
		Log: slog.New(slog.NewJSONHandler(&log, nil))}
	cfg.Wait = func(context.Context, time.Duration) error {
		if looks++; looks == 3 {
			assert.Empty(t, log.String(), "it may still be written")
		}
		if looks == 20 {
			return io.ErrNoProgress
		}
		return nil
	}
	s := newReading()
	src, err := Open(context.Background(), cfg, s.resume(false))
	require.NoError(t, err)
	defer src.Close()
	for err == nil {
		_, err = src.Next(context.Background())
	}
	require.ErrorIs(t, err, io.ErrNoProgress)
	assert.Equal(t, 1, strings.Count(log.String(), `"event":"unterminated_line","file":"`+path))
	assert.Equal(t, 1, strings.Count(log.String(), `"event":"unterminated_line","file":"`+first))
	assert.Equal(t, 2, src.Status().Unread.Unterminated)
	lag, _ := src.Status().Lag(time.Now())
	assert.Zero(t, lag, "there is nothing to read")
}

// A followed file that was rotated away cannot be finished: its unread end is
// logged, and the file that took its path is read.
func TestARotatedFileWithATornLineIsReported(t *testing.T) {
	var log strings.Builder
	path := write(t, temp(t, "f"), "{}\n{")
	cfg := Config{Paths: []string{path}, Layout: NDJSON, Follow: true, Log: slog.New(slog.NewJSONHandler(&log, nil))}
	s := newReading()
	s.followed(t, cfg, func() {
		require.NoError(t, os.Rename(path, path+".1"))
		write(t, path, "{\"b\":1}\n")
	}, func() {})
	require.Equal(t, []string{"{}", `{"b":1}`}, s.lines)
	assert.Contains(t, log.String(), `"event":"unterminated_line","file":"`+path+`","offset":3`)
}
