package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"anond/incremental/boltstore"
	"anond/internal/upkeep"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// restoreCopy puts back a copy that the daemon has made while it ran, by anond state restore,
// which refuses one that is too old. For every other fault the state itself is lost.
func (w *inside) restoreCopy(f *fault) error {
	copies, err := filepath.Glob(filepath.Join(w.config.State.Backup.Dir, "*.db"))
	if len(copies) == 0 || err != nil {
		return err
	}
	from := copies[int(f.Draw/2)%len(copies)]
	if w.planted.copied != nil {
		if err := w.planted.copied(from); err != nil {
			return err
		}
	}
	state := w.config.State.Path
	if f.Draw%2 == 0 {
		if err := os.Remove(state); err != nil {
			return err
		}
	}
	mark := w.log.Len()
	err = w.restored(from)
	switch {
	case err == nil:
		err = w.noteImage()
	case tooOld(err):
		fmt.Fprintf(w.log, "error: %v\n", err)
		err = os.WriteFile(state, w.newestImage(), 0o600)
	case w.damaged && errors.Is(err, snapshot.ErrDamaged): // an operator restores the releases first
		return os.WriteFile(state, w.newestImage(), 0o600)
	default:
		return fmt.Errorf("state restore: %w", err)
	}
	f.take(mark)
	return errors.Join(err, w.remirror())
}

func (w *inside) restored(from string) error {
	_, err := upkeep.Restore(context.Background(), w.config, from, w.clock.Now())
	return err
}

func tooOld(err error) bool {
	return errors.Is(err, publish.ErrBehind) || errors.Is(err, boltstore.ErrAhead)
}
