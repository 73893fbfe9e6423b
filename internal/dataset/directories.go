package dataset

import (
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"path/filepath"

	"anond/config"
	"anond/ingest/deadletter"
	"anond/ingest/subjectledger"
	"anond/internal/disk"
)

// place is a directory that the daemon writes to.
type place struct {
	Key, Dir string
	File     string // in it, that is added to; empty: none
	Private  bool
}

// Places are the directories that the daemon writes to.
func Places(c *config.Config) []place {
	out := []place{{"state.path", filepath.Dir(c.State.Path), c.State.Path, true}, {"release.dir", c.Release.Dir, "", false},
		{"release.ledger", filepath.Dir(c.Release.Ledger), c.Release.Ledger, false}}
	for i := range c.Release.Views {
		v := &c.Release.Views[i]
		out = append(out, place{"release.views", v.Dir, "", false}, place{"release.views", filepath.Dir(v.Ledger), v.Ledger, false})
	}
	if dir := c.SubjectLedger; dir != "" {
		out = append(out, place{"subject.ledger", dir, subjectledger.Path(dir), true})
	}
	if c.DeadLetter.Type == config.ToFile {
		out = append(out, place{"dead_letter.path", c.DeadLetter.Path, filepath.Join(c.DeadLetter.Path, deadletter.FileName), true})
	}
	if dir := c.State.Backup.Dir; dir != "" {
		out = append(out, place{"state.backup.dir", dir, "", true})
	}
	return out
}

// TellUnreadable says of which directories the names cannot be made durable.
func TellUnreadable(c *config.Config, log *slog.Logger) {
	for _, p := range Places(c) {
		for _, dir := range disk.Unreadable(p.Dir) {
			log.Warn("a directory may be entered and not be read: a power cut may lose the names in it", "event", "directory_unreadable",
				"key", p.Key, "path", dir)
		}
	}
}

// NewOwner tells the temporary files of this process from those of others. Nothing that stays has it in its name.
func NewOwner() string {
	owner := make([]byte, 8)
	_, _ = rand.Read(owner) // it never fails
	return hex.EncodeToString(owner)
}
