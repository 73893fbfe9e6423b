package crashtest

import (
	"bytes"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// spoiledKafka is a broker that spoils a mark in whatever it sends, as a bad
// disk would: the batch with the mark permanently has a wrong checksum.
func spoiledKafka(t *testing.T, mark string) *kfake.Cluster {
	return startKafka(t, 2, kfake.ListenFn(func(network, address string) (net.Listener, error) {
		l, err := net.Listen(network, address)
		return spoilingListener{l, []byte(mark)}, err
	}))
}

type spoilingListener struct {
	net.Listener
	mark []byte
}

func (l spoilingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return spoilingConn{c, l.mark}, err
}

type spoilingConn struct {
	net.Conn
	mark []byte
}

func (c spoilingConn) Write(b []byte) (int, error) {
	if i := bytes.Index(b, c.mark); i >= 0 {
		b = bytes.Clone(b)
		b[i] ^= 1
	}
	return c.Conn.Write(b)
}

// TestPoisonBatch: two partitions, and in one of them a batch that can never be
// read. The other waits, since partitions are read in rounds of offsets (rule B, buckets); the batch is reported,
// and ends the process or is passed as the configuration says.
func TestPoisonBatch(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	c := spoiledKafka(t, "POISON")
	write := produceTo(t, c, kgo.ProducerBatchCompression(kgo.NoCompression()))
	write(0, patient(0), patient(1), patient(2))
	write(0, []byte(`{"id":"POISON"}`), patient(3), patient(4))
	write(0, patient(5), patient(6), patient(7))
	write(1, patient(10), patient(11), patient(12))
	s := newSite(t, clinic(fromKafka(c, ", stall_after: 3s")))
	p := s.start("run")
	p.waitFor(`"event":"source_stalled"`)
	p.until("status says so", func() bool { return s.status().Stalled })
	warned := func() int {
		return len(events(t, p.log.String(), "source_disconnected")) + len(events(t, p.log.String(), "source_retry"))
	}
	p.until("it is warned of again", func() bool { return warned() > 1 })
	p.until("what comes before it is read", func() bool { return s.status().Counts.Sent == 3 })
	require.Equal(t, 1, p.wait())
	assert.Contains(t, p.log.String(), "kafka:admissions partition 0: offsets 3 to 5 cannot be read: corrupt record batch at offset 3: "+
		"wrong checksum")
	assert.Contains(t, p.log.String(), "hint: check the partition and its producers")
	assert.Len(t, events(t, p.log.String(), "source_corrupt"), 1)

	s.write("anond.yaml", clinic(fromKafka(c, ", on_corrupt: skip")))
	p = s.start("run")
	p.until("it is passed", func() bool { return s.status().Counts.Sent == 9 })
	p.signal(syscall.SIGTERM)
	require.Equal(t, 0, p.wait())
	counts := s.status().Counts
	assert.Equal(t, map[string]int{"corrupt_batch": 3}, counts.Ignored, "a counted gap")
	assert.Equal(t, 9, counts.Published+counts.DeadLetter+counts.Pending["waiting"]+
		counts.Beyond+counts.Pending["infeasible"])

	p = s.start("run")
	p.until("it goes on", func() bool { return bytes.Contains([]byte(p.log.String()), []byte(`"event":"started"`)) })
	write(0, patient(20))
	p.until("what comes later is read", func() bool { return s.status().Counts.Sent == 10 })
	p.signal(syscall.SIGTERM)
	require.Equal(t, 0, p.wait())
	assert.Equal(t, map[string]int{"corrupt_batch": 3}, s.status().Counts.Ignored, "counted once")
}

// TestDecompressesTooFar: a small message that decompresses beyond memory.max_in_flight is
// a batch that cannot be read, and takes no memory.
func TestDecompressesTooFar(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	c := startKafka(t, 1)
	write := produceTo(t, c, kgo.ProducerBatchCompression(kgo.ZstdCompression()))
	write(0, patient(0), patient(1), patient(2))
	write(0, make([]byte, 80_000_000))
	write(0, patient(3))
	s := newSite(t, clinic(fromKafka(c, ", on_corrupt: skip")))
	p := s.start("run")
	p.until("it is passed", func() bool { return s.status().Counts.Sent == 4 })
	assert.Less(t, p.peak(), mostOverIdle)
	assert.Contains(t, p.log.String(), "decompresses to more than the 67108864 bytes of memory.max_in_flight")
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
	assert.Equal(t, map[string]int{"corrupt_batch": 1}, s.status().Counts.Ignored)
}
