package kafkatest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/deliver/delivertest"
)

// outputs adds a topic for releases to a site, compacted.
func (s *site) outputs() *topic {
	s.t.Helper()
	out := newTopic(s.t, 2, "cleanup.policy=compact")
	s.config["outputs"] = section{"poll": "20ms", "kafka": section{"brokers": broker.Addrs(), "topic": out.name}}
	s.save()
	return out
}

// consumed is what anond-deliver consume --json says.
type consumed struct {
	First, Newest, Release uint32
	Files, Foreign         int
	Compared               string
}

func (s *site) consume(args ...string) (c consumed) {
	s.t.Helper()
	require.NoError(s.t, json.Unmarshal([]byte(s.commandOf(anond+"-deliver", append([]string{"consume", "--json"}, args...)...)), &c))
	return c
}

// TestDeliver has releases delivered next to the daemon that makes them, by processes that
// are killed, two at a time; each release is then made again from the topic, before and
// after compaction, and kcat counts the messages.
func TestDeliver(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 1)
	s := newSite(t, p)
	out := s.outputs()
	other := s.launchOf(anond+"-deliver", "kafka", "--follow")
	killed := 0
	for i := range 4 {
		p.write(0, people(1000*i, 250)...)
		s.once().ends(0)
		d := s.launchOf(anond+"-deliver", "kafka", "--follow")
		if d.await("delivery_started", 1); i < 3 {
			d.kill()
			killed++
			continue
		}
		require.Eventually(t, s.delivered, patience, poll, "%s", d.log())
		d.stop()
	}
	other.stop()
	require.Equal(t, 3, killed)
	current := strings.TrimSpace(s.read("releases/CURRENT"))
	for range 2 {
		c := s.consume()
		require.Equal(t, current, fmt.Sprintf("%06d", c.Newest))
		require.Zero(t, c.Foreign)
		for n := c.First; n <= c.Newest; n++ {
			require.True(t, strings.HasSuffix(s.consume("--release", fmt.Sprint(n)).Compared, fmt.Sprintf("releases/%06d", n)))
		}
		broker.Compact()
	}
	keys := strings.Fields(kcat(t, nil, "-C", "-t", out.name, "-o", "beginning", "-e", "-q", "-f", "%k\n"))
	markers := 0
	for _, k := range keys {
		require.Regexp(t, `^\d{6}/[a-z0-9./_-]+/\d+/[0-9a-f]{64}$`, k)
		if strings.Contains(k, "/release/1/") {
			markers++
		}
	}
	require.GreaterOrEqual(t, markers, int(s.consume().Newest))
}

// delivered reports whether the topic has the newest release.
func (s *site) delivered() bool {
	c := exec.CommandContext(wait(s.t), anond+"-deliver", "consume", "--json", "-c", s.file)
	text, err := c.Output()
	var has consumed
	return err == nil && json.Unmarshal(text, &has) == nil && fmt.Sprintf("%06d\n", has.Newest) == s.read("releases/CURRENT")
}

func (s *site) read(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	require.NoError(s.t, err)
	return string(text)
}

// TestOutputsDocument runs the commands of docs/OUTPUTS.md, with the releases of
// docs/FORMAT.md, a broker and a PostgreSQL.
func TestOutputsDocument(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	server := delivertest.NewServer(t)
	dir := t.TempDir()
	format, doc := blocks(t, "FORMAT.md"), blocks(t, "OUTPUTS.md")
	topic := newTopic(t, 1, "cleanup.policy=compact")
	bin := t.TempDir() // the topic is there already
	require.NoError(t, os.WriteFile(filepath.Join(bin, "kafka-topics.sh"), []byte("#!/bin/sh\n"), 0o700))
	require.NoError(t, os.Symlink(anond, filepath.Join(bin, "anond")))
	require.NoError(t, os.Symlink(anond+"-deliver", filepath.Join(bin, "anond-deliver")))
	env := append(os.Environ(), "LC_ALL=C", "PATH="+bin+":"+os.Getenv("PATH"), "BROKERS="+broker.Addrs()[0], "RELEASES_URL="+server.URL())
	run := func(script string) string {
		c := exec.CommandContext(wait(t), "sh", "-eu", "-c", script)
		c.Dir, c.Env = dir, env
		text, err := c.CombinedOutput()
		require.NoError(t, err, "%s: %s", script, text)
		return string(text)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "format.yaml"), []byte(format[0].text), 0o600))
	run(format[1].text)
	last, ran := "", 0
	for _, b := range doc {
		text := strings.ReplaceAll(b.text, "wards.releases", topic.name)
		switch {
		case strings.HasPrefix(b.words, "yml "):
			require.NoError(t, os.WriteFile(filepath.Join(dir, strings.TrimPrefix(b.words, "yml ")), []byte(text), 0o600))
		case b.words == "shell":
			if _, err := exec.LookPath("kcat"); err != nil && strings.Contains(text, "kcat") {
				t.Log("SKIPPED: kcat is not installed")
				last = ""
				continue
			}
			last, ran = run(text), ran+1
		case b.words == "text shown" && last != "":
			require.Equal(t, text, regexp.MustCompile(`[0-9a-f]{64}`).ReplaceAllString(last, "HASH"))
		}
	}
	require.GreaterOrEqual(t, ran, 3)
}

type fenced struct{ words, text string }

// blocks are the fenced blocks of a document.
func blocks(t *testing.T, name string) (out []fenced) {
	text, err := os.ReadFile(filepath.Join("../../docs", name))
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?ms)^```([^\n]+)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		out = append(out, fenced{m[1], m[2]})
	}
	require.NotEmpty(t, out)
	return out
}
