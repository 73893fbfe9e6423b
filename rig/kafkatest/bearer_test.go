package kafkatest

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// tokenOf is an unsecured JSON Web Token (RFC 7515, appendix A.5): who is at the other end,
// and until when.
func tokenOf(user string, lasts time.Duration) []byte {
	part, now := base64.RawURLEncoding.EncodeToString, time.Now()
	return []byte(part([]byte(`{"alg":"none"}`)) + "." +
		part(fmt.Appendf(nil, `{"sub":%q,"iat":%d,"exp":%d}`, user, now.Unix()-1, now.Add(lasts).Unix())) + ".\n")
}

// bearerSite reads from the listener that wants tokens, with the token of a file.
func bearerSite(t testing.TB, p *topic, token []byte) *site {
	t.Helper()
	s := newSite(t, p)
	s.place("ca.pem", broker.Secured().CA.cert)
	s.place("token", token)
	return s.kafka(section{"brokers": []string{broker.Secured().BearerAddr},
		"tls": section{"enabled": true, "ca": "./ca.pem"}, "sasl": section{"mechanism": "oauthbearer", "token_file": "./token"}})
}

// replace writes a file in one step.
func (s *site) replace(name string, content []byte) {
	s.t.Helper()
	s.place(name+".new", content)
	require.NoError(s.t, os.Rename(filepath.Join(s.dir, name+".new"), filepath.Join(s.dir, name)))
}

// TestBearer logs in with tokens that last for some seconds: the broker closes a connection
// whose token has ended, so reading goes on only if each connection is replaced before. The
// rights are those of the subject of the token.
func TestBearer(t *testing.T) {
	chosen.Demand(t)
	needs(t, Bearer)
	t.Parallel()
	const lasts = 24 * time.Second // a connection is replaced in the last fifth: time enough on a busy machine
	c := superuser(t)
	p := newTopicAs(t, c, 1)
	p.write(0, people(0, 200)...)
	s := bearerSite(t, p, tokenOf("reader-token", lasts))
	run := s.start()
	require.Contains(t, run.await("source_disconnected", 1)["hint"], "grant Read")
	grant(t, c, "reader-token", right{kmsg.ACLResourceTypeTopic, p.name, kmsg.ACLOperationRead})
	run.await("source_connected", 1)
	s.sent(200)
	refused := len(run.events("source_disconnected"))
	for n, until := 200, time.Now().Add(2*lasts); time.Now().Before(until); n += 10 {
		s.replace("token", tokenOf("reader-token", lasts))
		p.write(0, people(n, 10)...)
		s.sent(n + 10)
		time.Sleep(lasts / 6)
	}
	require.Len(t, run.events("source_disconnected"), refused, "no token has ended before its connection: %s", run.log())
	sent := s.counts().Sent
	run.stop()
	s.settled(sent, 0)
}

// TestTokenThatHasEnded is final after half a minute; a new one is taken without a restart.
func TestTokenThatHasEnded(t *testing.T) {
	chosen.Demand(t)
	needs(t, Bearer)
	t.Parallel()
	c := superuser(t)
	p := newTopicAs(t, c, 1)
	p.write(0, people(0, 200)...)
	grant(t, c, "reader-token", right{kmsg.ACLResourceTypeTopic, p.name, kmsg.ACLOperationRead})
	ended := tokenOf("reader-token", -time.Minute)
	s := bearerSite(t, p, ended)
	run := s.start()
	hint := run.await("source_disconnected", 1)["hint"]
	require.Contains(t, hint, "refuses the token of OAUTHBEARER (invalid_token), which expired at ")
	s.replace("token", tokenOf("reader-token", time.Hour))
	run.await("source_connected", 1)
	s.sent(200)
	require.NotContains(t, run.log(), string(ended[:40]))
	run.stop()
	s.settled(200, 0)

	s.replace("token", ended)
	run = s.start().ends(1)
	run.says("refuses the token of OAUTHBEARER")
}
