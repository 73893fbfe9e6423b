package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
)

const subjectSecret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

// shardFile is a configuration of a shard, with some lines replaced.
func shardFile(replace ...string) string {
	return strings.NewReplacer(replace...).Replace(`version: 1
dataset: hospital
source: {type: kafka, kafka: {brokers: [127.0.0.1:9092], topic: admissions}}
shard:
  index: ${HOSTNAME}
  of: 4
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer, range: [0, 130]}
    - {name: diagnosis, role: sensitive, type: categorical}
subject: {key: "${SUBJECT_KEY}"}
policy: {k: 10, l: 5}
`)
}

func loadShard(env map[string]string, replace ...string) (*config.Config, error) {
	c, _, err := loadShardWarned(env, replace...)
	return c, err
}

func loadShardWarned(env map[string]string, replace ...string) (*config.Config, []config.Warning, error) {
	all := map[string]string{"HOSTNAME": "anond-2", "SUBJECT_KEY": subjectSecret}
	for k, v := range env {
		all[k] = v
	}
	return config.Load("/etc/anond/anond.yaml", lookup(all), oneFile("/etc/anond/anond.yaml", shardFile(replace...)))
}

func TestShard(t *testing.T) {
	c, err := loadShard(nil)
	require.NoError(t, err)
	assert.Equal(t, config.Shard{Index: 2, Of: 4, Key: config.KeyIsSubject}, c.Shard)
	assert.Equal(t, filepath.FromSlash("/etc/anond/releases/shards/2"), c.Release.Dir)
	assert.Equal(t, filepath.FromSlash("/etc/anond/state/shards/2/anond.db"), c.State.Path)
	assert.Equal(t, filepath.FromSlash("/etc/anond/state/shards/2/ledger"), c.Release.Ledger)
	assert.Equal(t, filepath.FromSlash("/etc/anond/dead-letter/shards/2"), c.DeadLetter.Path)
	assert.Equal(t, config.RefusalQuarantine, c.Initial.OnRefusal)
	for _, index := range []string{"2", "anond-0-2", "a-2"} {
		c, err := loadShard(map[string]string{"HOSTNAME": index})
		require.NoError(t, err, index)
		assert.Equal(t, 2, c.Shard.Index)
	}
	c, err = loadShard(nil, "policy: {k: 10, l: 5}",
		"policy: {k: 10, l: 5, level: L1}\nrelease: {dir: /x/releases}\nstate: {path: /x/state/s.db}")
	require.NoError(t, err)
	assert.Equal(t, "/x/releases", c.Release.Dir)
	assert.Equal(t, "/x/state/s.db", c.State.Path)
	text, err := c.JSON()
	require.NoError(t, err)
	assert.NotContains(t, string(text), subjectSecret)
}

func TestShardFaults(t *testing.T) {
	const closeness, age = "policy: {k: 10, l: 5}", "{name: age, role: quasi, type: integer, range: [0, 130]}"
	for name, c := range map[string]struct {
		replace []string
		env     map[string]string
		fault   string
	}{
		"index too large": {nil, map[string]string{"HOSTNAME": "anond-4"}, "shard.index: is 4, but there are 4 shards, numbered from 0"},
		"index is no one": {nil, map[string]string{"HOSTNAME": "anond"}, "shard.index: is neither a number from 0 nor a name"},
		"octal":           {nil, map[string]string{"HOSTNAME": "anond-02"}, "shard.index: is neither"},
		"no index":        {[]string{"  index: ${HOSTNAME}\n", ""}, nil, "shard.index: is missing, but shard.of is set"},
		"no number":       {[]string{"  of: 4\n", ""}, nil, "shard.of: is missing or 0, but shard has other keys"},
		"no key":          {[]string{"subject: {key: \"${SUBJECT_KEY}\"}\n", ""}, nil, "subject.key: is missing, but shard is set"},
		"bad key":         {nil, map[string]string{"SUBJECT_KEY": "short"}, "subject.key: is no key of 32 bytes"},
		"no subject": {[]string{"role: subject", "role: identifier"}, nil,
			"schema.attributes: has no attribute of role subject, but shard"},
		"group": {[]string{"topic: admissions", "topic: admissions, assignment: group, group: g"}, nil,
			"source.kafka.assignment: is group, but shard is set"},
		"file":  {[]string{"type: kafka,", "type: file, file: {path: in.ndjson},"}, nil, "source.type: is file, but shard is set"},
		"stdin": {[]string{"type: kafka,", "type: stdin,"}, nil, "source.type: is stdin, but shard is set"},
		"no reference": {[]string{closeness, "policy: {k: 10, l: 5, diversity: [{t: 0.2}]}"}, nil,
			"policy.diversity[0].reference: is missing, but shard is set"},
		"no range": {[]string{", range: [0, 130]", ""}, nil, "schema.attributes[1].range: is missing, but shard is set"},
		"a key that is none": {[]string{"  of: 4\n", "  of: 4\n  key: patient\n"}, nil,
			"shard.key: \"patient\" is not one of the known values"},
	} {
		_, err := loadShard(c.env, c.replace...)
		require.ErrorContains(t, err, c.fault, name)
		assert.NotContains(t, err.Error(), subjectSecret)
	}
	_, err := loadShard(nil, closeness, "policy: {k: 10, l: 5, diversity: [{t: 0.2, reference: {flu: 0.5, cold: 0.5}}]}")
	require.NoError(t, err)
}

// TestShardIsPartOfTheState: a state stays that of its shard and of its key, whose digests tell
// neither; one that is of no shard has the digests that it always had.
func TestShardIsPartOfTheState(t *testing.T) {
	was, err := loadShard(nil)
	require.NoError(t, err)
	base := was.Digests()
	for key, change := range map[string]func() (*config.Config, error){
		"shard.index": func() (*config.Config, error) { return loadShard(map[string]string{"HOSTNAME": "3"}) },
		"shard.of":    func() (*config.Config, error) { return loadShard(nil, "of: 4", "of: 8") },
		"shard.key":   func() (*config.Config, error) { return loadShard(nil, "of: 4", "of: 4\n  key: digest") },
		"subject.key": func() (*config.Config, error) {
			return loadShard(map[string]string{"SUBJECT_KEY": strings.Replace(subjectSecret, "0", "1", 1)})
		},
	} {
		c, err := change()
		require.NoError(t, err, key)
		var changed []string
		for k, d := range c.Digests() {
			if base[k] != d {
				changed = append(changed, k)
			}
		}
		assert.Equal(t, []string{key}, changed)
	}
	alone, err := loadShard(nil,
		"shard:\n  index: ${HOSTNAME}\n  of: 4\n", "release: {dir: ./releases}\n", "subject: {key: \"${SUBJECT_KEY}\"}\n", "")
	require.NoError(t, err)
	for _, k := range []string{"shard.index", "shard.of", "shard.key", "subject.key"} {
		assert.NotContains(t, alone.Digests(), k)
	}
	assert.False(t, alone.SubjectKey().Set())
}

// TestShardsWithAWindow: a window by age is the same in all shards; one by releases is warned of.
func TestShardsWithAWindow(t *testing.T) {
	for window, want := range map[string]string{"365d": "", "12": "each shard counts its own"} {
		_, warnings, err := loadShardWarned(nil, "policy: {k: 10, l: 5}", "policy: {k: 10, l: 5}\nrelease: {window: "+window+"}")
		require.NoError(t, err)
		said := ""
		for _, w := range warnings {
			said += w.String()
		}
		if want == "" {
			require.NotContains(t, said, "release.window")
			continue
		}
		require.Contains(t, said, want)
	}
}
