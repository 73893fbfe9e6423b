package snapshot

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"

	"anond/internal/disk/durabledir"
)

// LedgerEntry is a line of the ledger: the number of a release and the SHA-256
// of its manifest.
type LedgerEntry struct {
	Release uint32
	SHA256  [32]byte
}

// ledger is the append-only file as read: `number SP sha256 LF` a line.
type ledger struct {
	entries []LedgerEntry // consecutive
	whole   int64         // bytes of the complete lines
	torn    bool          // a last line without LF follows: a crash cut its append
	exists  bool
}

func (l *ledger) newest() LedgerEntry {
	if len(l.entries) == 0 {
		return LedgerEntry{}
	}
	return l.entries[len(l.entries)-1]
}

func (l *ledger) find(release uint32) ([32]byte, bool) {
	if len(l.entries) == 0 || release < l.entries[0].Release || release > l.newest().Release {
		return [32]byte{}, false
	}
	return l.entries[release-l.entries[0].Release].SHA256, true
}

// readLedger reads the ledger; one that does not exist is empty. A torn last
// line is left out.
func readLedger(files FS, path string) (*ledger, error) {
	data, err := files.ReadFile(path)
	if notExist(err) {
		return &ledger{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	l := &ledger{exists: true}
	for n := 1; len(data) > 0; n++ {
		line, rest, complete := bytes.Cut(data, []byte("\n"))
		if !complete {
			l.torn = true
			break
		}
		entry, ok := parseLedgerLine(line)
		if !ok {
			return nil, fmt.Errorf("%w: %s:%d: the line is not a release number, a space and a SHA-256", ErrDamaged, path, n)
		}
		if len(l.entries) > 0 && entry.Release != l.newest().Release+1 {
			return nil, fmt.Errorf("%w: %s:%d: release %d follows release %d", ErrDamaged, path, n, entry.Release, l.newest().Release)
		}
		l.entries = append(l.entries, entry)
		l.whole += int64(len(line)) + 1
		data = rest
	}
	return l, nil
}

func parseLedgerLine(line []byte) (LedgerEntry, bool) {
	number, sum, ok := bytes.Cut(line, []byte(" "))
	n, err := strconv.ParseUint(string(number), 10, 32)
	if !ok || err != nil || n == 0 || len(sum) != 64 {
		return LedgerEntry{}, false
	}
	e := LedgerEntry{Release: uint32(n)}
	_, err = hex.Decode(e.SHA256[:], sum)
	return e, err == nil && bytes.Equal(e.line(), append(line, '\n'))
}

func (e LedgerEntry) line() []byte {
	return fmt.Appendf(nil, "%d %s\n", e.Release, hex.EncodeToString(e.SHA256[:]))
}

// appendLedger makes the ledger hold the entries, durably: a torn last line is
// cut off, lines it has already are compared, missing ones are appended. fence is asked before
// anything is written, once the file is open; nil: nobody is asked.
func appendLedger(files FS, path string, entries []LedgerEntry, fence func() error) error {
	l, err := readLedger(files, path)
	if err != nil {
		return err
	}
	if l.torn {
		if err := cutTorn(files, path, l.whole, fence); err != nil {
			return err
		}
	}
	var text []byte
	for _, e := range entries {
		if sum, ok := l.find(e.Release); ok {
			if sum != e.SHA256 {
				return fmt.Errorf("%w: the ledger has another manifest of release %d", ErrDifferent, e.Release)
			}
			continue
		}
		if len(l.entries) > 0 && e.Release != l.newest().Release+1 {
			return fmt.Errorf("%w: the ledger ends at release %d, release %d does not follow", ErrDamaged, l.newest().Release, e.Release)
		}
		l.entries = append(l.entries, e)
		text = append(text, e.line()...)
	}
	return appendFile(files, path, text, !l.exists, fence)
}

// cutTorn removes what a crash left behind the complete lines.
func cutTorn(files FS, path string, whole int64, fence func() error) error {
	if fence != nil {
		if err := fence(); err != nil {
			return err
		}
	}
	return files.Truncate(path, whole)
}

// appendFile appends text and makes it durable, also where a crash left it
// written but not durable; fresh: the file's name is made durable too.
func appendFile(files FS, path string, text []byte, fresh bool, fence func() error) error {
	if fresh && len(text) == 0 {
		return nil
	}
	dir := filepath.Dir(path)
	if fresh {
		if err := durabledir.Make(files, dir); err != nil {
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

func appendOnce(files FS, path string, text []byte, fence func() error) error {
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

// LedgerNewest is the newest release that a ledger names, 0 if it names none.
func LedgerNewest(files FS, path string) (uint32, error) {
	l, err := readLedger(files, path)
	if err != nil {
		return 0, err
	}
	return l.newest().Release, nil
}
