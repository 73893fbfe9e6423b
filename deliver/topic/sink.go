package topic

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"time"

	"anond/deliver"
	"anond/internal/kafkaclient"
)

// sink delivers to a topic.
type sink struct {
	brokers kafkaclient.Config
	dataset string
	most    int // bytes of a message
	writer  writer
	read    func(ctx context.Context, brokers kafkaclient.Config, c *Collector) error
	checked bool
	stays   bool              // the topic keeps what tombstones delete
	has     map[bornPart]bool // of which there are messages, as far as this process knows
}

// writer is what of a kafkaclient.Writer is needed.
type writer interface {
	Write(ctx context.Context, messages []kafkaclient.Message) error
	Settings(ctx context.Context, names ...string) (kafkaclient.Settings, error)
	Close() error
}

var _ deliver.Sink = (*sink)(nil)

// Open returns a sink for the releases of a dataset, with messages of so many bytes at most.
// It does not connect.
func Open(brokers kafkaclient.Config, dataset string, most int) (*sink, error) {
	w, err := kafkaclient.OpenWriter(brokers, most)
	if err != nil {
		return nil, err
	}
	return &sink{brokers: brokers, dataset: dataset, most: most, writer: w, read: Collect, has: map[bornPart]bool{}}, nil
}

// Name implements deliver.Sink.
func (s *sink) Name() string { return "topic " + s.brokers.Topic }

// Close ends the sink.
func (s *sink) Close() error { return s.writer.Close() }

// patience is how long a topic has to answer before it counts as away.
const patience = 30 * time.Second

// Position implements deliver.Sink: it reads the topic from its beginning. A release of
// which messages are missing is not there, although its marker is: it is sent again.
func (s *sink) Position(ctx context.Context) (deliver.Position, error) {
	if err := s.keeps(ctx); err != nil {
		return deliver.Position{}, err
	}
	c := newCollector()
	if err := s.read(ctx, s.brokers, c); err != nil {
		return deliver.Position{}, err
	}
	if c.dataset != "" && c.dataset != s.dataset {
		return deliver.Position{}, deliver.Other("the topic has dataset %s, the configuration %s", c.dataset, s.dataset)
	}
	s.has = c.parts()
	_, newest := c.Ends()
	if newest == 0 {
		return deliver.Position{}, nil
	}
	sum, err := hex.DecodeString(c.releases[newest].marker.Manifest)
	if err != nil || len(sum) != 32 {
		return deliver.Position{}, deliver.Final(fmt.Errorf("topic %s, release %d: %w", s.brokers.Topic, newest, errMessage))
	}
	return deliver.Position{Release: newest, SHA256: [32]byte(sum)}, nil
}

// Verify implements deliver.Sink: Position has read every message. What a process that was stopped has not deleted is.
func (s *sink) Verify(ctx context.Context, _ deliver.Position, releases iter.Seq2[*deliver.Release, error], _ bool) error {
	var left deliver.Pieces
	for r, err := range releases {
		if err != nil {
			return err
		}
		left = append(left, r.Left...)
	}
	return s.withdraw(ctx, left)
}

// keeps demands that the topic forgets nothing, as far as the broker says.
func (s *sink) keeps(ctx context.Context) error {
	if s.checked {
		return nil
	}
	settings, err := s.writer.Settings(ctx, "cleanup.policy", "retention.ms", "retention.bytes")
	switch {
	case errors.Is(err, kafkaclient.ErrNotAllowed): // to ask: nothing is known then
	case err != nil:
		return err
	case settings.Forgets():
		return deliver.Final(fmt.Errorf("topic %s deletes old messages, and releases with them: set cleanup.policy=compact, or "+
			"retention.ms=-1 and retention.bytes=-1", s.brokers.Topic))
	}
	s.checked, s.stays = true, !settings.Compacts()
	return nil
}
