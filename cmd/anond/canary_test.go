package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/cli"
	"anond/internal/ops/monitor"
	"anond/internal/testkit/programtest"
)

// The canary test plants a marker in every field of every record, and looks for it on every
// surface: what each command prints, each path over HTTP, the log, each file. The lists of
// commands and paths are taken from the program, so a new one without a place here fails.

// canaryStep is how the test calls a command.
type canaryStep struct {
	running bool       // alongside a running daemon; else after it
	args    [][]string // each a call; words after the command's own
	bare    bool       // without -c
	shows   bool       // it prints what is published, as recoded
	exempt  string     // not called: why no record of a person can reach it
}

func calls(lines ...string) (out [][]string) {
	for _, l := range lines {
		out = append(out, strings.Fields(l))
	}
	return out
}

// canarySteps has each command; one that is called alongside a daemon and after it has two.
var canarySteps = map[string][]canaryStep{
	"run": {{running: true, args: calls("--once", "--once --dry-run")}, // locked, and next to it
		{args: calls("--once", "--once --dry-run", "--once --dry-run --json")}},
	"doctor":         {{running: true, args: calls("", "--json")}, {args: calls("", "--data in.ndjson")}},
	"status":         {{running: true, args: calls("")}, {args: calls("")}},
	"tail":           {{running: true, args: calls("-n 200")}, {args: calls("log.ndjson")}},
	"pause":          {{running: true, args: calls("")}},
	"resume":         {{running: true, args: calls("")}},
	"reload":         {{running: true, args: calls("")}},
	"version":        {{bare: true, args: calls("")}},
	"config apply":   {{running: true, args: calls("")}, {args: calls("--dry-run", "--json")}},
	"config check":   {{args: calls("", "--json", "--data in.ndjson", "--data broken.csv")}},
	"config init":    {{bare: true, args: calls("")}},
	"config show":    {{args: calls("")}},
	"config schema":  {{bare: true, args: calls("")}},
	"release list":   {{running: true, args: calls("", "--json")}},
	"release show":   {{running: true, args: calls("", "--json", "1")}},
	"release verify": {{running: true, args: calls("", "--json")}},
	"release report": {{running: true, args: calls("")}, {args: calls("--with-state")}},
	"release plan":   {{running: true, args: calls("", "--json")}},
	"release now":    {{running: true, args: calls("")}},
	"release cat":    {{shows: true, args: calls("", "--format ndjson", "--file values.csv")}},
	"audit":          {{running: true, args: calls("")}, {args: calls("", "--json", "--replay 1")}},
	"dlq list":       {{running: true, args: calls("", "--json", "--reason missing_value")}},
	"dlq show":       {{running: true, args: calls("1", "2 --json", "3")}},
	"dlq replay":     {{running: true, args: calls("")}, {args: calls("", "--dry-run", "--json", "--letters broken.csv")}},
	"state info":     {{running: true, args: calls("", "--json")}, {args: calls("")}},
	"state check":    {{running: true, args: calls("")}, {args: calls("", "--json")}},
	"state members":  {{args: calls("--out members.csv")}},
	"state records":  {{args: calls("--out records.csv")}},
	"state backup":   {{args: calls("--out copy.db")}},
	"state browse": {{running: true, args: calls("")}, {args: calls("", "buckets --json", "classes", "classes --json", "releases --json",
		"partitions", "letters", "letters --json", "settings --json")}},
	"state rehearse": {{running: true, args: calls("")}, {args: calls("")}},
	"state restore":  {{args: calls("--from copy.db", "--from broken.csv")}},
	"state compact":  {{args: calls("")}},
	"state rekey":    {{args: calls("--old-key-file old.key", "--old-key-file broken.csv")}},
	"state reset":    {{args: calls("--yes")}},
	"state readmit":  {{args: calls("", "--json")}},
	"forget":         {{running: true, args: calls("CANARYpatient7", "--json nobody")}, {args: calls("CANARYpatient1", "--json nobody-else")}},
	"repartition":    {{args: calls("--once", "--once --json")}}, // the source is a file
	"init":           {{bare: true, args: calls("in.ndjson --k 5 --l 3 -c draft.yaml", "broken.csv --k 5 --l 3 -c other.yaml")}},
	"try":            {{shows: true, args: calls("in.ndjson", "in.ndjson --json --page try.html")}},
	"union": {{bare: true, args: calls("--dir united --shards 1 --once", "--dir united --shards 1 --once --json",
		"--dir releases --shards 1 --once", "--dir united --shards 1 --listen 127.0.0.1:0 --status union.status.json")}},
	"ledger list":         {{running: true, args: calls("", "--json")}},
	"ledger check":        {{running: true, args: calls("")}, {args: calls("--json")}},
	"demo":                {{exempt: "its people are synthetic"}},
	"man":                 {{bare: true, args: calls("--out .")}},
	"hierarchy dates":     {{exempt: "it reads no record"}},
	"hierarchy icd10":     {{exempt: "it writes a hierarchy of the values that it is given"}},
	"hierarchy intervals": {{exempt: "it reads no record"}},
	"hierarchy prefix":    {{exempt: "it writes a hierarchy of the values that it is given"}},
}

