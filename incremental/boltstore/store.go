package boltstore

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"anond/incremental/state"
	"anond/internal/disk"
	"anond/internal/sealed"
)

// Options of Open. The zero value serves a daemon.
type Options struct {
	// Timeout bounds the wait for the lock; 0 means two seconds.
	Timeout time.Duration
	// MaxBytes bounds the file, 0 means the disk does. A commit that needs more
	// fails with state.ErrQuota, and may be repeated.
	MaxBytes int64
	// ReadOnly takes a shared lock and changes nothing. The state must exist.
	ReadOnly bool
	// Progress is told by Load how many of all records were read; may be nil.
	Progress func(done, all uint64)
	// NoSync leaves out fsync. For benchmarks and tests: a crash of the machine
	// may then lose or damage the state.
	NoSync bool
	// Key encrypts a new state, and must be the one of an encrypted state. The zero
	// Key is none.
	Key sealed.Key
	// Step is called between the steps in which ForgetFile replaces a file; an error ends it there. For
	// tests; may be nil.
	Step func(name string) error
}

func (o *Options) at(step string) error {
	if o.Step == nil {
		return nil
	}
	return o.Step(step)
}

const (
	defaultTimeout = 2 * time.Second
	// allocSize is the step in which a large file grows.
	allocSize = 4 << 20
	// mapAhead is how much more of the address space is mapped than the file has. A
	// commit that needs more waits for the end of a backup; no memory is used by it.
	mapAhead = 1 << 30
)

// Store is an state.Store in one bbolt file.
type Store struct {
	db       *bolt.DB
	path     string
	readOnly bool
	key      sealed.Key             // of the operator
	crypt    *crypt                 // nil: not encrypted
	progress func(done, all uint64) // of Load; may be nil
	limit    atomic.Int64           // Options.MaxBytes, which may change
	stale    atomic.Bool            // free pages may hold what was forgotten

	// ends and guard describe the file if ready says so.
	ready bool
	ends  ends
	guard state.Guard
}

var _ state.Store = (*Store)(nil)

// Open opens the state at path, creating it (mode 0600) and its directory
// (mode 0700) unless it is opened for reading. A writer removes what killed processes left
// next to it. Errors: state.ErrLocked
// (naming the holder where the system says), FormatError, ErrCorrupt,
// ErrNoSpace; fs.ErrNotExist when reading what is not there; sealed.ErrNoKey,
// sealed.ErrWrongKey and sealed.ErrNotEncrypted where file and key do not belong together.
func Open(path string, o Options) (*Store, error) {
	s, err := open(path, o)
	if err != nil {
		return nil, fmt.Errorf("state %s: %w", path, err)
	}
	return s, nil
}

func open(path string, o Options) (*Store, error) {
	if err := prepareFile(path, o.ReadOnly); err != nil {
		return nil, err
	}
	s := &Store{path: path, readOnly: o.ReadOnly, key: o.Key, progress: o.Progress}
	s.limit.Store(o.MaxBytes)
	db, err := openBolt(path, o)
	if err != nil {
		return nil, err
	}
	s.db = db
	if err := guarded(func() error { return s.start(o.Key) }); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	if !o.ReadOnly {
		sweep(path)
	}
	if err := guarded(s.lookDue); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	if !o.ReadOnly { // also of a file that was there: who made it may have been killed before this
		err = disk.Sync(filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	return s, nil
}

// prepareFile makes the directory, or refuses to read what is not there.
func prepareFile(path string, readOnly bool) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.Size() > 0:
		return nil
	case readOnly && err == nil:
		return missing(path)
	case readOnly || err != nil && !os.IsNotExist(err):
		return err
	default:
		return disk.MakeDir(disk.OS(0o700), filepath.Dir(path))
	}
}

func openBolt(path string, o Options) (db *bolt.DB, err error) {
	var file *os.File // kept, as bbolt leaks it when it panics over a damaged page
	options := &bolt.Options{
		Timeout: o.Timeout, ReadOnly: o.ReadOnly, MaxSize: int(o.MaxBytes), NoSync: o.NoSync, NoGrowSync: o.NoSync,
		FreelistType: bolt.FreelistMapType, PreLoadFreelist: true,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			f, err := os.OpenFile(name, flag, mode)
			file = f
			return f, err
		},
	}
	if o.Timeout == 0 {
		options.Timeout = defaultTimeout
	}
	if !o.ReadOnly {
		options.InitialMmapSize = mapSize(path)
	}
	err = guarded(func() error {
		db, err = bolt.Open(path, 0o600, options)
		return err
	})
	if err != nil {
		if db == nil && file != nil {
			unlock(file)
			file.Close() // also when bbolt has closed it
		}
		return nil, openError(path, err)
	}
	db.AllocSize = stepOf(o.MaxBytes)
	if err := sameFile(file, path); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// mapSize is how much of the file is mapped at first; 0: what it has.
func mapSize(path string) int {
	if strconv.IntSize < 64 || runtime.GOOS == "windows" { // where address space is scarce, or the file would grow to this
		return 0
	}
	size := mapAhead
	if info, err := os.Stat(path); err == nil {
		size += 2 * int(info.Size())
	}
	return size
}

