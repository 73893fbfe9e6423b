// Package upkeep is what operators do with the state of a dataset besides running it: back up and restore, compact, reset,
// export records and members, forget a person, list dead letters and judge them again.
//
// Guarantee: each of these works on a state that no other process holds, or is asked of the one that does (internal/daemon calls
// it then). What changes the state does so in one step, and what it would contradict is refused before anything is written.
package upkeep

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/clock"
	"anond/internal/dataset"
	"anond/internal/disk"
)

// Backup is the description next to a backup, in counts only.
type Backup struct {
	Dataset string    `json:"dataset"`
	Made    time.Time `json:"made"`
	File    string    `json:"file"`
	Bytes   int64     `json:"bytes"`
	SHA256  string    `json:"sha256"`
	Release uint32    `json:"release"` // newest that it knows
	Records uint64    `json:"records"`
	KeyID   string    `json:"key_id,omitempty"`
	Sent    time.Time `json:"sent,omitzero"` // when state.backup.command had taken it elsewhere
}

func describe(dataset string, made time.Time, c boltstore.Copied) Backup {
	return Backup{Dataset: dataset, Made: made.UTC(), File: filepath.Base(c.Path), Bytes: c.Bytes, SHA256: hex.EncodeToString(c.SHA256[:]),
		Release: c.Release, Records: c.Records, KeyID: c.KeyID}
}

// descriptionOf is where the description of a backup is.
func descriptionOf(backup string) string { return backup + ".json" }

func (b Backup) write(path string) error { return disk.ReplaceJSON(path, b) }

// MakeBackup copies the state of a stopped daemon, and describes the copy.
func MakeBackup(ctx context.Context, c *config.Config, out string, now time.Time) (Backup, error) {
	options, err := dataset.StateOptions(ctx, c)
	if err != nil {
		return Backup{}, err
	}
	copied, err := boltstore.BackupFile(ctx, c.State.Path, out, options)
	if err != nil {
		return Backup{}, err
	}
	b := describe(c.Dataset, now, copied)
	return b, b.write(descriptionOf(out))
}

// Copier copies the state of a running daemon after releases: a copy is of use until the
// next one. A copy has been loaded once before it gets its name.
type Copier struct {
	config  *config.Config
	store   *boltstore.Store
	log     *slog.Logger
	clock   clock.Clock
	ctx     context.Context // of copies
	Stop    context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	busy   bool
	last   time.Time
	at     uint32 // newest release that was copied, or tried
	latest uint32 // newest release
	copies int    // for commands that read, so far
	known  *ingest.Backup
}

func NewCopier(ctx context.Context, c *config.Config, s *boltstore.Store, o dataset.Options) *Copier {
	b := &Copier{config: c, store: s, log: o.Log, clock: o.Clock, known: foundBackup(c)}
	b.ctx, b.Stop = context.WithCancel(ctx)
	return b
}

// Observe starts a backup if a release was published that is not copied yet.
func (b *Copier) Observe(r ingest.Report) {
	if b.config.State.Backup.Dir == "" || r.Newest == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.latest = r.Newest.Intent.Release
	if !b.busy && r.Releasing == 0 && b.due(r.Time) {
		b.busy = true
		b.running.Go(func() {
			b.make(r.Time)
			b.mu.Lock()
			b.busy = false
			b.mu.Unlock()
		})
	}
}

// due reports whether the newest release is to be copied, and then counts it as copied.
func (b *Copier) due(now time.Time) bool {
	if b.latest <= b.at || !b.last.IsZero() && now.Sub(b.last) < b.config.State.Backup.MinInterval {
		return false
	}
	b.last, b.at = now, b.latest
	return true
}

// make copies the state and says what came of it.
func (b *Copier) make(now time.Time) {
	began := b.clock.Now()
	made, err := b.copy(now)
	if b.ctx.Err() != nil {
		return // the daemon stops, and the next release is copied
	}
	if err != nil {
		b.failed(err)
		return
	}
	b.Succeeded(made, began)
	b.elsewhere(made)
}

// failed says that an attempt failed.
func (b *Copier) failed(err error) {
	b.log.Error("the backup of the state failed; the next release is followed by the next attempt",
		"event", "backup_failed", "error", err.Error())
	b.know(func(k *ingest.Backup) { k.Failed = true })
}

// Succeeded says what was made. A copy was loaded once before it got its name.
func (b *Copier) Succeeded(made Backup, began time.Time) {
	now := b.clock.Now()
	b.log.Info("backup made", "event", "backup_made", "file", made.File, "release", made.Release, "records", made.Records, "bytes", made.Bytes,
		"sha256", made.SHA256, "ms", now.Sub(began).Milliseconds())
	b.know(func(k *ingest.Backup) {
		*k = ingest.Backup{Made: made.Made, Verified: now.UTC(), Release: made.Release, Sent: k.Sent, Rehearsed: rehearsed(b.config)}
	})
}

// know changes what is known of backups. Who has the old value keeps it.
func (b *Copier) know(how func(*ingest.Backup)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := ingest.Backup{}
	if b.known != nil {
		next = *b.known
	}
	how(&next)
	b.known = &next
}

// Newest is what is known of backups; nil: none was made, and none is asked for.
func (b *Copier) Newest() *ingest.Backup {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.known
}

