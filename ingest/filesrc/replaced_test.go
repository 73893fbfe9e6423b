package filesrc

import (
	"anond/incremental/state"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/ingest"
)

const three = "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n"

// canary stands for a person's value: it must appear in no error (rule V: no
// value is shown).
const canary = "CANARY-7731"

// alike is more than what a file is known by.
var alike = daily("alike", 0, 500)

// TestAFileThatWasChanged behind its beginning is set aside where nobody would be known again, and is another file where people
// have a subject. Of a shorter one it is sure that something was removed.
func TestAFileThatWasChanged(t *testing.T) {
	for name, now := range map[string]string{
		"shorter":                         "{\"a\":1}\n{\"a\":2}\n",
		"last record differs":             "{\"a\":1}\n{\"a\":2}\n{\"a\":\"" + canary + "\"}\n",
		"last record lies elsewhere":      "{\"a\":1}\n{\"a\":\"" + canary + "\"}\n{\"a\":3}\n",
		"last record is longer":           "{\"a\":1}\n{\"a\":2}\n{\"a\":3}" + canary + "\n",
		"last record is inside of a line": "{\"a\":1}\n{\"a\":2}" + canary + "\n{\"a\":3}\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, temp(t, "f"), alike+three)
			s := newReading()
			s.run(t, Config{Paths: []string{path}, Layout: NDJSON})
			read := len(s.lines)
			write(t, path, alike+now)
			if name == "shorter" {
				_, err := Open(context.Background(), Config{Paths: []string{path}, Layout: NDJSON}, s.resume(false))
				require.ErrorIs(t, err, ingest.ErrReplaced)
				assert.ErrorContains(t, err, path)
				assert.ErrorContains(t, err, "put the file back as it was")
			} else {
				require.Equal(t, ingest.Unread{SetAside: 1}, s.run(t, Config{Paths: []string{path}, Layout: NDJSON}))
				require.Len(t, s.lines, read)
			}
			s.run(t, Config{Paths: []string{path}, Layout: NDJSON, Apart: true})
			require.Len(t, s.lines, read+strings.Count(alike+now, "\n"))
			require.Len(t, s.positions, 2)
		})
	}
}

func TestAFileThatLostBlankLinesStops(t *testing.T) {
	path := write(t, temp(t, "f"), alike+three+"\n\n")
	cfg := Config{Paths: []string{path}, Layout: NDJSON}
	s := newReading()
	s.run(t, cfg)
	write(t, path, alike+three)
	_, err := Open(context.Background(), cfg, s.resume(true))
	require.ErrorIs(t, err, ingest.ErrReplaced)
	n := len(alike + three)
	assert.ErrorContains(t, err, fmt.Sprintf("it has %d bytes, and %d were read", n, n+2))
}

// State may have passed blank lines. A record that stands there later was
// inserted into what was read.
func TestARecordInPassedBlankLinesStops(t *testing.T) {
	path := write(t, temp(t, "f"), alike+"{}\n\n\n\n\n\n\n\n\n")
	s := newReading()
	cfg := Config{Paths: []string{path}, Layout: NDJSON}
	s.run(t, cfg)
	write(t, path, alike+"{}\n{\"a\":1}\n{\"a\":2}\n")
	src, err := Open(context.Background(), cfg, s.resume(true))
	require.NoError(t, err)
	defer src.Close()
	_, err = src.Next(context.Background())
	assert.ErrorIs(t, err, ingest.ErrReplaced)
	_, again := src.Next(context.Background())
	assert.Equal(t, err, again, "final")
	assert.False(t, src.Status().Connected)
}

