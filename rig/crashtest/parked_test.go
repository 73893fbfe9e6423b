package crashtest

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheStateIsHeldUntilTheLastWriteEnds: the disk of the ledger hangs (a pipe
// that nobody reads), so a stop parks the release after its 30 s. The state stays
// locked as long as the write is in progress, and the next owner finishes the
// release.
func TestTheStateIsHeldUntilTheLastWriteEnds(t *testing.T) {
	chosen.Demand(t)
	t.Parallel() // it waits most of the time
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}"))
	s.write("in.csv", "id,age,city,ill\n")
	p := s.start("run")
	p.waitFor(`"event":"started"`)
	require.NoError(t, syscall.Mkfifo(s.path("ledger"), 0o600))
	s.append("in.csv", "p1,30,c1,d1\np2,31,c1,d2\np3,32,c1,d3\n")
	p.until("CURRENT names the release", func() bool {
		answerReader(s)
		return s.read("releases/CURRENT") != ""
	})
	p.signal(syscall.SIGTERM)
	p.until("the release is parked", func() bool {
		answerReader(s)
		return len(events(t, p.log.String(), "release_parked")) == 1
	})
	time.Sleep(300 * time.Millisecond) // what would end now, ends
	assert.Equal(t, 4, s.run("", "state", "check").code, "the state is given away with a write in progress")
	reader, err := os.OpenFile(s.path("ledger"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	assert.Equal(t, 0, p.wait())
	line := make([]byte, 1)
	n, _ := reader.Read(line)
	assert.Zero(t, n, "it was written after the release was parked")
	require.NoError(t, reader.Close())

	require.NoError(t, os.Remove(s.path("ledger")))
	p = s.start("run")
	p.waitFor(`"event":"release_published","release":1`)
	assert.Len(t, events(t, p.log.String(), "release_resumed"), 1)
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
	assert.Equal(t, 0, s.run("", "release", "verify").code)
	assert.Equal(t, 0, s.run("", "audit", "--require-certified").code)
}

// answerReader gives an empty ledger to a process that waits to read it.
func answerReader(s *site) {
	if f, err := os.OpenFile(s.path("ledger"), os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		_ = f.Close()
	}
}
