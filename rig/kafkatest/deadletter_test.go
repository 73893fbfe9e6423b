package kafkatest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDeadLetterTopic has refused records between good ones, and a topic of dead
// letters that comes into being only later.
func TestDeadLetterTopic(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 1)
	letters := &topic{t: t, name: unique("letters"), c: p.c}
	t.Cleanup(func() { _ = letters.tryDelete() })
	s := newSite(t, p)
	s.config["dead_letter"] = section{"type": "topic", "topic": letters.name}
	s.save()
	p.write(0, people(0, 200)...)
	p.writeMarked(0, broken(20)...)
	p.writeMarked(0, people(1000, 200)...)
	run := s.start()
	s.sent(420) // reading does not wait for letters
	failure := run.await("dead_letter_failed", 1)
	require.Contains(t, failure["error"], letters.name)
	require.Contains(t, failure["error"], "create the topic")
	require.Equal(t, 20, s.counts().Outbox)

	letters.create(1)
	require.Eventually(t, func() bool { return s.counts().Outbox == 0 }, patience, poll, "letters delivered")
	run.stop()
	s.settled(420, 20)
	keys, values := letters.values()
	require.Len(t, keys, 20, "each dead letter once")
	for i, value := range values {
		require.Equal(t, fmt.Sprintf("kafka:%s:0:%d", p.name, 200+i), keys[i])
		var letter map[string]any
		require.NoError(t, json.Unmarshal([]byte(value), &letter))
		require.Equal(t, "missing_value", letter["reason"])
		require.NotContains(t, value, "asthma")
	}
	require.NoError(t, filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		require.NotContains(t, string(content), "CANARY", "%s: keys and headers are kept nowhere", path)
		return err
	}))
	require.NotContains(t, run.log()+fmt.Sprint(keys, values), "CANARY")

	var list struct {
		Letters, Matched, Copies, Unreadable int
		Newest                               []struct{ Offset int64 }
	}
	require.NoError(t, json.Unmarshal([]byte(s.command("dlq", "list", "--json", "--limit", "30")), &list))
	require.Equal(t, []int{20, 20, 0, 0}, []int{list.Letters, list.Matched, list.Copies, list.Unreadable})
	for i, l := range list.Newest {
		require.EqualValues(t, 200+i, l.Offset)
	}
	require.Contains(t, s.command("dlq", "show", keys[3]), "missing_value")
	require.Contains(t, s.command("dlq", "replay"), "0 dead letters judged again", "none of a reason that may be")
}