// sameFile refuses a file that was replaced by another while its lock was waited for
// (CompactFile): what would be written to it would be lost.
func sameFile(file *os.File, path string) error {
	opened, err := file.Stat()
	if err != nil {
		return err
	}
	if now, err := os.Stat(path); err != nil || !os.SameFile(opened, now) {
		return fmt.Errorf("%w: the file was replaced while it was opened; try again", state.ErrLocked)
	}
	return nil
}

// guarded runs a function that reads pages. bbolt panics at damage, and a file shorter
// than its pages causes a memory fault; both become errors.
func guarded(f func() error) error { return guardedBut(new(bool), f) }

// guardedBut lets a panic pass while a caller's function runs: it is a fault of
// the program, not of the file.
func guardedBut(callback *bool, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			if *callback {
				panic(p)
			}
			err = panicError(p)
		}
	}()
	return f()
}

// start checks size, format and key, and writes the first transaction of a new file.
func (s *Store) start(key sealed.Key) error {
	if err := errors.Join(s.checkSize(), s.checkTree()); err != nil {
		return err
	}
	fresh, wrapped := false, []byte(nil)
	err := s.view(func(tx *transaction) (err error) {
		if k, _ := tx.Cursor().First(); k == nil {
			fresh = true
			return nil
		}
		wrapped, err = checkFormat(tx)
		return err
	})
	switch {
	case err != nil:
		return err
	case fresh && s.readOnly:
		return missing(s.path)
	case fresh:
		return s.found(key)
	}
	return s.unlock(key, wrapped)
}

// unlock finds the data key of an encrypted file.
func (s *Store) unlock(key sealed.Key, wrapped []byte) error {
	if wrapped == nil {
		if key.Set() {
			return sealed.ErrNotEncrypted
		}
		return nil
	}
	data, err := key.Unwrap(wrapped)
	if errors.Is(err, sealed.ErrTampered) {
		return inMeta.damaged(keyCipher, err.Error())
	}
	if err == nil {
		s.crypt = newCrypt(data)
	}
	return err
}

// found writes an empty state, with a data key of its own if it is encrypted.
func (s *Store) found(key sealed.Key) error {
	var wrapped []byte
	if key.Set() {
		data, err := sealed.NewKey(rand.Reader)
		if err != nil {
			return err
		}
		if wrapped, err = key.Wrap(data, rand.Reader); err != nil {
			return err
		}
		s.crypt = newCrypt(data)
	}
	return writeError(s.update(func(tx *transaction) error {
		for _, b := range allBuckets {
			if _, err := tx.CreateBucket(b.name); err != nil {
				return err
			}
		}
		w := writer{tx: tx}
		if wrapped != nil {
			if err := w.put(inMeta, keyCipher, wrapped); err != nil {
				return err
			}
		}
		return errors.Join(w.putFormat(), w.put(inMeta, keyEnds, endsLayout.encode(w.ends)))
	}))
}

// checkSize notices a file that was cut off before a page behind its end is
// looked at.
func (s *Store) checkSize() error {
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	return s.db.View(func(tx *bolt.Tx) error {
		if tx.Size() > info.Size() {
			return fmt.Errorf("%w: the file has %d bytes, its pages %d", state.ErrCorrupt, info.Size(), tx.Size())
		}
		return nil
	})
}

// checkFormat refuses what this program cannot read, and returns the wrapped data key of
// an encrypted file. The first four bytes of the cell are the number in all formats.
func checkFormat(tx *transaction) (wrapped []byte, err error) {
	content, err := get(tx, inMeta, keyFormat)
	if err != nil {
		return nil, err
	}
	if len(content) < 4 {
		return nil, inMeta.damaged(keyFormat, "it is no format or not there: the file is no state of anond")
	}
	if v := binary.BigEndian.Uint32(content); v != formatNumber {
		return nil, &state.FormatError{Have: v, Known: formatNumber}
	}
	if wrapped, err = get(tx, inMeta, keyCipher); err != nil {
		return nil, err
	}
	if marks := marksOf(tx.Bucket(inMeta.name)); len(content) != 5 || content[4] != marks {
		return nil, inMeta.damaged(keyFormat, "it contradicts the keys that are there: one was lost, or added")
	}
	return wrapped, tx.Bucket(inMeta.name).ForEach(func(key, _ []byte) error {
		if !slices.ContainsFunc(headKeys, func(known []byte) bool { return bytes.Equal(key, known) }) {
			return inMeta.damaged(key, "no state has this key: it was another one")
		}
		return nil
	})
}

// Bytes is the size of the file and the part of it that holds nothing.
func (s *Store) Bytes() (used, free int64) {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0, 0
	}
	used = info.Size()
	size, page, err := s.pages()
	if err != nil {
		return used, 0 // closed
	}
	stats := s.db.Stats()
	return used, int64(stats.FreePageN+stats.PendingPageN)*page + max(0, used-size)
}

// pages is the size of the database and of a page. Only within a transaction may bbolt be asked for
// that: otherwise it panics while the file is mapped anew because it grows.
func (s *Store) pages() (size, page int64, err error) {
	err = s.db.View(func(tx *bolt.Tx) error {
		size, page = tx.Size(), int64(s.db.Info().PageSize)
		return nil
	})
	return size, page, err
}

// Close releases the file and its lock. It waits for a running Outbox.
func (s *Store) Close() error { return s.db.Close() }
