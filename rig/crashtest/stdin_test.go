package crashtest

import (
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStandardInputAfterAKill: what was committed stays and counts once; what
// was not has to be fed again, and what is fed again counts again, but no person
// is published twice.
func TestStandardInputAfterAKill(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic("{type: stdin, format: csv}"))
	const head, people = "id,age,city,ill\n", "p1,30,c1,d1\np2,31,c1,d2\np3,32,c1,d3\np4,33,c1,d4\n"
	read, in, err := os.Pipe()
	require.NoError(t, err)
	defer in.Close()
	p := s.startWith(read, "run")
	require.NoError(t, read.Close())
	_, err = io.WriteString(in, head+people)
	require.NoError(t, err)
	p.until("two people or more are read", func() bool { return s.status().Counts.Sent >= 2 })
	p.signal(syscall.SIGKILL)
	p.wait()

	r := s.run(head+people, "run")
	require.Equal(t, 0, r.code, r.stderr)
	c := s.status().Counts
	assert.Equal(t, c.Sent, c.Published+c.Pending["waiting"]+c.Beyond+c.DeadLetter)
	assert.GreaterOrEqual(t, c.Sent, 4)
	assert.LessOrEqual(t, c.Sent, 8)
	assert.Equal(t, 4, c.Published, "each person once")
	assert.Equal(t, c.Sent-4, c.Beyond)
	assert.Equal(t, 0, s.run("", "audit").code)
}
