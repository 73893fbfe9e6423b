package publish_test

import (
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/incremental/state"
	"anond/snapshot/publish"
	"anond/snapshot/snapshottest"
)

// holding is a disk that holds one change up until it is told to go on.
type holding struct {
	*snapshottest.Disk
	at          int // which change, counted from 1
	begun, goOn chan struct{}
	mu          sync.Mutex
	done        int
}

func (h *holding) change(do func() error) error {
	h.mu.Lock()
	h.done++
	n := h.done
	h.mu.Unlock()
	if n == h.at {
		close(h.begun)
		<-h.goOn
	}
	return do()
}

func (h *holding) changes() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.done
}

func (h *holding) MkdirAll(dir string) error {
	return h.change(func() error { return h.Disk.MkdirAll(dir) })
}
func (h *holding) Mkdir(dir string) error {
	return h.change(func() error { return h.Disk.Mkdir(dir) })
}
func (h *holding) MkdirPrivate(dir string) error {
	return h.change(func() error { return h.Disk.MkdirPrivate(dir) })
}
func (h *holding) Publicize(dir string) error {
	return h.change(func() error { return h.Disk.Publicize(dir) })
}
func (h *holding) Truncate(path string, size int64) error {
	return h.change(func() error { return h.Disk.Truncate(path, size) })
}
func (h *holding) Sync(path string) error {
	return h.change(func() error { return h.Disk.Sync(path) })
}
func (h *holding) SyncAll(paths []string) error {
	for _, path := range paths {
		if err := h.Sync(path); err != nil {
			return err
		}
	}
	return nil
}
func (h *holding) Rename(from, to string) error {
	return h.change(func() error { return h.Disk.Rename(from, to) })
}
func (h *holding) Link(from, to string) error {
	return h.change(func() error { return h.Disk.Link(from, to) })
}
func (h *holding) CreateSealed(path string) (io.WriteCloser, error) {
	return h.open(h.Disk.CreateSealed, path)
}
func (h *holding) RemoveAll(path string) error {
	return h.change(func() error { return h.Disk.RemoveAll(path) })
}
func (h *holding) Create(path string) (io.WriteCloser, error) { return h.open(h.Disk.Create, path) }
func (h *holding) Append(path string) (io.WriteCloser, error) { return h.open(h.Disk.Append, path) }

func (h *holding) open(by func(string) (io.WriteCloser, error), path string) (w io.WriteCloser, err error) {
	err = h.change(func() error { w, err = by(path); return err })
	return &heldFile{w, h}, err
}

type heldFile struct {
	io.WriteCloser
	h *holding
}

func (f *heldFile) Write(p []byte) (n int, err error) {
	err = f.h.change(func() error { n, err = f.WriteCloser.Write(p); return err })
	return n, err
}

// TestClosingEndsEveryChange closes the file system while each change in turn is in
// progress: Close waits for that change, no other follows, and a later start ends
// where an uninterrupted run does.
func TestClosingEndsEveryChange(t *testing.T) {
	want := newDisk("")
	require.NoError(t, publishAll(t, memPublisher(want), &[]state.Intent{}))
	refused := 0
	for at := 1; ; at++ {
		disk := newDisk("")
		begun, goOn := make(chan struct{}), make(chan struct{})
		held := &holding{Disk: disk, at: at, begun: begun, goOn: goOn}
		files := publish.NewClosable(held)
		var intents []state.Intent
		ended := make(chan error, 1)
		go func() { ended <- publishAll(t, memPublisher(files), &intents) }()
		select {
		case <-begun:
		case err := <-ended: // there are fewer changes
			require.NoError(t, err)
			assert.Greater(t, refused, 10)
			return
		}
		closed := make(chan int, 1)
		go func() { files.Close(); closed <- held.changes() }()
		goOn <- struct{}{}
		before := <-closed
		if err := <-ended; err != nil { // else Close came when all was done
			require.ErrorIs(t, err, publish.ErrClosed, "closed at change %d", at)
			refused++
		}
		assert.Equal(t, before, held.changes(), "changes after Close, closed at change %d", at)
		require.NoError(t, publishAll(t, memPublisher(disk), &intents))
		assert.Equal(t, want.Files(), disk.Files())
	}
}
