package kafkasrc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/kafkaclient"
	"anond/internal/kafkaclient/fetch"
)

// OnGap says what to do when records were deleted before they were read.
type OnGap string

// What to do about a gap.
const (
	gapStop     OnGap = "stop"     // final *ingest.GapError
	gapContinue OnGap = "continue" // log source_gap and go on behind it
)

// OnCorrupt says what to do about a batch that cannot be read, however often it
// is fetched.
type OnCorrupt string

// What to do about a batch that cannot be read.
const (
	corruptStop OnCorrupt = "stop" // final *ingest.CorruptError
	corruptSkip OnCorrupt = "skip" // log source_corrupt, count its offsets as missing, and go on behind it
)

// Config says which topic to read and how. Brokers and Topic are required; the
// zero value of every other field means its default.
type Config struct {
	kafkaclient.Config
	Source string // name in positions; default kafka:<topic>
	// Group names the consumer group to which positions are committed by best
	// effort, and whose commits are a witness (ErrBehind). Empty: none.
	Group string
	// Lease, if held, carries the commits; when it is lost, the source ends with
	// ErrLeaseLost.
	Lease *Lease
	OnGap OnGap // default stop
	// Shard is the part of the topic that is read; the zero value: all of it.
	Shard  Shard
	Header Header // of records, that is looked for
	// Plain, if set, makes of messages what decoders read, PlainKey of keys.
	Plain, PlainKey Plain

	OnCorrupt OnCorrupt // default stop

	// What is held at a time (ingest.Shares): an answer and a chunk for each of
	// Fetches partitions, Depth chunks that wait to be taken, and one answer or
	// record that is larger than usual.
	MaxBytes  int // of one fetch, and of a chunk; default 1 MiB
	MaxBatch  int // that a batch may decompress to, and of the largest answer; default 64 MiB
	MaxRecord int // of a message; longer ones are handed out in their beginning; default 1 MiB
	Fetches   int // partitions that hold an answer at a time; default 16
	Depth     int // chunks that wait to be taken; default 2

	MaxWait time.Duration // of the broker, for new records; default 500 ms

	OpenTimeout    time.Duration // until refused credentials are final; default 30 s
	StallAfter     time.Duration // until the watchdog rebuilds connections; default 30 s
	ConfirmAfter   time.Duration // how long a fault that may pass is tried again before it ends the source; default 30 s
	CommitInterval time.Duration // between best-effort offset commits; default 1 s

	Membership Membership // of AcquireLease
}

// Membership are the timers of a group member.
type Membership struct {
	// SessionTimeout is how long the group waits for a member that went silent,
	// and thus how long a take-over takes; default 10 s. Brokers refuse less
	// than 6 s by default.
	SessionTimeout time.Duration
	Heartbeat      time.Duration // default SessionTimeout / 6
	Timeout        time.Duration // for the coordinator's answer; default SessionTimeout / 3
	Rebalance      time.Duration // for the others to join again; default 30 s
}

// Plain appends what decoders read in the place of a message (package registry); other: that differs from the message.
// An error that is ingest.ErrSchema ends the source; another one is tried again.
type Plain func(ctx context.Context, to, message []byte) (out []byte, other bool, err error)

// withDefaults returns the configuration with every default set, or all faults
// at once.
func (c Config) withDefaults() (Config, error) {
	var err error
	if err = c.faults(); err != nil {
		return c, err
	}
	if c.Config, err = c.Config.WithDefaults(); err != nil {
		return c, err
	}
	setDefault(&c.Source, "kafka:"+c.Topic)
	setDefault(&c.OnGap, gapStop)
	setDefault(&c.MaxBytes, 1<<20)
	setDefault(&c.MaxBatch, ingest.DefaultMaxInFlight)
	setDefault(&c.MaxRecord, decode.DefaultMaxBytes)
	setDefault(&c.Fetches, 16)
	setDefault(&c.OnCorrupt, corruptStop)
	setDefault(&c.MaxWait, 500*time.Millisecond)
	setDefault(&c.Depth, 2)
	setDefault(&c.OpenTimeout, 30*time.Second)
	setDefault(&c.StallAfter, 30*time.Second)
	setDefault(&c.ConfirmAfter, 30*time.Second)
	setDefault(&c.CommitInterval, time.Second)
	setDefault(&c.Membership.SessionTimeout, 10*time.Second)
	setDefault(&c.Membership.Heartbeat, c.Membership.SessionTimeout/6)
	setDefault(&c.Membership.Timeout, c.Membership.SessionTimeout/3)
	setDefault(&c.Membership.Rebalance, 30*time.Second)
	return c, nil
}

func (c Config) faults() error {
	faults := []error{c.Config.Faults()}
	switch c.OnGap {
	case "", gapStop, gapContinue:
	default:
		faults = append(faults, fmt.Errorf("on_gap: %q is neither stop nor continue", c.OnGap))
	}
	switch c.OnCorrupt {
	case "", corruptStop, corruptSkip:
	default:
		faults = append(faults, fmt.Errorf("on_corrupt: %q is neither stop nor skip", c.OnCorrupt))
	}
	for name, n := range map[string]int64{"max_bytes": int64(c.MaxBytes), "max_wait": int64(c.MaxWait), "depth": int64(c.Depth),
		"max_batch": int64(c.MaxBatch), "max_record": int64(c.MaxRecord), "fetches": int64(c.Fetches)} {
		if n < 0 {
			faults = append(faults, fmt.Errorf("%s: must not be negative", name))
		}
	}
	m := c.Membership
	if m.Heartbeat < 0 || m.Heartbeat+m.Timeout > 0 && m.SessionTimeout > 0 && m.Heartbeat+m.Timeout >= m.SessionTimeout {
		faults = append(faults, errors.New("session_timeout: must exceed heartbeat and timeout together, or a lost lease goes unnoticed"))
	}
	return errors.Join(faults...)
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (c *Config) partition(id int32) state.Partition {
	return state.Partition{Source: c.Source, ID: id}
}

// client is a client of the topic with the requests that a source makes alone.
type client struct {
	*kafkaclient.Client
	cfg Config
}

func newClient(cfg Config) *client { return &client{kafkaclient.New(cfg.Config), cfg} }

// ask asks for records of the topic.
func (c *client) ask(wait time.Duration, most int) fetch.Ask {
	return fetch.Ask{Topic: c.cfg.Topic, ClientID: c.cfg.ClientID, Wait: wait, MaxBytes: c.cfg.MaxBytes, Most: most}
}

// fetch asks for records of a partition from an offset on. The broker waits for
// new ones, if there are none, up to wait. An answer of more than most bytes is
// fetch.ErrLargeAnswer.
func (c *client) fetch(ctx context.Context, partition int32, offset int64, wait time.Duration, most int) (*fetch.Response, error) {
	a := c.ask(wait, most)
	a.Partition, a.Offset = partition, offset
	return a.Do(ctx, c.Client)
}
