package chaos

import (
	"context"
	"errors"
	"net"
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
	if err := b.start(); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	if err := b.cluster.CreateTopic(topic, int32(partitions), nil); err != nil {
		return nil, err
	}
	return b, b.cluster.CreateTopic(letterTopic, 1, nil)
}

// start starts the cluster, at any port: its clients know that of the proxy.
func (b *broker) start() error {
	listen := func(network, address string) (net.Listener, error) {
		l, err := net.Listen(network, address)
		if err != nil {
			return nil, err
		}
		at := l.Addr().String()
		b.direct = at
		b.proxy.to.Store(&at)
		return advertised{l, b.proxy.Addr()}, nil
	}
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.DataDir(b.dir), kfake.ListenFn(listen))
	if err != nil {
		return err
	}
	b.cluster = cluster
	direct := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, b.direct)
	}
	b.client, err = kgo.NewClient(kgo.SeedBrokers(b.direct), kgo.Dialer(direct), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{letterTopic: {0: kgo.NewOffset().AtStart()}}))
	return err
}

// stop stops the broker, which start starts again.
func (b *broker) stop() {
	b.client.Close()
	b.cluster.Close()
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
