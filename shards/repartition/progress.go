package repartition

import (
	"anond/incremental/state"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"anond/internal/fault"
	"anond/shards/keying"
)

// Progress is how far a topic is repartitioned, and what has to be known to go on: for each source
// partition the last offset that went to each target partition. Any progress of the same topics
// is safe to go on from, however old: what is written again is the same.
type Progress struct {
	From    string           `json:"from"`    // topic that is read
	To      string           `json:"to"`      // topic that is written
	Targets int              `json:"targets"` // partitions of it
	Key     string           `json:"key"`     // names subject.key
	Again   bool             `json:"again"`   // the target held records when the work began or went on
	Sources map[int32]*place `json:"sources"` // by partition of the topic that is read
}

// place is how far one source partition is repartitioned.
type place struct {
	Base   int64           `json:"base"`  // the first offset: nothing below it was seen
	Later  bool            `json:"later"` // what was below it may have been written by others
	Next   int64           `json:"next"`  // the first offset that is not written
	Last   int64           `json:"last"`  // of the last record, -1: there was none
	Digest string          `json:"digest"`
	Sent   map[int32]int64 `json:"sent"` // target partition -> last offset written to it
}

// ErrProgress: a file is no progress, or one of other topics.
var ErrProgress = fault.Errorf(fault.Config, "use the progress of these topics, or another one: anond repartition --progress; "+
	"partitions of a target never change: write to another topic with --to",
	"the progress does not fit")

// Decode reads what Encode wrote.
func Decode(text []byte) (*Progress, error) {
	p := new(Progress)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("%w: it is damaged", ErrProgress)
	}
	for id, at := range p.Sources {
		if id < 0 || at == nil || !at.sound(p.Targets) {
			return nil, fmt.Errorf("%w: it is damaged at source partition %d", ErrProgress, id)
		}
	}
	return p, nil
}

// Encode writes a progress.
func (p *Progress) Encode() ([]byte, error) { return json.MarshalIndent(p, "", " ") }

func (at *place) sound(targets int) bool {
	if at.Base < 0 || at.Next < at.Base || at.Last < -1 || at.Last >= at.Next {
		return false
	}
	if b, err := hex.DecodeString(at.Digest); err != nil || len(b) != len(state.Digest{}) {
		return false
	}
	for t, offset := range at.Sent {
		if t < 0 || int(t) >= targets || offset < at.Base || offset >= at.Next {
			return false
		}
	}
	return true
}

// Fits says whether this is the progress of the same work.
func (p *Progress) Fits(want *Progress) error {
	switch {
	case p.From != want.From || p.To != want.To:
		return fmt.Errorf("%w: it is of topic %s to %s, not of %s to %s", ErrProgress, p.From, p.To, want.From, want.To)
	case p.Targets != want.Targets:
		return fmt.Errorf("%w: %s had %d partitions and has %d, so that keys lead elsewhere", ErrProgress, p.To, p.Targets, want.Targets)
	case p.Key != want.Key:
		return fmt.Errorf("%w: it was made under another subject.key", ErrProgress)
	}
	return nil
}

// Positions tells a source where to go on.
func (p *Progress) Positions(source string) map[state.Partition]state.Position {
	out := map[state.Partition]state.Position{}
	for id, at := range p.Sources {
		b, err := hex.DecodeString(at.Digest)
		if err != nil || len(b) != len(state.Digest{}) {
			continue // Decode has refused it
		}
		out[state.Partition{Source: source, ID: id}] = state.Position{Next: at.Next, Last: at.Last, Digest: state.Digest(b)}
	}
	return out
}

// at is where a source partition stands, from the first offset on that is seen of it.
func (p *Progress) at(id int32, from int64) *place {
	if p.Sources == nil {
		p.Sources = map[int32]*place{}
	}
	if p.Sources[id] == nil {
		p.Sources[id] = &place{Base: from, Later: p.Again && from > 0, Next: from, Last: -1,
			Digest: hex.EncodeToString(make([]byte, len(state.Digest{})))}
	}
	return p.Sources[id]
}

// link says what comes before a record in a target partition. sent are those of the work that
// is not acknowledged yet; it takes this one in.
func (at *place) link(source, target int32, offset int64, sent map[int32]int64) keying.Link {
	l := keying.Link{Source: source, Offset: offset}
	if before, ok := sent[target]; ok {
		l.Previous = before
	} else if before, ok := at.Sent[target]; ok {
		l.Previous = before
	} else {
		l.Previous, l.First = at.Base-1, !at.Later
	}
	sent[target] = offset
	return l
}

// moved notes that everything below next is acknowledged.
func (at *place) moved(next int64, sent map[int32]int64) {
	at.Next = max(at.Next, next)
	if at.Sent == nil {
		at.Sent = map[int32]int64{}
	}
	for t, offset := range sent {
		at.Sent[t] = offset
	}
}
