package publish

import (
	"bytes"
	"fmt"
	"time"

	"anond/snapshot"
)

// ReplayNote says that a replay found no difference: the program made all decisions up to a release again. It is kept next to
// the ledger, since a later program may decide otherwise and cannot show it any more.
type ReplayNote struct {
	Release      uint32
	Manifest     [32]byte // of the release
	Algorithm    uint32   // of the program that made it
	Cuts, Worlds int
	At           time.Time
}

// ReplaysPath is where the notes of a ledger lie: a line for each algorithm, of the newest replay by it.
func ReplaysPath(ledger string) string { return ledger + ".replays" }

// NoteReplay writes a note, in place of the one of the same algorithm.
func NoteReplay(files snapshot.FS, ledger string, n ReplayNote) error {
	path := ReplaysPath(ledger)
	was, err := files.ReadFile(path)
	if err != nil && !notExist(err) {
		return fmt.Errorf("note the replay: %w", err)
	}
	algorithm := fmt.Appendf(nil, " algorithm %d ", n.Algorithm)
	var text []byte
	for line := range bytes.Lines(was) {
		if !bytes.Contains(line, algorithm) {
			text = append(text, line...)
		}
	}
	text = fmt.Appendf(text, "%d %x%scuts %d worlds %d at %s\n", n.Release, n.Manifest, algorithm, n.Cuts, n.Worlds,
		n.At.UTC().Format(time.RFC3339))
	d := Directory{FS: files, Ledger: ledger}
	if err := d.Replace(path, text); err != nil {
		return fmt.Errorf("note the replay: %w", err)
	}
	return nil
}
