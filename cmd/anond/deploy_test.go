package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"anond/ingest"
	"anond/internal/ops/monitor"
)

// deployed reads a file of deploy/.
func deployed(t *testing.T, path ...string) string {
	text, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "deploy"}, path...)...))
	require.NoError(t, err)
	return string(text)
}

// afterDrain is what a stop needs besides the release in progress: the write in progress.
const afterDrain = 30 * time.Second

// TestTheUnitsFitTheDaemon: they hear from it, wait for its drain, and give it up later
// than it gives itself up. The unit of a dataset differs in paths alone.
func TestTheUnitsFitTheDaemon(t *testing.T) {
	one, each := deployed(t, "anond.service"), deployed(t, "anond@.service")
	settings := func(unit string) string {
		var out []string
		for line := range strings.Lines(unit[strings.Index(unit, "[Unit]"):]) {
			if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "Description=") {
				out = append(out, line)
			}
		}
		return strings.Join(out, "")
	}
	assert.Equal(t, settings(one), strings.ReplaceAll(strings.ReplaceAll(settings(each), "/%i.yaml", "/anond.yaml"), "/%i", ""))
	value := func(key string) string {
		m := regexp.MustCompile(`(?m)^` + key + `=(.*)$`).FindStringSubmatch(one)
		require.NotNil(t, m, key)
		return m[1]
	}
	span := func(key string) time.Duration {
		d, err := time.ParseDuration(strings.ReplaceAll(value(key), "min", "m"))
		require.NoError(t, err, key)
		return d
	}
	assert.Equal(t, "notify", value("Type"))
	assert.Equal(t, "main", value("NotifyAccess"))
	assert.Equal(t, "SIGKILL", value("WatchdogSignal"), "stacks may show numbers of persons")
	assert.Greater(t, span("WatchdogSec"), monitor.StuckAfter)
	assert.GreaterOrEqual(t, span("TimeoutStopSec"), ingest.DrainFor+afterDrain)
}

// TestTheUnitsOfDutiesFit: what they start are commands with flags that there are, and they are confined as the
// daemon is.
func TestTheUnitsOfDutiesFit(t *testing.T) {
	hardening := func(unit string) string { return unit[strings.Index(unit, "# Hardening."):] }
	daemon := deployed(t, "anond@.service")
	for name, command := range map[string]string{"anond-union@.service": "union", "anond-repartition@.service": "repartition"} {
		known, _, err := newRootCommand(&environment{}).Find([]string{command})
		require.NoError(t, err)
		unit := deployed(t, name)
		assert.Equal(t, hardening(daemon), hardening(unit), name)
		for _, line := range []string{"Type=notify", "NotifyAccess=main", "WatchdogSec=2min", "WatchdogSignal=SIGKILL", "TimeoutStopSec=60s",
			"RestartPreventExitStatus=78 5 3 2", "User=anond"} {
			assert.Contains(t, unit, "\n"+line+"\n", name)
		}
		start := regexp.MustCompile(`(?m)^ExecStart=/usr/bin/anond (\w+) (.*)$`).FindStringSubmatch(unit)
		require.NotNil(t, start, name)
		assert.Equal(t, known.Name(), start[1])
		for _, flag := range regexp.MustCompile(`(?m)--([a-z-]+)`).FindAllStringSubmatch(unit, -1) {
			assert.NotNil(t, known.Flags().Lookup(flag[1]), "%s: --%s", name, flag[1])
		}
	}
}

// TestTheUnitOfRehearsals: it is confined as the daemon is, starts a command that there is, and a timer starts it.
func TestTheUnitOfRehearsals(t *testing.T) {
	unit := deployed(t, "anond-rehearse@.service")
	_, hardening, _ := strings.Cut(deployed(t, "anond@.service"), "# Hardening.\n")
	for line := range strings.Lines(hardening) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "[Install]") && !strings.HasPrefix(line, "WantedBy=") {
			assert.Contains(t, unit, line)
		}
	}
	_, _, err := newRootCommand(&environment{}).Find([]string{"state", "rehearse"})
	require.NoError(t, err)
	assert.Contains(t, unit, "\nUser=anond\n")
	assert.Contains(t, unit, "\nExecStart=/usr/bin/anond state rehearse -c /etc/anond/%i.yaml\n")
	assert.Contains(t, deployed(t, "anond-rehearse@.timer"), "\nOnCalendar=weekly\n")
}

