package publish

import (
	"fmt"
	"path/filepath"

	"anond/internal/disk"
	"anond/snapshot"
)

// Seal makes the ledger hold a line, if one is kept.
func (d *Directory) Seal(e snapshot.LedgerEntry) error {
	if d.Ledger == "" {
		return nil
	}
	return appendLedger(d.FS, d.Ledger, []snapshot.LedgerEntry{e}, d.fence)
}

// appendLedger makes the ledger hold the entries, durably: a torn last line is
// cut off, lines it has already are compared, missing ones are appended. fence is asked before
// anything is written, once the file is open; nil: nobody is asked.
func appendLedger(files snapshot.FS, path string, entries []snapshot.LedgerEntry, fence func() error) error {
	l, err := snapshot.ReadLedger(files, path)
	if err != nil {
		return err
	}
	if l.Torn {
		if err := cutTorn(files, path, l.Whole, fence); err != nil {
			return err
		}
	}
	var text []byte
	for _, e := range entries {
		if line, ok := l.Line(e.Release); ok {
			if line.SHA256 != e.SHA256 {
				return fmt.Errorf("%w: the ledger has another manifest of release %d", ErrDifferent, e.Release)
			}
			if line.Parts == [32]byte{} { // it was written again when the manifest was gone
				line.Parts = e.Parts
			}
			if line != e {
				return fmt.Errorf("%w: the ledger counts otherwise in release %d", ErrDifferent, e.Release)
			}
			continue
		}
		if len(l.Entries) > 0 && e.Release != l.Newest().Release+1 {
			return fmt.Errorf("%w: the ledger ends at release %d, release %d does not follow", snapshot.ErrDamaged, l.Newest().Release, e.Release)
		}
		l.Entries = append(l.Entries, e)
		text = append(text, e.Line()...)
	}
	return appendFile(files, path, text, !l.Exists, fence)
}

// cutTorn removes what a crash left behind the complete lines.
func cutTorn(files snapshot.FS, path string, whole int64, fence func() error) error {
	if fence != nil {
		if err := fence(); err != nil {
			return err
		}
	}
	return files.Truncate(path, whole)
}

// appendFile appends text and makes it durable, also where a crash left it
// written but not durable; fresh: the file's name is made durable too.
func appendFile(files snapshot.FS, path string, text []byte, fresh bool, fence func() error) error {
	if fresh && len(text) == 0 {
		return nil
	}
	dir := filepath.Dir(path)
	if fresh {
		if err := disk.MakeDir(files, dir); err != nil {
			return err
		}
	}
	if len(text) > 0 {
		if err := appendOnce(files, path, text, fence); err != nil {
			return err
		}
	}
	if err := files.Sync(path); err != nil {
		return err
	}
	return files.Sync(dir)
}

func appendOnce(files snapshot.FS, path string, text []byte, fence func() error) error {
	w, err := files.Append(path)
	if err != nil {
		return err
	}
	if fence != nil {
		err = fence()
	}
	if err == nil {
		_, err = w.Write(text)
	}
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	return err
}
