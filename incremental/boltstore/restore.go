package boltstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"anond/incremental/state"
	"anond/internal/disk"
	"anond/internal/fault"
)

// ErrAhead says that the state in place has decided what the copy does not know: the
// copy would decide it anew, and the two histories could be compared.
var ErrAhead = fault.Errorf(fault.Behind, "keep the state in place; or restore a copy that is newer than it",
	"the state in place has decided more than the copy")

// RestoreFile puts a copy of a state in place of the state at path, which may be missing
// or damaged. The copy is checked first, and stays as it is. The state that was there is
// renamed to aside. A state in place that can be read and has decided more than the copy
// is not replaced (ErrAhead).
//
// The lock of the state in place is held throughout; one that waited for it notices that
// the file is another (openBolt).
func RestoreFile(ctx context.Context, src, path, aside string, o Options) (Copied, error) {
	o.ReadOnly = false
	faults, err := Check(src, o)
	if err == nil && len(faults) > 0 {
		err = fmt.Errorf("copy %s: %w: %s", src, state.ErrCorrupt, faults[0])
	}
	if err != nil {
		return Copied{}, err
	}
	held, err := openIfThere(path, o)
	if err != nil {
		return Copied{}, err
	}
	out, err := held.restore(ctx, src, path, aside, o)
	if held != nil {
		err = errors.Join(err, held.Close())
	}
	return out, err
}

// openIfThere opens the state at path, nil if there is none or it is damaged.
func openIfThere(path string, o Options) (*Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, disk.MakeDir(disk.OS(0o700), filepath.Dir(path))
	}
	s, err := Open(path, o)
	if errors.Is(err, state.ErrCorrupt) {
		return nil, nil
	}
	return s, err
}

func (s *Store) restore(ctx context.Context, src, path, aside string, o Options) (Copied, error) {
	if s != nil {
		if err := s.notAhead(src, o); err != nil {
			return Copied{}, err
		}
	}
	fresh := beside(path, forRestore)
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a run that was interrupted
		return Copied{}, err
	}
	out, err := BackupFile(ctx, src, fresh, o)
	if err != nil {
		return Copied{}, err
	}
	if err := os.Link(path, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Copied{}, errors.Join(err, os.Remove(fresh))
	}
	out.Path = path
	return out, disk.Move(files, fresh, path)
}

// decided is what must not be decided a second time, in another way.
type decided struct {
	releases, classes, attempts, quarantine, known uint64
	pools                                          state.Pools
}

func (s *Store) decided() (out decided, err error) {
	v := nobody
	v.Meta = func(m state.Meta) error { out.pools = m.Pools; return nil }
	v.Known = func(list []state.Known) error {
		for _, k := range list {
			if k.Why()&^state.Forgotten != 0 { // who was forgotten is forgotten again
				out.known++
			}
		}
		return nil
	}
	if err := s.Load(v); err != nil {
		return out, err
	}
	out.releases, out.classes, out.attempts, out.quarantine = s.ends.intents, s.ends.classes, s.ends.attempts, s.ends.quarantine
	return out, nil
}

// beyond reports whether something is decided here that is not decided there. The first
// pool matters until release 1 only.
func (d decided) beyond(o decided) bool {
	refused := o.releases == 0 && d.pools.Refused && !o.pools.Refused
	return refused || d.releases > o.releases || d.classes > o.classes || d.attempts > o.attempts || d.quarantine > o.quarantine ||
		d.known > o.known || d.pools.Fixed > o.pools.Fixed || d.pools.Grown && !o.pools.Grown
}

// notAhead refuses if this state has decided more than the copy: a release, a cut,
// what becomes of a pool, or that somebody is barred. A state that does not load may be replaced.
func (s *Store) notAhead(src string, o Options) error {
	o.ReadOnly = true
	copied, err := Open(src, o)
	if err != nil {
		return err
	}
	then, err := copied.decided()
	if err := errors.Join(err, copied.Close()); err != nil {
		return err
	}
	now, err := s.decided()
	if errors.Is(err, state.ErrCorrupt) {
		return nil
	}
	if err != nil || !now.beyond(then) {
		return err
	}
	return fmt.Errorf("state %s: %w: it has %d releases, the copy %d", s.path, ErrAhead, now.releases, then.releases)
}
