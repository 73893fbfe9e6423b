package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"anond/equivclass/equivtest/tier"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// semiConfig has two semi-sensitive attributes: pay by l, sex by t, each with a
// flag of its own.
const semiConfig = `version: 1
dataset: census
source: {type: file, format: json, file: {path: people.ndjson, follow: true}}
schema:
  attributes:
    - {name: person, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: region, role: quasi, type: categorical}
    - {name: pay, role: semi, type: integer, flag: pay_private, promise: {l: 3}}
    - {name: sex, role: semi, type: categorical, flag: sex_private, promise: {t: 0.25}}
    - {name: illness, role: sensitive, type: categorical}
policy: {k: 4, l: 3, level: L1}
initial: {max_records: 900}
release: {dir: ./releases, recoding: lgb, trigger: {on: records, every: 300}}
`

// people returns n records of a seeded stream, one a line. One in a hundred has
// a flag that cannot be read.
func people(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		age := 18 + rng.IntN(60)
		flag := fmt.Sprint(rng.IntN(3) == 0)
		if rng.IntN(100) == 0 {
			flag = `"unknown"`
		}
		fmt.Fprintf(&b, `{"person":"p%d","age":%d,"region":"r%d","pay":%d,"pay_private":%s,"sex":"%s","sex_private":"%s","illness":"i%d"}`+"\n",
			rng.Int64(), age, rng.IntN(6), 1000+100*rng.IntN(5+age/4), flag, []string{"F", "M"}[rng.IntN(2)],
			[]string{"no", "no", "yes"}[rng.IntN(3)], rng.IntN(9))
	}
	return b.String()
}

func newSemiSite(t *testing.T) *site {
	s := &site{t: t, dir: t.TempDir()}
	s.config = s.path("anond.yaml")
	s.write("anond.yaml", semiConfig)
	return s
}

// TestLGB runs local generalization and bucketization through the whole daemon:
// several releases, killed at any moment and started again. Two continuations of
// one killed state give the same bytes, and the auditor certifies each attribute
// on its own from the files and the private exports.
func TestLGB(t *testing.T) {
	tier.NotShort(t, "it runs many tables")
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 15))
	s := newSemiSite(t)
	text := people(rng, 1000)
	for range 6 {
		s.write("people.ndjson", text)
		p := s.start("run")
		p.event("started")
		time.Sleep(time.Duration(rng.IntN(250)) * time.Millisecond) // a moment to be killed at
		require.NoError(t, p.cmd.Process.Kill())
		require.Equal(t, -1, p.wait(), &p.stderr)
		text += people(rng, 250)
	}
	twin := &site{t: t, dir: t.TempDir()}
	require.NoError(t, os.CopyFS(twin.dir, os.DirFS(s.dir)))
	twin.config = twin.path("anond.yaml")
	for _, x := range []*site{s, twin} {
		x.must("run --once")
	}
	got, other := s.releases(), twin.releases()
	require.Equal(t, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(other)))
	for name := range got {
		assert.Equal(t, got[name], other[name], name)
	}
	assert.Contains(t, got, "000004/part-000004/lgb.csv")
	assert.Contains(t, got, "000004/part-000004/buckets.csv")

	c := s.counts().Counts
	assert.Equal(t, c.Sent, c.Accounted())
	assert.Equal(t, c.DeadLetter, c.Refused["bad_flag"])
	assert.NotZero(t, c.DeadLetter)
	s.must("state check")
	s.must("release verify")
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
	s.must("state records", "--out", s.path("records.csv"))
	header, _, _ := strings.Cut(s.read("records.csv"), "\n")
	assert.Equal(t, "record,arrived_in_release,person,age,region,pay,sex,illness,pay_private,sex_private", header)

	s.edit("promise: {l: 3}", "promise: {l: 2}")
	r := s.run("run --once")
	assert.Equal(t, 78, r.code)
	assert.Contains(t, r.stderr, "schema.attributes[pay]")
}

// TestLGBManifest: the manifest names the promise of each attribute; where no
// reference is declared, it is what release 1 publishes, in every release.
func TestLGBManifest(t *testing.T) {
	s := newSemiSite(t)
	s.write("people.ndjson", people(rand.New(rand.NewPCG(3, 3)), 1600))
	s.must("run --once")
	type manifest struct {
		Recoding string
		Schema   []struct {
			Name, Role, Flag string
			Promise          *struct {
				L         int
				T         float64
				Distance  string
				Reference []struct{ Value string }
			}
		}
		Privacy struct{ K1, Level string }
	}
	paths, err := filepath.Glob(s.path("releases/0*/manifest.json"))
	require.NoError(t, err)
	require.Greater(t, len(paths), 2)
	manifests := make([]manifest, len(paths))
	for i, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(content, &manifests[i]))
	}
	for _, m := range manifests {
		assert.Equal(t, []string{"lgb", "rows", "L0+L1"}, []string{m.Recoding, m.Privacy.K1, m.Privacy.Level})
		require.Len(t, m.Schema, 6, "flags are not shown")
		assert.Equal(t, manifests[0].Schema, m.Schema)
	}
	pay, sex := manifests[0].Schema[3], manifests[0].Schema[4]
	assert.Equal(t, []any{"pay", "semi", "pay_private", 3}, []any{pay.Name, pay.Role, pay.Flag, pay.Promise.L})
	assert.Equal(t, []any{"sex", 0.25, "equal", 2}, []any{sex.Name, sex.Promise.T, sex.Promise.Distance, len(sex.Promise.Reference)})
}
