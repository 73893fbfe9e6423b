package pace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"anond/snapshot"
)

// system is the clock of the system; in a bubble of synctest that is a fake one.
type system struct{}

func (system) Now() time.Time { return time.Now() }

func (system) Ticker(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(d)
	return t.C, t.Stop
}

// written is a target that notes when its bytes came.
type written struct {
	bytes.Buffer
	most  int // bytes in one write
	began time.Time
	over  []time.Duration // by how much a byte came earlier than the limit allows
	rate  float64
}

func (w *written) Write(p []byte) (int, error) {
	w.most = max(w.most, len(p))
	n, err := w.Buffer.Write(p)
	due := time.Duration(float64(w.Len()) / w.rate * float64(time.Second))
	if early := due - time.Since(w.began); early > time.Second/4 {
		w.over = append(w.over, early)
	}
	return n, err
}

// TestWriter: at each moment no more has been written than the limit allows, the whole takes
// as long as it must and no longer, and the bytes are the same.
func TestWriter(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef"), 4096) // 64 KiB
	for _, rate := range []int64{1 << 10, 10_000, 1 << 20, 3 << 20} {
		for _, chunk := range []int{1, 1000, 5000, len(text)} {
			synctest.Test(t, func(t *testing.T) {
				l := New(system{}, rate)
				to := &written{began: time.Now(), rate: float64(rate)}
				w := l.Writer(t.Context(), to)
				for rest := text; len(rest) > 0; {
					n, err := w.Write(rest[:min(chunk, len(rest))])
					require.NoError(t, err)
					rest = rest[n:]
				}
				require.Equal(t, text, to.Bytes())
				require.Empty(t, to.over, "%d bytes per second, written by %d", rate, chunk)
				must := float64(len(text)) / float64(rate)
				require.InDelta(t, must, time.Since(to.began).Seconds(), .26, "%d bytes per second, written by %d", rate, chunk)
			})
		}
	}
}

// TestNoLimit: 0 and nil hold nothing up, and cut nothing into pieces.
func TestNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, l := range []*Limit{nil, New(system{}, 0)} {
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			to, began := &written{rate: 1e18}, time.Now()
			n, err := l.Writer(ended, to).Write(make([]byte, 1<<20))
			require.NoError(t, err, "what does not wait does not look at the context")
			require.Equal(t, 1<<20, n)
			require.Equal(t, 1<<20, to.most)
			require.Zero(t, time.Since(began))
		}
	})
}

// TestAnEndIsHeeded: what waits ends at once, with the cause, and nothing is written after it.
func TestAnEndIsHeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("stopped")
		ctx, end := context.WithCancelCause(t.Context())
		to := &written{rate: 1e18, began: time.Now()}
		began := time.Now()
		time.AfterFunc(200*time.Millisecond, func() { end(cause) })
		n, err := New(system{}, 1024).Writer(ctx, to).Write(make([]byte, 1<<20))
		require.ErrorIs(t, err, cause)
		require.Equal(t, 200*time.Millisecond, time.Since(began))
		require.Equal(t, 128, n)
		require.Equal(t, n, to.Len())
	})
}

// TestAnotherLimitIsHeeded by what waits already.
func TestAnotherLimitIsHeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(system{}, 1024)
		to, began := &written{rate: 1e18, began: time.Now()}, time.Now()
		time.AfterFunc(10*time.Second, func() { l.Set(0) })
		_, err := l.Writer(t.Context(), to).Write(make([]byte, 1<<20)) // takes 17 minutes
		require.NoError(t, err)
		require.LessOrEqual(t, time.Since(began), 10*time.Second+time.Second/slices)
		l.Set(1 << 20)
		began = time.Now()
		_, err = l.Writer(t.Context(), to).Write(make([]byte, 1<<20))
		require.NoError(t, err)
		require.InDelta(t, 1, time.Since(began).Seconds(), .26)
	})
}

// TestFiles: reading and writing of a release's files share one limit; what is small and
// what others wait for does not wait.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	text := bytes.Repeat([]byte("0123456789abcdef"), 256) // 4 KiB
	require.NoError(t, os.WriteFile(filepath.Join(dir, "from"), text, 0o600))
	synctest.Test(t, func(t *testing.T) {
		files, began := New(system{}, 1024).Files(t.Context(), snapshot.OS()), time.Now()
		w, err := files.Create(filepath.Join(dir, "CURRENT"))
		require.NoError(t, err)
		_, err = w.Write(text)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		_, err = files.ReadFile(filepath.Join(dir, "from"))
		require.NoError(t, err)
		require.Zero(t, time.Since(began))

		w, err = files.CreateSealed(filepath.Join(dir, "to"))
		require.NoError(t, err)
		r, err := files.Open(filepath.Join(dir, "from"))
		require.NoError(t, err)
		n, err := io.Copy(w, r)
		require.NoError(t, err)
		require.EqualValues(t, len(text), n)
		require.NoError(t, errors.Join(r.Close(), w.Close()))
		require.InDelta(t, 8, time.Since(began).Seconds(), .26)
	})
	got, err := os.ReadFile(filepath.Join(dir, "to"))
	require.NoError(t, err)
	require.Equal(t, text, got)
}
