package kafkatest

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

var kills = flag.Int("kills", 0, "SIGKILLs of the crash test; 0: as the tier says")

// TestKill kills the real process under load, from its first instruction on,
// and starts it again as it is. Nothing may be lost or doubled, and the chain of
// all releases must be certified. Dead letters go to a topic, each at least once.
func TestKill(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p, letters := newTopic(t, 3), newTopic(t, 1)
	feed := startFeed(t, p, 3, 5)
	s := newSite(t, p)
	s.config["dead_letter"] = section{"type": "topic", "topic": letters.name}
	s.save()
	rng := rand.New(rand.NewPCG(3, 9))
	if *kills == 0 {
		*kills = tier.Of(t, 4, 4, 20)
	}
	started, published := 0, 0
	for i := range *kills {
		run := s.start()
		if i%4 > 0 { // every fourth dies while it starts
			run.await("started", 1)
		}
		if i == *kills-1 { // however slow the machine is, one of them has published when it dies
			run.await("release_published", 1)
		}
		pause(time.Duration(rng.Int64N(int64(500 * time.Millisecond))))
		run.kill()
		started += len(run.events("started"))
		published += len(run.events("release_published"))
	}
	require.Positive(t, published)

	sent, refused := feed.stop(), int(feed.refused.Load())
	run := s.start()
	run.await("started", 1) // the numbers may be those of the process before, and a signal would come too early
	s.sent(sent)
	require.Eventually(t, func() bool { return s.counts().Outbox == 0 }, patience, poll)
	run.stop()
	c := s.settled(sent, refused)
	keys, _ := letters.values()
	require.Len(t, distinct(keys), refused, "dead letters on the topic")
	t.Logf("%d kills, %d of started processes: %d sent = %d published + %d pending + %d dead letters (%d copies), %d releases",
		*kills, started, c.Sent, c.Published, c.pending(), c.DeadLetter, len(keys)-refused, c.Release)
}

func distinct(keys []string) map[string]bool {
	set := map[string]bool{}
	for _, k := range keys {
		set[k] = true
	}
	return set
}

// pause lets a process run: when it dies must not depend on what it does.
func pause(d time.Duration) { <-time.After(d) }
