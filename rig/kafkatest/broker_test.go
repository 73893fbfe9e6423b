package kafkatest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/internal/testkit/programtest"
)

// Broker is what the suite runs against.
type Broker interface {
	// Name says which broker it is, and which version of it.
	Name() string
	// Addrs are the listeners without encryption and passwords, where everybody may
	// do everything.
	Addrs() []string
	// Lacks says why the broker cannot do something, or "".
	Lacks(Ability) string
	// Kill ends the broker as a power cut of its process would; Start starts it
	// again with the same address and data, and returns when it answers.
	Kill() error
	Start() error
	// Secured is a listener that speaks TLS and wants a password.
	Secured() Secured
	// Compact has the cleaner run soon.
	Compact()
	Close() error
}

// Ability is something that not every broker can do.
type Ability string

const (
	Restart Ability = "restart" // Kill and Start
	Secure  Ability = "secure"  // Secured
	Mutual  Ability = "mutual"  // Secured.MutualAddr
	Bearer  Ability = "bearer"  // Secured.BearerAddr
	Refuse  Ability = "refuse"  // says that a password is wrong
	Several Ability = "several" // is a cluster of several nodes (nodes)
)

// Secured is a listener with TLS and SASL SCRAM, on a broker that denies what no
// ACL allows. User admin may do everything; users reader-256 and reader-512
// exist under the mechanism of that name and may do nothing.
type Secured struct {
	Addr       string // TLS and SCRAM
	MutualAddr string // TLS and a client certificate
	BearerAddr string // TLS and OAUTHBEARER; takes unsecured JSON Web Tokens
	CA         certificate
	Client     certificate // signed by CA
}

// The users of Secured.
const (
	admin         = "admin"
	adminPassword = "admin-secret"
	userPassword  = "reader-secret"
)

// broker is what the tests of this process share. It belongs to TestMain.
var broker Broker

// anond is the path of the binary under test, made by TestMain.
var anond string

func TestMain(m *testing.M) {
	os.Exit(runSuite(m))
}

func runSuite(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "kafkatest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if anond, err = programtest.Build(dir, "anond-deliver"); err == nil {
		broker, err = chooseBroker(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the suite cannot start:", err)
		return 1
	}
	defer func() {
		if err := broker.Close(); err != nil && code == 0 {
			fmt.Fprintln(os.Stderr, "the broker does not stop:", err)
			code = 1
		}
	}()
	fmt.Println("broker:", broker.Name())
	return m.Run()
}

func chooseBroker(dir string) (Broker, error) {
	switch jars, nodes := os.Getenv("KAFKA_JARS"), os.Getenv("KAFKA_NODES"); {
	case jars != "" && nodes == "3":
		return startCluster(jars, dir)
	case nodes != "":
		return nil, fmt.Errorf("KAFKA_NODES is %q; only 3, together with KAFKA_JARS, has a meaning", nodes)
	case jars != "":
		return startApache(jars, dir)
	}
	if addr := os.Getenv("KAFKA_BROKERS"); addr != "" {
		return given(addr), nil
	}
	return startFake(dir)
}

// needs skips the test if the broker cannot do something.
func needs(t *testing.T, a Ability) {
	t.Helper()
	if why := broker.Lacks(a); why != "" {
		t.Skip(why)
	}
}

// given is a broker that was started elsewhere.
type given string

func (g given) Name() string    { return "the broker at " + string(g) }
func (g given) Addrs() []string { return strings.Split(string(g), ",") }
func (g given) Lacks(a Ability) string {
	return "the broker of KAFKA_BROKERS is not ours to " + string(a)
}
func (g given) Kill() error      { return fmt.Errorf("not ours") }
func (g given) Start() error     { return fmt.Errorf("not ours") }
func (g given) Secured() Secured { return Secured{} }
func (g given) Compact()         {}
func (g given) Close() error     { return nil }

// client returns a franz-go client of the open listener.
func client(t testing.TB, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	if _, several := broker.(*cluster); several {
		opts = append(ofCluster(), opts...)
	}
	return clientAt(t, broker.Addrs(), opts...)
}

func clientAt(t testing.TB, addrs []string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(addrs...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.MetadataMinAge(minMetadataAge)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// answers reports whether a broker answers at an address.
func answers(ctx context.Context, addr string) error {
	c, err := kgo.NewClient(kgo.SeedBrokers(addr))
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Ping(ctx)
}
