package upkeep

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"anond/config"
	"anond/internal/clock"
	"anond/internal/disk"
	"anond/internal/fault"
)

// Rehearsal is a restore that was tried: a copy came back from where state.backup.command takes copies, and an audit
// certified the releases by it. Counts only.
type Rehearsal struct {
	At      time.Time `json:"at"`
	File    string    `json:"file"`
	Release uint32    `json:"release"` // newest that the copy knows
}

// errNoFetch: nobody knows how a copy comes back.
var errNoFetch = fault.Errorf(fault.Config, "write for instance [restic, restore, latest, --target]", "state.backup.fetch is not set")

// errNothingFetched: the program has worked, and brought nothing.
var errNothingFetched = fault.Errorf(fault.Failed, "look whether copies arrive (event backup_sent), and run the program by hand, "+
	"with the path of an empty directory as its last argument", "state.backup.fetch has brought no copy of this dataset")

// Fetch has state.backup.fetch put copies into a private directory next to the state, and returns the newest of them. One
// process at a time may: what an earlier one has left is removed.
func Fetch(ctx context.Context, c *config.Config) (newest string, remove func() error, err error) {
	if len(c.State.Backup.Fetch) == 0 {
		return "", nil, errNoFetch
	}
	dir := filepath.Join(filepath.Dir(c.State.Path), ".rehearsal")
	if err := os.RemoveAll(dir); err != nil {
		return "", nil, err
	}
	if err := disk.MakeDir(disk.OS(0o700), dir); err != nil {
		return "", nil, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	if err := program(ctx, clock.System(), "state.backup.fetch", c.State.Backup.Fetch, dir); err != nil {
		return "", remove, err
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		stamp, ours := strings.CutPrefix(filepath.Base(path), c.Dataset)
		if err == nil && ours && d.Type().IsRegular() && backupStamp.MatchString(stamp) && filepath.Base(path) > filepath.Base(newest) {
			newest = path
		}
		return err
	})
	if err == nil && newest == "" {
		err = errNothingFetched
	}
	if err == nil {
		here := filepath.Join(c.State.Backup.Dir, filepath.Base(newest)) // the copy that was sent, if it is still there
		for _, description := range []string{descriptionOf(newest), descriptionOf(here)} {
			err = cmp.Or(err, described(newest, description, c.Dataset))
		}
	}
	return newest, remove, err
}

// rehearsalOf is where the newest rehearsal of a dataset is noted.
func rehearsalOf(c *config.Config) string {
	return filepath.Join(c.State.Backup.Dir, c.Dataset+".rehearsal.json")
}

// NoteRehearsal notes a rehearsal that succeeded next to the backups, where the daemon finds it.
func NoteRehearsal(c *config.Config, r Rehearsal) error { return disk.ReplaceJSON(rehearsalOf(c), r) }

// rehearsed is when a rehearsal last succeeded, as far as is known; zero: none has.
func rehearsed(c *config.Config) time.Time {
	var r Rehearsal
	if data, err := os.ReadFile(rehearsalOf(c)); err != nil || json.Unmarshal(data, &r) != nil {
		return time.Time{}
	}
	return r.At
}
