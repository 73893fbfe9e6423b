package config_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
)

const (
	indexed = "  index: ${HOSTNAME}\n  of: 4\n"
	running = "  run: [3, 1]\n  of: 4\n"
	grouped = "  group: hospital\n  of: 4\n  journal: {topic: decisions}\n"
	copied  = "policy: {k: 10, l: 5}\nstate: {backup: {dir: \"/b/${SHARD}\"}}"
	plain   = "policy: {k: 10, l: 5}"
)

// TestAFileOfSeveralShards: each shard of a file has its number, places of its own and a part of the memory; a file that is read
// without a number is that of the first, and says so.
func TestAFileOfSeveralShards(t *testing.T) {
	for _, c := range []struct {
		replace []string
		first   int
		most    int
	}{{[]string{indexed, running}, 3, 2}, {[]string{indexed, grouped, plain, copied}, 0, 4}} {
		open, err := loadShard(nil, c.replace...)
		require.NoError(t, err)
		assert.True(t, open.Shard.Several() && open.Shard.Open)
		assert.Equal(t, []int{c.first, c.most}, []int{open.Shard.Index, open.Shard.Most()})
		one, err := loadShard(map[string]string{config.ShardVariable: "anond-1"}, c.replace...)
		require.NoError(t, err)
		assert.Equal(t, []any{1, false}, []any{one.Shard.Index, one.Shard.Open})
		assert.Equal(t, filepath.FromSlash("/etc/anond/releases/shards/1"), one.Release.Dir)
		assert.Equal(t, 64<<20/c.most, one.InFlight())
		assert.NotEqual(t, open.Digests()["shard.index"], one.Digests()["shard.index"])
	}
	many, err := loadShard(nil, indexed, "  group: hospital\n  of: 32\n  journal: {topic: decisions}\n", plain, copied)
	require.NoError(t, err)
	assert.Equal(t, 8<<20, many.InFlight(), "each shard has enough to read")
}

// TestFaultsOfSeveralShards: what a process of several shards needs, with the key at fault.
func TestFaultsOfSeveralShards(t *testing.T) {
	const twice = "policy: {k: 10, l: 5}\nstate: {backup: {dir: /b}}"
	for fault, c := range map[string]struct {
		replace []string
		shard   string
	}{
		"shard.index: is set beside shard.run or shard.group":        {[]string{"  of: 4\n", running}, ""},
		"shard.run: is set beside shard.group":                       {[]string{indexed, running + "  group: g\n"}, ""},
		"shard.run: is empty":                                        {[]string{indexed, "  run: []\n  of: 4\n"}, ""},
		"shard.run: has 4, but there are 4 shards":                   {[]string{indexed, "  run: [0, 4]\n  of: 4\n"}, ""},
		"shard.run: has 1 twice":                                     {[]string{indexed, "  run: [1, 1]\n  of: 4\n"}, ""},
		"shard.run: does not have 2, which the variable SHARD names": {[]string{indexed, running}, "2"},
		"shard.index: is that of the variable SHARD":                 {[]string{indexed, running}, "ward"},
		"shard.of: is missing or 0":                                  {[]string{indexed, "  run: [0]\n"}, ""},
		"shard.group: is empty":                                      {[]string{indexed, "  group: \"\"\n  of: 4\n"}, ""},
		"shard.group: is set without shard.journal":                  {[]string{indexed, "  group: g\n  of: 4\n"}, ""},
		"shard.group: is set without state.backup.dir":               {[]string{indexed, grouped}, ""},
		"shard.group: is also source.kafka.group": {[]string{indexed, grouped, plain, copied, "topic: admissions",
			"topic: admissions, group: hospital"}, ""},
		"shard.group: has shards up to 3, and the variable SHARD names": {[]string{indexed, grouped, plain, copied}, "4"},
		"state.backup.dir: is the same for shards 3 and 1":              {[]string{indexed, running, plain, twice}, ""},
		"memory.max_in_flight: is too small for 2 shards; write at least 16MiB": {[]string{indexed, running, plain,
			plain + "\nmemory: {max_in_flight: 15MiB}"}, ""},
	} {
		env := map[string]string{}
		if c.shard != "" {
			env[config.ShardVariable] = c.shard
		}
		_, err := loadShard(env, c.replace...)
		require.ErrorContains(t, err, fault)
	}
}
