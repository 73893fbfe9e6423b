package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/internal/ops/logs"
)

// logged writes some events as anond run does.
func logged(format config.LogFormat) *bytes.Buffer {
	var out bytes.Buffer
	log := logs.New(&out, config.Log{Level: config.Debug, Format: format}, false)
	log.Info("release published", "event", "release_published", "release", 7, "lags", []int{1})
	log.Warn("a b=c \"d\"\nnext", "event", "source_stuck", "error", "x y")
	log.Debug("status")
	return &out
}

// TestTailReadsBothFormats: JSON and text are shown alike, other lines are left out.
func TestTailReadsBothFormats(t *testing.T) {
	var shown []string
	for _, format := range []config.LogFormat{config.JSONLog, config.TextLog} {
		var out bytes.Buffer
		f := eventFilter{}
		require.NoError(t, f.check())
		lines := logged(format).String() + "panic: no event\n{\"half\": \n"
		for line := range strings.Lines(lines) {
			require.NoError(t, f.show(&out, []byte(line)))
		}
		require.Equal(t, 3, strings.Count(out.String(), "\n"), out.String())
		var rest []string // without the times
		for line := range strings.Lines(out.String()) {
			_, after, _ := strings.Cut(line, " ")
			rest = append(rest, after)
		}
		shown = append(shown, strings.ReplaceAll(strings.Join(rest, ""), "lags=[1]", ""))
	}
	require.Contains(t, shown[0], `INFO  release_published msg="release published" release=7`)
	require.Equal(t, shown[0], shown[1])
}

// TestTailFilters by name and level.
func TestTailFilters(t *testing.T) {
	for _, c := range []struct {
		f    eventFilter
		want []string
	}{
		{eventFilter{level: "warn"}, []string{"source_stuck"}},
		{eventFilter{level: "info"}, []string{"release_published", "source_stuck"}},
		{eventFilter{events: []string{"status", "release_published"}}, []string{"release_published", "status"}},
		{eventFilter{events: []string{"status"}, level: "info"}, nil},
	} {
		require.NoError(t, c.f.check())
		var got []string
		for line := range strings.Lines(logged(config.JSONLog).String()) {
			if e, ok := parseEvent([]byte(line)); ok && c.f.chooses(e) {
				got = append(got, e.name)
			}
		}
		require.Equal(t, c.want, got)
	}
	require.Error(t, (&eventFilter{level: "loud"}).check())
	require.Error(t, (&eventFilter{events: []string{"status", "release_publishd"}}).check())
}

// TestTailOfAFile: the command, from a file and from standard input.
func TestTailOfAFile(t *testing.T) {
	s := newSite(t, "{type: stdin}", "on: interval, every: 1h", "")
	s.write("log", logged(config.JSONLog).String())
	require.Contains(t, s.must("tail "+s.path("log")+" --level warn"), "source_stuck")
	r := s.pipe(logged(config.TextLog).String(), "tail - --event status --json")
	require.Equal(t, exitOK, r.code)
	require.Equal(t, 1, strings.Count(r.stdout, "event=status"))
	require.Equal(t, exitFailed, s.run("tail "+s.path("absent")).code)
	require.Equal(t, exitUsage, s.run("tail --level loud -").code)
	r = s.run("tail --event release_publishd -")
	require.Equal(t, exitUsage, r.code)
	require.Contains(t, r.stderr, `"release_publishd" is no event`)
	require.Contains(t, r.stderr, "release_published, ")
}

// TestTailShowsWholeLines, also where they came without their ends, as over the socket.
func TestTailShowsWholeLines(t *testing.T) {
	var out bytes.Buffer
	f := eventFilter{raw: true}
	require.NoError(t, f.check())
	for line := range strings.Lines(logged(config.JSONLog).String()) {
		require.True(t, f.takes([]byte(line)) == f.takes([]byte(strings.TrimSpace(line))))
		require.NoError(t, f.show(&out, []byte(strings.TrimSpace(line))))
	}
	require.Equal(t, 3, strings.Count(out.String(), "\n"))
}

// TestNoDaemon: commands that need one say so; status shows what the last one has left.
func TestNoDaemon(t *testing.T) {
	s := newSite(t, "{type: stdin}", "on: interval, every: 1h", "")
	require.Equal(t, exitFailed, s.run("status").code)
	require.Equal(t, exitConfig, s.run("pause").code, "there is no socket")
	require.NotContains(t, s.run("pause").stderr, "SIGHUP")
	require.Contains(t, s.run("reload").stderr, "SIGHUP")
	s.edit("release:", "control: {socket: ./c.sock}\nrelease:")
	for _, command := range []string{"pause", "resume", "reload", "release now", "release plan", "tail"} {
		r := s.run(command)
		require.Equal(t, exitFailed, r.code, command)
		require.Contains(t, r.stderr, "no running anond answers", command)
		require.Contains(t, r.stderr, "hint:", command)
	}
	s.pipe(ndjson(1, 300), "run")
	shown := s.must("status")
	require.Contains(t, shown, "not running")
	require.Contains(t, shown, "300 sent")
}
