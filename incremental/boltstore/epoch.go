package boltstore

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"

	"anond/incremental"
	"anond/incremental/sealed"
)

// ErrHandover: the file is no state, but what a closed one has left.
var ErrHandover = errors.New("the file is what anond epoch close has written, and no state: anond epoch begin takes it")

// Close of an epoch, and the beginning of the next (incremental.Epoch). A closed state has a mark, and
// takes nothing more in. What it leaves is a file of the same format, without records: so it has checksums,
// and is encrypted under the same key.

// CloseEpoch marks the state as closed, permanently.
func (s *Store) CloseEpoch() error {
	if s.readOnly {
		return errReadOnly
	}
	err := guarded(func() error {
		return s.update(func(tx *transaction) error {
			w := writer{tx: tx}
			return errors.Join(w.put(inMeta, keyClosed, []byte{1}), w.putFormat())
		})
	})
	if err = writeError(err); err != nil {
		err = fmt.Errorf("state %s: close its epoch: %w", s.path, err)
	}
	return err
}

// Closed reports whether the state is.
func (s *Store) Closed() (closed bool, err error) {
	err = guarded(func() error {
		return s.view(func(tx *transaction) (err error) {
			closed, err = isClosed(tx)
			return err
		})
	})
	return closed, err
}

func isClosed(tx *transaction) (bool, error) {
	content, err := get(tx, inMeta, keyClosed)
	return content != nil, err
}

// mayTake refuses a delta that a closed state does not take: anything but what an erasure changes.
func mayTake(tx *transaction, d *incremental.Delta) error {
	closed, err := isClosed(tx)
	if err != nil || !closed {
		return err
	}
	if len(d.Records)+len(d.Births)+len(d.Positions)+len(d.DeadLetters)+len(d.Quarantined) > 0 || d.Intent != nil || d.Attempt != nil {
		return incremental.ErrClosed
	}
	return nil
}

// WriteHandover makes the file that a closed state leaves, under the key of the state. It appears when it is
// complete; path must not exist.
func WriteHandover(ctx context.Context, path string, key sealed.Key, f *incremental.Handover, people []incremental.EarlierPerson) error {
	return appear(ctx, path, key, func(tmp string) error {
		return fill(tmp, key, &f.Epoch, func(yield func(incremental.EarlierPerson, error) bool) {
			for _, p := range people {
				if !yield(p, nil) {
					return
				}
			}
		}, func(w *writer) error { return w.put(inMeta, keyHandover, encodeHandover(f)) })
	})
}

// people come one after another, in order.
type people = iter.Seq2[incremental.EarlierPerson, error]

// BeginEpoch makes the state of a new epoch at path, which must not exist: it has no records and no seed yet, and
// knows the people. It appears when it is complete.
func BeginEpoch(ctx context.Context, path string, key sealed.Key, e *incremental.Epoch, all people) error {
	err := appear(ctx, path, key, func(tmp string) error {
		return fill(tmp, key, e, all, func(*writer) error { return nil })
	})
	if err != nil {
		err = fmt.Errorf("state %s: begin an epoch: %w", path, err)
	}
	return err
}

// fill makes a file that has an epoch and its people, some megabytes in a transaction, and counts them in e.
func fill(path string, key sealed.Key, e *incremental.Epoch, all people, last func(*writer) error) error {
	s, err := Open(path, Options{NoSync: true, Key: key}) // synced once, below
	if err != nil {
		return err
	}
	next, stop := iter.Pull2(all)
	defer stop()
	count := uint64(0)
	for more := true; err == nil && more; {
		err = s.update(func(tx *transaction) error {
			if _, err := tx.CreateBucketIfNotExists(inEarlier.name); err != nil {
				return err
			}
			w := writer{tx: tx}
			for size := 0; more && size < copyStep; {
				var block []incremental.EarlierPerson
				for len(block) < blockLength {
					p, err, ok := next()
					if more = ok; !ok || err != nil {
						if err != nil {
							return err
						}
						break
					}
					block = append(block, p)
				}
				if len(block) == 0 {
					break
				}
				content := encodeEarlier(block)
				if err := w.put(inEarlier, key64(count), content); err != nil {
					return err
				}
				count, size = count+uint64(len(block)), size+len(content)
			}
			return nil
		})
	}
	if err == nil {
		out := *e
		out.People = count
		err = s.update(func(tx *transaction) error {
			w := writer{tx: tx}
			return errors.Join(w.put(inMeta, keyEpoch, encodeEpoch(&out)), last(&w), w.putFormat())
		})
	}
	if err == nil {
		err = s.db.Sync()
	}
	return errors.Join(err, s.Close())
}

// Handover is an opened file of WriteHandover.
type Handover struct {
	incremental.Handover
	Path  string
	store *Store
}

