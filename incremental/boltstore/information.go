package boltstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"anond/incremental/state"
)

// Information is what a state file says about itself, in counts only.
type Information struct {
	Format      int    `json:"format"`
	KeyID       string `json:"key_id,omitempty"` // of the key that opens it, if it is encrypted
	Mode        string `json:"mode"`             // of the file; it holds persons' values and should be -rw-------
	Bytes       int64  `json:"bytes"`
	FreeBytes   int64  `json:"free_bytes"`
	Records     uint64 `json:"records"`
	Classes     uint64 `json:"classes"` // ever published
	Deaths      uint64 `json:"classes_dead"`
	Declared    uint64 `json:"classes_declared_pure"`
	Quarantined uint64 `json:"quarantined"`
	Settling    uint64 `json:"settling,omitempty"` // people whose window has not ended
	Known       uint64 `json:"known"`              // people of whom nothing more is taken in, by reason
	Partitions  uint64 `json:"partitions"`
	// Ledger is how far the state has seen the ledger of subjects; zero: its dataset has joined none.
	Ledger      state.LedgerMark `json:"-"`
	Releases    uint64           `json:"releases"`     // decided
	LastRelease uint32           `json:"last_release"` // newest decided
	Published   bool             `json:"last_release_published"`
	LetterLast  uint64           `json:"dead_letter_last"`
	LettersWait uint64           `json:"dead_letter_waiting"`
}

// Info reads the head of the state at path. Its cost does not grow with the state. It has no size
// of the dictionary, which depends on the values of those who wait (rule B, buckets).
func Info(path string, o Options) (Information, error) {
	o.ReadOnly = true
	s, err := Open(path, o)
	if err != nil {
		return Information{}, err
	}
	out := Information{KeyID: o.Key.ID()}
	out.Bytes, out.FreeBytes = s.Bytes()
	if file, err := os.Stat(path); err == nil {
		out.Mode = file.Mode().String()
	}
	err = guarded(func() error { return s.view(out.read) })
	if err != nil {
		err = fmt.Errorf("state %s: %w", path, err)
	}
	return out, errors.Join(err, s.Close())
}

func (out *Information) read(tx *transaction) error {
	format, err := get(tx, inMeta, keyFormat)
	if err != nil {
		return err
	}
	e, err := readEnds(tx)
	if err != nil {
		return err
	}
	out.Format = int(binary.BigEndian.Uint32(format[:4])) // Open has checked it
	out.Records, out.Classes, out.Deaths, out.Declared = e.records, e.classes, e.deaths, e.pure
	out.Known, out.Settling = e.known, e.settling
	out.Quarantined, out.Partitions, out.Releases = e.quarantine, e.positions, e.intents
	out.LetterLast, out.LettersWait = e.letter, e.waiting
	if mark, err := cell(tx, keyLedger, ledgerLayout); err != nil {
		return err
	} else if mark != nil {
		out.Ledger = *mark
	}
	return out.readRelease(tx)
}

func (out *Information) readRelease(tx *transaction) error {
	x := tx.Bucket(inIntents.name)
	if x == nil {
		return inIntents.damaged(nil, "the bucket is missing")
	}
	key, value := x.Cursor().Last()
	if key == nil {
		return nil
	}
	content, err := tx.unseal(inIntents, key, value)
	if err != nil {
		return err
	}
	n, err := inIntents.number(key, 4)
	if err != nil {
		return err
	}
	i, err := intentLayout.decode(content)
	if err != nil {
		return inIntents.damaged(key, err.Error())
	}
	out.LastRelease, out.Published = uint32(n), i.Published
	return nil
}

// BucketSize is how much one bucket holds. Of the dictionary neither is known: a new entry
// would tell of the values of those who wait. The bytes of records would, too, since codes
// are packed in as few bits as the largest needs.
type BucketSize struct {
	Name  string `json:"bucket"`
	Keys  *int64 `json:"keys,omitempty"`
	Bytes *int64 `json:"bytes,omitempty"` // of its pages
}

// Buckets says what the file has. Cost: a look at each page.
func (s *Store) Buckets() (out []BucketSize, err error) {
	err = guarded(func() error {
		return s.view(func(tx *transaction) error {
			for _, b := range allBuckets {
				x := tx.Bucket(b.name)
				n := BucketSize{Name: string(b.name)}
				stats := x.Stats()
				keys, bytes := int64(stats.KeyN), int64(stats.BranchAlloc+stats.LeafAlloc)
				if b != inDictionary {
					n.Keys = &keys
				}
				if b != inDictionary && b != inRecords {
					n.Bytes = &bytes
				}
				out = append(out, n)
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("state %s: %w", s.path, err)
	}
	return out, nil
}
