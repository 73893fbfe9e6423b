package upkeep

import (
	"anond/incremental/state"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// ErrChecksum: a backup is not the file that its description describes.
var ErrChecksum = fault.Errorf(fault.Failed, "use another backup",
	"the backup is not the file that was made: its checksum differs from its description")

// Restored says what a restore did.
type Restored struct {
	Path    string `json:"path"`
	Records uint64 `json:"records"`
	Release uint32 `json:"release"`
	Aside   string `json:"aside,omitempty"`   // where the state is that was there before
	Nothing string `json:"nothing,omitempty"` // why nothing was done (RestoreMissing)
}

// RestoreMissing puts the newest backup of state.backup.dir in place where there is no state. It is for
// what runs before each start: with a state, or without a backup, it does nothing.
func RestoreMissing(ctx context.Context, c *config.Config, now time.Time) (Restored, error) {
	if c.State.Backup.Dir == "" {
		return Restored{}, errNoBackupDir
	}
	if _, err := os.Stat(c.State.Path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return Restored{Path: c.State.Path, Nothing: "there is a state"}, err
	}
	if err := CheckBackupDir(c); err != nil {
		return Restored{}, err
	}
	from, err := newestBackup(c)
	if err != nil || from == "" {
		return Restored{Path: c.State.Path, Nothing: "there is no backup"}, err
	}
	return Restore(ctx, c, from, now)
}

// RestoreNewer puts the newest backup of state.backup.dir in place of a state that is missing, or has read less: what a shard
// begins with that another host had before. A journal has what follows either of them, so that this saves time and
// decides nothing. The state that was there is not kept.
func RestoreNewer(ctx context.Context, c *config.Config, now time.Time) (Restored, error) {
	if _, err := os.Stat(c.State.Path); err != nil {
		return RestoreMissing(ctx, c, now)
	}
	if err := CheckBackupDir(c); err != nil {
		return Restored{}, err
	}
	from, err := newestBackup(c)
	if err != nil || from == "" {
		return Restored{Nothing: "there is no backup"}, err
	}
	var b Backup
	data, err := os.ReadFile(descriptionOf(from))
	if err == nil {
		err = json.Unmarshal(data, &b)
	}
	s, unread := dataset.ReadStatus(dataset.StatusPath(c))
	if err != nil || unread != nil || s == nil || s.Counts.Release >= b.Release && s.Counts.Sent-s.Counts.DeadLetter >= b.Records {
		return Restored{Nothing: "the state of this host is as new, as far as can be seen"}, nil
	}
	out, err := Restore(ctx, c, from, now)
	if out.Aside != "" {
		err = errors.Join(err, os.Remove(out.Aside))
	}
	return out, err
}

var errNoBackupDir = fault.Errorf(fault.Config, "set state.backup.dir, or name a backup: --from FILE",
	"state.backup.dir is not set: nobody knows where the backups are")

// newestBackup is the newest in state.backup.dir; one without records only if there is no other. Empty: there is none.
func newestBackup(c *config.Config) (string, error) {
	entries, err := os.ReadDir(c.State.Backup.Dir) // in order of name, so of time
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	newest, beginning := "", ""
	for _, e := range entries {
		stamp, ours := strings.CutPrefix(e.Name(), c.Dataset)
		switch path := filepath.Join(c.State.Backup.Dir, e.Name()); {
		case ours && backupStamp.MatchString(stamp):
			newest = path
		case ours && beginningStamp.MatchString(stamp):
			beginning = path
		}
	}
	return cmp.Or(newest, beginning), nil
}

// Restore puts a backup in place of the state. It refuses a copy that is damaged, one
// that the releases or the ledger are ahead of (rule F, forbidden: the same people would
// get a second history), one that does not know of somebody who was judged (rules B, buckets, and S, subjects), and one
// that the state in place is ahead of.
func Restore(ctx context.Context, c *config.Config, from string, now time.Time) (Restored, error) {
	options, err := dataset.StateOptions(ctx, c)
	if err != nil {
		return Restored{}, err
	}
	if err := checkDescription(from, c.Dataset); err != nil {
		return Restored{}, err
	}
	intents, judged, err := decidedIn(from, options)
	if err != nil {
		return Restored{}, err
	}
	counted := 0 // when it decided the newest release; a start counts again
	if n := len(intents); n > 0 {
		counted = intents[n-1].Digests
	}
	if err := publish.Reconcile(snapshot.OS(), c.Release.Dir, c.Release.Ledger, intents, counted); err != nil && !dataset.MayCatchUp(c, err) {
		return Restored{}, fmt.Errorf("restore from %s: %w", from, err)
	}
	if err := publish.CheckJudged(snapshot.OS(), c.Release.Ledger, judged); err != nil && !c.Shard.Journal.Set() {
		return Restored{}, fmt.Errorf("restore from %s: %w", from, err)
	}
	aside := c.State.Path + ".replaced-" + now.UTC().Format("20060102T150405Z")
	copied, err := boltstore.RestoreFile(ctx, from, c.State.Path, aside, options)
	if err != nil {
		return Restored{}, err
	}
	out := Restored{Path: c.State.Path, Records: copied.Records, Release: copied.Release}
	if _, err := os.Stat(aside); err == nil {
		out.Aside = aside
	}
	if err := os.Remove(dataset.StatusPath(c)); err != nil && !errors.Is(err, fs.ErrNotExist) { // it describes what was replaced
		return out, err
	}
	return out, nil
}

// checkDescription compares a backup with its description, if it has one.
func checkDescription(path, dataset string) error {
	return described(path, descriptionOf(path), dataset)
}

// described compares a backup with a description, if that is there.
func described(path, description, dataset string) error {
	data, err := os.ReadFile(description)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var b Backup
	if err == nil {
		err = json.Unmarshal(data, &b)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", description, err)
	}
	if b.Dataset != dataset {
		return fault.Errorf(fault.Config, "name a backup of this dataset, or the configuration of that one", "%s is a backup of "+
			"the dataset %s", path, b.Dataset)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != b.SHA256 {
		return fmt.Errorf("%s: %w", path, ErrChecksum)
	}
	return nil
}

// decidedIn reads the releases that a state has decided, and what it knows of pools that are in none.
func decidedIn(path string, o boltstore.Options) (out []state.Intent, pools incremental.Judged, err error) {
	o.ReadOnly = true
	s, err := boltstore.Open(path, o)
	if err != nil {
		return nil, pools, err
	}
	v := emptyVisitor()
	v.Meta = func(m state.Meta) error {
		pools.Fixed, pools.Refused = int(m.Pools.Fixed), m.Pools.Refused
		return nil
	}
	v.Quarantined = func(r []state.RecordID) error {
		pools.Quarantined, pools.People = pools.Quarantined+1, pools.People+len(r)
		return nil
	}
	v.Known = func(people []state.Known) error {
		for _, k := range people {
			if k.Why()&state.Barred != 0 {
				pools.Barred++
			}
		}
		return nil
	}
	v.Intent = func(i *state.Intent) error { out = append(out, *i); return nil }
	err = s.Load(v)
	return out, pools, errors.Join(err, s.Close())
}
