package upkeep

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"anond/config"
	"anond/internal/dataset"
	"anond/internal/disk"
	"anond/internal/fault"
)

// A directory of backups belongs to one shard of a dataset: names of backups do not tell shards apart, so that one shard
// would remove the backups of the others, with the seeds that only they have. A mark in the directory says whose it is. Several
// datasets may share a directory, as their backups have different names.

// backupOwner is the content of a mark.
type backupOwner struct {
	Dataset string `json:"dataset"`
	Shard   int    `json:"shard"`
	Of      int    `json:"of"` // 0: there are no shards
}

func (o backupOwner) String() string {
	if o.Of == 0 {
		return "the dataset " + o.Dataset + " without shards"
	}
	return fmt.Sprintf("shard %d of %d of the dataset %s", o.Shard, o.Of, o.Dataset)
}

func ownerOf(c *config.Config) backupOwner {
	o := backupOwner{Dataset: c.Dataset}
	if c.Shard.Set() {
		o.Shard, o.Of = c.Shard.Index, c.Shard.Of
	}
	return o
}

func ownerPath(c *config.Config) string {
	return filepath.Join(c.State.Backup.Dir, "."+c.Dataset+".owner")
}

// BackupDirError: a directory of backups is another shard's.
type BackupDirError struct {
	dir  string
	have backupOwner
}

func (e *BackupDirError) Error() string {
	return fmt.Sprintf("state.backup.dir: %s has the backups of %s, which this process would remove", e.dir, e.have)
}

// Fault implements fault.Fault.
func (e *BackupDirError) Fault() (fault.Kind, string) {
	return fault.Config, "give each shard a directory of its own, such as state.backup.dir: ./backups/${HOSTNAME}; if those " +
		"backups are not needed any " +
		"more, move the directory away"
}

// CheckBackupDir refuses a directory of backups that is another shard's.
func CheckBackupDir(c *config.Config) error {
	if c.State.Backup.Dir == "" {
		return nil
	}
	data, err := os.ReadFile(ownerPath(c))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var have backupOwner
	if err == nil {
		err = json.Unmarshal(data, &have)
	}
	switch {
	case err != nil:
		return fmt.Errorf("state.backup.dir: whose it is cannot be read: %w", err)
	case have != ownerOf(c):
		return &BackupDirError{c.State.Backup.Dir, have}
	}
	return nil
}

// ClaimBackupDir marks the directory as this shard's, unless it is another one's. Of several that start at once one gets it.
func ClaimBackupDir(c *config.Config) error {
	dir := c.State.Backup.Dir
	if dir == "" || !c.Shard.Set() {
		return CheckBackupDir(c)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if _, err := os.Stat(ownerPath(c)); errors.Is(err, fs.ErrNotExist) {
		if err := mark(c); err != nil {
			return fmt.Errorf("state.backup.dir: %w", err)
		}
	}
	return CheckBackupDir(c)
}

// mark makes the mark, as a whole, unless there is one.
func mark(c *config.Config) error {
	text, err := json.Marshal(ownerOf(c))
	if err != nil {
		return err
	}
	tmp := ownerPath(c) + "-" + dataset.NewOwner()
	if err := disk.Fill(disk.File(0o600), tmp, disk.Bytes(append(text, '\n'))); err != nil {
		return err
	}
	err = os.Link(tmp, ownerPath(c)) // it fails if the name is taken
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = disk.Move(disk.File(0o600), tmp, ownerPath(c)) // where links do not work
	}
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if gone := os.Remove(tmp); !errors.Is(gone, fs.ErrNotExist) {
		err = cmp.Or(err, gone)
	}
	return err
}
