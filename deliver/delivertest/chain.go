// Package delivertest makes chains of releases for tests, by the daemon itself.
package delivertest

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass/equivtest/tier"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/upkeep"
	"anond/snapshot"
)

// chainKind is a kind of chain.
type chainKind struct {
	Name    string
	Policy  string // behind k and l
	Release string // behind dir
	Deaths  bool   // classes die
}

// Kinds are chains of every recoding.
var Kinds = []chainKind{
	{"buckets", "level: L2", "recoding: buckets", false},
	{"regrouped", "level: L1, republication: regroup", "recoding: generalization", true},
	{"anatomy", "level: L1, republication: regroup", "recoding: anatomy", true},
	{"permutation", "level: L1, republication: regroup", "recoding: permutation", true},
	{"anatomy-l2", "level: L2", "recoding: anatomy", false},
	{"permutation-l2", "level: L2", "recoding: permutation", false},
}

// Some are as many of them as the tier runs: all in the full one.
func Some(t testing.TB, short, plain int) []chainKind {
	return Kinds[:tier.Of(t, short, plain, len(Kinds))]
}

// Find is a kind by its name.
func Find(t testing.TB, name string) chainKind {
	t.Helper()
	for _, k := range Kinds {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("there is no kind %q", name)
	return chainKind{}
}

// attribute and Values are such as somebody would choose who wants more than a table.
const attribute = `sex", "`

var Values = []string{`'); DROP TABLE wards; --`, `a,"b"`, `\.`, "$1", `<b>é</b> `}

const text = `version: 1
dataset: wards
source: {type: file, format: json, file: {path: ./in.ndjson, complete: true}}
dead_letter: {type: file, path: ./dead-letter}
schema:
  attributes:
    - {name: id, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: 'sex", "', role: quasi, type: categorical%s}
    - {name: '"; DROP TABLE x', role: sensitive, type: categorical}
policy: {k: 3, l: 2, %s, max_hold: 0s}
initial: {%smax_records: 60}
release: {dir: ./releases, ledger: ./ledger, trigger: {on: records, every: 30}, %s}
state: {path: ./state/anond.db}
http: {listen: "off"}
`

// Chain is a chain of releases in a directory, always the same one.
type Chain struct {
	t      testing.TB
	Dir    string // releases
	config string
	kind   chainKind
	people int
	days   int // that have passed
}

// New makes a chain of so many releases at least.
func New(t testing.TB, kind chainKind, releases int) *Chain {
	t.Helper()
	dir := t.TempDir()
	c := &Chain{t: t, Dir: filepath.Join(dir, "releases"), config: filepath.Join(dir, "anond.yaml"), kind: kind}
	const hierarchy = ", hierarchy: sex.csv"
	initial := ""
	if kind.Policy == "level: L2" {
		initial = "min_pool: 6, "
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sex.csv"), []byte("f;*\nm;*\n\"x;y\";*\n"), 0o600))
	require.NoError(t, os.WriteFile(c.config, fmt.Appendf(nil, text, hierarchy, kind.Policy, initial, kind.Release), 0o600))
	c.Grow(releases)
	return c
}

// Newest is the number of the newest release.
func (c *Chain) Newest() uint32 {
	c.t.Helper()
	on, err := snapshot.Scan(snapshot.OS(), c.Dir)
	require.NoError(c.t, err)
	return on.Current
}

// Keep has the daemon prune all but so many releases from now on.
func (c *Chain) Keep(releases int) {
	c.t.Helper()
	content, err := os.ReadFile(c.config)
	require.NoError(c.t, err)
	with := strings.Replace(string(content), "release: {", fmt.Sprintf("release: {keep: {releases: %d}, ", releases), 1)
	require.NoError(c.t, os.WriteFile(c.config, []byte(with), 0o600))
}

// Grow adds releases until there are so many.
func (c *Chain) Grow(releases int) {
	c.t.Helper()
	for n := 0; n < releases; n = int(c.Newest()) {
		more := max(120, 30*(releases-n)+30)
		f, err := os.OpenFile(filepath.Join(filepath.Dir(c.config), "in.ndjson"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		require.NoError(c.t, err)
		for range more {
			c.people++
			_, err := fmt.Fprintln(f, c.person(c.people))
			require.NoError(c.t, err)
		}
		require.NoError(c.t, f.Close())
		cfg, _, err := config.Load(c.config, os.LookupEnv, os.ReadFile)
		require.NoError(c.t, err)
		seed := [32]byte{1, 2, 3}
		require.NoError(c.t, daemon.Run(c.t.Context(), cfg, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true,
			Clock: stopped{c.days}, Seed: &seed}))
		require.Less(c.t, c.people, 100*releases+2000, "%s: so many people give only %d releases", c.kind.Name, n)
	}
}

// Erasing is a chain of which buckets leave whose people ask, with the first release of a day.
func Erasing(t testing.TB, releases int) *Chain {
	return New(t, chainKind{"erasing", "level: L2", "recoding: buckets}\nsubject: {erasure: {mode: bucket, every: 24h}", false}, releases)
}

// Forget has people ask, and makes releases of the next day.
func (c *Chain) Forget(people ...int) {
	c.t.Helper()
	cfg, _, err := config.Load(c.config, os.LookupEnv, os.ReadFile)
	require.NoError(c.t, err)
	for _, n := range people {
		_, err := upkeep.Forget(c.t.Context(), cfg, dataset.Options{Log: slog.New(slog.DiscardHandler), Clock: stopped{c.days}},
			fmt.Append(nil, n))
		require.NoError(c.t, err)
	}
	c.days++
	c.Grow(int(c.Newest()) + 1)
}

func (c *Chain) person(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	quoted := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
	}
	return fmt.Sprintf(`{"id":%d,"age":%d,%s:%s,%s:%s}`, n, 20+r.IntN(60), quoted(attribute), quoted([]string{"f", "m", `x;y`}[r.IntN(3)]),
		quoted(`"; DROP TABLE x`), quoted(Values[n%len(Values)]))
}

// stopped is a clock that shows one moment, some days from the first.
type stopped struct{ days int }

func (s stopped) Now() time.Time                                { return time.Date(2026, 1, 2+s.days, 3, 4, 5, 0, time.UTC) }
func (stopped) Ticker(time.Duration) (<-chan time.Time, func()) { return nil, func() {} }
