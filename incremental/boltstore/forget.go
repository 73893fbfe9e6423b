package boltstore

import (
	"context"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"anond/incremental/erase"
	"anond/incremental/state"
	"anond/internal/sealed"
)

// ForgetFile replaces the state at path by one that has forgotten people, as plan says of the
// opened state. Without a plan nothing changes.
//
// It holds the lock throughout, and the new file appears in one step, complete and synced: after
// a crash there is the old state or the new one. What plan does before it returns is done
// before anything is removed. bbolt keeps removed values on free pages, so the new file is
// written from nothing. The old one is removed, but a file system or a disk may keep its blocks.
func ForgetFile(path string, o Options, plan func(*Store) (*erase.Erasure, error)) error {
	return replaceFile(path, forForget, o, func(s *Store, dst string) error {
		e, err := plan(s)
		if err == nil && e == nil {
			err = errUnchanged
		}
		if err != nil {
			return err
		}
		err = appear(context.Background(), dst, o.Key, func(tmp string) error {
			if err := s.forgetTo(tmp, o.Key, e); err != nil {
				return err
			}
			return o.at("written")
		})
		if err != nil {
			return err
		}
		return o.at("complete")
	})
}

// forgetTo writes the state that has forgotten to a new file.
func (s *Store) forgetTo(path string, key sealed.Key, e *erase.Erasure) error {
	return s.copyInto(path, key, func(to *Store, from *transaction) error {
		ends, err := readEnds(from)
		if err != nil {
			return err
		}
		for _, b := range allBuckets {
			if b == inDictionary {
				ends.dictionary, err = to.keepDictionary(from, e)
			} else {
				err = to.copyBucket(from, b, changeOf(b, e))
			}
			if err != nil {
				return err
			}
		}
		return to.update(func(tx *transaction) error { return (&writer{tx: tx}).forgotten(e, ends, false) })
	})
}

// forgotten writes the head of a state that has forgotten.
func (w *writer) forgotten(e *erase.Erasure, ends ends, stale bool) error {
	w.ends = ends
	w.ends.settling -= uint64(e.Closed())
	counters, err := cell(w.tx, keyCounters, countersLayout)
	if err == nil && counters != nil {
		e.Count(counters)
		err = w.put(inMeta, keyCounters, countersLayout.encode(*counters))
	}
	if err = errors.Join(err, w.known(&state.Delta{Known: e.Known()})); err != nil {
		return err
	}
	return errors.Join(w.put(inMeta, keyMeta, metaLayout.encode(*e.Head())), w.put(inMeta, keyEnds, endsLayout.encode(w.ends)),
		w.putDue(e.Later, stale), w.putFormat())
}

// changeOf is how a copy changes the values of a bucket; nil: not.
func changeOf(b *bucket, e *erase.Erasure) change {
	switch b {
	case inBorn:
		return func(key, content []byte) ([]byte, error) {
			of, err := bornLayout.decode(content)
			if err != nil {
				return nil, b.damaged(key, err.Error())
			}
			err = e.RewriteBorn(&of)
			return bornLayout.encode(of), err
		}
	case inSettling:
		return func(key, content []byte) ([]byte, error) {
			if n, err := b.number(key, 8); err != nil || e.Closes(n) {
				return nil, err
			}
			return content, nil
		}
	case inRecords:
	default:
		return nil
	}
	return func(key, content []byte) ([]byte, error) {
		n, err := b.number(key, 4)
		if err != nil {
			return nil, err
		}
		block, err := decodeRecords(state.RecordID(n), content)
		if err != nil {
			return nil, b.damaged(key, err.Error())
		}
		err = e.Rewrite(&state.RecordBlock{First: block.first, Columns: block.columns, Subject: block.subject,
			Stratum: block.stratum, Window: block.window, Origin: block.origin, Offset: block.offset})
		if err != nil {
			return nil, err
		}
		return block.encode(), nil
	}
}

// keepDictionary copies the entries that stay and returns how many these are.
func (s *Store) keepDictionary(from *transaction, e *erase.Erasure) (kept uint64, err error) {
	stays := e.Dictionary()
	err = scan(from, inDictionary, 8, func(_ uint64, key, content []byte) error {
		list, err := dictionaryLayout.decode(content)
		if err != nil {
			return inDictionary.damaged(key, err.Error())
		}
		out := keep(list, stays)
		if len(out) == 0 {
			return nil
		}
		err = s.update(func(tx *transaction) error {
			w := writer{tx: tx}
			return w.put(inDictionary, key64(kept), dictionaryLayout.encode(out))
		})
		kept += uint64(len(out))
		return err
	})
	return kept, err
}

// Forgetful is what a state says about those whom it has forgotten.
type Forgetful struct {
	Seed  [32]byte // of the state
	Fresh bool     // nothing was committed yet, so that the seed is not drawn
	// People are those who were forgotten, and Due how many of them have records still there.
	People []state.Person
	Due    int
}

// Forgotten returns who was forgotten. Its cost is that of the list of who is known.
func (s *Store) Forgotten() (out Forgetful, err error) {
	err = guarded(func() error {
		return s.view(func(tx *transaction) error {
			content, err := get(tx, inMeta, keyMeta)
			if err != nil {
				return err
			}
			out.Fresh = content == nil
			l := loader{tx: tx, v: state.Visitor{
				Meta:     func(m state.Meta) error { out.Seed = m.Seed; return nil },
				Counters: func(state.Counters) error { return nil },
				Due:      func(n int) error { out.Due = n; return nil },
				Known: func(list []state.Known) error {
					for _, k := range list {
						if k.Why()&state.Forgotten != 0 {
							out.People = append(out.People, k.Person())
						}
					}
					return nil
				},
			}}
			if l.ends, err = readEnds(tx); err != nil {
				return err
			}
			return errors.Join(l.head(), l.due(), l.known())
		})
	})
	if err != nil {
		err = fmt.Errorf("state %s: %w", s.path, err)
	}
	return out, err
}

// readDue reads what is due; without the key nothing is.
func readDue(tx *transaction) (due, error) {
	d, err := cell(tx, keyDue, dueLayout)
	if d == nil {
		return due{}, err
	}
	return *d, err
}

// putDue writes what is due, or nothing, if nothing is.
func (w *writer) putDue(people int, stale bool) error {
	if people > 0 || stale {
		return w.put(inMeta, keyDue, dueLayout.encode(due{people, stale}))
	}
	x, err := w.bucket(inMeta)
	if err != nil {
		return err
	}
	return x.Delete(keyDue)
}

// lookDue finds out whether the file is Stale. One that cannot say so may be; Load tells the damage.
func (s *Store) lookDue() error {
	return s.view(func(tx *transaction) error {
		d, err := readDue(tx)
		s.stale.Store(d.stale || err != nil)
		return nil
	})
}

// cleaned takes the mark of stale pages from a file that was copied without them. What is still
// due stays there.
func (s *Store) cleaned(to *bolt.DB) error {
	return to.Update(func(tx *bolt.Tx) error {
		w := writer{tx: &transaction{Tx: tx, crypt: s.crypt}}
		if tx.Bucket(inMeta.name) == nil {
			return nil // of another program: it does not open
		}
		d, err := readDue(w.tx)
		if err != nil || !d.stale {
			return err
		}
		return w.putDue(d.people, false)
	})
}