func TestAnotherFirstRecordIsAnotherFile(t *testing.T) {
	path := write(t, temp(t, "f"), three)
	cfg := Config{Paths: []string{path}, Layout: NDJSON}
	s := newReading()
	s.run(t, cfg)
	write(t, path, "{\"b\":1}\n")
	s.run(t, cfg)
	assert.Equal(t, `{"b":1}`, s.lines[3])
	assert.Len(t, s.positions, 2)

	require.NoError(t, os.Remove(path))
	cfg.Paths[0] = write(t, temp(t, "moved"), three+"{\"a\":4}\n")
	s.run(t, cfg)
	assert.Equal(t, `{"a":4}`, s.lines[4], "a renamed file resumes")
	assert.Len(t, s.lines, 5)
}

// following opens a followed file and reads until nothing is left, then calls
// act and returns the error that follows.
func following(t *testing.T, path string, act func()) (*reading, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	acted := false
	cfg := Config{Paths: []string{path}, Layout: NDJSON, Follow: true, Wait: func(context.Context, time.Duration) error {
		if acted {
			return io.ErrNoProgress // it went on waiting and noticed nothing
		}
		acted = true
		act()
		return nil
	}}
	s := newReading()
	src, err := Open(ctx, cfg, s.resume(false))
	require.NoError(t, err)
	defer src.Close()
	for {
		c, err := src.Next(ctx)
		if err != nil {
			return s, err
		}
		s.apply(t, c)
	}
}

func TestFollowNoticesACutFile(t *testing.T) {
	path := write(t, temp(t, "f"), three)
	_, err := following(t, path, func() { write(t, path, "{\"a\":1}\n") })
	assert.ErrorIs(t, err, ingest.ErrReplaced)
}

func TestFollowNoticesAFileCutAndGrown(t *testing.T) {
	path := write(t, temp(t, "f"), three)
	s, err := following(t, path, func() { write(t, path, strings.Replace(three, "3", canary, 1)+three) })
	assert.ErrorIs(t, err, ingest.ErrReplaced)
	assert.NotContains(t, err.Error(), canary)
	assert.Len(t, s.lines, 3)
}

func TestFollowReadsAReplacedFileToItsEnd(t *testing.T) {
	path := write(t, temp(t, "f"), three)
	s, err := following(t, path, func() {
		extend(t, path, "{\"a\":4}\n")
		require.NoError(t, os.Rename(path, path+".1"))
		write(t, path, "{\"b\":1}\n")
	})
	assert.ErrorIs(t, err, io.ErrNoProgress, "it goes on")
	assert.Equal(t, []string{`{"a":1}`, `{"a":2}`, `{"a":3}`, `{"a":4}`}, s.lines)
	s.run(t, Config{Paths: []string{path}, Layout: NDJSON})
	assert.Equal(t, `{"b":1}`, s.lines[4], "the new file is read next")
}

func TestFollowOutlivesARemovedFile(t *testing.T) {
	path := write(t, temp(t, "f"), three)
	s, err := following(t, path, func() { require.NoError(t, os.Remove(path)) })
	assert.ErrorIs(t, err, io.ErrNoProgress, "it waits on")
	assert.Len(t, s.lines, 3)
}

func TestEndsOfAFollowedFileAreWholeLines(t *testing.T) {
	path := write(t, temp(t, "f"), three+`{"a":`+long)
	src, err := Open(context.Background(), Config{Paths: []string{path}, Layout: NDJSON, Follow: true}, newReading().resume(false))
	require.NoError(t, err)
	defer src.Close()
	ends, err := src.Ends(context.Background())
	require.NoError(t, err)
	for _, end := range ends {
		assert.EqualValues(t, len(three), end, "a line that is being written must not be waited for")
	}
	assert.Len(t, ends, 1)
}

func TestAnUnknownPositionOfAKnownFile(t *testing.T) {
	path := write(t, temp(t, "f"), three)
	s := newReading()
	s.run(t, Config{Paths: []string{path}, Layout: NDJSON})
	part := onlyPartition(t, s)
	s = newReading()
	s.positions[part] = state.Position{Next: 8, Last: -1}
	s.run(t, Config{Paths: []string{path}, Layout: NDJSON})
	assert.Equal(t, []string{`{"a":2}`, `{"a":3}`}, s.lines, "no record to compare: the position alone decides")
}
