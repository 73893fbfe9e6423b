package boltstore_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/incremental/state"
	"anond/internal/sealed"
)

// TestForgetInPlace: a store that is in use forgets people in one transaction, also those who are
// due, and says until the file is rewritten that free pages may hold what it removed.
func TestForgetInPlace(t *testing.T) {
	key, err := sealed.ParseKey("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
	require.NoError(t, err)
	for name, clean := range map[string]func(path string, o boltstore.Options) error{
		"clean": boltstore.CleanFile, "compact": boltstore.CompactFile,
		"rekey": func(path string, o boltstore.Options) error { return boltstore.RekeyFile(path, o, o.Key) },
		"forget": func(path string, o boltstore.Options) error {
			o.Key = sealed.Key{}
			return forgets(t, path, o)
		},
	} {
		for _, key := range []sealed.Key{{}, key} {
			if name == "forget" && key.Set() {
				continue
			}
			o := boltstore.Options{NoSync: true, Key: key}
			path := filepath.Join(t.TempDir(), "anond.db")
			s := openAt(t, path, o)
			m := filled(t, s)
			before := m.Status()
			out, err := m.Delete(state.Partition{Source: "deletes"}, 0, []byte("p300"))
			require.NoError(t, err)
			require.True(t, out.Forgotten)
			require.NoError(t, m.Commit())
			require.False(t, s.Stale())
			require.NoError(t, s.Close())

			s = openAt(t, path, o)
			known, err := s.Forgotten()
			require.NoError(t, err)
			require.Equal(t, 1, known.Due, "it is due after a restart, too")
			m, err = incremental.Open(s, town(t))
			require.NoError(t, err)
			require.Equal(t, 1, m.Forgetting().Due())
			require.Equal(t, before.Pending, m.Status().Pending, "what is due is still there")
			require.Empty(t, m.CheckInvariants())
			d, _ := m.Forgetting().DigestOf([]byte("p3"))
			e, err := m.Forget([]state.Digest{d})
			require.NoError(t, err)
			require.NoError(t, s.Forget(e))
			require.True(t, s.Stale())
			if !key.Set() {
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				require.True(t, bytes.Contains(text, []byte("illness-105")), "free pages have it: else this test shows nothing")
			}
			m, err = m.Reopen(town(t))
			require.NoError(t, err)
			require.Zero(t, m.Forgetting().Due())
			require.Empty(t, m.CheckInvariants())
			_, err = m.Apply(state.Partition{Source: "s"}, 301, equivclass.Row{[]byte("p301"), []byte("20"), []byte("illness-1")})
			require.NoError(t, err)
			require.NoError(t, m.Commit())
			require.NoError(t, s.Close())

			s = openAt(t, path, o)
			require.True(t, s.Stale(), "a restart does not forget that")
			require.NoError(t, s.Close())
			require.NoError(t, clean(path, o))
			s = openAt(t, path, o)
			require.False(t, s.Stale(), name)
			require.NoError(t, s.Close())
			if !key.Set() {
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				require.False(t, bytes.Contains(text, []byte("illness-105")), name)
			}
			faults, err := boltstore.Check(path, boltstore.Options{Key: key})
			require.NoError(t, err)
			require.Empty(t, faults)
		}
	}
}
