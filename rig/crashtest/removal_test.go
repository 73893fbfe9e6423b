package crashtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leaving is a site with a window of two releases, which has made two; with the next one the people of the first leave.
func leaving(t *testing.T) *site {
	s := newSite(t, clinic(csvFile))
	s.edit("level: L1, max_hold: 0s}", "max_hold: 0s}\ninitial: {min_pool: 9}")
	s.edit("release: {", "release: {window: 2, ")
	s.write("in.csv", "id,age,city,ill\n"+marked(0, 300))
	s.once()
	s.append("in.csv", marked(300, 200))
	s.once()
	require.Equal(t, "000002\n", s.read("releases/CURRENT"))
	s.append("in.csv", marked(500, 200))
	return s
}

// left starts the program on what a kill has left: who was to leave has left, once, and nobody else.
func (s *site) left(when string) {
	s.t.Helper()
	s.once()
	require.Equal(s.t, "000003\n", s.read("releases/CURRENT"), when)
	var c struct {
		Sent, Published, Expired int
		Pending                  map[string]int
	}
	var status struct{ Counts json.RawMessage }
	require.NoError(s.t, json.Unmarshal([]byte(s.read("state/status.json")), &status))
	require.NoError(s.t, json.Unmarshal(status.Counts, &c))
	assert.Equal(s.t, 700, c.Sent, when)
	waiting := 0
	for _, n := range c.Pending {
		waiting += n
	}
	assert.Equal(s.t, 700, c.Published+c.Expired+waiting, when)
	assert.Equal(s.t, 297, c.Expired, "%s: three of the first ones waited for others", when)
	require.Zero(s.t, s.run("", "state", "check").code, when)
	require.Zero(s.t, s.run("", "release", "verify").code, when)
	s.certified()
}

// TestAKillAtARemoval: kill -9 before and behind the removal by which people leave the state with their part.
func TestAKillAtARemoval(t *testing.T) {
	chosen.Demand(t)
	site := leaving(t)
	for _, step := range []string{"removing", "removed"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			s := site.another(t)
			s.killedAt(step, childRuns+"=1")
			s.left(step)
		})
	}
}

// TestAKillAroundAnExpiry kills the real program while it makes the release that a part leaves, and removes its people.
func TestAKillAroundAnExpiry(t *testing.T) {
	chosen.Demand(t)
	site := leaving(t)
	for i := range 12 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			s := site.another(t)
			p := s.start("run", "--once")
			time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond) // moves the kill about
			_ = p.Signal(syscall.SIGKILL)
			p.wait()
			s.left("random")
		})
	}
}
