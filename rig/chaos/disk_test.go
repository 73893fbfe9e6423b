package chaos

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/upkeep"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// disk is the file system of the releases, on which the armed faults take effect.
type disk struct {
	snapshot.FS
	armed *armed
}

func (d *disk) ReadFile(path string) ([]byte, error) {
	d.armed.wait(lookTakes)
	return d.FS.ReadFile(path)
}

func (d *disk) Stat(path string) (fs.FileInfo, error) {
	d.armed.wait(lookTakes)
	return d.FS.Stat(path)
}

func (d *disk) MkdirAll(dir string) error {
	return d.do("mkdir", dir, func() error { return d.FS.MkdirAll(dir) })
}

func (d *disk) Mkdir(dir string) error {
	return d.do("mkdir", dir, func() error { return d.FS.Mkdir(dir) })
}

func (d *disk) MkdirPrivate(dir string) error {
	return d.do("mkdir", dir, func() error { return d.FS.MkdirPrivate(dir) })
}

func (d *disk) Publicize(dir string) error {
	return d.do("chmod", dir, func() error { return d.FS.Publicize(dir) })
}

func (d *disk) Link(from, to string) error {
	return d.do("link", to, func() error { return d.FS.Link(from, to) })
}

func (d *disk) Truncate(path string, size int64) error {
	return d.do("truncate", path, func() error { return d.FS.Truncate(path, size) })
}

func (d *disk) Rename(from, to string) error {
	return d.do("rename", to, func() error { return d.FS.Rename(from, to) })
}

func (d *disk) RemoveAll(path string) error {
	return d.do("remove", path, func() error { return d.FS.RemoveAll(path) })
}

func (d *disk) Sync(path string) error {
	return d.do("sync", path, func() error { return d.FS.Sync(path) })
}

func (d *disk) SyncAll(paths []string) error {
	for _, path := range paths {
		if err := d.Sync(path); err != nil {
			return err
		}
	}
	return nil
}

func (d *disk) Create(path string) (io.WriteCloser, error) {
	return d.open("create", path, d.FS.Create)
}

func (d *disk) Append(path string) (io.WriteCloser, error) {
	return d.open("append", path, d.FS.Append)
}

func (d *disk) CreateSealed(path string) (io.WriteCloser, error) {
	return d.open("create", path, d.FS.CreateSealed)
}

func (d *disk) do(op, path string, change func() error) error {
	if err := d.armed.effect(op, path); err != nil {
		return err
	}
	return change()
}

func (d *disk) open(op, path string, by func(string) (io.WriteCloser, error)) (w io.WriteCloser, err error) {
	if err := d.armed.effect(op, path); err != nil {
		return nil, err
	}
	if w, err = by(path); err != nil {
		return nil, err
	}
	return &openFile{w, path, d.armed}, nil
}

// openFile is a file that is being written. A write that fails leaves half.
type openFile struct {
	io.WriteCloser
	path  string
	armed *armed
}

func (f *openFile) Write(p []byte) (int, error) {
	if err := f.armed.effect("write", f.path); err != nil {
		n, _ := f.WriteCloser.Write(p[:len(p)/2])
		return n, err
	}
	return f.WriteCloser.Write(f.armed.spoil(f.path, p))
}

// store is the state, on which the armed faults take effect. It keeps what the file
// holds after each commit.
type store struct {
	state.Store
	armed *armed
	note  func() error // the file has changed
}

func (s *store) Commit(d *state.Delta) error {
	err := s.armed.before(d)
	if err != nil && !s.armed.tears() {
		return err
	}
	if err := s.Store.Commit(d); err != nil {
		return err
	}
	if err := s.note(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	return s.armed.after(d)
}

// tears reports whether the power is cut within this commit: its pages are written
// then, and some of them are lost.
func (a *armed) tears() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.torn || a.count["torn"] > 0 {
		return false
	}
	a.count["torn"]++
	return true
}

// sink is where dead letters go.
type sink struct {
	ingest.DeadLetters
	armed *armed
}

func (s *sink) Deliver(ctx context.Context, letters []state.DeadLetter) error {
	if err := waitFor(ctx, deliveryTakes); err != nil {
		return err
	}
	if err := s.armed.deliver(); err != nil {
		return err
	}
	if err := s.DeadLetters.Deliver(ctx, letters); err != nil {
		return err
	}
	return s.armed.delivered()
}

// restoreCopy puts back a copy that the daemon has made while it ran, by anond state restore,
// which refuses one that is too old. For every other fault the state itself is lost.
func (w *inside) restoreCopy(f *fault) error {
	copies, err := filepath.Glob(filepath.Join(w.config.State.Backup.Dir, "*.db"))
	if len(copies) == 0 || err != nil {
		return err
	}
	from := copies[int(f.Draw/2)%len(copies)]
	if w.planted.copied != nil {
		if err := w.planted.copied(from); err != nil {
			return err
		}
	}
	state := w.config.State.Path
	if f.Draw%2 == 0 {
		if err := os.Remove(state); err != nil {
			return err
		}
	}
	mark := w.log.Len()
	err = w.restored(from)
	switch {
	case err == nil:
		err = w.noteImage()
	case tooOld(err):
		fmt.Fprintf(w.log, "error: %v\n", err)
		err = os.WriteFile(state, w.newestImage(), 0o600)
	case w.damaged && errors.Is(err, snapshot.ErrDamaged): // an operator restores the releases first
		return os.WriteFile(state, w.newestImage(), 0o600)
	default:
		return fmt.Errorf("state restore: %w", err)
	}
	f.take(mark)
	return errors.Join(err, w.remirror())
}

func (w *inside) restored(from string) error {
	_, err := upkeep.Restore(context.Background(), w.config, from, w.clock.Now())
	return err
}

func tooOld(err error) bool {
	return errors.Is(err, publish.ErrBehind) || errors.Is(err, boltstore.ErrAhead)
}
