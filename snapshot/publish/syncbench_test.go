package publish_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot"
)

// oneByOne syncs in order.
type oneByOne struct{ snapshot.FS }

func (f oneByOne) SyncAll(paths []string) error {
	for _, path := range paths {
		if err := f.Sync(path); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkSyncDirectories: the directories of fifty parts, each with a link.
func BenchmarkSyncDirectories(b *testing.B) {
	for name, files := range map[string]snapshot.FS{"together": snapshot.OS(), "one by one": oneByOne{snapshot.OS()}} {
		b.Run(name, func(b *testing.B) {
			root := b.TempDir()
			w, err := files.CreateSealed(filepath.Join(root, "data.csv"))
			require.NoError(b, err)
			require.NoError(b, w.Close())
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				var dirs []string
				for part := range 50 {
					dirs = append(dirs, filepath.Join(root, fmt.Sprint(n), fmt.Sprint(part)))
					require.NoError(b, files.MkdirAll(dirs[part]))
					require.NoError(b, files.Link(filepath.Join(root, "data.csv"), filepath.Join(dirs[part], "data.csv")))
				}
				b.StartTimer()
				require.NoError(b, files.SyncAll(dirs))
			}
		})
	}
}
