package render

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"sync"

	"anond/snapshot"
)

// chunkRows is how many rows a worker makes before they are written: enough to
// amortize the hand-over, few enough that buffers stay in the cache.
const chunkRows = 4096

// chunk is a range of classes on its way to the file.
type chunk struct {
	lo, hi int
	done   chan made
}

type made struct {
	buf  []byte
	rows int
}

// write writes one data file and returns its entry for the manifest. Workers
// make the text of class ranges side by side; the caller's goroutine hashes and
// writes them in order, so the bytes do not depend on the number of workers.
func (t *table) write(l layout, w io.Writer) (snapshot.FileEntry, error) {
	entry := snapshot.FileEntry{Name: l.name}
	hash := sha256.New()
	put := func(buf []byte) error {
		hash.Write(buf)
		entry.Bytes += int64(len(buf))
		_, err := w.Write(buf)
		return err
	}
	if err := put(snapshot.AppendRow(nil, l.header)); err != nil {
		return entry, err
	}
	if l.whole != nil {
		w := &wholeFile{put: put}
		l.whole(w)
		w.flush()
		entry.Rows, entry.SHA256 = w.rows, hex.EncodeToString(hash.Sum(nil))
		return entry, w.err
	}
	queue, free, stop := t.produce(l)
	defer stop()
	for c := range queue {
		m := <-c.done
		entry.Rows += m.rows
		if err := put(m.buf); err != nil {
			return entry, err
		}
		free <- m.buf[:0]
		if l.written != nil {
			l.written(c.hi)
		}
	}
	entry.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return entry, nil
}

// produce starts the workers. queue yields the chunks in order; the caller gives
// buffers back through free, and must call stop, which waits for the workers.
func (t *table) produce(l layout) (queue <-chan chunk, free chan<- []byte, stop func()) {
	ahead := 2 * t.workers
	ordered, jobs := make(chan chunk, ahead), make(chan chunk)
	// One buffer for each chunk that may be under way: those in ordered and the
	// one the caller waits for. So a worker that has a chunk gets a buffer.
	buffers, quit := make(chan []byte, ahead+1), make(chan struct{})
	for range ahead + 1 {
		buffers <- nil
	}
	var wg sync.WaitGroup
	wg.Go(func() { t.cut(ordered, jobs, quit) })
	for range t.workers {
		wg.Go(func() {
			var s scratch
			for c := range jobs {
				select {
				case buf := <-buffers:
					c.done <- t.text(l, &s, buf, c)
				case <-quit:
					return
				}
			}
		})
	}
	return ordered, buffers, func() { close(quit); wg.Wait() }
}

// cut cuts the table into chunks and hands each to the queue, then to a worker.
func (t *table) cut(ordered, jobs chan<- chunk, quit <-chan struct{}) {
	defer close(ordered)
	defer close(jobs)
	for lo := 0; lo < len(t.classes); {
		c := chunk{lo: lo, hi: t.chunkEnd(lo), done: make(chan made, 1)}
		for _, to := range []chan<- chunk{ordered, jobs} {
			select {
			case to <- c:
			case <-quit:
				return
			}
		}
		lo = c.hi
	}
}

// text makes the rows of a chunk, in a buffer for as many bytes as the rows of its first
// class say and a quarter more: to grow bit by bit would take several times that.
func (t *table) text(l layout, s *scratch, buf []byte, c chunk) made {
	m := made{buf: buf}
	for i := c.lo; i < c.hi; i++ {
		var rows int
		m.buf, rows = l.append(s, m.buf, i+1, t.classes[i])
		if m.rows += rows; i == c.lo {
			m.buf = slices.Grow(m.buf, len(m.buf)/max(1, rows)*min(chunkRows, t.records)*5/4)
		}
	}
	return m
}

func (t *table) chunkEnd(lo int) int {
	for rows := 0; lo < len(t.classes) && rows < chunkRows; lo++ {
		rows += len(t.classes[lo].members)
	}
	return lo
}
