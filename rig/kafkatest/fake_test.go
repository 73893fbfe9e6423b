package kafkatest

import (
	"crypto/tls"
	"errors"
	"net"
	"path/filepath"
	"strconv"

	"github.com/twmb/franz-go/pkg/kfake"
)

// fake is kfake, the broker inside this process. It keeps its data in files, so
// that it can be stopped and started. A listener of kfake is a cluster of its
// own, and so is the secured one.
type fake struct {
	dir     string
	addr    string
	cluster *kfake.Cluster
	locked  *kfake.Cluster
	secured Secured
}

func startFake(dir string) (Broker, error) {
	ports, err := freePorts(1)
	if err != nil {
		return nil, err
	}
	f := &fake{dir: filepath.Join(dir, "kfake"), addr: ports[0]}
	if err := f.Start(); err != nil {
		return nil, err
	}
	ca, err := newAuthority()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	own, err := ca.sign("broker")
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	f.locked, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.TLS(&tls.Config{Certificates: []tls.Certificate{own.pair}}),
		kfake.EnableSASL(), kfake.EnableACLs(),
		kfake.Superuser("SCRAM-SHA-512", admin, adminPassword), kfake.User("SCRAM-SHA-256", "reader-256", userPassword),
		kfake.User("SCRAM-SHA-512", "reader-512", userPassword))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	f.secured = Secured{Addr: f.locked.ListenAddrs()[0], CA: ca}
	return f, nil
}

func (f *fake) Name() string     { return "kfake" }
func (f *fake) Addrs() []string  { return []string{f.addr} }
func (f *fake) Secured() Secured { return f.secured }
func (f *fake) Compact()         { f.cluster.Compact() }

func (f *fake) Lacks(a Ability) string {
	return map[Ability]string{
		Mutual:  "kfake does not take a client certificate for a user",
		Bearer:  "kfake knows no tokens",
		Several: "kfake neither elects nor replicates: make test-kafka-cluster",
		Refuse:  "kfake closes the connection where Kafka says that the password is wrong",
	}[a]
}

// Kill closes the cluster: it lives in this process and cannot be killed alone.
func (f *fake) Kill() error {
	f.cluster.Close()
	return nil
}

func (f *fake) Start() error {
	_, port, err := net.SplitHostPort(f.addr)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	f.cluster, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(n), kfake.DataDir(f.dir))
	return err
}

func (f *fake) Close() error {
	if f.cluster != nil {
		f.cluster.Close()
	}
	if f.locked != nil {
		f.locked.Close()
	}
	return nil
}
