package chaos

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"anond/deliver"
	"anond/deliver/topic"
	"anond/ingest"
	"anond/ingest/kafkasrc"
	"anond/internal/kafkaclient"
	"anond/internal/retry"
	"anond/snapshot"
)

// brokered is the broker of a simulation: kfake on connections in memory. The daemon reads from it by its own client, and
// releases are delivered to it.
type brokered struct {
	net     kfake.VirtualNetwork
	cluster *kfake.Cluster
	client  *kgo.Client // of whoever sends
	sent    []int       // of each partition
	wire    wire        // of the daemon
}

func newBrokered(partitions int) (*brokered, error) {
	b := &brokered{sent: make([]int, partitions)}
	b.wire.dial = b.net.DialContext
	var err error
	if b.cluster, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(9092), kfake.ListenFn(b.net.Listen)); err != nil {
		return nil, err
	}
	b.client, err = kgo.NewClient(kgo.SeedBrokers(b.cluster.ListenAddrs()...), kgo.Dialer(b.net.DialContext),
		kgo.RecordPartitioner(kgo.ManualPartitioner()))
	return b, errors.Join(err, b.cluster.CreateTopic(topicName, int32(partitions), nil),
		b.cluster.CreateTopic(outputTopic, 1, map[string]string{"cleanup.policy": "compact"}))
}

// close ends the broker. What a client of it keeps in idle connections ends some time later.
func (b *brokered) close() {
	b.client.Close()
	b.cluster.Close()
	time.Sleep(3 * time.Minute)
}

// send sends what is new of a feed.
func (b *brokered) send(f *feed) error {
	var records []*kgo.Record
	for p, all := range f.parts {
		for _, m := range all[b.sent[p]:] {
			records = append(records, &kgo.Record{Topic: topicName, Partition: int32(p), Key: m.key, Value: m.value})
		}
		b.sent[p] = len(all)
	}
	return b.client.ProduceSync(context.Background(), records...).FirstErr()
}

// access is how the daemon's clients reach it.
func (b *brokered) access(topic string, log *slog.Logger) kafkaclient.Config {
	return kafkaclient.Config{Brokers: b.cluster.ListenAddrs(), Topic: topic, Logger: log, Dial: b.wire.Dial,
		Reconnect: retry.Policy{Rand: func() float64 { return 0.5 }}}
}

// source is that of the daemon, on which the armed faults take effect.
func (b *brokered) source(r ingest.Resume, log *slog.Logger, a *armed) (ingest.Source, error) {
	s, err := kafkasrc.Open(context.Background(), kafkasrc.Config{Config: b.access(topicName, log), Source: sourceName}, r)
	if err != nil {
		return nil, err
	}
	return &armedSource{s.(ordered), b, a}, nil
}

type ordered interface {
	ingest.Source
	ingest.Ordered
}

type armedSource struct {
	ordered
	broker *brokered
	armed  *armed
}

func (s *armedSource) Next(ctx context.Context) (*ingest.Chunk, error) {
	if err := s.armed.read(false); err != nil {
		return nil, err
	}
	s.broker.strike(s.armed.reading())
	return s.ordered.Next(ctx)
}

// reading are the faults of connections that are due at the chunk that is asked for.
func (a *armed) reading() []*fault {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.at("asked", "connections-cut", "answers-lost", "broker-errs")
}

// strike lets faults happen to connections, or to what the broker answers.
func (b *brokered) strike(faults []*fault) {
	errs := []*kerr.Error{kerr.NotLeaderForPartition, kerr.KafkaStorageError, kerr.UnknownServerError, kerr.RequestTimedOut}
	for _, f := range faults {
		switch f.Do {
		case "connections-cut":
			b.wire.cut(1 + int(f.Draw%4))
		case "answers-lost":
			b.wire.lose(1 + int(f.Draw%4))
		case "broker-errs":
			b.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch, kmsg.ListOffsets, kmsg.Metadata}, Err: errs[f.Draw/4%4],
				Count: 1 + int(f.Draw%4)})
		}
	}
}

// deliver delivers all releases to a topic, by a process whose connections are cut now and then, and makes the newest one again.
func (b *brokered) deliver(w *inside) error {
	newest := w.archive.newest()
	if newest == "" {
		return nil
	}
	log := slog.New(slog.NewJSONHandler(w.log, nil))
	s, err := topic.Open(b.access(outputTopic, log), "chaos", 1_000_000)
	if err != nil {
		return err
	}
	b.wire.cut(2)
	_, err = deliver.Run(context.Background(), s, deliver.Options{FS: snapshot.OS(), Dir: w.archive.dir, Now: time.Now, Log: log,
		Patience: time.Hour, Reconnect: retry.Policy{}})
	if err := errors.Join(err, s.Close()); err != nil {
		return fmt.Errorf("deliver: %w", err)
	}
	all, err := topic.NewKeeping()
	if err != nil {
		return err
	}
	defer all.Close()
	if err := topic.Collect(context.Background(), b.access(outputTopic, log), all); err != nil {
		return err
	}
	_, last := all.Ends()
	out := filepath.Join(w.dir, "consumed")
	if _, err := all.Rebuild(last, out); err != nil || fmt.Sprintf("%06d", last) != newest {
		return fmt.Errorf("the newest release is %s, that of the topic %d: %w", newest, last, err)
	}
	return w.archive.equals(out, newest)
}

// wire is a network whose connections can be cut, and whose answers can be lost.
type wire struct {
	dial    func(context.Context, string, string) (net.Conn, error)
	mu      sync.Mutex
	open    []net.Conn
	refuse  int // so many attempts to connect
	swallow int // so many answers
}

func (w *wire) cut(refuse int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refuse = refuse
	for _, c := range w.open {
		_ = c.Close()
	}
	w.open = nil
}

func (w *wire) lose(answers int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.swallow = answers
}

// Dial connects, unless it is refused.
func (w *wire) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	refused := w.refuse > 0
	w.refuse = max(0, w.refuse-1)
	w.mu.Unlock()
	if refused {
		return nil, net.ErrClosed
	}
	up, err := w.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	near, far := net.Pipe()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = append(w.open, far, up)
	go w.pump(far, up, func() bool { return false })
	go w.pump(up, far, w.lost)
	return near, nil
}

func (w *wire) lost() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.swallow--
	return w.swallow >= 0
}

// pieceTakes is what each piece takes on its way.
const pieceTakes = 50_021 * time.Nanosecond

func (w *wire) pump(from, to net.Conn, lost func() bool) {
	defer from.Close()
	defer to.Close()
	piece := make([]byte, 1<<16)
	for {
		n, err := from.Read(piece)
		if err != nil {
			return
		}
		time.Sleep(pieceTakes)
		if lost() {
			continue
		}
		if _, err := to.Write(piece[:n]); err != nil {
			return
		}
	}
}