// TestTheUnitOfTheLake: it is confined at least as the daemon is, and has no network. That its command line is one of
// anond-lake is tested there.
func TestTheUnitOfTheLake(t *testing.T) {
	unit := deployed(t, "anond-lake@.service")
	_, hardening, _ := strings.Cut(deployed(t, "anond@.service"), "# Hardening.\n")
	for line := range strings.Lines(hardening) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "RestrictAddressFamilies=") {
			assert.Contains(t, unit, line)
		}
	}
	assert.Contains(t, unit, "\nPrivateNetwork=yes\n")
	assert.NotContains(t, unit, "User=anond\n", "it may see public files alone")
}

// TestSystemdTakesTheUnits, and finds them well confined. Where there is no systemd it is
// skipped and says so.
func TestSystemdTakesTheUnits(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		fmt.Fprintln(os.Stderr, "THE UNITS WERE NOT VERIFIED: there is no systemd-analyze")
		t.Skip("there is no systemd-analyze")
	}
	dir := t.TempDir()
	for _, name := range []string{"anond.service", "anond@.service", "anond-union@.service", "anond-repartition@.service",
		"anond-deliver-kafka@.service", "anond-deliver-postgres@.service", "anond-lake@.service", "anond-rehearse@.service"} {
		// The program is not installed here.
		unit := regexp.MustCompile(`/usr/bin/anond(-lake|-deliver)?\b`).ReplaceAllString(deployed(t, name), "/bin/true")
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(unit), 0o644))
		out, err := exec.Command("systemd-analyze", "verify", "--man=no", path).CombinedOutput()
		newer := regexp.MustCompile(`(?m)^.*Unknown key(?: name)? 'Restart(?:Steps|MaxDelaySec)'.*\n`) // systemd 254
		said := newer.ReplaceAllString(string(out), "")
		if strings.Contains(said, "unit configuration dirs") || strings.Contains(said, "Failed to initialize manager") {
			t.Skipf("systemd-analyze cannot run here: %s", said)
		}
		assert.NoError(t, err, said)
		assert.Empty(t, said)
		out, err = exec.Command("systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", path).CombinedOutput()
		assert.NoError(t, err, "%s: its exposure is above 2.0 of 10:\n%s", name, out)
	}
}

// manifest is one that may be of a set of pods.
type manifest struct {
	Kind string
	Spec struct {
		Template struct {
			Spec struct {
				Grace int64 `yaml:"terminationGracePeriodSeconds"`
			}
		}
	}
}

// TestManifestsFitTheDaemon: Kubernetes and Compose wait for its drain, and anond takes the
// configurations in them. What they warn of is the address, which has to be open there.
func TestManifestsFitTheDaemon(t *testing.T) {
	texts := map[string]string{"compose": deployed(t, "compose", "anond.yaml")}
	for _, name := range []string{"dataset", "shards"} {
		podsMayDrain(t, deployed(t, "kubernetes", name, "manifests.yaml"))
		texts[name] = deployed(t, "kubernetes", name, "anond.yaml")
	}
	texts["shards"] = strings.Replace(texts["shards"], "/run/secrets/anond/key", file(t, "key", strings.Repeat("0123456789abcdef", 4)), 1)
	for name, text := range texts {
		r := anond(t, "config", "check", "-c", file(t, name+".yaml", text))
		require.Zero(t, r.code, "%s: %s", name, r.stderr)
		assert.Equal(t, 1, strings.Count(r.stderr, "warning:"), "%s: %s", name, r.stderr)
		assert.Contains(t, r.stderr, "http.listen")
	}
	var compose struct {
		Services map[string]struct {
			Grace string `yaml:"stop_grace_period"`
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(deployed(t, "compose", "compose.yaml")), &compose))
	grace, err := time.ParseDuration(compose.Services["anond"].Grace)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, grace, ingest.DrainFor+afterDrain)
}

