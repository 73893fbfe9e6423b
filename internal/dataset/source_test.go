package dataset

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/internal/clock"
	"anond/internal/testkit/eventtest"
)

// handClock has tickers that tick by hand; it notes what was asked for.
type handClock struct {
	clock.Clock
	ticks   chan time.Time
	asked   time.Duration
	stopped chan bool
}

func (c *handClock) Ticker(d time.Duration) (<-chan time.Time, func()) {
	c.asked = d
	return c.ticks, func() { c.stopped <- true }
}

// TestASourceThatIsAwayAtAStartNamesItsType: after 30 s, and not if it came before.
func TestASourceThatIsAwayAtAStartNamesItsType(t *testing.T) {
	for _, away := range []bool{true, false} {
		var log bytes.Buffer
		at := &handClock{ticks: make(chan time.Time, 1), stopped: make(chan bool)}
		c := &config.Config{}
		c.Source.Type = config.FromKafka
		there := askForType(c, Options{Clock: at, Log: slog.New(slog.NewJSONHandler(&log, nil))})
		require.Equal(t, 30*time.Second, at.asked)
		if away {
			at.ticks <- time.Time{}
			<-at.stopped
			there()
		} else {
			there()
			<-at.stopped
			assert.Empty(t, log.String())
			continue
		}
		require.NoError(t, eventtest.Check(log.Bytes()), log.String())
		assert.Contains(t, log.String(), `"event":"source_unreached","source_type":"kafka","hint":"source.type is kafka: are the records there?`)
	}
}
