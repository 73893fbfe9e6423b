package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/upkeep"
	"anond/snapshot/audit"
)

// TestErasureByBucket: who is forgotten leaves later releases with the whole bucket, in the release of the next period; the chain
// is certified, and the receipt names the releases that show the row.
func TestErasureByBucket(t *testing.T) {
	t.Parallel()
	for _, keep := range []string{"", "keep: {releases: 1}, "} {
		erasedByBucket(t, keep)
	}
}

func erasedByBucket(t *testing.T, keep string) {
	s := forgetful(t)
	s.edit("policy:", "subject: {erasure: {mode: bucket, every: 1s}}\npolicy:")
	s.edit("release: {", "release: {"+keep)
	first := admitted("P-published", 2, "influenza") + ndjson(1, 2000)
	s.write("admissions.ndjson", first)
	s.must("run --once")
	release := s.counts().Counts.Release
	published := s.counts().Counts.Published
	x := s.receipt("P-published")
	require.Equal(t, upkeep.FatePublished, x.Fate)
	require.Equal(t, release, x.Removed.Last)
	nextPeriod(t)
	s.write("admissions.ndjson", first+strings.TrimPrefix(ndjson(1, 4000), ndjson(1, 2000)))
	s.must("run --once")
	c := s.counts().Counts
	require.Greater(t, c.Release, release)
	assert.Positive(t, c.Withdrawn)
	assert.Equal(t, c.Sent, c.Accounted())
	assert.Greater(t, c.Published+c.Withdrawn, published)
	require.Contains(t, s.must("audit --require-certified"), map[bool]string{true: ": CERTIFIED\n", false: ": SEALED\n"}[keep == ""])
	report, err := audit.Dir(audit.Options{Releases: s.path("releases"), Ledger: s.path("state/ledger")})
	require.NoError(t, err)
	require.Empty(t, report.Violations)
	s.must("release verify")
	s.must("state check")
	manifest := s.read("releases/CURRENT")
	assert.Contains(t, s.read("releases/"+strings.TrimSpace(manifest)+"/manifest.json"), `"withdrawn"`)
	again := s.receipt("P-published")
	assert.Equal(t, upkeep.FateBefore, again.Fate)
	assert.NotEmpty(t, s.must("release cat"))
	assert.Regexp(t, `Buckets leave in which people asked to be erased: 1\s+have\. \S+ people were ever published`, s.must("release report"))
	assert.Contains(t, s.must("release report --recipients"), "delete the bucket from your copies")
	_ = os.Remove(s.path("members.csv"))
}

// nextPeriod waits for the next period of erasures, which has a second here.
func nextPeriod(t *testing.T) {
	began := time.Now().Unix()
	eventually(t, func() bool { return time.Now().Unix() > began }, "a second ends")
}
