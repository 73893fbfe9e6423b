package incremental_test

import (
	"anond/incremental/state"
	"errors"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental/boltstore"
	"anond/incremental/memstore"
)

// place is where a state lies.
type place interface {
	fresh() state.Store
	// again opens what was committed. The store before is thrown away.
	again(old state.Store) (state.Store, error)
}

type inMemory struct{}

func (*inMemory) fresh() state.Store { return memstore.New() }
func (*inMemory) again(old state.Store) (state.Store, error) {
	return old.(*memstore.Store).Crash(), nil
}

type inFile struct {
	t    testing.TB
	dir  string
	n    int
	open state.Store
}

func newInFile(t testing.TB) *inFile {
	f := &inFile{t: t, dir: t.TempDir()}
	t.Cleanup(func() {
		if f.open != nil {
			require.NoError(t, f.open.Close())
		}
	})
	return f
}

func (f *inFile) path() string { return filepath.Join(f.dir, strconv.Itoa(f.n)) }

func (f *inFile) fresh() state.Store {
	if f.open != nil {
		require.NoError(f.t, f.open.Close())
	}
	f.n++
	s, err := f.again(nil)
	require.NoError(f.t, err)
	return s
}

func (f *inFile) again(old state.Store) (s state.Store, err error) {
	if old != nil {
		require.NoError(f.t, old.Close())
	}
	f.open = nil
	opened, err := boltstore.Open(f.path(), boltstore.Options{NoSync: true})
	if err == nil {
		f.open = opened
	}
	return opened, err
}

// failing is a store that can be told to fail.
type failing struct {
	state.Store
	next bool
}

var errTold = errors.New("the store was told to fail")

func (f *failing) Commit(d *state.Delta) error {
	if f.next {
		f.next = false
		return errTold
	}
	return f.Store.Commit(d)
}
