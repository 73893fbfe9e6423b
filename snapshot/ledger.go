package snapshot

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
)

// LedgerEntry is a line of the ledger: the number of a release and the SHA-256
// of its manifest.
type LedgerEntry struct {
	Release uint32
	SHA256  [32]byte
}

// Ledger is the append-only file as read: `number SP sha256 LF` a line.
type Ledger struct {
	Entries []LedgerEntry // consecutive
	Whole   int64         // bytes of the complete lines
	Torn    bool          // a last line without LF follows: a crash cut its append
	Exists  bool
}

func (l *Ledger) Newest() LedgerEntry {
	if len(l.Entries) == 0 {
		return LedgerEntry{}
	}
	return l.Entries[len(l.Entries)-1]
}

func (l *Ledger) Find(release uint32) ([32]byte, bool) {
	if len(l.Entries) == 0 || release < l.Entries[0].Release || release > l.Newest().Release {
		return [32]byte{}, false
	}
	return l.Entries[release-l.Entries[0].Release].SHA256, true
}

// ReadLedger reads the ledger; one that does not exist is empty. A torn last
// line is left out.
func ReadLedger(files FS, path string) (*Ledger, error) {
	data, err := files.ReadFile(path)
	if notExist(err) {
		return &Ledger{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	l := &Ledger{Exists: true}
	for n := 1; len(data) > 0; n++ {
		line, rest, complete := bytes.Cut(data, []byte("\n"))
		if !complete {
			l.Torn = true
			break
		}
		entry, ok := parseLedgerLine(line)
		if !ok {
			return nil, fmt.Errorf("%w: %s:%d: the line is not a release number, a space and a SHA-256", ErrDamaged, path, n)
		}
		if len(l.Entries) > 0 && entry.Release != l.Newest().Release+1 {
			return nil, fmt.Errorf("%w: %s:%d: release %d follows release %d", ErrDamaged, path, n, entry.Release, l.Newest().Release)
		}
		l.Entries = append(l.Entries, entry)
		l.Whole += int64(len(line)) + 1
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
	return e, err == nil && bytes.Equal(e.Line(), append(line, '\n'))
}

func (e LedgerEntry) Line() []byte {
	return fmt.Appendf(nil, "%d %s\n", e.Release, hex.EncodeToString(e.SHA256[:]))
}

// LedgerNewest is the newest release that a ledger names, 0 if it names none.
func LedgerNewest(files FS, path string) (uint32, error) {
	l, err := ReadLedger(files, path)
	if err != nil {
		return 0, err
	}
	return l.Newest().Release, nil
}