// OpenHandover opens one for reading.
func OpenHandover(path string, key sealed.Key) (*Handover, error) {
	s, err := Open(path, Options{ReadOnly: true, Key: key})
	if err != nil {
		return nil, err
	}
	out := &Handover{Path: path, store: s}
	err = guarded(func() error {
		return s.view(func(tx *transaction) error {
			content, err := get(tx, inMeta, keyHandover)
			if err != nil {
				return err
			}
			if content == nil {
				return errors.New("it is not what anond epoch close has written")
			}
			if out.Handover, err = decodeHandover(content); err != nil {
				return inMeta.damaged(keyHandover, err.Error())
			}
			e, err := readEpoch(tx)
			if err == nil && e == nil {
				err = inMeta.damaged(keyEpoch, "it is missing")
			}
			if err == nil {
				waiting := out.Waiting
				out.Epoch, out.Waiting = *e, waiting
			}
			return err
		})
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), s.Close())
	}
	return out, nil
}

// Close ends the reading.
func (f *Handover) Close() error { return f.store.Close() }

// People are all of them in order, read a block at a time.
func (f *Handover) People() iter.Seq2[incremental.EarlierPerson, error] {
	return func(yield func(incremental.EarlierPerson, error) bool) {
		for at := uint64(0); ; {
			var block []incremental.EarlierPerson
			err := guarded(func() error {
				return f.store.view(func(tx *transaction) (err error) {
					block, err = earlierAt(tx, at)
					return err
				})
			})
			if err == nil && len(block) == 0 {
				err = reached(nil, inEarlier, at, f.Epoch.People)
			}
			if err != nil {
				yield(incremental.EarlierPerson{}, fmt.Errorf("%s: %w", f.Path, err))
				return
			}
			for _, p := range block {
				if !yield(p, nil) {
					return
				}
			}
			if at += uint64(len(block)); len(block) == 0 {
				return
			}
		}
	}
}

// earlierAt is the block that begins with a number; none behind the last.
func earlierAt(tx *transaction, at uint64) ([]incremental.EarlierPerson, error) {
	content, err := get(tx, inEarlier, key64(at))
	if content == nil || err != nil {
		return nil, err
	}
	block, err := decodeEarlier(content)
	if err != nil {
		return nil, inEarlier.damaged(key64(at), err.Error())
	}
	return block, nil
}

// EpochAt is what the state at path says of earlier epochs, and whether it is closed; nil: nothing.
func EpochAt(path string, key sealed.Key) (e *incremental.Epoch, closed bool, err error) {
	s, err := Open(path, Options{ReadOnly: true, Key: key})
	if err != nil {
		return nil, false, err
	}
	err = guarded(func() error {
		return s.view(func(tx *transaction) (err error) {
			if closed, err = isClosed(tx); err == nil {
				e, err = readEpoch(tx)
			}
			return err
		})
	})
	return e, closed, errors.Join(err, s.Close())
}

func readEpoch(tx *transaction) (*incremental.Epoch, error) {
	content, err := get(tx, inMeta, keyEpoch)
	if content == nil || err != nil {
		return nil, err
	}
	e, err := decodeEpoch(content)
	if err != nil {
		return nil, inMeta.damaged(keyEpoch, err.Error())
	}
	return &e, nil
}

// epoch hands out what the state has of earlier epochs.
func (l *loader) epoch() error {
	if handover, err := get(l.tx, inMeta, keyHandover); err != nil || handover != nil && !l.handover {
		return errors.Join(err, ErrHandover)
	}
	e, err := readEpoch(l.tx)
	if e == nil || err != nil {
		return err
	}
	if l.v.Epoch != nil {
		if err := l.hand(func() error { return l.v.Epoch(e) }); err != nil {
			return err
		}
	}
	seen := uint64(0)
	err = scan(l.tx, inEarlier, 8, func(n uint64, key, content []byte) error {
		block, err := decodeEarlier(content)
		if err != nil || n != seen {
			return inEarlier.damaged(key, broken(err))
		}
		seen += uint64(len(block))
		if l.v.Earlier == nil {
			return nil
		}
		return l.hand(func() error { return l.v.Earlier(block) })
	})
	return reached(err, inEarlier, seen, e.People)
}

// earlier checks them.
func (c *checker) earlier() {
	e, err := readEpoch(c.tx)
	if err != nil {
		c.fault("%v", err)
	}
	if e == nil {
		return
	}
	seen, last := uint64(0), uint64(0)
	c.walk(inEarlier, 8, func(n uint64, _, content []byte) string {
		block, err := decodeEarlier(content)
		if err != nil || n != seen {
			seen = max(seen, n) + uint64(len(block))
			return broken(err)
		}
		seen += uint64(len(block))
		for _, p := range block {
			if p.Subject <= last || int(p.Home) >= len(e.Chains) {
				return "its people are not in order, or of no chain"
			}
			last = p.Subject
		}
		return ""
	})
	c.total(inEarlier, seen, e.People)
}

