package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/internal/testkit/hospital"
)

// The figures of shards/SCALING.md: go test ./cmd/anond -run TakeoverMeasured -takeover 250000 -v
var takeover = flag.Int("takeover", 0, "people of a shard whose takeover is measured; 0: none is")

// takeoverTail is how many records are behind the backup: by default those of ten minutes at 2,000 a second, with a
// release each minute.
var takeoverTail = flag.Int("takeover-tail", 10*60*2000, "records behind the backup")

// TestTakeoverMeasured: a shard publishes its people, is backed up, goes on for ten minutes' worth of records, and dies. It
// is measured how long it takes another host until it reads new records, and until its next release is out.
func TestTakeoverMeasured(t *testing.T) {
	if *takeover == 0 {
		t.Skip("measures: -takeover 250000")
	}
	p := newShardedTopic(t, kfake.SeedTopics(4, "admissions"))
	require.NoError(t, p.cluster.CreateTopic(journalTopic, 1, keptTopic))
	stream := hospital.New(5)
	send := func(n int) {
		for ; n > 0; n -= 20_000 {
			var records []*kgo.Record
			for range min(n, 20_000) {
				v := stream.NextMessage().Value
				records = append(records, &kgo.Record{Topic: "admissions", Value: v, Key: []byte(patientOf(v))})
			}
			require.NoError(t, p.client.ProduceSync(t.Context(), records...).FirstErr())
		}
	}
	first := p.journaled(0, 1)
	first.edit("every: 300", fmt.Sprintf("every: %d", *takeoverTail/10))
	begin := time.Now()
	say := func(what string) { t.Logf("%5.1f s: %s", time.Since(begin).Seconds(), what) }
	first.edit(", backup: {dir: ./copies, min_interval: 1000h, keep: 1}", "") // copies are made where they are not measured
	first.once(exitOK)
	first.must("state backup --out " + first.path("beginning.db"))
	send(*takeover)
	say("sent")
	first.once(exitOK)
	say("first load published")
	first.must("state backup --out " + first.path("backup.db"))
	send(*takeoverTail)
	say("ten minutes sent")
	first.once(exitOK)
	say("ten minutes published")
	send(2000) // of which the next release is
	for _, c := range []struct {
		name, backup string
		from         *site
	}{
		{"from a backup of ten minutes ago", "backup.db", first.elsewhere("releases", "state/ledger")},
		{"cold: from the oldest backup", "beginning.db", first.elsewhere("releases", "state/ledger")},
	} {
		c.from.must("state restore --from " + first.path(c.backup))
		began, used := time.Now(), processorTime()
		r := c.from.once(exitOK)
		took := time.Since(began)
		for line := range strings.Lines(r.stderr) {
			var e struct {
				Event                          string
				Entries, Records, Releases, Ms int
			}
			if json.Unmarshal([]byte(line), &e) == nil && e.Event == "journal_followed" {
				t.Logf("%d people, %s: %d records, %d releases and %d entries again in %.1f s; next release after %.1f s, with %.1f s of "+
					"processor time, the broker's included", *takeover, c.name, e.Records, e.Releases, e.Entries, float64(e.Ms)/1000,
					took.Seconds(), (processorTime() - used).Seconds())
			}
		}
	}
}

// processorTime is what the process has used so far, user and system.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for the process itself
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
