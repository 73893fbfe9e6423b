package kafkatest

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// trialVariable asks for the trial: numbers of shards, such as 1,2,4, or of shards and the hosts of a group, such as 16@4. Records a
// shard, and seconds in which a topic is written, may follow: 1,2,4/250000/60.
const trialVariable = "KAFKA_TRIAL"

// away is how long the broker that is killed is away: longer than it takes until it is missed.
const away = 5 * time.Second

// TestTrialOfShards is the trial of shards (trial_run_test.go) on a cluster of three nodes (make trial-shards).
func TestTrialOfShards(t *testing.T) {
	asked := os.Getenv(trialVariable)
	if asked == "" {
		t.Skip("SKIPPED: it takes a quarter of an hour; make trial-shards runs it")
	}
	c := nodes(t)
	list, rest, _ := strings.Cut(asked, "/")
	each, seconds, _ := strings.Cut(rest, "/")
	o := Options{Program: anond, Brokers: c.Addrs(), Client: ofCluster(), Replicas: clusterSize, InSync: 2,
		Partitions: 12, Each: number(t, each, 250_000), Over: time.Duration(number(t, seconds, 60)) * time.Second,
		Every: 20_000, Pool: 15_000, Kills: 6, Seed: 16, Worlds: 1, Log: os.Stderr}
	if o.Each < 250_000 { // a smaller one has as many releases
		o.Every, o.Pool = o.Each*2/25, o.Each*3/50
	}
	for _, shards := range strings.Split(list, ",") {
		shards, hosts, _ := strings.Cut(shards, "@")
		o.Shards, o.Hosts, o.Dir = number(t, shards, 0), number(t, hosts, 0), t.TempDir()
		o.Partitions = max(12, o.Shards)
		o.Bounce = c.bounce(int32(o.Shards%clusterSize + 1))
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		r, err := Try(ctx, o)
		cancel()
		require.NoError(t, r.WriteTable(os.Stdout))
		require.NoError(t, err)
		os.Stdout.WriteString(r.Summary() + "\n")
		require.Empty(t, r.Faults)
		require.NoError(t, os.RemoveAll(o.Dir))
	}
}

func number(t *testing.T, text string, otherwise int) int {
	t.Helper()
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "%s=%s", trialVariable, os.Getenv(trialVariable))
	return n
}

// bounce kills a node, and starts it again when the others have missed it.
func (c *cluster) bounce(id int32) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := c.node(id).Kill(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(away):
		}
		return c.node(id).Start()
	}
}
