package boltstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"

	"anond/incremental/state"
	"anond/internal/disk"
	"anond/internal/sealed"
)

// CompactFile replaces the state at path by a copy without free pages. It holds the
// lock throughout, so that no daemon can go on in the old file; one that waited for the lock notices that the file is another (openBolt).
func CompactFile(path string, o Options) error {
	return replaceFile(path, forCompact, o, func(s *Store, dst string) error { return s.compact(dst, o.Key) })
}

// RekeyFile replaces the state at path, which o opens, by a copy under another key and a
// new data key; without key the copy is not encrypted. Nothing of the old file is left
// in the new one. The old one is removed, but a file system or a disk may keep its blocks.
func RekeyFile(path string, o Options, to sealed.Key) error {
	return replaceFile(path, forRekey, o, func(s *Store, dst string) error {
		return appear(context.Background(), dst, to, func(tmp string) error { return s.copyTo(tmp, to) })
	})
}

// What is made next to a state to take its place.
const (
	forCompact = "compact"
	forRekey   = "rekey"
	forRestore = "restore"
	forForget  = "forget"
)

func beside(path, purpose string) string { return path + "." + purpose }

// incomplete is what a file is called while it is made: a name that nobody else gives a file.
func incomplete(dst string) string {
	return filepath.Join(filepath.Dir(dst), "."+filepath.Base(dst)+".incomplete")
}

// CompactedPath is the copy that CompactFile makes of the state at path, until it is complete.
func CompactedPath(path string) string { return incomplete(beside(path, forCompact)) }

// sweep removes what processes that were killed left next to the state at path. Its lock
// is held, and so was theirs. What cannot be removed disturbs only whoever makes the same.
func sweep(path string) {
	for _, purpose := range []string{forCompact, forRekey, forRestore, forForget} {
		left := beside(path, purpose)
		_, _ = os.Remove(left), os.Remove(incomplete(left))
	}
}

// errUnchanged: there is nothing to replace the state by.
var errUnchanged = errors.New("nothing changes")

// files is where states are.
const files = disk.File(0o600)

// replaceFile replaces the state at path by what write makes of it, holding its lock.
func replaceFile(path, purpose string, o Options, write func(s *Store, dst string) error) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	s, err := Open(path, o)
	if err != nil {
		return err
	}
	fresh := beside(path, purpose)
	if err = write(s, fresh); err == errUnchanged { // nothing is there: Open has swept
		return s.Close()
	}
	if err == nil {
		err = disk.Move(files, fresh, path)
	}
	if err == nil {
		err = o.at("replaced")
	}
	if err != nil {
		err = fmt.Errorf("%s state %s: %w", purpose, path, err)
	}
	return errors.Join(err, s.Close())
}

// appear makes a state file in the directory of dst and renames it once it is complete.
func appear(ctx context.Context, dst string, key sealed.Key, write func(tmp string) error) error {
	if _, err := os.Lstat(dst); err == nil {
		return &fs.PathError{Op: "create", Path: dst, Err: fs.ErrExist}
	}
	tmp := incomplete(dst)
	if err := files.RemoveAll(tmp); err != nil {
		return err
	}
	if err := write(tmp); err != nil {
		return errors.Join(writeError(err), files.RemoveAll(tmp))
	}
	if err := verifyCopy(ctx, tmp, key); err != nil {
		return errors.Join(err, files.RemoveAll(tmp))
	}
	return disk.Move(files, tmp, dst)
}

// copyStep is how much one transaction of a copy holds.
const copyStep = 8 << 20

// compact writes the state without its free pages to dst, which must not exist and
// appears only when complete.
func (s *Store) compact(dst string, key sealed.Key) error {
	return appear(context.Background(), dst, key, func(tmp string) error {
		to, err := openBolt(tmp, Options{NoSync: true}) // synced once, below
		if err != nil {
			return err
		}
		to.AllocSize = 1 << 16 // leave no tail
		err = guarded(func() error { return bolt.Compact(to, s.db, copyStep) })
		if err == nil {
			err = s.cleaned(to)
		}
		if err == nil {
			err = to.Sync()
		}
		return errors.Join(err, to.Close())
	})
}

// copyTo writes all values to a new state file under another key.
func (s *Store) copyTo(path string, key sealed.Key) error {
	return s.copyInto(path, key, func(to *Store, from *transaction) error {
		for _, b := range allBuckets {
			if err := to.copyBucket(from, b, nil); err != nil {
				return err
			}
		}
		return to.update(func(tx *transaction) error { // of what was copied; it has no page of the old file
			w := writer{tx: tx}
			due, err := readDue(tx)
			return errors.Join(err, w.putDue(due.people, false), w.putFormat())
		})
	})
}

// copyInto makes a new state file under a key and fills it from this one.
func (s *Store) copyInto(path string, key sealed.Key, fill func(to *Store, from *transaction) error) error {
	to, err := Open(path, Options{NoSync: true, Key: key}) // synced once, below
	if err != nil {
		return err
	}
	err = guarded(func() error { return s.view(func(tx *transaction) error { return fill(to, tx) }) })
	if err == nil {
		err = to.db.Sync()
	}
	return errors.Join(err, to.Close())
}

// change makes the content of a value in a copy; nil: the copy has none.
type change func(key, content []byte) ([]byte, error)

// copyBucket copies one bucket, some megabytes in a transaction. change may be nil.
func (s *Store) copyBucket(from *transaction, b *bucket, change change) error {
	x := from.Bucket(b.name)
	if x == nil {
		return nil // verifyCopy tells
	}
	c := x.Cursor()
	for key, value := c.First(); key != nil; {
		err := s.update(func(tx *transaction) error {
			w, size := writer{tx: tx}, 0
			for ; key != nil && size < copyStep; key, value = c.Next() {
				if inClear(b, key) { // the new file has its own
					continue
				}
				content, err := from.unseal(b, key, value)
				if err == nil && change != nil {
					content, err = change(key, content)
				}
				if err == nil && content != nil {
					err = w.put(b, key, content[:len(content):len(content)])
				}
				if err != nil {
					return err
				}
				size += len(value)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// verifyCopy loads the copy: what was damaged in the source, or lost while copying,
// fails its checksum or its bucket's end.
func verifyCopy(ctx context.Context, path string, key sealed.Key) error {
	c, err := Open(path, Options{ReadOnly: true, Key: key})
	if err != nil {
		return err
	}
	v := nobody
	v.Records = func(*state.RecordBlock) error { return ctx.Err() }
	return errors.Join(c.Load(v), c.Close())
}
