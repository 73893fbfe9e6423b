package kafkatest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// common is how many records both replicas have before one falls behind.
const common = 300

// loseTail makes node 2 the leader of a partition on nodes 1 and 2 although it
// lacks the last records that node 1 has acknowledged: node 2 is away while they
// are written and read, and comes back when node 1 has died.
func (c *cluster) loseTail(t *testing.T, p *topic, tail int, read func()) {
	t.Helper()
	p.inSync(0, 1, 2)
	require.NoError(t, c.node(2).Kill())
	p.inSync(0, 1)
	p.write(0, people(common, tail)...)
	read()
	require.NoError(t, c.node(1).Kill())
	require.NoError(t, c.node(2).Start())
	p.elect(0, unclean, 2)
	require.EqualValues(t, common, p.ends(1)[0], "the tail is lost")
}

// epochs are the offsets at which the leaders of partition 0 began to write, in
// order, as a node keeps them in a file of the partition: lines of epoch and offset,
// below a version and a count.
func (c *cluster) epochs(t *testing.T, id int32, p *topic) (starts []int64) {
	t.Helper()
	f, err := os.Open(filepath.Join(c.node(id).dir, "data", p.name+"-0", "leader-epoch-checkpoint"))
	require.NoError(t, err)
	defer f.Close()
	var version, count int
	_, err = fmt.Fscan(f, &version, &count)
	require.NoError(t, err)
	for range count {
		var epoch, start int64
		_, err = fmt.Fscan(f, &epoch, &start)
		require.NoError(t, err)
		starts = append(starts, start)
	}
	require.NotEmpty(t, starts)
	return starts
}

// TestClusterUncleanElection has an unclean election truncate the log below what
// anond has read: one process runs meanwhile, another site is stopped. Each stops
// with an error, whether the log is still shorter or has grown by other
// records, and takes in none of them. Then each goes on in the way that
// docs/KAFKA.md describes.
func TestClusterUncleanElection(t *testing.T) {
	chosen.Demand(t)
	c := nodes(t)
	p := newTopicOn(t, [][]int32{{1, 2}})
	p.write(0, people(0, common)...)
	stopped, running := newSite(t, p), newSite(t, p)
	run := running.start()
	const tail, others = 200, 250
	c.loseTail(t, p, tail, func() {
		stopped.once().ends(0)
		running.sent(common + tail)
	})

	short := stopped.start()
	require.NoError(t, c.node(1).Start())
	p.inSync(0, 1, 2)
	short.ends(1).says("kafka:" + p.name + " partition 0: state has read up to offset 500, and the log ends at 300")
	short.says("hint: start a new dataset")
	run.ends(1).await("source_replaced", 1)

	p.write(0, people(5000, others)...)
	long := stopped.start().ends(1)
	long.says("kafka:" + p.name + " partition 0: offset 499 holds another record than the one that was read")
	for _, s := range []*site{stopped, running} {
		s.settled(common+tail, 0)
	}

	epochs := c.epochs(t, 2, p)
	rest := newTopicOn(t, [][]int32{{2, 1}})
	rest.copyFrom(p, epochs[len(epochs)-1])
	for _, s := range []*site{stopped, running} {
		s.kafka(section{"topic": rest.name}).once().ends(0)
		s.settled(common+tail+others, 0)
	}
}