// podsMayDrain: the one set of a file gives its pods time to drain.
func podsMayDrain(t *testing.T, text string) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	sets := 0
	for {
		var m manifest
		if decoder.Decode(&m) != nil {
			break
		}
		if m.Kind == "StatefulSet" {
			sets++
			assert.GreaterOrEqual(t, time.Duration(m.Spec.Template.Spec.Grace)*time.Second, ingest.DrainFor+afterDrain)
		}
	}
	require.Equal(t, 1, sets)
}

// TestTheContainerIsConfined: nothing is in it but the program and certificates.
func TestTheContainerIsConfined(t *testing.T) {
	text := deployed(t, "docker", "Dockerfile")
	var steps []string
	for _, m := range regexp.MustCompile(`(?m)^([A-Z]+) (.*)$`).FindAllStringSubmatch(text, -1) {
		steps = append(steps, m[1])
		if m[1] == "USER" {
			uid, _, _ := strings.Cut(m[2], ":")
			n, err := strconv.Atoi(uid)
			assert.NoError(t, err, "a number, since there is no file of users")
			assert.Positive(t, n)
		}
	}
	assert.Equal(t, []string{"FROM", "ARG", "ARG", "LABEL", "COPY", "COPY", "COPY", "USER", "EXPOSE", "STOPSIGNAL",
		"ENTRYPOINT", "CMD"}, steps)
	assert.Contains(t, text, "\nFROM scratch\n")
}

// TestManualPages: one for each command, and the same bytes each time.
func TestManualPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "86400")
	var first map[string]string
	for range 2 {
		dir, pages := t.TempDir(), map[string]string{}
		r := anond(t, "man", "--out", dir)
		require.Zero(t, r.code, r.stderr)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			require.NoError(t, err)
			pages[e.Name()] = string(text)
		}
		if first == nil {
			first = pages
		}
		assert.Equal(t, first, pages)
	}
	assert.Contains(t, first, "anond-release-cat.1")
	assert.Contains(t, first["anond-run.1"], "Jan 1970")
	assert.Contains(t, first["anond-run.1"], "drains")
	assert.Equal(t, exitUsage, anond(t, "man").code)
	assert.Equal(t, exitUsage, anond(t, "man", "--out", filepath.Join(t.TempDir(), "no")).code)
}

// TestCompletion: scripts for the shells, and values of flags and arguments.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		r := anond(t, "completion", shell)
		require.Zero(t, r.code, r.stderr)
		assert.Contains(t, r.stdout, "anond")
	}
	assert.Equal(t, exitUsage, anond(t, "completion", "powershell").code)
	dir := t.TempDir()
	for _, name := range []string{"000001", "000010", "hierarchies", ".tmp-000011", "12"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	for want, args := range map[string][]string{
		"10\n1\n":         {"release", "cat", "--dir", dir, ""},
		"debug\n":         {"tail", "--level", ""},
		"ndjson\n":        {"release", "cat", "--format", ""},
		"yaml\nyml\n":     {"run", "-c", ""},
		"reload_failed\n": {"tail", "--event", ""},
		"cat\t":           {"release", ""},
	} {
		r := anond(t, append([]string{"__complete"}, args...)...)
		require.Zero(t, r.code, "%v: %s", args, r.stderr)
		assert.Contains(t, r.stdout, want, args)
	}
	assert.NotContains(t, anond(t, "__complete", "release", "cat", "--dir", dir, "").stdout, "12")
	assert.NotContains(t, anond(t, "__complete", "release", "cat", "").stdout, "1\n", "a configuration that is not there completes to nothing")
}
