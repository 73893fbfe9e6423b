package incremental

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"anond/equivclass"
)

// Epochs. An epoch is a set of states, one a shard, that publish together, each its own chain of
// releases. When it cannot go on (partitions were added, another number of shards, the end of a seed's
// life), it is closed, and a new one begins with states, releases, ledgers and seeds of its own. A
// state of the new one knows everybody whom the earlier ones have published.
//
// Rule S (one record of a subject) and rule F (no second publisher on the same records) hold across
// epochs, since a record of a person who is known so is taken in by no later state: it is counted
// (ReasonEarlier) before anything but its subject is looked at. Why all releases of all epochs
// together are as safe as each chain alone: docs/THREAT_MODEL.md, Corollary V.

// ReasonEarlier counts records of people who were published, or closed, in an earlier epoch.
const ReasonEarlier equivclass.Reason = "earlier_epoch"

// ErrClosed: the epoch of a state is closed. Another one has its people.
var ErrClosed = errors.New("the epoch of the state is closed: nothing more is taken in or published by it")

// FirstEpoch is the number of the epoch of a state that follows no other.
const FirstEpoch = 1

// Chain is the chain of releases of a state of an earlier epoch: the home of whom it has published.
type Chain struct {
	Epoch, Shard, Of int      // Of 1: it was not sharded
	Release          uint32   // its newest, 0: it has none
	Manifest         [32]byte // SHA-256 of that release's manifest
}

// ForgottenBefore are people whom a state of an earlier epoch has forgotten. It has their digests under a
// key of its own, as a suppression has, and that key follows from a seed in one direction only.
type ForgottenBefore struct {
	Key    [32]byte
	People []Digest
}

// Epoch is what a state says of the epochs before its own. It never changes.
type Epoch struct {
	Number int     // of the state's own epoch, from 2
	Chains []Chain // of all earlier ones, in order of epoch and shard
	Left   []ForgottenBefore
	People uint64 // published or closed there, as far as they can come to this state
	// Partitions is how many the topic of the state must have, by which people were left out who
	// lead to other shards; 0: any number.
	Partitions int
	// Settings must be those of the state: what the digests of people depend on, what a state was told of by
	// its shard, and its level, if it is bound to L1. Zero: there is no such setting.
	Settings map[string][32]byte
}

// BindToL1 refuses every start at level L2: people are to be read again who waited for reasons that may depend on
// their values (Corollary V).
func (e *Epoch) BindToL1() { e.Settings[levelKey] = [32]byte{} }

// Before are the chains of the epoch before this one.
func (e *Epoch) Before() []Chain {
	return slices.DeleteFunc(slices.Clone(e.Chains), func(c Chain) bool { return c.Epoch != e.Number-1 })
}

// EarlierPerson is a person of an earlier epoch.
type EarlierPerson struct {
	Subject   uint64 // the keyed digest
	Home      uint16 // in Epoch.Chains
	Partition int32  // of the topic, from which the first record came
	// Waiting: the person was not published there, and the records are to be read again. A state does not
	// know such people.
	Waiting bool
}

// CompareEarlier orders people by their digest; who was published comes before who waited.
func CompareEarlier(a, b EarlierPerson) int {
	return cmp.Or(cmp.Compare(a.Subject, b.Subject), boolCompare(a.Waiting, b.Waiting), cmp.Compare(a.Home, b.Home))
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// earlier knows the people of earlier epochs: 10 bytes a person, and a binary search a record.
type earlier struct {
	epoch    *Epoch // nil: there was none
	subjects []uint64
	homes    []uint16
	left     []forgottenBefore
}

type forgottenBefore struct {
	key   []byte
	known map[Digest]bool
}

// load takes in what the store has of earlier epochs, under the settings of this one.
func (f *earlier) load(e *Epoch, settings map[string][32]byte) error {
	changed := slices.Sorted(maps.Keys(e.Settings))
	changed = slices.DeleteFunc(changed, func(k string) bool { return settings[k] == e.Settings[k] })
	if len(changed) > 0 {
		return fmt.Errorf("people of earlier epochs would not be known, or not safe: %w", &SettingsError{Keys: changed})
	}
	f.epoch = e
	f.subjects, f.homes = make([]uint64, 0, e.People), make([]uint16, 0, e.People)
	for _, l := range e.Left {
		known := make(map[Digest]bool, len(l.People))
		for _, d := range l.People {
			known[d] = true
		}
		f.left = append(f.left, forgottenBefore{l.Key[:], known})
	}
	return nil
}

func (f *earlier) add(people []EarlierPerson) error {
	for _, p := range people {
		if n := len(f.subjects); p.Waiting || int(p.Home) >= len(f.epoch.Chains) || n > 0 && p.Subject <= f.subjects[n-1] {
			return fmt.Errorf("%w: the people of earlier epochs are not in order", ErrCorrupt)
		}
		f.subjects, f.homes = append(f.subjects, p.Subject), append(f.homes, p.Home)
	}
	return nil
}

// home is the chain that a subject belongs to.
func (f *earlier) home(subject uint64) (Chain, bool) {
	i, found := slices.BinarySearch(f.subjects, subject)
	if !found {
		return Chain{}, false
	}
	return f.epoch.Chains[f.homes[i]], true
}

// forgot reports whether a state of an earlier epoch has forgotten a subject.
func (f *earlier) forgot(subject uint64) bool {
	return slices.ContainsFunc(f.left, func(l forgottenBefore) bool { return l.known[suppressedUnder(l.key, subject)] })
}

// suppressedUnder is the digest under which a state with this key knows a subject as forgotten.
func suppressedUnder(key []byte, subject uint64) Digest {
	mac := hmac.New(sha256.New, key)
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], subject)
	mac.Write(b[:])
	return Digest(mac.Sum(nil)[:16])
}

// isOfEarlier reports whether a record is one of a person of an earlier epoch.
func (m *Machine) isOfEarlier(row equivclass.Row) bool {
	i := m.schema.SubjectIndex()
	if len(m.earlier.subjects) == 0 || i < 0 || row[i] == nil {
		return false
	}
	_, found := m.earlier.home(m.secrets.subjectOf(row[i]))
	return found
}

// Epoch is what the state says of earlier epochs; nil: there was none.
func (m *Machine) Epoch() *Epoch { return m.earlier.epoch }

// EpochNumber is the number of the state's epoch.
func (m *Machine) EpochNumber() int {
	if m.earlier.epoch == nil {
		return FirstEpoch
	}
	return m.earlier.epoch.Number
}

// HomeOf is the chain of an earlier epoch that a subject belongs to, as records write it.
func (m *Machine) HomeOf(subject []byte) (Chain, bool) {
	return m.earlier.home(m.secrets.subjectOf(subject))
}
