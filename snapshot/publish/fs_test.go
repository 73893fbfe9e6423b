package publish_test

import (
	"os"
	"path/filepath"

	"anond/snapshot/snapshottest"
)

type (
	recorder    = snapshottest.Recorder
	unsynced    = snapshottest.Unsynced
	turningDisk = snapshottest.TurningDisk
	noLinks     = snapshottest.NoLinks
)

var errCrash, newRecorder, otherTime, middle = snapshottest.ErrCrash, snapshottest.NewRecorder, snapshottest.OtherTime, snapshottest.Middle

// tree reads all files below a directory.
func readTree(root string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		out[name] = string(data)
		return err
	})
	return out, err
}
