package chaos

import (
	"context"
	"crypto/pbkdf2"
	"crypto/sha512"
	"errors"
	"net"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"anond/internal/testkit/programtest"
)

// The topics of a broker, and the consumer group that leases the first.
const (
	topicName   = "people"
	letterTopic = "refused"
	outputTopic = "releases" // of anond-deliver
	group       = "publishers"
)

// broker is kfake behind a proxy. It keeps its data in files, so that it can be stopped
// and started.
type broker struct {
	dir        string
	partitions int
	secret     string // the password of anond; empty: none is asked for
	proxy      *proxy
	cluster    *kfake.Cluster
	direct     string // where the harness reaches it, past the proxy
	client     *kgo.Client
}

func startBroker(dir string, partitions int, secret string) (*broker, error) {
	p, err := newProxy()
	if err != nil {
		return nil, err
	}
	b := &broker{dir: dir, partitions: partitions, secret: secret, proxy: p}
	if err := b.start(); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	if err := b.cluster.CreateTopic(topicName, int32(partitions), nil); err != nil {
		return nil, err
	}
	if err := b.cluster.CreateTopic(outputTopic, 2, map[string]string{"cleanup.policy": "compact"}); err != nil {
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
	cluster, err := kfake.NewCluster(append(b.users(), kfake.NumBrokers(1), kfake.DataDir(b.dir), kfake.ListenFn(listen))...)
	if err != nil {
		return err
	}
	b.cluster = cluster
	direct := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, b.direct)
	}
	options := []kgo.Opt{kgo.SeedBrokers(b.direct), kgo.Dialer(direct), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{letterTopic: {0: kgo.NewOffset().AtStart()}})}
	if b.secret != "" {
		options = append(options, kgo.SASL(scram.Auth{User: ownUser, Pass: ownUser}.AsSha512Mechanism()))
	}
	b.client, err = kgo.NewClient(options...)
	return err
}

// Users of a broker that asks for passwords: the harness, and anond.
const (
	ownUser   = "harness"
	anondUser = "anond"
	mechanism = "SCRAM-SHA-512"
)

// users are what the cluster knows of its users.
func (b *broker) users() []kfake.Opt {
	if b.secret == "" {
		return nil
	}
	return []kfake.Opt{kfake.EnableSASL(), kfake.Superuser(mechanism, ownUser, ownUser), kfake.User(mechanism, anondUser, b.secret)}
}

// replaceSecret gives anond another password.
func (b *broker) replaceSecret(secret string) error {
	const rounds = 4096
	salt := []byte("salt of the harness")
	salted, err := pbkdf2.Key(sha512.New, secret, salt, rounds, sha512.Size)
	if err != nil {
		return err
	}
	req := kmsg.NewPtrAlterUserSCRAMCredentialsRequest()
	up := kmsg.NewAlterUserSCRAMCredentialsRequestUpsertion()
	up.Name, up.Mechanism, up.Iterations, up.Salt, up.SaltedPassword = anondUser, 2, rounds, salt, salted
	req.Upsertions = append(req.Upsertions, up)
	ctx, cancel := programtest.WithPatience(context.Background(), patience, context.DeadlineExceeded)
	defer cancel()
	res, err := req.RequestWith(ctx, b.client)
	if err != nil {
		return err
	}
	b.secret = secret
	return kerr.ErrorForCode(res.Results[0].ErrorCode)
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
		records = append(records, &kgo.Record{Topic: topicName, Partition: int32(p), Key: m.key, Value: m.value})
	}
	ctx, cancel := programtest.WithPatience(context.Background(), patience, context.DeadlineExceeded)
	defer cancel()
	return b.client.ProduceSync(ctx, records...).FirstErr()
}

// letters reads the topic of dead letters.
func (b *broker) letters() (out [][]byte, err error) {
	end := int(b.cluster.PartitionInfo(letterTopic, 0).HighWatermark)
	ctx, cancel := programtest.WithPatience(context.Background(), patience, context.DeadlineExceeded)
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

// part is what a shard reads of a feed: the partitions whose number modulo the shards is its own.
func (f *feed) part(index, of int) *feed {
	out := *f
	out.parts, out.whole, out.index, out.of = make([][]message, len(f.parts)), f, index, of
	return &out
}

// reads reports whether a partition is one of the shard.
func (f *feed) reads(p int) bool {
	return f.whole == nil || p%f.of == f.index || f.strays && p == (f.index+1)%f.of
}

// refresh takes in what was sent since.
func (f *feed) refresh() {
	for p := range f.parts {
		if f.reads(p) {
			f.parts[p] = f.whole.parts[p]
		}
	}
	f.persons = f.whole.persons
}

// place is the partition to which the key of a person leads, by a library that anond has no part in.
func (f *feed) place(person int) int {
	return placing.Partition(&kgo.Record{Key: []byte(subjectOf(person))}, len(f.parts))
}

var placing = kgo.StickyKeyPartitioner(nil).ForTopic(topicName) // with a key: Kafka's hash of it

// mine is the first person from a number on who is in this shard.
func (f *feed) mine(person int) int {
	for f.whole != nil && f.place(person)%f.of != f.index {
		person++
	}
	return person
}
