package kafkatest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// siteOfGroup is the site of shards that a group divides among hosts.
const siteOfGroup = "grouped"

// hostGone is how long a host is away that was killed: longer than the group waits for it.
const hostGone = 15 * time.Second

// grouped is the part with hosts that come and go: each has a directory of its own and runs what the group gives it. At the end another
// host takes all shards over, one by one, and shows what is in them.
func (t *trial) grouped(ctx context.Context) error {
	topic, err := t.newTopic(ctx, "grouped", t.Partitions)
	if err != nil {
		return err
	}
	journal, err := t.newTopic(ctx, "journal", t.Shards, "retention.ms", "retention.bytes")
	if err != nil {
		return err
	}
	s := t.newSite(siteOfGroup, topic, t.Shards)
	s.hosts, s.group = t.Hosts, journal.name
	if err := s.write(); err != nil {
		return err
	}
	if err := t.disturb(ctx, s); err != nil {
		return err
	}
	for i := range s.of {
		for _, command := range [][]string{{"state", "restore", "--missing"}, {"run", "--once"}} {
			if _, err := s.command(ctx, append(command, "-c", s.file(i))...); err != nil {
				return err
			}
		}
	}
	if err := s.unite(ctx); err != nil {
		return err
	}
	if err := t.judge(ctx, s); err != nil {
		return err
	}
	return t.replayed(ctx, s)
}

// takeovers are how long shards had no host that ran them, after each kill of the one that did, in order.
func takeovers(hosts []*worker) (out []time.Duration) {
	type start struct {
		at   time.Time
		host string
	}
	starts := map[int][]start{}
	for _, w := range hosts {
		text, _ := os.ReadFile(filepath.Join(w.dir, w.name+".log"))
		for line := range strings.Lines(string(text)) {
			var e struct {
				Time  time.Time
				Event string
				Shard *int
			}
			if json.Unmarshal([]byte(line), &e) == nil && e.Event == "started" && e.Shard != nil {
				starts[*e.Shard] = append(starts[*e.Shard], start{e.Time, w.name})
			}
		}
	}
	for _, list := range starts {
		slices.SortFunc(list, func(a, b start) int { return a.at.Compare(b.at) })
		for _, w := range hosts {
			for _, killed := range w.killedAt {
				next := slices.IndexFunc(list, func(s start) bool { return s.at.After(killed) })
				if next > 0 && list[next-1].host == w.name {
					out = append(out, list[next].at.Sub(killed))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}
