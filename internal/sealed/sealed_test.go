package sealed

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newKey(t testing.TB) Key {
	k, err := NewKey(rand.Reader)
	require.NoError(t, err)
	return k
}

func TestSealAndOpen(t *testing.T) {
	k := newKey(t)
	s, err := k.Sealer(rand.Reader)
	require.NoError(t, err)
	for _, text := range [][]byte{nil, []byte("x"), bytes.Repeat([]byte("patient "), 5000)} {
		out, err := s.Seal([]byte("before"), []byte("place"), text)
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(out, []byte("before")))
		sealed := out[len("before"):]
		assert.Len(t, sealed, len(text)+Overhead)
		got, err := k.Opener().Open([]byte("place"), sealed)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(text, got))
		assert.False(t, len(text) > 4 && bytes.Contains(sealed, text[:4]))
	}
}

// TestEveryChangeIsNoticed flips each bit, cuts at each length, and moves a text.
func TestEveryChangeIsNoticed(t *testing.T) {
	k := newKey(t)
	s, err := k.Sealer(rand.Reader)
	require.NoError(t, err)
	sealed, err := s.Seal(nil, []byte("bucket\x00key"), []byte("influenza"))
	require.NoError(t, err)
	o := k.Opener()
	for i := range sealed {
		for bit := range 8 {
			changed := bytes.Clone(sealed)
			changed[i] ^= 1 << bit
			_, err := o.Open([]byte("bucket\x00key"), changed)
			require.ErrorIs(t, err, ErrTampered, "byte %d, bit %d", i, bit)
		}
		_, err := o.Open([]byte("bucket\x00key"), sealed[:i])
		require.ErrorIs(t, err, ErrTampered, "cut at %d", i)
	}
	_, err = o.Open([]byte("bucket\x00kez"), sealed)
	assert.ErrorIs(t, err, ErrTampered)
	_, err = newKey(t).Opener().Open([]byte("bucket\x00key"), sealed)
	assert.ErrorIs(t, err, ErrTampered)
}

func TestWrap(t *testing.T) {
	k, data := newKey(t), newKey(t)
	wrapped, err := k.Wrap(data, rand.Reader)
	require.NoError(t, err)
	got, err := k.Unwrap(wrapped)
	require.NoError(t, err)
	assert.Equal(t, data.secret, got.secret)
	assert.Equal(t, k.ID(), wrapperID(wrapped))

	_, err = newKey(t).Unwrap(wrapped)
	assert.ErrorIs(t, err, ErrWrongKey)
	_, err = Key{}.Unwrap(wrapped)
	assert.ErrorIs(t, err, ErrNoKey)
	assert.Contains(t, err.Error(), k.ID())
	for i := idBytes; i < len(wrapped); i++ {
		changed := bytes.Clone(wrapped)
		changed[i] ^= 1
		_, err = k.Unwrap(changed)
		require.ErrorIs(t, err, ErrTampered)
	}
	_, err = k.Unwrap(nil)
	assert.ErrorIs(t, err, ErrTampered)
}

func TestParseKey(t *testing.T) {
	raw := bytes.Repeat([]byte{0xfb, 0xff, 3, 4}, 8)
	want := Key{(*[KeyBytes]byte)(raw)}
	for _, text := range []string{hex.EncodeToString(raw), " " + hex.EncodeToString(raw) + "\n", base64.StdEncoding.EncodeToString(raw),
		base64.RawStdEncoding.EncodeToString(raw), base64.URLEncoding.EncodeToString(raw)} {
		k, err := ParseKey(text)
		require.NoError(t, err)
		assert.Equal(t, want.ID(), k.ID())
	}
	for _, text := range []string{"", "secret-text-0815", hex.EncodeToString(raw[:31]), hex.EncodeToString(raw) + "00"} {
		_, err := ParseKey(text)
		require.Error(t, err)
		if text != "" {
			assert.NotContains(t, err.Error(), text)
		}
	}
}

// TestKeysAreNotPrinted: rule V (values) holds for keys as well.
func TestKeysAreNotPrinted(t *testing.T) {
	k, err := ParseKey("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")
	require.NoError(t, err)
	holder := struct{ k Key }{k}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", k, "holder", holder)
	for _, shown := range []string{fmt.Sprintf("%v %+v %#v %x %s", k, k, k, k, k), fmt.Sprintf("%v %+v %#v", holder, holder, holder),
		log.String()} {
		assert.NotContains(t, shown, "8899")
		assert.NotContains(t, shown, "136 153") // the same as numbers
	}
}

func TestOpenerIsSafeForUseByMany(t *testing.T) {
	k := newKey(t)
	o := k.Opener()
	var wait sync.WaitGroup
	errs := make(chan error, 400)
	for g := range 4 {
		wait.Go(func() {
			for i := range 100 {
				s, err := k.Sealer(rand.Reader)
				if err == nil {
					place := fmt.Appendf(nil, "%d/%d", g, i)
					var sealed, text []byte
					if sealed, err = s.Seal(nil, place, place); err == nil {
						if text, err = o.Open(place, sealed); err == nil && !bytes.Equal(text, place) {
							err = errors.New("another text")
						}
					}
				}
				errs <- err
			}
		})
	}
	wait.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
}

// TestEverySealIsDifferent: salts and nonces are drawn anew.
func TestEverySealIsDifferent(t *testing.T) {
	k, seen := newKey(t), map[string]bool{}
	for range 50 {
		s, err := k.Sealer(rand.Reader)
		require.NoError(t, err)
		for range 50 {
			out, err := s.Seal(nil, nil, []byte("same"))
			require.NoError(t, err)
			seen[string(out)] = true
			seen[string(out[saltBytes:saltBytes+nonceBytes])] = true
		}
	}
	assert.Len(t, seen, 2*50*50)
}

// FuzzOpen: nothing that was not sealed opens, and nothing panics.
func FuzzOpen(f *testing.F) {
	k, err := ParseKey("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")
	require.NoError(f, err)
	s, err := k.Sealer(bytes.NewReader(make([]byte, 1<<10)))
	require.NoError(f, err)
	good, err := s.Seal(nil, []byte("p"), []byte("text"))
	require.NoError(f, err)
	f.Add([]byte("p"), good)
	f.Add([]byte("q"), good)
	f.Add([]byte("p"), good[:Overhead])
	f.Fuzz(func(t *testing.T, place, sealed []byte) {
		text, err := k.Opener().Open(place, sealed)
		if bytes.Equal(sealed, good) && string(place) == "p" {
			require.NoError(t, err)
			require.Equal(t, "text", string(text))
			return
		}
		require.ErrorIs(t, err, ErrTampered)
		_, err = k.Unwrap(sealed)
		require.Error(t, err)
	})
}

func BenchmarkSeal(b *testing.B) {
	k := newKey(b)
	text := make([]byte, 20_000) // a full block of records
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s, err := k.Sealer(rand.Reader)
		require.NoError(b, err)
		_, err = s.Seal(nil, nil, text)
		require.NoError(b, err)
	}
}
