package config_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestJournal: what a journal does not cover is refused, with the key at fault.
func TestJournal(t *testing.T) {
	const of, with = "  of: 4\n", "  of: 4\n  journal: {topic: decisions}\n"
	c, err := loadShard(nil, of, with)
	require.NoError(t, err)
	assert.Equal(t, "decisions", c.Shard.Journal.Topic)
	assert.Contains(t, c.Digests(), "shard.of")
	assert.NotContains(t, c.Digests(), "shard.journal.topic", "a state may begin one")
	_, warnings, err := loadShardWarned(nil, of, with)
	require.NoError(t, err)
	_, usual, err := loadShardWarned(nil)
	require.NoError(t, err)
	require.Len(t, warnings, len(usual)+1)
	assert.Contains(t, fmt.Sprint(warnings), "shard.journal.topic: is set without state.backup.dir")
	_, warnings, err = loadShardWarned(nil, of, with, "policy: {k: 10, l: 5}", "policy: {k: 10, l: 5}\nstate: {backup: {dir: /b}}")
	require.NoError(t, err)
	assert.Len(t, warnings, len(usual))
	const erasing = `subject: {erasure: {mode: bucket}, key: "${SUBJECT_KEY}"}`
	_, err = loadShard(nil, `subject: {key: "${SUBJECT_KEY}"}`, erasing)
	require.NoError(t, err, "buckets may leave shards")
	const keep, is = " removes releases, but shard.journal is set", "but shard.journal is set"
	for name, replace := range map[string][]string{
		"shard.journal.topic: is a topic that has other messages":    {of, "  of: 4\n  journal: {topic: admissions}\n"},
		"shard.journal.topic: is empty":                              {of, "  of: 4\n  journal: {topic: \"\"}\n"},
		"release.keep.releases:" + keep:                              {of, with, "policy:", "release: {keep: {releases: 5}}\npolicy:"},
		"release.keep.days:" + keep:                                  {of, with, "policy:", "release: {keep: {days: 5}}\npolicy:"},
		"subject.erasure.mode: is bucket, " + is:                     {of, with, `subject: {key: "${SUBJECT_KEY}"}`, erasing},
		"source.kafka.on_gap: is continue, " + is:                    {of, with, "topic: admissions", "topic: admissions, on_gap: continue"},
		"source.kafka.on_corrupt: is skip, but shard.journal is set": {of, with, "topic: admissions", "topic: admissions, on_corrupt: skip"},
		"shard.of: is missing or 0, but shard has other keys":        {"  index: ${HOSTNAME}\n  of: 4\n", "  journal: {topic: decisions}\n"},
	} {
		_, err := loadShard(nil, replace...)
		require.ErrorContains(t, err, name)
	}
}
