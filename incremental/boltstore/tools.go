package boltstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// Information is what a state file says about itself, in counts only.
type Information struct {
	Format      int    `json:"format"`
	Mode        string `json:"mode"` // of the file; it holds persons' values and should be -rw-------
	Bytes       int64  `json:"bytes"`
	FreeBytes   int64  `json:"free_bytes"`
	Records     uint64 `json:"records"`
	Classes     uint64 `json:"classes"` // ever published
	Deaths      uint64 `json:"classes_dead"`
	Declared    uint64 `json:"classes_declared_pure"`
	Quarantined uint64 `json:"quarantined"`
	Dictionary  uint64 `json:"dictionary_entries"`
	Partitions  uint64 `json:"partitions"`
	Releases    uint64 `json:"releases"`     // decided
	LastRelease uint32 `json:"last_release"` // newest decided
	Published   bool   `json:"last_release_published"`
	LetterLast  uint64 `json:"dead_letter_last"`
	LettersWait uint64 `json:"dead_letter_waiting"`
}

// Info reads the head of the state at path. Its cost does not grow with the state.
func Info(path string) (Information, error) {
	s, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		return Information{}, err
	}
	out := Information{}
	out.Bytes, out.FreeBytes = s.Bytes()
	if file, err := os.Stat(path); err == nil {
		out.Mode = file.Mode().String()
	}
	err = guarded(func() error { return s.db.View(out.read) })
	if err != nil {
		err = fmt.Errorf("state %s: %w", path, err)
	}
	return out, errors.Join(err, s.Close())
}

func (out *Information) read(tx *bolt.Tx) error {
	format, err := get(tx, inMeta, keyFormat)
	if err != nil {
		return err
	}
	e, err := readEnds(tx)
	if err != nil {
		return err
	}
	out.Format = int(binary.BigEndian.Uint32(format)) // Open has checked it
	out.Records, out.Classes, out.Deaths, out.Declared = e.records, e.classes, e.deaths, e.pure
	out.Quarantined, out.Dictionary, out.Partitions, out.Releases = e.quarantine, e.dictionary, e.positions, e.intents
	out.LetterLast, out.LettersWait = e.letter, e.waiting
	return out.readRelease(tx)
}

func (out *Information) readRelease(tx *bolt.Tx) error {
	x := tx.Bucket(inIntents.name)
	if x == nil {
		return inIntents.damaged(nil, "the bucket is missing")
	}
	key, value := x.Cursor().Last()
	if key == nil {
		return nil
	}
	content, err := inIntents.unseal(key, value)
	if err != nil {
		return err
	}
	n, err := inIntents.number(key, 4)
	if err != nil {
		return err
	}
	i, err := decodeIntent(uint32(n), content)
	if err != nil {
		return inIntents.damaged(key, err.Error())
	}
	out.LastRelease, out.Published = i.Release, i.Published
	return nil
}

// Backup writes a consistent copy of the state, which is a state file itself,
// while the store is in use. A commit that must enlarge the mapping of the file
// waits for it, so the destination should be fast. The copy holds persons' values.
func (s *Store) Backup(w io.Writer) error {
	err := s.db.View(func(tx *bolt.Tx) error {
		_, err := tx.WriteTo(w)
		return err
	})
	if err != nil {
		return fmt.Errorf("state %s: backup: %w", s.path, writeError(err))
	}
	return nil
}

// BackupFile writes a consistent copy of the state at src to dst, which must not
// exist and appears only when it is complete, synced and readable. src must not
// be in use by a writer.
func BackupFile(src, dst string) error {
	s, err := Open(src, Options{ReadOnly: true})
	if err != nil {
		return err
	}
	return errors.Join(appear(dst, func(tmp string) error {
		f, err := os.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		return errors.Join(s.Backup(f), f.Sync(), f.Close())
	}), s.Close())
}

// CompactFile replaces the state at path by a copy without free pages. It holds the
// lock throughout, so that no daemon can go on in the old file; one that waited for the lock notices that the file is another (openBolt).
func CompactFile(path string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	s, err := Open(path, Options{})
	if err != nil {
		return err
	}
	small := path + ".compact"
	if err = os.Remove(small); err == nil || errors.Is(err, fs.ErrNotExist) { // of a run that was interrupted
		err = s.compact(small)
	}
	if err == nil {
		err = os.Rename(small, path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		err = fmt.Errorf("compact state %s: %w", path, err)
	}
	return errors.Join(err, s.Close())
}

// appear makes a state file in the directory of dst and renames it once it is complete.
func appear(dst string, write func(tmp string) error) error {
	if _, err := os.Lstat(dst); err == nil {
		return &fs.PathError{Op: "create", Path: dst, Err: fs.ErrExist}
	}
	tmp := filepath.Join(filepath.Dir(dst), "."+filepath.Base(dst)+".incomplete") // a name that nobody else gives a file
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := write(tmp); err != nil {
		return errors.Join(writeError(err), os.Remove(tmp))
	}
	if err := verifyCopy(tmp); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	if err := os.Rename(tmp, dst); err != nil {
		return err
	}
	return syncDir(filepath.Dir(dst))
}

// compactStep is how much one transaction of a compaction copies.
const compactStep = 8 << 20

// compact writes the state without its free pages to dst, which must not exist and
// appears only when complete.
func (s *Store) compact(dst string) error {
	return appear(dst, func(tmp string) error {
		to, err := openBolt(tmp, Options{NoSync: true}) // synced once, below
		if err != nil {
			return err
		}
		to.AllocSize = 1 << 16 // leave no tail
		err = guarded(func() error { return bolt.Compact(to, s.db, compactStep) })
		if err == nil {
			err = to.Sync()
		}
		return errors.Join(err, to.Close())
	})
}

// verifyCopy loads the copy: what was damaged in the source, or lost while copying,
// fails its checksum or its bucket's end.
func verifyCopy(path string) error {
	c, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		return err
	}
	return errors.Join(c.Load(nobody), c.Close())
}
