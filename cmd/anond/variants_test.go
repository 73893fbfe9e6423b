package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass/equivtest/tier"
)

// TestVariants: whatever partitions the first load and however classes are
// written, the chain of several releases is certified.
func TestVariants(t *testing.T) {
	tier.NotShort(t, "it runs many datasets")
	variant := func(name, line string) {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, "{type: file, format: json, file: {path: admissions.ndjson}}", "on: records, every: 300", "")
			s.write("admissions.ndjson", ndjson(1, 2000))
			text, err := os.ReadFile(s.config)
			require.NoError(t, err)
			s.write("anond.yaml", strings.Replace(string(text), "release: {dir: ./releases,", line,
				1)+"initial: {max_records: 800}\n")
			s.must("run --once")
			assert.Greater(t, len(s.releases()), 1)
			assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
		})
	}
	recodings := []config.Recoding{config.Generalization, config.Anatomy, config.Permutation}
	for _, r := range recodings[:tier.Of(t, 1, 2, len(recodings))] {
		variant(string(r), "release: {dir: ./releases, recoding: "+string(r)+",")
	}
}

// TestCloseness: t-closeness through the whole daemon. The reference is what
// release 1 publishes, the same in each manifest, and another t is refused.
func TestCloseness(t *testing.T) {
	s := newSite(t, "{type: file, format: json, file: {path: admissions.ndjson}}", "on: records, every: 300", "")
	s.write("admissions.ndjson", ndjson(1, 2000))
	s.edit("level: L1}", "level: L1, diversity: [{t: 0.5}]}\ninitial: {max_records: 800}")
	s.must("run --once")
	require.Greater(t, len(s.releases()), 1)
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
	var first struct {
		Records int
		Policy  struct {
			Diversity []struct {
				Kind, Distance string
				T              float64
				Reference      []struct{ Count int }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(s.read("releases/000001/manifest.json")), &first))
	d := first.Policy.Diversity[0]
	assert.Equal(t, []any{"t", "equal", 0.5}, []any{d.Kind, d.Distance, d.T})
	sum := 0
	for _, x := range d.Reference {
		sum += x.Count
	}
	assert.Equal(t, first.Records, sum, "the reference is the bag of release 1")
	s.edit("t: 0.5", "t: 0.6")
	assert.Equal(t, 78, s.run("run --once").code)
}
