package kafkatest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// apache is a single Apache Kafka node in KRaft mode: a Java process on loopback.
type apache struct {
	jars, dir string
	version   string
	open      string // addresses of its listeners
	secured   Secured
	process   *exec.Cmd
	exited    chan struct{}
}

// startFor bounds how long a broker may take until it answers.
const startFor = time.Minute

func startApache(jars, dir string) (Broker, error) {
	a := &apache{jars: jars, dir: filepath.Join(dir, "kafka")}
	if err := a.prepare(); err != nil {
		return nil, err
	}
	if err := a.Start(); err != nil {
		return nil, err
	}
	return a, nil
}

// prepare finds the version, draws ports, makes certificates and formats the
// log directory.
func (a *apache) prepare() error {
	found, err := filepath.Glob(filepath.Join(a.jars, "kafka_2.13-*.jar"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("KAFKA_JARS=%s: no kafka_2.13-VERSION.jar (%w)", a.jars, errors.Join(err))
	}
	a.version = regexp.MustCompile(`kafka_2\.13-(.*)\.jar$`).FindStringSubmatch(found[0])[1]
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	if err := a.certificates(); err != nil {
		return err
	}
	ports, err := freePorts(4)
	if err != nil {
		return err
	}
	a.open, a.secured.Addr, a.secured.MutualAddr = ports[1], ports[2], ports[3]
	if err := os.WriteFile(a.config(), []byte(a.properties(ports[0])), 0o600); err != nil {
		return err
	}
	id, err := a.java("kafka.tools.StorageTool", "random-uuid").Output()
	if err != nil {
		return fmt.Errorf("java: %w", err)
	}
	lines := strings.Fields(string(id))
	args := []string{"format", "-t", lines[len(lines)-1], "-c", a.config()}
	for user, mechanism := range map[string]string{admin: "SCRAM-SHA-512", "reader-256": "SCRAM-SHA-256", "reader-512": "SCRAM-SHA-512"} {
		password := userPassword
		if user == admin {
			password = adminPassword
		}
		args = append(args, "--add-scram", fmt.Sprintf("%s=[name=%s,password=%s]", mechanism, user, password))
	}
	if out, err := a.java("kafka.tools.StorageTool", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("format: %w: %s", err, out)
	}
	return nil
}

func (a *apache) certificates() (err error) {
	if a.secured.CA, err = newAuthority(); err != nil {
		return err
	}
	own, err := a.secured.CA.sign("broker")
	if err != nil {
		return err
	}
	if a.secured.Client, err = a.secured.CA.sign("reader-tls"); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(a.dir, "broker.pem"), slicesJoin(own.key, own.cert), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(a.dir, "ca.pem"), a.secured.CA.cert, 0o600)
}

func slicesJoin(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func (a *apache) config() string { return filepath.Join(a.dir, "server.properties") }

// properties is one configuration for Kafka 3.9 and 4: a static quorum of one.
// Topics are never made by accident, and nothing is allowed to users without an
// ACL. Faster than by default: the cleaner, groups, which form at once, and a
// killed broker, which may register again after 2 s instead of 9 s.
func (a *apache) properties(controller string) string {
	return strings.NewReplacer("$CONTROLLER", controller, "$OPEN", a.open, "$SAFE", a.secured.Addr,
		"$MUTUAL", a.secured.MutualAddr, "$DIR", a.dir).Replace(`
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@$CONTROLLER
listeners=PLAINTEXT://$OPEN,SAFE://$SAFE,MUTUAL://$MUTUAL,CONTROLLER://$CONTROLLER
advertised.listeners=PLAINTEXT://$OPEN,SAFE://$SAFE,MUTUAL://$MUTUAL
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SAFE:SASL_SSL,MUTUAL:SSL
log.dirs=$DIR/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.min.isr=1
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=2000
broker.heartbeat.interval.ms=400
log.cleaner.backoff.ms=100
log.cleaner.dedupe.buffer.size=8388608
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:admin
sasl.enabled.mechanisms=SCRAM-SHA-256,SCRAM-SHA-512
listener.name.safe.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.safe.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
ssl.keystore.type=PEM
ssl.keystore.location=$DIR/broker.pem
ssl.truststore.type=PEM
ssl.truststore.location=$DIR/ca.pem
listener.name.mutual.ssl.client.auth=required
`)
}

// java is a Java process with Kafka's classes. The JVM may use half a gigabyte
// and compiles lightly: it starts more often than it serves.
func (a *apache) java(class string, args ...string) *exec.Cmd {
	c := exec.Command("java", append([]string{"-Xmx512m", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(a.jars, "*"), class}, args...)...)
	dieWithUs(c)
	return c
}

func (a *apache) Name() string         { return "Apache Kafka " + a.version }
func (a *apache) Addr() string         { return a.open }
func (a *apache) Secured() Secured     { return a.secured }
func (a *apache) Lacks(Ability) string { return "" }
func (a *apache) Compact()             {} // the cleaner runs all the time

// Start starts the process and waits until it answers.
func (a *apache) Start() error {
	log, err := os.OpenFile(filepath.Join(a.dir, "kafka.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	a.process, a.exited = a.java("kafka.Kafka", a.config()), make(chan struct{})
	a.process.Stdout, a.process.Stderr = log, log
	if err := a.process.Start(); err != nil {
		return err
	}
	go func() { _ = a.process.Wait(); close(a.exited) }()
	ctx, cancel := context.WithTimeout(context.Background(), startFor)
	defer cancel()
	for {
		err := answers(ctx, a.open)
		if err == nil {
			return nil
		}
		select {
		case <-a.exited:
			return fmt.Errorf("the broker ended: %s", a.complaints())
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("the broker does not answer: %w: %s", err, a.complaints()), a.Kill())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// complaints are the lines of the broker's log that say why it ended.
func (a *apache) complaints() string {
	text, _ := os.ReadFile(filepath.Join(a.dir, "kafka.log"))
	return strings.Join(regexp.MustCompile(`(?m)^.*(ERROR|FATAL|Caused by|Exception: ).*$`).FindAllString(string(text), 20), "\n")
}

// Kill sends SIGKILL and waits for the end.
func (a *apache) Kill() error {
	err := a.process.Process.Kill()
	<-a.exited
	return err
}

func (a *apache) Close() error {
	select {
	case <-a.exited:
		return nil
	default:
		return a.Kill()
	}
}

// freePorts returns addresses on loopback that were free a moment ago.
func freePorts(n int) ([]string, error) {
	var addrs []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		addrs = append(addrs, l.Addr().String())
	}
	return addrs, nil
}
