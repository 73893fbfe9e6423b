package shards

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"anond/internal/fault"
	"anond/internal/kafkaclient"
)

// TestWeakTopics: what may lose an acknowledged entry with one broker is warned of, with what to set.
func TestWeakTopics(t *testing.T) {
	const one, clean = "min.insync.replicas", "unclean.leader.election.enable"
	for name, c := range map[string]struct {
		settings  kafkaclient.Settings
		replicas  int
		what, way string
	}{
		"one of three": {kafkaclient.Settings{one: "1"}, 3, "one of 3 replicas has (min.insync.replicas=1)",
			"--add-config min.insync.replicas=2;"},
		"one of two":      {kafkaclient.Settings{one: "1", clean: "false"}, 2, "one of 2 replicas has", "min.insync.replicas=2"},
		"one":             {kafkaclient.Settings{one: "2"}, 1, "has one replica", "three replicas, and set min.insync.replicas=2"},
		"unclean":         {kafkaclient.Settings{one: "2", clean: "true"}, 3, "unclean.leader.election.enable=true", "enable=false"},
		"two of three":    {kafkaclient.Settings{one: "2", clean: "false"}, 3, "", ""},
		"nothing is told": {kafkaclient.Settings{}, 3, "", ""},
	} {
		w := weakness("decisions", c.settings, c.replicas)
		if c.what == "" {
			assert.NoError(t, w, name)
			continue
		}
		assert.ErrorContains(t, w, c.what, name)
		assert.Contains(t, fault.Hint(w), c.way, name)
	}
}

// TestTopicsThatLoseEntries: what removes entries is refused; what is not told is believed.
func TestTopicsThatLoseEntries(t *testing.T) {
	kept := kafkaclient.Settings{"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1"}
	for name, c := range map[string]struct {
		key, value, what string
	}{
		"kept":              {"retention.ms", "-1", ""},
		"compacted":         {"cleanup.policy", "compact", "is compacted"},
		"compacted as well": {"cleanup.policy", "delete,compact", "is compacted"},
		"by age":            {"retention.ms", "1", "by age or size"},
		"at once":           {"retention.bytes", "0", "by age or size"},
		"unknown":           {"cleanup.policy", "tiered", "has cleanup.policy=tiered"},
	} {
		s := kafkaclient.Settings{}
		for k, v := range kept {
			s[k] = v
		}
		s[c.key] = c.value
		what, set := loses(s)
		assert.Equal(t, c.what == "", what == "", name)
		assert.Contains(t, what, c.what, name)
		assert.Equal(t, c.what == "", set == "", name)
	}
	what, _ := loses(kafkaclient.Settings{})
	assert.Empty(t, what, "a broker that does not tell")
}
