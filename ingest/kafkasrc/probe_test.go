package kafkasrc

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/internal/fault"
)

// found is what a probe says: each thing, with an exclamation mark if it is missing.
func found(all []Probed) (out []string) {
	for _, p := range all {
		if p.Err != nil {
			p.What += "!"
		}
		out = append(out, p.What)
	}
	return out
}

// TestProbe: what is missing is named, and comes with a remedy.
func TestProbe(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	cfg := config(c, &events{})
	cfg.Group = "readers"
	require.Equal(t, []string{"connection", "topic", "right to read", "right to use the group"}, found(Probe(background(t), cfg)))

	for _, f := range []struct {
		key  kmsg.Key
		err  *kerr.Error
		want []string
		hint string
	}{
		{kmsg.Fetch, kerr.TopicAuthorizationFailed, []string{"connection", "topic", "right to read!", "right to use the group"}, "grant Read"},
		{kmsg.OffsetFetch, kerr.GroupAuthorizationFailed, []string{"connection", "topic", "right to read", "right to use the group!"},
			"grant Read"},
	} {
		h := c.Fault(kfake.Fault{Keys: []kmsg.Key{f.key}, Err: f.err, Count: -1})
		got := Probe(background(t), cfg)
		h.Remove()
		require.Equal(t, f.want, found(got))
		for _, p := range got {
			if p.Err != nil {
				require.Contains(t, fault.Hint(p.Err), f.hint)
			}
		}
	}
	cfg.Topic = "absent"
	require.Equal(t, []string{"connection", "topic!"}, found(Probe(background(t), cfg)))
	require.Equal(t, []string{"connection", "topic of dead letters!"}, found(ProbeWrite(background(t), cfg)))
}

// TestProbeWaitsForACoordinator: that of a new group, or one that has just moved, is there within seconds.
func TestProbeWaitsForACoordinator(t *testing.T) {
	c := broker(t, kfake.SeedTopics(1, topic))
	cfg := config(c, &events{})
	cfg.Group = "readers"
	for _, passes := range []*kerr.Error{kerr.CoordinatorNotAvailable, kerr.CoordinatorLoadInProgress, kerr.NotCoordinator} {
		h := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: passes, Count: 3})
		require.Equal(t, []string{"connection", "topic", "right to read", "right to use the group"}, found(Probe(background(t), cfg)))
		h.Remove()
	}
}

// TestProbeOfNobody: no broker at the address.
func TestProbeOfNobody(t *testing.T) {
	cfg := config(broker(t), &events{})
	cfg.Brokers, cfg.RequestTimeout = []string{"127.0.0.1:1"}, 300*time.Millisecond // no port that others may draw
	got := Probe(background(t), cfg)
	require.Equal(t, []string{"connection!"}, found(got))
	require.Contains(t, fault.Hint(got[0].Err), "check source.kafka")
}
