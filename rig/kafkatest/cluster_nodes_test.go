package kafkatest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// cluster is three Apache Kafka nodes, each of them broker and controller. Two of
// them are a majority of the controllers, so one may be away at a time.
type cluster struct {
	name  string
	nodes [clusterSize]*node // node n has the number n+1
}

const clusterSize = 3

func startCluster(jars, dir string) (Broker, error) {
	c := &cluster{}
	for i := range c.nodes {
		c.nodes[i] = &node{jars: jars, dir: filepath.Join(dir, fmt.Sprintf("node%d", i+1)), heap: "256m"}
	}
	version, err := c.nodes[0].version()
	if err == nil {
		c.name = fmt.Sprintf("Apache Kafka %s, %d nodes", version, clusterSize)
		err = c.prepare()
	}
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// prepare draws ports and formats the log directories.
func (c *cluster) prepare() error {
	ports, err := freePorts(2 * clusterSize)
	if err != nil {
		return err
	}
	voters := make([]string, clusterSize)
	for i, n := range c.nodes {
		n.open = ports[i]
		voters[i] = fmt.Sprintf("%d@%s", i+1, ports[clusterSize+i])
	}
	id := newClusterID()
	return c.each(func(i int, n *node) error {
		if err := os.MkdirAll(n.dir, 0o700); err != nil {
			return err
		}
		return n.format(id, strings.NewReplacer("$ID", fmt.Sprint(i+1), "$VOTERS", strings.Join(voters, ","), "$OPEN", n.open,
			"$CONTROLLER", ports[clusterSize+i], "$DIR", n.dir).Replace(clusterProperties))
	})
}

// clusterProperties is one configuration for Kafka 3.9 and 4. A node that is away
// is noticed within about two seconds, by controllers and replicas; leaders move
// only when a test says so, or when one is away; retention is looked after all
// the time.
const clusterProperties = `
process.roles=broker,controller
node.id=$ID
controller.quorum.voters=$VOTERS
listeners=PLAINTEXT://$OPEN,CONTROLLER://$CONTROLLER
advertised.listeners=PLAINTEXT://$OPEN
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$DIR/data
num.network.threads=2
num.io.threads=2
offsets.topic.replication.factor=3
offsets.topic.num.partitions=1
auto.create.topics.enable=false
auto.leader.rebalance.enable=false
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=2000
broker.heartbeat.interval.ms=400
controller.socket.timeout.ms=2000
replica.lag.time.max.ms=2000
log.initial.task.delay.ms=500
log.retention.check.interval.ms=500
`

// each runs f for every node at once.
func (c *cluster) each(f func(int, *node) error) error {
	var errs [clusterSize]error
	var wg sync.WaitGroup
	for i, n := range c.nodes {
		wg.Go(func() { errs[i] = f(i, n) })
	}
	wg.Wait()
	return errors.Join(errs[:]...)
}

func (c *cluster) Name() string { return c.name }
func (c *cluster) Addrs() (all []string) {
	for _, n := range c.nodes {
		all = append(all, n.open)
	}
	return all
}

func (c *cluster) Lacks(a Ability) string {
	if a == Several {
		return ""
	}
	return "the nodes of the cluster are set up for the tests of a cluster only"
}

func (c *cluster) Start() error     { return c.each(func(_ int, n *node) error { return n.Start() }) }
func (c *cluster) Kill() error      { return c.each(func(_ int, n *node) error { return n.Kill() }) }
func (c *cluster) Close() error     { return c.each(func(_ int, n *node) error { return n.Close() }) }
func (c *cluster) Secured() Secured { return Secured{} }
func (c *cluster) Compact()         {}

// node returns the node of a number.
func (c *cluster) node(id int32) *node { return c.nodes[id-1] }

// nodes returns the cluster, or skips the test. Tests that kill nodes do not run in
// parallel with others. All nodes run again behind a test that failed.
func nodes(t *testing.T) *cluster {
	t.Helper()
	needs(t, Several)
	c := broker.(*cluster)
	t.Cleanup(func() { require.NoError(t, c.each(func(_ int, n *node) error { return n.runAgain() })) })
	return c
}

// ofCluster are the options of a client that must soon find another node when
// one gives no answer, and that waits for nodes which do not know of a topic yet.
func ofCluster() []kgo.Opt {
	return []kgo.Opt{kgo.RequestTimeoutOverhead(2 * time.Second), kgo.ProduceRequestTimeout(3 * time.Second), kgo.UnknownTopicRetries(-1)}
}