// foundBackup is what an earlier process left below state.backup.dir; nil without that key. Each
// was loaded before it got its name.
func foundBackup(c *config.Config) *ingest.Backup {
	if c.State.Backup.Dir == "" {
		return nil
	}
	names, _ := filepath.Glob(filepath.Join(c.State.Backup.Dir, "*.db.json")) // in order of name, so of time
	for i := len(names) - 1; i >= 0; i-- {
		stamp, ours := strings.CutPrefix(strings.TrimSuffix(filepath.Base(names[i]), ".json"), c.Dataset)
		if !ours || !backupStamp.MatchString(stamp) {
			continue
		}
		var b Backup
		if data, err := os.ReadFile(names[i]); err == nil && json.Unmarshal(data, &b) == nil {
			return &ingest.Backup{Made: b.Made, Verified: b.Made, Release: b.Release, Sent: b.Sent, Rehearsed: rehearsed(c)}
		}
	}
	return &ingest.Backup{}
}

func (b *Copier) copy(now time.Time) (Backup, error) {
	return b.copyAs(now, fmt.Sprintf("r%06d", b.at))
}

// Beginning copies the state with which a journal begins. A copy without records has the seed and nobody's values;
// it is small, serves as long as the journal does, and does not count for state.backup.keep.
func (b *Copier) Beginning(now time.Time, m *incremental.Machine) (Backup, error) {
	if m.Arrived() == 0 && len(m.Intake().Positions()) == 0 {
		return b.copyAs(now, fmt.Sprintf("%09d-beginning", now.Nanosecond())) // a start may follow a kill within a second
	}
	return b.copyAs(now, fmt.Sprintf("r%06d", len(m.Releases().Intents())))
}

func (b *Copier) copyAs(now time.Time, suffix string) (Backup, error) {
	dir := b.config.State.Backup.Dir
	if err := disk.MakeDir(disk.OS(0o700), dir); err != nil {
		return Backup{}, err
	}
	if err := ClaimBackupDir(b.config); err != nil {
		return Backup{}, err
	}
	if err := checkRoom(dir, b.size()); err != nil {
		return Backup{}, err
	}
	name := fmt.Sprintf("%s-%s-%s.db", b.config.Dataset, now.UTC().Format("20060102T150405Z"), suffix)
	copied, err := b.store.BackupTo(b.ctx, filepath.Join(dir, name))
	if err != nil {
		return Backup{}, err
	}
	made := describe(b.config.Dataset, now, copied)
	return made, errors.Join(made.write(descriptionOf(copied.Path)), b.prune(dir))
}

func (b *Copier) size() int64 {
	file, _ := b.store.Bytes()
	return file
}

// backupStamp is how names of backups go on behind the dataset.
var backupStamp = regexp.MustCompile(`^-[0-9]{8}T[0-9]{6}Z-r[0-9]{6,}\.db$`)

// beginningStamp is the same for a backup without records.
var beginningStamp = regexp.MustCompile(`^-[0-9]{8}T[0-9]{6}Z-[0-9]{9}-beginning\.db$`)

// prune removes the oldest backups of this dataset beyond state.backup.keep, and what
// killed processes left of others.
func (b *Copier) prune(dir string) error {
	entries, err := os.ReadDir(dir) // in order of name, so of time
	if err != nil {
		return err
	}
	var ours []string
	var errs []error
	for _, e := range entries {
		if b.isIncomplete(e.Name()) {
			errs = append(errs, os.Remove(filepath.Join(dir, e.Name())))
		}
		if stamp, is := strings.CutPrefix(e.Name(), b.config.Dataset); is && backupStamp.MatchString(stamp) {
			ours = append(ours, filepath.Join(dir, e.Name()))
		}
	}
	for _, old := range ours[:max(0, len(ours)-b.config.State.Backup.Keep)] {
		errs = append(errs, removeBackup(old))
	}
	return errors.Join(errs...)
}

// removeBackup removes a backup and its description.
func removeBackup(path string) (err error) {
	for _, file := range []string{path, descriptionOf(path)} {
		if gone := os.Remove(file); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// Remove removes a backup of a state that no journal has begun with: another process was first.
func (b *Copier) Remove(made Backup) {
	_ = removeBackup(filepath.Join(b.config.State.Backup.Dir, made.File))
}

// BackUpStopped makes a backup of a state that no process holds, since another host is to go on with it: that begins there, and repeats
// nothing.
func BackUpStopped(ctx context.Context, c *config.Config, o dataset.Options) error {
	s, err := dataset.ReadStatus(dataset.StatusPath(c))
	if err != nil || s == nil || s.Counts.Sent == 0 {
		return err // the copy that the journal began with is enough
	}
	now, dir := o.Clock.Now(), c.State.Backup.Dir
	name := fmt.Sprintf("%s-%s-r%06d.db", c.Dataset, now.UTC().Format("20060102T150405Z"), s.Counts.Release)
	if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
		return nil // of this second
	}
	if _, err := MakeBackup(ctx, c, filepath.Join(dir, name), now); err != nil {
		return fmt.Errorf("state.backup.dir: the backup for the next host: %w", err)
	}
	return (&Copier{config: c}).prune(dir)
}

// isIncomplete reports whether a file is what a process left that was killed while it made
// a backup (boltstore gives a copy its name when it is complete).
func (b *Copier) isIncomplete(name string) bool {
	stamp, ours := strings.CutPrefix(name, "."+b.config.Dataset)
	stamp, incomplete := strings.CutSuffix(stamp, ".incomplete")
	return ours && incomplete && (backupStamp.MatchString(stamp) || beginningStamp.MatchString(stamp))
}

// Close waits for the backup in progress, and after a run that ended by itself for one of
// its last release. A stop ends the copy.
func (b *Copier) Close() error {
	defer b.Stop()
	b.running.Wait()
	if b.ctx.Err() == nil && b.due(b.clock.Now()) {
		b.make(b.clock.Now())
	}
	return nil
}
