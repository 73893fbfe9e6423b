package topic

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"anond/deliver"
)

// Collector gathers the messages of a topic, in any order and any number of times, and
// tells which releases are whole. Not safe for concurrent use.
type Collector struct {
	// Foreign counts what is no message of releases, and is passed over.
	Foreign  int
	dataset  string
	first    uint32
	releases map[uint32]*arrived
	values   *spool // nil: values are not kept
	expired  uint32 // births up to there have left, as markers say
	leavings []leaving
	sought   map[bornPart]bool // whose keys are noted
	found    map[messageKey]bool
}

// newCollector makes one that keeps no values: it is asked for releases alone.
func newCollector() *Collector { return &Collector{releases: map[uint32]*arrived{}} }

// arrived is what has come of a release.
type arrived struct {
	marker  *releaseMarker
	streams map[string]*stream
}

// stream is what has come of a stream: messages by number, 64 in a block.
type stream struct {
	blocks   map[uint32]*block
	count    uint32
	greatest uint32
}

type block struct {
	seen   uint64
	pieces *[64]piece // where values are kept
}

// piece is a value in the spool.
type piece struct {
	at     int64
	bytes  uint32
	digest [8]byte // the beginning of its SHA-256
}

// add notes a number, and reports whether it is new.
func (s *stream) add(number uint32) (of *block, isNew bool) {
	of = s.blocks[number/64]
	if of == nil {
		of = &block{}
		s.blocks[number/64] = of
	}
	bit := uint64(1) << (number % 64)
	if of.seen&bit != 0 {
		return of, false
	}
	of.seen |= bit
	s.count++
	s.greatest = max(s.greatest, number)
	return of, true
}

// Add takes a message.
func (c *Collector) Add(key, value []byte) error {
	k, err := parseKey(key)
	if err == nil && value == nil {
		c.deleted(&k)
		return nil
	}
	if err != nil || sha256.Sum256(value) != k.SHA256 {
		c.Foreign++
		return nil
	}
	if p, ok := k.born(); ok && c.sought[p] {
		c.found[k] = true
	}
	a := c.releases[k.Release]
	if a == nil {
		a = &arrived{streams: map[string]*stream{}}
		c.releases[k.Release] = a
	}
	if k.Stream == markerStream {
		return c.mark(a, &k, value)
	}
	s := a.streams[k.Stream]
	if s == nil {
		s = &stream{blocks: map[uint32]*block{}}
		a.streams[k.Stream] = s
	}
	of, isNew := s.add(k.Number)
	if c.values == nil {
		return nil
	}
	return c.keep(of, isNew, &k, value)
}

// keep keeps a value, or compares one that came again.
func (c *Collector) keep(of *block, isNew bool, k *messageKey, value []byte) (err error) {
	if of.pieces == nil {
		of.pieces = new([64]piece)
	}
	p, digest := &of.pieces[k.Number%64], [8]byte(k.SHA256[:8])
	if !isNew {
		if p.digest != digest {
			return deliver.Other("message %d of %s of release %d is there with two contents", k.Number, k.Stream, k.Release)
		}
		return nil
	}
	p.bytes, p.digest = uint32(len(value)), digest
	p.at, err = c.values.put(value)
	return err
}

// mark takes a marker.
func (c *Collector) mark(a *arrived, k *messageKey, value []byte) error {
	m, err := decodeMarker(value)
	if err != nil {
		return deliver.Final(fmt.Errorf("the marker of release %d: %w", k.Release, err))
	}
	switch {
	case m.Release != k.Release:
		c.Foreign++
		return nil
	case a.marker != nil && !a.marker.merge(m):
		return deliver.Other("the topic has two different releases %d", k.Release)
	case c.dataset != "" && c.dataset != m.Dataset:
		return deliver.Other("the topic has releases of the datasets %s and %s", c.dataset, m.Dataset)
	case c.first != 0 && c.first != m.First:
		return deliver.Other("the topic has two chains: one begins with release %d, one with %d", c.first, m.First)
	}
	if c.dataset, c.first = m.Dataset, m.First; a.marker != nil {
		return nil
	}
	a.marker, c.expired = m, max(c.expired, m.Expired)
	if len(m.Rewritten) > 0 {
		c.leavings = append(c.leavings, leaving{m.Release, m.Rewritten})
	}
	return nil
}

// merge adds the streams of another marker of the same release: one that was sent when parts had left lists no files of theirs.
// It reports whether they are of the same release and agree.
func (m *releaseMarker) merge(o *releaseMarker) bool {
	mine, other := *m, *o
	mine.Streams, other.Streams = nil, nil
	if !reflect.DeepEqual(mine, other) {
		return false
	}
	for _, s := range o.Streams {
		switch at := slices.IndexFunc(m.Streams, func(x streamCount) bool { return x.Name == s.Name }); {
		case at < 0:
			m.Streams = append(m.Streams, s)
		case m.Streams[at] != s:
			return false
		}
	}
	return true
}

// Dataset is that of the releases; empty: there are none.
func (c *Collector) Dataset() string { return c.dataset }

// Ends are the first release, and the newest one that is whole with all before it; 0 if
// there is none.
func (c *Collector) Ends() (first, newest uint32) {
	if c.first == 0 {
		return 0, 0
	}
	for newest = c.first - 1; c.lacks(newest+1) == ""; newest++ {
	}
	if newest < c.first {
		return 0, 0
	}
	return c.first, newest
}

// lacks says what of a release is missing; empty: nothing.
func (c *Collector) lacks(release uint32) string {
	a := c.releases[release]
	if a == nil || a.marker == nil {
		return "its marker"
	}
	for _, want := range a.marker.Streams {
		have := a.streams[want.Name]
		switch {
		case c.left(release, want.Name):
		case have == nil:
			return fmt.Sprintf("%d messages of %s", want.Messages, want.Name)
		case have.greatest > want.Messages:
			return fmt.Sprintf("the marker that counts the messages of %s", want.Name)
		case have.count < want.Messages:
			return fmt.Sprintf("%d messages of %s", want.Messages-have.count, want.Name)
		}
	}
	return ""
}

// listed reports whether a marker counts a stream.
func (c *Collector) listed(release uint32, name string) bool {
	return slices.ContainsFunc(c.releases[release].marker.Streams, func(s streamCount) bool { return s.Name == name })
}

// each gives the values of a stream of a whole release, in order.
func (c *Collector) each(release uint32, name string, do func(value []byte) error) error {
	if !c.listed(release, name) {
		return fmt.Errorf("release %d: %w: it has no %s", release, errMessage, name)
	}
	s := c.releases[release].streams[name]
	for n := uint32(1); n <= s.greatest; n++ { // none is missing: the release is whole
		p := &s.blocks[n/64].pieces[n%64]
		value, err := c.values.get(p.at, p.bytes)
		if err == nil {
			err = do(value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// text is the content of a file that came in pieces, which must be what the marker says.
func (c *Collector) text(release uint32, name string) ([]byte, error) {
	var out []byte
	if err := c.each(release, name, func(value []byte) error { out = append(out, value...); return nil }); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(out)
	for _, s := range c.releases[release].marker.Streams {
		if s.Name == name && strings.EqualFold(s.SHA256, hex.EncodeToString(sum[:])) {
			return out, nil
		}
	}
	return nil, fmt.Errorf("release %d: %w: %s is not what the marker says", release, errMessage, name)
}
