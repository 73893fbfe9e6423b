package kafkatest

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// apache is a single Apache Kafka node in KRaft mode, with a second listener that
// speaks TLS and wants a password, a third that wants a certificate, and a fourth that wants
// a token.
type apache struct {
	node
	name    string
	secured Secured
}

func startApache(jars, dir string) (Broker, error) {
	a := &apache{node: node{jars: jars, dir: filepath.Join(dir, "kafka"), heap: "512m"}}
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
	version, err := a.version()
	if err != nil {
		return err
	}
	a.name = "Apache Kafka " + version
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	if err := a.certificates(); err != nil {
		return err
	}
	ports, err := freePorts(5)
	if err != nil {
		return err
	}
	a.open, a.secured.Addr, a.secured.MutualAddr, a.secured.BearerAddr = ports[1], ports[2], ports[3], ports[4]
	var users []string
	for user, mechanism := range map[string]string{admin: "SCRAM-SHA-512", "reader-256": "SCRAM-SHA-256", "reader-512": "SCRAM-SHA-512"} {
		password := userPassword
		if user == admin {
			password = adminPassword
		}
		users = append(users, "--add-scram", fmt.Sprintf("%s=[name=%s,password=%s]", mechanism, user, password))
	}
	return a.format(newClusterID(), a.properties(ports[0]), users...)
}

// newClusterID is an identifier as Kafka makes it: 16 bytes in URL-safe base64.
func newClusterID() string {
	id := make([]byte, 16)
	rand.Read(id)
	id[0] &= 0x7f // no leading -, which the command line would take for an option
	return base64.RawURLEncoding.EncodeToString(id)
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

// properties is one configuration for Kafka 3.9 and 4: a static quorum of one.
// Topics are never made by accident, and nothing is allowed to users without an
// ACL. Faster than by default: the cleaner, groups, which form at once, and a
// killed broker, which may register again after 2 s instead of 9 s. Tokens are checked as
// Kafka does without further classes: they need a subject and an end, and no signature.
func (a *apache) properties(controller string) string {
	return strings.NewReplacer("$CONTROLLER", controller, "$OPEN", a.open, "$SAFE", a.secured.Addr,
		"$MUTUAL", a.secured.MutualAddr, "$BEARER", a.secured.BearerAddr, "$DIR", a.dir).Replace(`
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@$CONTROLLER
listeners=PLAINTEXT://$OPEN,SAFE://$SAFE,MUTUAL://$MUTUAL,BEARER://$BEARER,CONTROLLER://$CONTROLLER
advertised.listeners=PLAINTEXT://$OPEN,SAFE://$SAFE,MUTUAL://$MUTUAL,BEARER://$BEARER
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SAFE:SASL_SSL,MUTUAL:SSL,BEARER:SASL_SSL
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
listener.name.bearer.sasl.enabled.mechanisms=OAUTHBEARER
listener.name.bearer.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;
listener.name.safe.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.safe.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
ssl.keystore.type=PEM
ssl.keystore.location=$DIR/broker.pem
ssl.truststore.type=PEM
ssl.truststore.location=$DIR/ca.pem
listener.name.mutual.ssl.client.auth=required
`)
}

func (a *apache) Name() string     { return a.name }
func (a *apache) Addrs() []string  { return []string{a.open} }
func (a *apache) Secured() Secured { return a.secured }
func (a *apache) Lacks(b Ability) string {
	if b == Several {
		return "a single node neither elects nor replicates: make test-kafka-cluster"
	}
	return ""
}
func (a *apache) Compact() {} // the cleaner runs all the time
