package main

import (
	"anond/incremental/state"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental/boltstore"
	"anond/internal/ops/browse"
)

// TestBrowseShowsWhatIsThereAndNoValue lists everything of a state whose every field has a
// marker, of a backup of it too, and pages through the classes.
func TestBrowseShowsWhatIsThereAndNoValue(t *testing.T) {
	s := &site{t: t, dir: t.TempDir()}
	s.config = s.path("anond.yaml")
	s.write("anond.yaml", strings.Replace(canaryConfig, ", follow: true", "", 1))
	s.write("in.ndjson", canaries(900))
	s.must("run --once")
	counts := s.status().Counts
	s.must("state backup --out " + s.path("copy.db"))
	listing := func(args string) (out browse.Listing) {
		require.NoError(t, json.Unmarshal([]byte(s.must("state browse --json "+args)), &out))
		assert.EqualValues(t, 900, out.Records)
		return out
	}
	for _, what := range browse.Kinds {
		for _, of := range []string{"", " --file " + s.path("copy.db"), " --json"} {
			text := s.must("state browse " + what + of)
			assert.NotEmpty(t, text)
			assert.NotContains(t, text, "CANARY")
		}
	}
	all := listing("classes --limit 0").Class
	assert.Len(t, all, counts.Classes)
	people, born := 0, 0
	for i, c := range all {
		people += c.Records
		assert.Equal(t, i, c.Number)
		assert.NotZero(t, c.Bucket)
		if c.Born == 1 {
			born++
		}
	}
	assert.Equal(t, counts.Published, people)
	assert.Len(t, listing("classes --limit 0 --born 1 --alive").Class, born)
	var paged []browse.Class
	for from := 0; ; {
		l := listing("classes --limit 7 --from " + strconv.Itoa(from))
		paged = append(paged, l.Class...)
		if l.Next == nil {
			break
		}
		from = *l.Next
	}
	assert.Equal(t, all, paged)

	releases := listing("releases").Release
	require.Len(t, releases, int(counts.Release))
	last := releases[len(releases)-1]
	assert.Equal(t, counts.Published, last.Records)
	assert.True(t, last.Published)
	assert.Len(t, listing("partitions").Partitions, 1)
	assert.NotEmpty(t, listing("settings").Settings)
	assert.Empty(t, listing("letters").Letters, "they were delivered")
	for _, b := range listing("buckets").Buckets {
		if b.Name == "dictionary" { // a new entry would tell of who waits
			assert.Nil(t, b.Keys)
			assert.Nil(t, b.Bytes)
		}
	}
	assert.Equal(t, exitUsage, s.run("state browse values").code)
	assert.Equal(t, exitUsage, s.run("state browse releases --alive").code)
}

// TestBrowseCountsWaitingLetters by reason, without their place, digest or payload.
func TestBrowseCountsWaitingLetters(t *testing.T) {
	path := t.TempDir() + "/anond.db"
	store, err := boltstore.Open(path, boltstore.Options{NoSync: true})
	require.NoError(t, err)
	d := &state.Delta{Counters: &state.Counters{}}
	for i := range 2500 {
		d.DeadLetters = append(d.DeadLetters, state.DeadLetter{Seq: uint64(1 + i), Reason: "not_a_number", Attribute: "CANARYage",
			Partition: state.Partition{Source: "CANARYsource"}, Payload: []byte("CANARY")})
	}
	d.DeadLetters[7].Reason = "malformed"
	require.NoError(t, store.Commit(d))
	require.NoError(t, store.Close())
	out, err := browse.File(path, boltstore.Options{}, browse.Query{What: browse.Letters})
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"not_a_number": 2499, "malformed": 1}, out.Letters)
	text, err := json.Marshal(out)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "CANARY")
}