// leaves are the commands that do something.
func leaves(t *testing.T) (out []string) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if !c.HasSubCommands() {
			out = append(out, strings.Join(strings.Fields(c.CommandPath())[1:], " "))
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRootCommand(&environment{Env: cli.Env{Lookup: os.LookupEnv}}))
	require.Greater(t, len(out), 40)
	slices.Sort(out)
	return out
}

// TestEveryCommandHasACanary: a command that is not in canarySteps would never be looked at.
func TestEveryCommandHasACanary(t *testing.T) {
	var have []string
	for name, steps := range canarySteps {
		have = append(have, name)
		for _, s := range steps {
			assert.True(t, (s.exempt == "") == (len(s.args) > 0), name)
		}
	}
	slices.Sort(have)
	assert.Equal(t, leaves(t), have)
}

// everywhere is a configuration in which all surfaces are open and everything is kept.
func everywhere() string {
	c := strings.Replace(canaryConfig, "path: ./dead-letter}", "path: ./dead-letter, payload: true, max_share: 1}", 1)
	return strings.Replace(c, "path: ./state/anond.db}", "path: ./state/anond.db, backup: {dir: ./copies, fetch: [cp, -r, ./copies]}}", 1) +
		"encryption: {key: \"${file:key}\"}\ncontrol: {socket: ./c.sock}\n" +
		"subject: {key: \"${file:key}\", ledger: ./people}\n"
}

// planted holds what may be shown nowhere, and what may where the recoding shows it.
var planted = regexp.MustCompile(`CANARY(TOKEN|patient|note|name|bad)?|` + firstKey)

type canary struct{ *site }

// quiet demands that a text has no marker, or where it is published none that no recoding shows.
func (c *canary) quiet(where, text string, published bool) {
	c.t.Helper()
	for _, found := range planted.FindAllStringIndex(text, -1) {
		marker := text[found[0]:found[1]]
		if published && marker == "CANARY" {
			continue // of place or diagnosis
		}
		from, to := max(0, found[0]-60), min(len(text), found[1]+20)
		assert.Fail(c.t, "a planted value", "%s: %q", where, text[from:to])
		return
	}
}

func (c *canary) call(name string, s canaryStep) {
	for _, args := range s.args {
		line := append(strings.Fields(name), args...)
		if !s.bare {
			line = append(line, "-c", c.config)
		}
		ctx, stop := context.WithTimeout(c.t.Context(), patience)
		var out, log programtest.Text
		if name == "tail" && s.running || name == "union" && !slices.Contains(line, "--once") { // it does not end by itself
			go func() {
				for begun := time.Now(); ctx.Err() == nil && (out.Len()+log.Len() == 0 || time.Since(begun) < time.Second); {
					time.Sleep(10 * time.Millisecond)
				}
				stop()
			}()
		}
		code := run(ctx, line, streams(&out, &log))
		stop()
		where := fmt.Sprintf("anond %s (exit %d)", strings.Join(line, " "), code)
		assert.NotEqual(c.t, exitUsage, code, "%s: %s", where, &log)
		assert.True(c.t, out.String()+log.String() != "" || slices.Contains(line, "--out"), where)
		c.quiet(where, out.String(), s.shows)
		c.quiet(where+", standard error", log.String(), false)
	}
}

// each calls the commands of a phase, in the order of their names. Those that wait for the
// lock of a running daemon wait next to each other.
func (c *canary) each(running bool) {
	var locked sync.WaitGroup
	for _, name := range leaves(c.t) {
		for _, s := range canarySteps[name] {
			switch {
			case s.running != running:
			case running && slices.Contains([]string{"run", "audit", "state check", "dlq replay", "forget"}, name):
				locked.Go(func() { c.call(name, s) })
			default:
				c.call(name, s)
			}
		}
	}
	locked.Wait()
}

