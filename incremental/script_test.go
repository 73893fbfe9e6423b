package incremental_test

import (
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Scripts
//
// testdata/scripts describes the behaviour of the state machine as scripts: a command,
// its rows of input, and below ---- what it prints. Lines that start with # say what
// is shown and which rule of docs/PROOFS.md makes it so. They print the members
// of classes, because their people are invented; no log of anond may.
//
//	go test ./incremental -run TestScripts                    all scripts
//	go test ./incremental -run TestScripts/late_arrival -v    one, with its output
//	go test ./incremental -run TestScripts -rewrite           write down what is printed now
//
// -rewrite accepts whatever the machine does. Read the difference, and commit it only
// if you can explain it: say in the commit message which rule or which decision changed
// what is published. If the comments of a script no longer fit its output, one of the
// two is wrong.
//
// A script runs on three hosts at once, which must print the same and write the same
// files: one with the state in memory, one with it in bbolt, and one that is restarted
// after every commit; `machine hosts=...` adds others. After each command the
// invariants of the machine are checked, and that sent = published + pending +
// dead_letter + forgotten + beyond.
//
// Keep a script below scriptLines lines and to one idea. A record is written as its
// fields with slashes between them, in the order that `machine` prints; an empty
// field is a missing value. The commands are in commandsOf, the arguments of
// `machine` in setting. The format is that of github.com/cockroachdb/datadriven.

const scriptLines = 80

func TestScripts(t *testing.T) {
	scripts, err := os.ReadDir("testdata/scripts")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(scripts), 10, "the scripts were not found")
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Less(t, strings.Count(string(text), "\n"), scriptLines, "a script tells one idea")
		hosts := newHosts(t, "memory", "bbolt", "restarted")
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return hosts.run(t, d) })
	})
}

// command is one word of a script.
type command struct {
	run     func(h *host) string
	args    []string
	commits bool // it commits everything applied so far, unless it fails
}

var commandsOf = map[string]command{
	"machine":  {run: (*host).machine},                                               // a machine on a fresh state
	"apply":    {run: (*host).apply, args: []string{"partition", "offset"}},          // take in the records below
	"tick":     {run: (*host).tick, args: []string{"now"}},                           // the host's time (hold_in=ticks)
	"delete":   {run: (*host).delete, args: []string{"partition", "offset"}},         // the source has the people below forgotten
	"forget":   {run: (*host).forget, args: []string{"dies"}, commits: true},         // an operator has the people below forgotten
	"settings": {run: (*host).settings, args: laterSettings, commits: true},          // start again with other settings
	"commit":   {run: (*host).commit, commits: true},                                 // make durable what was applied
	"cut":      {run: (*host).cut, commits: true},                                    // decide a release
	"flush":    {run: (*host).flush, commits: true},                                  // the same at the end of the source
	"publish":  {run: (*host).publish, commits: true},                                // write its files, report that it is published
	"release":  {run: (*host).release, args: []string{"end", "dies"}, commits: true}, // cut and publish
	"restart":  {run: (*host).restart, args: []string{"by", "after"}},                // die, start again, be delivered what was lost
	"audit":    {run: (*host).audit, commits: true},                                  // what the independent auditor says of all releases
	"fail":     {run: (*host).fail},                                                  // the next commit will fail
	"crash":    {run: (*host).crash},                                                 // lose what is not committed
	"reopen":   {run: (*host).reopen},                                                // open the state again
	"deliver":  {run: (*host).deliver, commits: true},                                // dead letters have reached their sink
	"classes":  {run: (*host).classes, args: []string{"release"}},                    // of a release, the newest by default
	"releases": {run: (*host).releases},                                              // all intents
	"pending":  {run: (*host).pending},                                               // by reason, and who is in no class
	"plans":    {run: (*host).plans},                                                 // what local updates would form now
	"due":      {run: (*host).due},                                                   // what the triggers ask the machine
	"status":   {run: (*host).status},                                                // counts only, as operators see them
	"outbox":   {run: (*host).outbox},                                                // dead letters not delivered
}
