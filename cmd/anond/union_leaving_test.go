package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/hospital"
	"anond/snapshot"
	"anond/snapshot/audit"
)

// TestUnionOfThoseWhoLeave: in each shard parts leave by their age, and in one a bucket in which somebody asked. The union shows what the
// shards show, counts whoever was ever published, and is sealed.
func TestUnionOfThoseWhoLeave(t *testing.T) {
	tier.NotShort(t, "it runs shards")
	t.Parallel()
	u := newUnited(t, 2, "L2")
	for _, s := range u.shards {
		s.edit("trigger:", "window: 3, trigger:")
		s.edit("subject: {", "subject: {erasure: {mode: bucket, every: 1s}, ")
	}
	show := func() *snapshot.Manifest {
		r := u.unite()
		require.Equal(t, exitOK, r.code, r.stderr)
		m, err := snapshot.Show(snapshot.OS(), u.dir, 0)
		require.NoError(t, err)
		return m
	}
	patient := u.feed.Next().Patient
	u.feed = hospital.New(16) // from the first one on
	u.admit(2400, 0, 1)
	first := show()
	shard := 0
	for i, s := range u.shards {
		if s.receipt(patient).Fate == "published" {
			shard = i
		}
	}
	nextPeriod(t)
	u.admit(1600, 0, 1)
	second := show()
	withdrawn := 0
	for _, p := range second.PartsOfShard(shard) {
		withdrawn += len(p.Withdrawn)
	}
	assert.Equal(t, 1, withdrawn)
	assert.Greater(t, second.PeopleEver, second.Records)
	for range 2 {
		u.admit(1600, 0, 1)
	}
	last := show()
	assert.Greater(t, last.PeopleEver-last.Records, first.Records-1, "parts have left")
	exports := u.exports()
	for i, s := range u.shards {
		require.NoError(t, os.WriteFile(filepath.Join(exports, fmt.Sprintf("shard-%d", i), "ledger"), []byte(s.read("state/ledger")), 0o600))
	}
	r := anond(t, "audit", "--releases", u.dir, "--ledger", u.ledger(), "--exports", exports, "--json")
	require.Equal(t, exitOK, r.code, r.stdout+r.stderr)
	var report audit.Report
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
	assert.Equal(t, audit.VerdictSealed, report.Verdict, "who has left was certified then: %v", report.NotChecked)
	r = anond(t, "release", "cat", "--dir", u.dir)
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Equal(t, last.Records+1, strings.Count(r.stdout, "\n"))
	r = anond(t, "release", "verify", "--dir", u.dir, "--ledger", u.ledger())
	assert.Equal(t, exitOK, r.code, r.stdout)
	u.sums("count where age < 40")
}
