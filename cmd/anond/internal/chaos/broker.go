package chaos

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// The topics of a broker, and the consumer group that leases the first.
const (
	topic       = "people"
	letterTopic = "refused"
	group       = "publishers"
)

// broker is kfake behind a proxy. It keeps its data in files, so that it can be stopped
// and started.
type broker struct {
	dir        string
	partitions int
	proxy      *proxy
	cluster    *kfake.Cluster
	direct     string // where the harness reaches it, past the proxy
	client     *kgo.Client
}

func startBroker(dir string, partitions int) (*broker, error) {
	p, err := newProxy()
	if err != nil {
		return nil, err
	}
	b := &broker{dir: dir, partitions: partitions, proxy: p}
	if err := b.start(kfake.NumBrokers(1)); err != nil {
		return nil, err
	}
	if err := b.cluster.CreateTopic(topic, int32(partitions), nil); err != nil {
		return nil, err
	}
	return b, b.cluster.CreateTopic(letterTopic, 1, nil)
}

// start starts the cluster, at its earlier port if it had one.
func (b *broker) start(where kfake.Opt) (err error) {
	listen := func(network, address string) (net.Listener, error) {
		l, err := net.Listen(network, address)
		if err != nil {
			return nil, err
		}
		b.direct = l.Addr().String()
		b.proxy.to = b.direct
		return advertised{l, b.proxy.Addr()}, nil
	}
	if b.cluster, err = kfake.NewCluster(where, kfake.DataDir(b.dir), kfake.ListenFn(listen)); err != nil {
		return err
	}
	direct := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, b.direct)
	}
	b.client, err = kgo.NewClient(kgo.SeedBrokers(b.direct), kgo.Dialer(direct), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{letterTopic: {0: kgo.NewOffset().AtStart()}}))
	return err
}

// stop stops the broker.
func (b *broker) stop() {
	b.client.Close()
	b.cluster.Close()
}

// restart starts it again, at its earlier port.
func (b *broker) restart() error {
	_, port, err := net.SplitHostPort(b.direct)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	return b.start(kfake.Ports(n))
}

// write sends messages to a partition, in order.
func (b *broker) write(p int, messages []message) error {
	var records []*kgo.Record
	for _, m := range messages {
		records = append(records, &kgo.Record{Topic: topic, Partition: int32(p), Value: m.value})
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return b.client.ProduceSync(ctx, records...).FirstErr()
}

// letters reads the topic of dead letters.
func (b *broker) letters() (out [][]byte, err error) {
	end := int(b.cluster.PartitionInfo(letterTopic, 0).HighWatermark)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for len(out) < end {
		fetched := b.client.PollFetches(ctx)
		if err := fetched.Err0(); err != nil {
			return nil, err
		}
		fetched.EachRecord(func(r *kgo.Record) { out = append(out, r.Value) })
	}
	return out, nil
}

func (b *broker) close() {
	b.stop()
	_ = b.proxy.stop()
}
