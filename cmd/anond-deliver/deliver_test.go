package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"anond/deliver/delivertest"
	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/internal/cli"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/publish"
	"anond/snapshot/views"
)

// result is what a person or program sees of a run.
type result struct {
	code           int
	stdout, stderr string
}

// call runs the whole program in this process.
func call(t *testing.T, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, cli.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Lookup: os.LookupEnv})
	return result{code, out.String(), errs.String()}
}

// TestCommands: delivery needs the releases and nothing else of a site, and every way in which it ends has its exit code.
// Nothing that is printed has a person's value or a password (rule V, values).
func TestCommands(t *testing.T) {
	tier.NotShort(t, "it runs a daemon and a broker")
	t.Parallel()
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 3)
	broker, err := kfake.NewCluster(kfake.NumBrokers(1))
	require.NoError(t, err)
	t.Cleanup(broker.Close)
	for _, name := range []string{"out", "other", "view"} {
		require.NoError(t, broker.CreateTopic(name, 1, map[string]string{"cleanup.policy": "compact"}))
	}
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) { require.NoError(t, os.WriteFile(path(name), []byte(text), 0o600)) }
	require.NoError(t, os.CopyFS(path("releases"), os.DirFS(chain.Dir)))
	outputs := func(dataset, dir, topic string) {
		write("deliver.yaml", fmt.Sprintf("version: 1\ndataset: %s\nrelease: {dir: %s}\noutputs: {kafka: {brokers: [%q], topic: %s}, "+
			"postgres: {url: \"postgres://anond:CANARYTOKEN@127.0.0.1:1/x\"}}\n", dataset, dir, broker.ListenAddrs()[0], topic))
	}
	ends := func(code int, hint string, args ...string) string {
		t.Helper()
		r := call(t, append(args, "-c", path("deliver.yaml"))...)
		require.Equal(t, code, r.code, "%s: %s%s", args, r.stdout, r.stderr)
		require.Contains(t, r.stdout+r.stderr, hint)
		for _, secret := range append([]string{"CANARYTOKEN"}, delivertest.Values[0], delivertest.Values[4]) {
			require.NotContains(t, r.stdout+r.stderr, secret)
		}
		return r.stdout
	}
	outputs("wards", "./releases", "out")
	ends(cli.Failed, "no marker", "consume")
	ends(cli.OK, "delivered", "kafka")
	ends(cli.OK, "it has all releases", "kafka")
	ends(cli.OK, "each row of its releases was compared", "kafka", "--verify")
	var c consumed
	require.NoError(t, json.Unmarshal([]byte(ends(cli.OK, "", "consume", "--release", "2", "--json")), &c))
	assert.Equal(t, "releases/000002", strings.TrimPrefix(c.Compared, dir+"/"))
	assert.EqualValues(t, 2, c.Release)
	assert.Greater(t, c.Newest, c.Release)
	ends(cli.Failed, "whole release", "consume", "--release", "99")
	ends(cli.OK, "equal:", "consume", "--out", path("again"))
	ends(cli.Misused, "is there already", "consume", "--out", path("again"))
	ends(cli.Failed, "connect", "postgres", "--patience", "10ms") // nobody listens
	report, err := audit.Dir(audit.Options{Releases: path("again")})
	require.NoError(t, err)
	assert.Equal(t, audit.VerdictConsistent, report.Verdict, "from the topic alone")

	m, err := snapshot.Show(snapshot.OS(), path("releases"), 0)
	require.NoError(t, err)
	view := views.View{Dir: path("view"), Ledger: path("ledger-view"), Definition: views.Definition{Name: "view"}}
	for _, role := range []equivclass.Role{equivclass.Quasi, equivclass.Sensitive} {
		at := slices.IndexFunc(m.Schema, func(e snapshot.SchemaEntry) bool { return e.Role == role })
		view.Columns = append(view.Columns, m.Schema[at].Name)
	}
	require.NoError(t, view.Follow(publish.Directory{FS: snapshot.OS(), Dir: path("releases")}))
	outputs("wards-view", "./view", "view")
	ends(cli.OK, "delivered", "kafka")
	ends(cli.OK, "each row of its releases was compared", "kafka", "--verify")
	ends(cli.OK, "equal:", "consume")

	require.NoError(t, os.CopyFS(path("old/000001"), os.DirFS(path("releases/000001"))))
	require.NoError(t, os.CopyFS(path("old/hierarchies"), os.DirFS(path("releases/hierarchies"))))
	write("old/CURRENT", "000001\n")
	outputs("wards", "./old", "out")
	ends(cli.Behind, "hint: restore the newest releases", "kafka")
	ends(cli.OK, "equal:", "consume", "--release", "1")
	ends(cli.OK, "not compared", "consume")
	outputs("clinic", "./releases", "out")
	ends(cli.Behind, "dataset", "kafka")
	outputs("clinic", "./releases", "other")
	ends(cli.Behind, "dataset", "kafka")
	outputs("wards", "./nowhere", "out")
	ends(cli.OK, "nowhere yet", "kafka")
	outputs("wards", "./releases", "missing")
	ends(cli.Failed, "create the topic", "kafka", "--patience", "2s") // the first failure may be another one
	data := path("releases/000001/part-000001/data.csv")
	damaged, err := os.ReadFile(data)
	require.NoError(t, err)
	require.NoError(t, os.Chmod(data, 0o600))
	require.NoError(t, os.WriteFile(data, append(damaged, 'x'), 0o600))
	outputs("wards", "./releases", "other")
	ends(cli.Failed, "anond release verify", "kafka")
	write("deliver.yaml", "version: 1\ndataset: wards\nrelease: {dir: ./releases}\n")
	ends(cli.BadConfig, "outputs.postgres.url", "postgres")
	ends(cli.BadConfig, "outputs.kafka", "consume")
}

