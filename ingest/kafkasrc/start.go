package kafkasrc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"anond/ingest"
	"anond/internal/kafkaclient"
	"anond/internal/kafkaclient/fetch"
)

// retry runs op until it succeeds or fails for good: a final error, a permanent
// one for OpenTimeout, or ctx's.
func (s *source) retry(ctx context.Context, op func(context.Context) error) error {
	attempts := s.cfg.Reconnect.Attempts()
	var refusedSince time.Time
	var last error
	ends := func() error {
		if last == nil {
			return ctx.Err()
		}
		return &outlasted{fmt.Errorf("topic %s: %w", s.cfg.Topic, last), ctx.Err()}
	}
	for {
		err := op(ctx)
		switch {
		case err == nil:
			s.health.works(noPartition)
			return nil
		case ctx.Err() != nil:
			return ends()
		case isFinal(err):
			return err
		case !kafkaclient.IsPermanent(err):
			refusedSince = time.Time{}
		case refusedSince.IsZero():
			refusedSince = time.Now()
		case time.Since(refusedSince) >= s.cfg.OpenTimeout:
			return fmt.Errorf("kafka refuses this client: %w", s.cfg.Access.Explained(err, toRead))
		}
		s.health.fails(noPartition, err)
		last = err
		if attempts.Wait(ctx) != nil {
			return ends()
		}
		s.client.Renew(0, false)
	}
}

// outlasted is an error that was retried until a context ended, which it counts as: who reads it
// wants to know what was wrong.
type outlasted struct {
	error
	ended error
}

func (o *outlasted) Unwrap() []error { return []error{o.error, o.ended} }

// noPartition stands for what concerns the whole source.
const noPartition = -1

// start finds the partitions, locates each and, if all is well, reads them.
func (s *source) start(ctx context.Context) error {
	ids, err := s.client.Partitions(ctx)
	if err != nil {
		return err
	}
	if err := s.checkKnown(ids); err != nil {
		return err
	}
	if ids, err = s.own(ids); err != nil {
		return err
	}
	parts, err := s.locateAll(ctx, ids)
	if err != nil {
		return err
	}
	if s.cfg.Group != "" {
		if s.commits, err = newCommitter(ctx, s, ids); err != nil {
			return err
		}
	}
	for _, p := range parts {
		s.add(p)
	}
	for _, p := range parts {
		s.launch(p)
	}
	go s.idleParts.run(s.ctx)
	if s.cfg.Lease != nil {
		go s.heedLease()
	}
	if s.resume.Once {
		go func() { s.wg.Wait(); close(s.ended) }()
		return nil
	}
	s.wg.Go(s.watch)
	return nil
}

// checkKnown checks that every partition is there that state has read. A broker
// that is behind the others may name fewer of them for a while. So the topic
// counts as another one only if that lasts for ConfirmAfter, over renewed
// metadata.
func (s *source) checkKnown(ids []int32) error {
	for p := range s.resume.Positions {
		if p.Source != s.cfg.Source || slices.Contains(ids, p.ID) {
			continue
		}
		if s.fewer.IsZero() {
			s.fewer = time.Now()
		}
		why := fmt.Sprintf("the topic has %d partitions only", len(ids))
		if time.Since(s.fewer) < s.cfg.ConfirmAfter {
			return fmt.Errorf("partition %d is not there: %s", p.ID, why)
		}
		err := s.replaced(p.ID, why)
		s.log.Error("the topic is not the one that state has read", event("source_replaced"), partitionAttr(p.ID),
			slog.String("error", err.Error()))
		return err
	}
	s.fewer = time.Time{}
	return nil
}

// locateAll compares every partition with state, a few at a time.
func (s *source) locateAll(ctx context.Context, ids []int32) ([]*partition, error) {
	parts, errs := make([]*partition, len(ids)), make([]error, len(ids))
	var wg sync.WaitGroup
	slots := make(chan struct{}, 8)
	for i, id := range ids {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			var at place
			if pos, known := s.resume.Positions[s.cfg.partition(id)]; known {
				at = place{known: true, fetch: pos.Next, from: pos.Next, last: pos.Last, digest: pos.Digest, epoch: fetch.NoEpoch}
			}
			at, e, err := s.locateSurely(ctx, id, at)
			parts[i], errs[i] = newPartition(s, id, at, e), err
		})
	}
	wg.Wait()
	return parts, errors.Join(errs...)
}

// locateSurely is locate, which must say again that a log was replaced: right
// after an election a new leader may not know yet how far the log was committed.
// That the log ends below the place must hold for ConfirmAfter, over renewed
// connections: so it looks as well to a broker that is cut off from the others and
// takes itself for the leader still.
func (s *source) locateSurely(ctx context.Context, id int32, at place) (place, kafkaclient.Extent, error) {
	retry, since := s.cfg.Reconnect, time.Now()
	retry.Max = max(s.cfg.ConfirmAfter/10, time.Millisecond)
	attempts := retry.Attempts()
	for {
		got, e, err := s.locate(ctx, id, at)
		if !errors.Is(err, ingest.ErrReplaced) {
			return got, e, err
		}
		shorter := errors.As(err, new(*shorterError))
		if attempts.Failed() > 0 && (!shorter || time.Since(since) >= s.cfg.ConfirmAfter) {
			s.log.Error("the topic is not the one that state has read", event("source_replaced"), partitionAttr(id),
				slog.String("error", err.Error()))
			return got, e, err
		}
		s.health.fails(id, err)
		if err := attempts.Wait(ctx); err != nil {
			return at, e, err
		}
		s.client.Renew(time.Second, false)
	}
}
