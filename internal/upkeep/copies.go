package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"anond/config"
	"anond/internal/fault"
	"anond/internal/ops/diskuse"
)

// Copies that others ask for over the control socket. Each is made while anond reads on, as
// every backup is, and loaded once before it gets its name. One is made at a time.

// readingPrefix begins the names of copies that a command reads alongside a running daemon.
const readingPrefix = "copy-for-reading-"

// slack stays free on a disk behind a copy, since the state goes on growing.
const slack = 64 << 20

// checkRoom refuses a copy for which the disk has no room: a full disk would end ingest.
func checkRoom(dir string, bytes int64) error {
	free := diskuse.Free(dir)
	if need := bytes + slack; free >= 0 && free < need {
		return fault.Errorf(fault.Failed, "make room, or name a place on another disk",
			"there is no room for a copy of the state in %s: it takes %s, %s must stay free behind it, and there are %s",
			dir, diskuse.Bytes(bytes), diskuse.Bytes(slack), diskuse.Bytes(free))
	}
	return nil
}

// take runs one copy, if none is being made. It ends with ctx and with the daemon.
func (b *Copier) take(ctx context.Context, dir string, work func(context.Context) error) error {
	b.mu.Lock()
	if b.busy || b.ctx.Err() != nil {
		b.mu.Unlock()
		return fault.Errorf(fault.Failed, "ask again in a moment", "the state is being copied already, or anond ends")
	}
	b.busy = true
	b.running.Add(1)
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		b.busy = false
		b.mu.Unlock()
		b.running.Done()
	}()
	if err := checkRoom(dir, b.size()); err != nil { // a copy has the free pages too
		return err
	}
	both, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(b.ctx, cancel)()
	return work(both)
}

// Ordered makes a backup that somebody asked for.
func (b *Copier) Ordered(ctx context.Context, to string) (made Backup, err error) {
	began := b.clock.Now()
	err = b.take(ctx, filepath.Dir(to), func(ctx context.Context) error {
		copied, err := b.store.BackupTo(ctx, to)
		if err == nil {
			made = describe(b.config.Dataset, began, copied)
			err = made.write(descriptionOf(to))
		}
		if err != nil {
			b.failed(err)
			return err
		}
		b.Succeeded(made, began)
		return nil
	})
	return made, err
}

// ToRead makes a copy for a command that reads.
func (b *Copier) ToRead(ctx context.Context) (path string, remove func(), err error) {
	dir := filepath.Dir(b.config.State.Path)
	b.mu.Lock()
	b.copies++
	path = filepath.Join(dir, fmt.Sprintf("%s%d.db", readingPrefix, b.copies))
	b.mu.Unlock()
	err = b.take(ctx, dir, func(ctx context.Context) error {
		_, err := b.store.BackupTo(ctx, path)
		return err
	})
	if err != nil {
		return "", nil, err
	}
	return path, func() { _ = os.Remove(path) }, nil // what cannot be removed now, the next start removes
}

// RemoveReadingCopies removes what a killed process left. The state is locked: no other
// daemon makes copies next to it.
func RemoveReadingCopies(c *config.Config) error {
	dir := filepath.Dir(c.State.Path)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		name := strings.TrimPrefix(e.Name(), ".") // an incomplete one
		if strings.HasPrefix(name, readingPrefix) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}
