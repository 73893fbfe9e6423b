package warehouse

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"

	"anond/lake/internal/durable"
)

// writeHint names the newest metadata file for readers that do not list the directory.
func (t *table) writeHint() error {
	_, err := durable.Put(t.files, t.hintPath(), func(to io.Writer) error {
		_, err := io.WriteString(to, strconv.Itoa(t.version)) // without line break: readers want digits only
		return err
	})
	if err != nil {
		return err
	}
	return t.files.Sync(filepath.Dir(t.hintPath()))
}

func (t *table) hintPath() string { return filepath.Join(t.dir, metadataDir, hintName) }

// repairHint finishes a commit that was interrupted between metadata and hint.
func (t *table) repairHint() error {
	data, err := t.files.ReadFile(t.hintPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if string(data) == strconv.Itoa(t.version) {
		return nil
	}
	return t.writeHint()
}

// forgetOld removes the metadata file that the log names no more.
func (t *table) forgetOld() error {
	old := t.version - keptMetadata
	if old < 1 {
		return nil
	}
	return t.files.RemoveAll(t.metadataPath(old))
}