// pages asks for every path that is served, and for what is refused.
func (c *canary) pages(address string) {
	s := surfacesOf(monitor.New(monitor.Settings{}), slog.New(slog.DiscardHandler))
	for _, routes := range []map[string]http.Handler{s.Open(), s.Guarded()} {
		require.NotEmpty(c.t, routes)
		for pattern := range routes {
			path := strings.TrimSuffix(pattern, "{$}")
			for _, token := range []string{"CANARYTOKEN", "CANARYbad"} {
				r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, address+path, nil)
				require.NoError(c.t, err)
				r.Header.Set("Authorization", "Bearer "+token)
				a, err := http.DefaultClient.Do(r)
				require.NoError(c.t, err)
				var page bytes.Buffer
				_, err = page.ReadFrom(a.Body)
				require.NoError(c.t, err)
				require.NoError(c.t, a.Body.Close())
				require.Contains(c.t, []int{200, 401}, a.StatusCode, path)
				c.quiet("GET "+path, page.String()+fmt.Sprint(a.Header), false)
			}
		}
	}
}

// files looks at everything that lies in the site, but for what the test has put there.
func (c *canary) files() {
	own := []string{"in.ndjson", "anond.yaml", "broken.csv", "key", "old.key"}
	published := 0
	require.NoError(c.t, filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, _ := filepath.Rel(c.dir, path)
		if slices.Contains(own, name) || name == "records.csv" || strings.HasPrefix(name, "anonymized") {
			return nil // what was fed, or asked for as a private file
		}
		content, err := os.ReadFile(path)
		data := strings.Contains(name, "/part-")
		if data {
			published++
		}
		c.quiet(name, string(content), data)
		return err
	}))
	assert.NotZero(c.t, published)
	assert.Contains(c.t, c.read("releases/000001/part-000001/data.csv"), "CANARYplace", "what the recoding shows is in the release")
	assert.Contains(c.t, c.read("releases/000001/part-000001/values.csv"), "CANARYdiagnosis")
	assert.Contains(c.t, c.read("records.csv"), "CANARYdiagnosis", "the export that is asked for")
	assert.NotContains(c.t, c.read("records.csv"), "CANARYpatient")
}

// TestRuleVCanaries follows a daemon through its work: it reads, refuses, publishes, keeps
// copies, is steered, crashes and is looked after.
func TestRuleVCanaries(t *testing.T) {
	tier.NotShort(t, "it calls every command")
	dir := programtest.TempDir(t) // a socket has a short path
	t.Chdir(dir)
	c := &canary{site: &site{t: t, dir: dir}}
	c.config = c.path("anond.yaml")
	c.write("anond.yaml", everywhere())
	c.write("key", firstKey)
	c.write("old.key", firstKey)
	c.write("broken.csv", "age,diagnosis\nCANARYbad,CANARYbad\n\"CANARYbad\n1,CANARYbad\n")
	c.write("in.ndjson", canaries(1200))

	ctx, stop := context.WithCancel(t.Context())
	var out, log programtest.Text
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"run", "-c", c.config}, streams(&out, &log))
	}()
	t.Cleanup(stop)
	listening := regexp.MustCompile(`"event":"http_listening","address":"([^"]*)"`)
	eventually(t, func() bool {
		return listening.MatchString(log.String()) && strings.Contains(log.String(), `"event":"release_published","release":2`) &&
			strings.Contains(log.String(), `"event":"backup_made"`) && strings.Contains(readIf(c.path("dead-letter/dead-letter.ndjson")), `"seq":9`)
	}, "the daemon does not publish: %s", &log)
	address := listening.FindStringSubmatch(log.String())[1]
	c.pages("http://" + address)
	c.refusals("tcp", address, refusedByHTTP)
	c.refusals("unix", c.path("c.sock"), refusedBySocket)
	c.each(true)
	stop()
	require.Equal(t, exitOK, <-ended, "%s", &log)
	c.quiet("log", log.String(), false)
	c.quiet("output", out.String(), false)
	c.write("log.ndjson", log.String())
	c.traceback()
	require.NoError(t, os.CopyFS(c.path("united/shards/0"), os.DirFS(c.path("releases"))))
	c.panicking()
	c.each(false)
	c.files()
}

func readIf(path string) string {
	b, _ := os.ReadFile(path)
	return string(b)
}

// traceback ends a daemon at work by SIGQUIT: it writes what a panic writes, the stacks of
// all goroutines with their arguments.
func (c *canary) traceback() {
	p := c.start("run", func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, "GOTRACEBACK=all") })
	p.event("releases_checked") // all records are in memory
	p.signal(syscall.SIGQUIT)
	p.wait()
	dump := p.stderr.String()
	assert.Contains(c.t, dump, "goroutine ")
	c.quiet("traceback", dump, false)
}
