package topic

import (
	"context"
	"fmt"
	"path"
	"strings"

	"anond/deliver"
	"anond/snapshot"
)

// bornPart names a part that a release published first.
type bornPart struct {
	Release uint32
	Part    string
}

func partOf(p *snapshot.PartEntry) bornPart { return bornPart{p.Release, p.Part} }

// born is the part of which a stream is a file; false: it is none.
func (k *messageKey) born() (bornPart, bool) {
	part, _ := path.Split(k.Stream)
	part = strings.TrimSuffix(part, "/")
	first, _ := (&snapshot.PartEntry{Part: part}).Births()
	return bornPart{k.Release, part}, first > 0
}

// withdraw deletes the messages of parts that left, by a tombstone for each. The marker that says so is in the topic
// before, so that no reader takes a release for torn of which messages are gone. The topic is read, since the keys are in it
// alone: files that have left may be gone.
func (s *sink) withdraw(ctx context.Context, left deliver.Pieces) error {
	gone := map[bornPart]bool{}
	for i := range left {
		if p := partOf(&left[i]); s.has[p] {
			gone[p] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	if s.stays {
		return deliver.Final(fmt.Errorf("topic %s keeps rows that have left the releases: set cleanup.policy=compact", s.brokers.Topic))
	}
	c := newCollector()
	c.sought, c.found = gone, map[messageKey]bool{}
	if err := s.read(ctx, s.brokers, c); err != nil {
		return err
	}
	p := &parcel{sink: s, ctx: ctx}
	for k := range c.found {
		if err := p.put(k.String(), nil); err != nil {
			return err
		}
	}
	if err := p.flush(); err != nil {
		return err
	}
	for of := range gone {
		delete(s.has, of)
	}
	return nil
}

// parts are those of which there are messages.
func (c *Collector) parts() map[bornPart]bool {
	out := map[bornPart]bool{}
	for release, a := range c.releases {
		for name, s := range a.streams {
			if p, ok := (&messageKey{Release: release, Stream: name}).born(); ok && s.count > 0 {
				out[p] = true
			}
		}
	}
	return out
}

// deleted takes a tombstone.
func (c *Collector) deleted(k *messageKey) {
	delete(c.found, *k)
	if a := c.releases[k.Release]; a != nil && a.streams[k.Stream] != nil {
		a.streams[k.Stream].remove(k.Number)
	}
}

// remove takes back add.
func (s *stream) remove(number uint32) {
	of, bit := s.blocks[number/64], uint64(1)<<(number%64)
	if of != nil && of.seen&bit != 0 {
		of.seen &^= bit
		s.count--
	}
}

// leaving is what a marker says that left.
type leaving struct {
	release   uint32
	rewritten []string
}

// left reports that a later release says that the part left of which a stream is a file.
func (c *Collector) left(release uint32, name string) bool {
	p, ok := (&messageKey{Release: release, Stream: name}).born()
	if !ok {
		return false
	}
	first, last := (&snapshot.PartEntry{Part: p.Part}).Births()
	if last <= c.expired {
		return true
	}
	for _, l := range c.leavings {
		for _, part := range l.rewritten {
			if from, to := (&snapshot.PartEntry{Part: part}).Births(); l.release > release && from <= first && last <= to {
				return true
			}
		}
	}
	return false
}
