package kafkatest

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// right is one ACL.
type right struct {
	resource  kmsg.ACLResourceType
	name      string
	operation kmsg.ACLOperation
}

// rightsFor are the rights that docs/KAFKA.md says anond needs, and no others.
func rightsFor(topic, letters, group string) []right {
	return []right{
		{kmsg.ACLResourceTypeTopic, topic, kmsg.ACLOperationRead},
		{kmsg.ACLResourceTypeGroup, group, kmsg.ACLOperationRead},
		{kmsg.ACLResourceTypeTopic, letters, kmsg.ACLOperationWrite},
	}
}

// superuser is a client that may do everything on the secured listener.
func superuser(t testing.TB) *kgo.Client {
	t.Helper()
	s := broker.Secured()
	return clientAt(t, []string{s.Addr}, kgo.DialTLSConfig(&tls.Config{RootCAs: s.CA.pool()}),
		kgo.SASL(scram.Auth{User: admin, Pass: adminPassword}.AsSha512Mechanism()))
}

func grant(t testing.TB, c *kgo.Client, user string, r right) {
	t.Helper()
	req := kmsg.NewPtrCreateACLsRequest()
	req.Creations = []kmsg.CreateACLsRequestCreation{{ResourceType: r.resource, ResourceName: r.name,
		ResourcePatternType: kmsg.ACLResourcePatternTypeLiteral,
		Principal:           "User:" + user, Host: "*", Operation: r.operation, PermissionType: kmsg.ACLPermissionTypeAllow}}
	res, err := req.RequestWith(wait(t), c)
	require.NoError(t, err)
	require.NoError(t, kerr.ErrorForCode(res.Results[0].ErrorCode))
}

// securedSite reads from the secured listener, with its dead letters on a topic
// unless that is empty.
func securedSite(t testing.TB, p *topic, letters, mechanism, user string) *site {
	t.Helper()
	s := newSite(t, p)
	s.place("ca.pem", broker.Secured().CA.cert)
	if letters != "" {
		s.config["dead_letter"] = section{"type": "topic", "topic": letters}
	}
	return s.kafka(section{"brokers": []string{broker.Secured().Addr},
		"tls": section{"enabled": true, "ca": "./ca.pem"}, "sasl": section{"mechanism": mechanism, "username": user, "password": userPassword}})
}

func (s *site) place(name string, content []byte) {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(filepath.Join(s.dir, name), content, 0o600))
}

// TestRights runs under SCRAM over TLS with exactly the documented rights, which
// come one by one: until the last one is there, anond waits and names it.
func TestRights(t *testing.T) {
	chosen.Demand(t)
	needs(t, Secure)
	t.Parallel()
	for mechanism, user := range map[string]string{"scram-sha-256": "reader-256", "scram-sha-512": "reader-512"} {
		t.Run(mechanism, func(t *testing.T) {
			t.Parallel()
			c := superuser(t)
			p, letters, group := newTopicAs(t, c, 2), newTopicAs(t, c, 1), unique("lease")
			p.write(0, people(0, 200)...)
			p.write(1, broken(5)...)
			s := securedSite(t, p, letters.name, mechanism, user)
			s.kafka(section{"assignment": "group", "group": group, "session_timeout": sessionTimeout})
			rights := rightsFor(p.name, letters.name, group)
			run := s.start()
			require.Contains(t, run.await("source_disconnected", 1)["hint"], "grant Read")
			grant(t, c, user, rights[1]) // the group first: it is asked first
			grant(t, c, user, rights[0])
			run.await("source_lease_acquired", 1)
			s.sent(205)
			require.Contains(t, run.await("dead_letter_failed", 1)["error"], "grant Write")
			grant(t, c, user, rights[2])
			require.Eventually(t, func() bool { return s.counts().Outbox == 0 }, patience, poll, "letters delivered")
			run.stop()
			s.settled(205, 5)
			keys, _ := letters.values()
			require.Len(t, distinct(keys), 5)
			require.Equal(t, map[int32]int64{0: 200, 1: 5}, p.committed(group, 2))
		})
	}
}

// TestWrongPassword is final after half a minute.
func TestWrongPassword(t *testing.T) {
	chosen.Demand(t)
	needs(t, Secure)
	needs(t, Refuse)
	t.Parallel()
	p := newTopicAs(t, superuser(t), 1)
	s := securedSite(t, p, "", "scram-sha-256", "reader-256")
	s.kafka(section{"sasl": section{"mechanism": "scram-sha-256", "username": "reader-256", "password": "not-the-password"}})
	run := s.start().ends(1)
	require.Contains(t, run.await("source_disconnected", 1)["hint"], "check sasl.mechanism, username and password")
	require.NotContains(t, run.log(), "not-the-password")
	run.says("kafka refuses this client")
}

// TestWrongAuthority has a broker whose certificate nobody vouches for.
func TestWrongAuthority(t *testing.T) {
	chosen.Demand(t)
	needs(t, Secure)
	t.Parallel()
	p := newTopicAs(t, superuser(t), 1)
	s := securedSite(t, p, "", "scram-sha-256", "reader-256")
	other, err := newAuthority()
	require.NoError(t, err)
	s.place("ca.pem", other.cert)
	run := s.start()
	require.Contains(t, run.await("source_disconnected", 1)["hint"], "check tls.ca")
	run.stop()
}

// TestMutualTLS proves who anond is by a certificate; a client without one is
// turned away by the broker.
func TestMutualTLS(t *testing.T) {
	chosen.Demand(t)
	needs(t, Mutual)
	t.Parallel()
	c := superuser(t)
	p := newTopicAs(t, c, 1)
	p.write(0, people(0, 200)...)
	grant(t, c, "CN=reader-tls", right{kmsg.ACLResourceTypeTopic, p.name, kmsg.ACLOperationRead})
	s := newSite(t, p)
	s.place("ca.pem", broker.Secured().CA.cert)
	s.place("cert.pem", broker.Secured().Client.cert)
	s.place("key.pem", broker.Secured().Client.key)
	s.kafka(section{"brokers": []string{broker.Secured().MutualAddr},
		"tls": section{"enabled": true, "ca": "./ca.pem", "cert": "./cert.pem", "key": "./key.pem"}})
	s.once().ends(0)
	s.settled(200, 0)
}