// keepEpoch copies what the state has of earlier epochs to another file.
func (s *Store) keepEpoch(from *transaction) error {
	content, err := get(from, inMeta, keyEpoch)
	if content == nil || err != nil {
		return err
	}
	if err := s.copyBucket(from, inEarlier, nil); err != nil {
		return err
	}
	return s.update(func(tx *transaction) error {
		w := writer{tx: tx}
		return errors.Join(w.put(inMeta, keyEpoch, slices.Clone(content)), w.putFormat())
	})
}

// made makes a bucket that most files do not have.
func (b *bucket) made(tx *transaction) error {
	if b != inEarlier {
		return nil
	}
	_, err := tx.CreateBucketIfNotExists(b.name)
	return err
}

func encodeEarlier(people []incremental.EarlierPerson) []byte {
	out := binary.AppendUvarint(nil, uint64(len(people)))
	last := uint64(0)
	for _, p := range people {
		out = binary.AppendUvarint(out, p.Subject-last)
		out = binary.AppendUvarint(out, uint64(p.Home))
		out = binary.AppendVarint(out, int64(p.Partition))
		out = appendFlag(out, p.Waiting)
		last = p.Subject
	}
	return out
}

func decodeEarlier(content []byte) ([]incremental.EarlierPerson, error) {
	r := &reader{b: content}
	out := make([]incremental.EarlierPerson, r.things())
	last := uint64(0)
	for i := range out {
		by := r.uvarint()
		if by == 0 || last+by < last {
			r.fail()
		}
		last += by
		home, partition := uint16(r.count(1<<16-1)), r.varint()
		if int64(int32(partition)) != partition {
			r.fail()
		}
		out[i] = incremental.EarlierPerson{Subject: last, Home: home, Partition: int32(partition), Waiting: r.flag()}
	}
	if len(out) == 0 {
		r.fail()
	}
	return out, r.done()
}

func encodeEpoch(e *incremental.Epoch) []byte {
	out := binary.AppendUvarint(nil, uint64(e.Number))
	out = binary.AppendUvarint(out, e.People)
	out = binary.AppendUvarint(out, uint64(e.Partitions))
	out = appendMap(out, e.Settings, cmp.Compare, func(b []byte, k string, v [32]byte) []byte { return append(appendText(b, k), v[:]...) })
	out = binary.AppendUvarint(out, uint64(len(e.Chains)))
	for _, c := range e.Chains {
		for _, n := range []int{c.Epoch, c.Shard, c.Of, int(c.Release)} {
			out = binary.AppendUvarint(out, uint64(n))
		}
		out = append(out, c.Manifest[:]...)
	}
	out = binary.AppendUvarint(out, uint64(len(e.Left)))
	for _, l := range e.Left {
		out = binary.AppendUvarint(append(out, l.Key[:]...), uint64(len(l.People)))
		out = append(out, encodeForgotten(l.People)...)
	}
	return out
}

func decodeEpoch(content []byte) (e incremental.Epoch, err error) {
	r := &reader{b: content}
	const small = 1<<31 - 1
	e.Number, e.People, e.Partitions = r.count(small), r.uvarint(), r.count(small)
	e.Settings = readMap(r, func(r *reader) (string, [32]byte) { return r.text(), r.digest32() })
	e.Chains = make([]incremental.Chain, r.things())
	for i := range e.Chains {
		c := &e.Chains[i]
		c.Epoch, c.Shard, c.Of, c.Release = r.count(small), r.count(small), r.count(small), uint32(r.count(1<<32-1))
		c.Manifest = r.digest32()
		if c.Epoch < incremental.FirstEpoch || c.Epoch >= e.Number || c.Shard >= c.Of {
			r.fail()
		}
	}
	for range r.things() {
		l := incremental.ForgottenBefore{Key: r.digest32()}
		l.People = make([]incremental.Digest, r.things())
		for j := range l.People {
			l.People[j] = r.digest16()
		}
		e.Left = append(e.Left, l)
	}
	if e.Number <= incremental.FirstEpoch || len(e.Chains) == 0 {
		r.fail()
	}
	return e, r.done()
}

func encodeHandover(f *incremental.Handover) []byte {
	out := append(appendText(nil, f.Dataset), f.Keys[:]...)
	out = appendFlag(binary.AppendUvarint(out, uint64(f.Topic)), f.Blind)
	return appendFlag(binary.AppendUvarint(out, f.Waiting), f.Owed)
}

func decodeHandover(content []byte) (f incremental.Handover, err error) {
	r := &reader{b: content}
	f.Dataset, f.Keys = r.text(), r.digest32()
	f.Topic, f.Blind = r.count(1<<31-1), r.flag()
	f.Waiting, f.Owed = r.uvarint(), r.flag()
	return f, r.done()
}
