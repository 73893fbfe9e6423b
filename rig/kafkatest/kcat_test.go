package kafkatest

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// kcat runs the command-line client of librdkafka, the foreign party: it shares
// no code with anond's client or the suite's.
func kcat(t testing.TB, stdin []byte, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("kcat")
	if err != nil {
		t.Skip("kcat is not installed (Debian: kcat)")
	}
	var out, errs bytes.Buffer
	c := exec.CommandContext(wait(t), path, append([]string{"-b", strings.Join(broker.Addrs(), ",")}, args...)...)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(stdin), &out, &errs
	require.NoError(t, c.Run(), "kcat %v: %s", args, errs.String())
	return out.String()
}

// TestForeignParty has librdkafka write, in every codec and in idempotent mode,
// and read the dead letters.
func TestForeignParty(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p, letters := newTopic(t, 1), newTopic(t, 1)
	codecs := []string{"none", "gzip", "snappy", "lz4", "zstd"}
	for i, codec := range codecs {
		kcat(t, bytes.Join(people(i*1000, 200), []byte("\n")), "-P", "-t", p.name, "-p", "0", "-z", codec, "-X", "enable.idempotence=true")
	}
	kcat(t, bytes.Join(broken(7), []byte("\n")), "-P", "-t", p.name, "-p", "0")
	s := newSite(t, p)
	s.config["dead_letter"] = section{"type": "topic", "topic": letters.name}
	s.save()
	s.once().ends(0)
	s.settled(200*len(codecs)+7, 7)

	got := strings.Fields(kcat(t, nil, "-C", "-t", letters.name, "-o", "beginning", "-e", "-q", "-f", "%k\n"))
	require.Len(t, got, 7)
	require.Equal(t, "kafka:"+p.name+":0:1000", got[0], "the key finds the record at its source")
}
