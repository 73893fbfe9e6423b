// Package browse shows what a state file holds, without a value, a subject or a digest of
// either: counts, classes, releases, partitions, dead letters that wait, settings.
//
// Guarantee: what is shown of records is which class has how many of them, of published
// classes only, and how many are published, wait or are quarantined. Nothing depends on the
// values of those who wait (level L2). No field of a Listing can hold a person's value:
// texts are names of the configuration, of partitions, and reasons.
//
// Method: the state is loaded as for a start, every checksum verified, by a visitor that
// keeps only what is asked for.
package browse

import (
	"anond/incremental/state"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"anond/incremental/boltstore"
)

// What can be listed.
const (
	Buckets    = "buckets"
	Classes    = "classes"
	Releases   = "releases"
	Partitions = "partitions"
	Letters    = "letters"
	settings   = "settings"
)

// Kinds are the names of what can be listed.
var Kinds = []string{Buckets, Classes, Releases, Partitions, Letters, settings}

// Query says what to list.
type Query struct {
	What string
	// From and Limit page through a list: entries from a number on, and how many; 0: all.
	From, Limit int
	// Of classes: Born in a release, of a Bucket (level L2), that are Alive. 0 and false: all.
	Born, Bucket uint32
	Alive        bool
}

// Listing is the answer; the lists that were not asked for are nil.
type Listing struct {
	Records    uint64                 `json:"records"` // accepted
	Classes    uint64                 `json:"classes"` // ever published
	Releases   uint64                 `json:"releases"`
	Buckets    []boltstore.BucketSize `json:"buckets,omitempty"`
	Class      []Class                `json:"class,omitempty"`
	Release    []release              `json:"release,omitempty"`
	Partitions []partition            `json:"partitions,omitempty"`
	Letters    map[string]int         `json:"letters,omitempty"` // waiting dead letters by reason
	Settings   []setting              `json:"settings,omitempty"`
	// Next is the number of the first entry that the limit left out, nil if none was.
	Next *int `json:"next,omitempty"`
}

// Class is a published class.
type Class struct {
	Number  int    `json:"number"`
	Records int    `json:"records"`
	Born    uint32 `json:"born"`           // release, whose part holds it
	Died    uint32 `json:"died,omitempty"` // release that regrouped it
	Bucket  uint32 `json:"bucket,omitempty"`
	Regime  string `json:"regime"`
}

// release is a decided release.
type release struct {
	Release   uint32    `json:"release"`
	CreatedAt time.Time `json:"created_at"`
	Records   int       `json:"records"`
	Newcomers int       `json:"newcomers"`
	Classes   int       `json:"classes"`
	Pending   int       `json:"pending"`
	Published bool      `json:"published"`
	Manifest  string    `json:"manifest_sha256,omitempty"`
}

// partition says how far a partition was read.
type partition struct {
	Source string `json:"source"`
	ID     int32  `json:"partition"`
	Next   int64  `json:"next"`
}

// setting is the digest of a setting that the state was made under.
type setting struct {
	Key    string `json:"key"`
	SHA256 string `json:"sha256"`
}

// File lists what is in a state file that no process writes, or in a backup.
func File(path string, o boltstore.Options, q Query) (out *Listing, err error) {
	o.ReadOnly = true
	s, err := boltstore.Open(path, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	r := &reader{q: q, out: &Listing{}}
	if err := s.Load(r.visitor()); err != nil {
		return nil, err
	}
	switch q.What {
	case Buckets:
		r.out.Buckets, err = s.Buckets()
	case Letters:
		r.out.Letters, err = letters(s)
	case Partitions:
		slices.SortFunc(r.out.Partitions, func(a, b partition) int {
			return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
		})
		r.out.Partitions = page(r, r.out.Partitions)
	}
	return r.out, err
}

// reader keeps what was asked for.
type reader struct {
	q   Query
	out *Listing
}

func (r *reader) visitor() state.Visitor {
	return state.Visitor{
		Meta:        r.meta,
		Counters:    func(state.Counters) error { return nil },
		Dictionary:  func(int, string) error { return nil },
		Records:     func(b *state.RecordBlock) error { r.out.Records += uint64(b.Len()); return nil },
		Class:       r.class,
		Intent:      r.intent,
		Position:    r.position,
		Attempt:     func(*state.Attempt) error { return nil },
		Quarantined: func([]state.RecordID) error { return nil },
		Outbox:      func(uint64, int) error { return nil },
	}
}

func (r *reader) meta(m state.Meta) error {
	if r.q.What != settings {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(m.Settings)) {
		digest := m.Settings[key]
		r.out.Settings = append(r.out.Settings, setting{key, hex.EncodeToString(digest[:])})
	}
	return nil
}

// wants reports whether an entry is listed, given its number and how many are.
func (r *reader) wants(number, listed int) bool {
	switch {
	case number < r.q.From || r.out.Next != nil:
		return false
	case r.q.Limit > 0 && listed == r.q.Limit:
		r.out.Next = &number
		return false
	}
	return true
}

func (r *reader) class(c *state.Class) error {
	r.out.Classes++
	fits := (r.q.Born == 0 || c.Born == r.q.Born) && (r.q.Bucket == 0 || uint32(c.Bucket) == r.q.Bucket) && (!r.q.Alive || c.Died == 0)
	if r.q.What != Classes || !fits || !r.wants(int(c.ID), len(r.out.Class)) {
		return nil
	}
	regime := "frozen"
	if c.Regime == state.Pure {
		regime = "pure"
	}
	r.out.Class = append(r.out.Class, Class{int(c.ID), len(c.Members), c.Born, c.Died, uint32(c.Bucket), regime})
	return nil
}

func (r *reader) intent(i *state.Intent) error {
	r.out.Releases++
	if r.q.What != Releases || !r.wants(int(i.Release), len(r.out.Release)) {
		return nil
	}
	x := release{Release: i.Release, CreatedAt: time.Unix(i.CreatedAt, 0).UTC(), Records: i.Records, Newcomers: i.Newcomers,
		Classes: i.Classes, Pending: i.Pending.Total(), Published: i.Published}
	if i.Published {
		x.Manifest = hex.EncodeToString(i.Manifest[:])
	}
	r.out.Release = append(r.out.Release, x)
	return nil
}

// position leaves out the digest of the newest record.
func (r *reader) position(p state.Partition, at state.Position) error {
	if r.q.What == Partitions {
		r.out.Partitions = append(r.out.Partitions, partition{p.Source, p.ID, at.Next})
	}
	return nil
}

// page is the part of a list that was asked for.
func page[T any](r *reader, list []T) (out []T) {
	for i, x := range list {
		if r.wants(i, len(out)) {
			out = append(out, x)
		}
	}
	return out
}

// letters counts the dead letters that wait, by reason alone: their place and their payload
// are shown by nobody but the sink.
func letters(s *boltstore.Store) (map[string]int, error) {
	const atOnce, bytes = 1000, 8 << 20
	out := map[string]int{}
	for after := uint64(0); ; {
		list, err := s.Outbox(after, atOnce, bytes)
		if err != nil || len(list) == 0 {
			return out, err
		}
		for i := range list {
			out[string(list[i].Reason)]++
		}
		after = list[len(list)-1].Seq
	}
}

// Check refuses a query that no list answers.
func (q Query) Check() error {
	switch {
	case !slices.Contains(Kinds, q.What):
		return fmt.Errorf("there is no list %q", q.What)
	case q.What != Classes && (q.Born > 0 || q.Bucket > 0 || q.Alive):
		return fmt.Errorf("--born, --bucket and --alive choose classes, not %s", q.What)
	}
	return nil
}