// TestWhatIsNotACommand: faults of the command line are usage errors, as those of anond are.
func TestWhatIsNotACommand(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "error: anond-deliver needs a subcommand\nhint: anond-deliver --help lists the subcommands\n"},
		{"kafak", "error: unknown command \"kafak\" for anond-deliver\nhint: did you mean anond-deliver kafka?\n"},
		{"kafka --listen off", "error: --listen, --http and --status show how a delivery goes on, and without --follow it ends\n" +
			"hint: add --follow, or leave them out\n"},
	} {
		assert.Equal(t, result{cli.Misused, "", c.want}, call(t, strings.Fields(c.args)...), c.args)
	}
	assert.Contains(t, call(t, "version").stdout, "anond-deliver "+cli.Release)
	assert.Contains(t, call(t, "__complete", "kafka", "-c", "").stdout, "yaml\nyml\n")
}

// TestUnits: the units differ in the sink alone, follow, are confined as the daemon is, and run as a user that nothing of
// the daemon belongs to.
func TestUnits(t *testing.T) {
	deployed := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
		require.NoError(t, err)
		return string(text)
	}
	settings := func(name string) string {
		text := deployed(name)
		return regexp.MustCompile(`(?m)^(#|Description=|Documentation=).*\n`).ReplaceAllString(text[strings.Index(text, "[Unit]"):], "")
	}
	kafka, postgres := settings("anond-deliver-kafka@.service"), settings("anond-deliver-postgres@.service")
	assert.Contains(t, kafka, "ExecStart=/usr/bin/anond-deliver kafka --follow ")
	assert.Equal(t, kafka, strings.ReplaceAll(postgres, "anond-deliver postgres", "anond-deliver kafka"))
	for _, line := range []string{"DynamicUser=yes", "Type=notify", "NotifyAccess=main", "WatchdogSec=2min", "WatchdogSignal=SIGKILL"} {
		assert.Contains(t, kafka, "\n"+line+"\n")
	}
	command := newKafkaCommand(&environment{})
	for _, line := range regexp.MustCompile(`(?m)^(?:ExecStart|#   MORE)=.*$`).FindAllString(deployed("anond-deliver-kafka@.service"), -1) {
		for _, flag := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(line, -1) {
			assert.NotNil(t, command.Flags().Lookup(flag[1]), "--%s", flag[1])
		}
	}
	assert.Contains(t, deployed("anond-deliver-kafka@.service"), kafkaListen)
	assert.Contains(t, deployed("anond-deliver-postgres@.service"), postgresListen)
	hardening := func(name string) string {
		_, text, _ := strings.Cut(deployed(name), "# Hardening.\n")
		return regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(text, "")
	}
	assert.Equal(t, hardening("anond@.service"), hardening("anond-deliver-kafka@.service"))
}
