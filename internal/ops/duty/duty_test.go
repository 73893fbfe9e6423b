package duty

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// handClock is moved by a test.
type handClock struct {
	mu    sync.Mutex
	now   time.Time
	ticks chan time.Time
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *handClock) Ticker(time.Duration) (<-chan time.Time, func()) { return c.ticks, func() {} }

// TestLive: what takes longer than it said is stuck, a wait never is.
func TestLive(t *testing.T) {
	c := &handClock{now: time.Unix(100, 0)}
	d := NewDuty("1", c)
	live := func() bool { ok, _ := d.Live(); return ok }
	c.move(time.Hour)
	assert.True(t, live(), "nothing has begun")
	d.Does("writing", time.Minute)
	c.move(time.Minute)
	assert.True(t, live())
	assert.True(t, d.Sight("x").Working)
	c.move(time.Second)
	assert.False(t, live())
	_, why := d.Live()
	assert.Equal(t, "writing has made no progress for 1m1s", why)
	assert.False(t, d.Sight("x").Live)
	d.Does("writing", time.Minute)
	assert.True(t, live(), "it has begun something else")
	d.Does("", 0)
	c.move(time.Hour)
	assert.True(t, live())
	assert.False(t, d.Sight("x").Working)
	assert.Equal(t, Running, d.Phase())
	d.Ends()
	assert.Equal(t, Ending, d.Phase())
}

// TestWatch: page and file have one status, that of the newest second; the last one is written at the
// end. A file that cannot be written is logged once, and stops nothing.
func TestWatch(t *testing.T) {
	type status struct{ N int }
	c := &handClock{now: time.Unix(100, 0), ticks: make(chan time.Time)}
	d := NewDuty("1", c)
	log := d.Log(slog.New(slog.DiscardHandler))
	n := 0
	var now, other atomic.Pointer[status]
	path := filepath.Join(t.TempDir(), "status.json")
	end := Watch(d, path, log, func(time.Time) status { n++; return status{n} }, &now)
	lost := Watch(d, filepath.Join(path, "no"), log, func(time.Time) status { return status{} }, &other)
	require.Equal(t, 1, now.Load().N)
	lost()
	c.ticks <- time.Time{}
	c.ticks <- time.Time{}
	end()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var have status
	require.NoError(t, json.Unmarshal(text, &have))
	assert.Equal(t, *now.Load(), have)
	assert.Equal(t, 4, have.N)
	_, events := d.Counts()
	assert.EqualValues(t, 1, events["status_failed"])
}
