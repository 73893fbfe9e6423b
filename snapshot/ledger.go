package snapshot

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
)

// LedgerEntry is a line of the ledger. It seals a release that the gate has passed: what was published, and by which
// program, can be told by it when files of the release are gone.
type LedgerEntry struct {
	Release uint32
	SHA256  [32]byte // of its manifest
	Seal
}

// Seal is what a line says besides number and manifest.
type Seal struct {
	Parts     [32]byte // Manifest.PartsSHA256; zero: the manifest was gone when the line was written again
	Algorithm uint32   // of the program that decided the release; 0: the ledgers of shards say
	People    int      // who were ever published
	// Digests are of the people whom the state knew and publishes no second time (incremental.Machine.Digests).
	Digests int
}

// SealOf is what a manifest with this SHA-256 says for the ledger: all but how the release was decided.
func SealOf(m *Manifest, sum [32]byte) LedgerEntry {
	return LedgerEntry{Release: m.Release, SHA256: sum, Seal: Seal{Parts: m.PartsSHA256(), People: max(m.Records, m.PeopleEver)}}
}

// Seals reports whether a line is of a release, given what its manifest says.
func (e LedgerEntry) Seals(of LedgerEntry) bool {
	return e.SHA256 == of.SHA256 && e.People == of.People && (e.Parts == of.Parts || e.Parts == [32]byte{})
}

// PartsSHA256 is the hash of all data files: what LC_ALL=C sh -c 'sha256sum part-*/* | sha256sum' prints in its directory.
func (m *Manifest) PartsSHA256() [32]byte {
	type file struct{ path, line string }
	var files []file
	for i := range m.Parts {
		for _, f := range m.Parts[i].Files {
			name := path.Join(m.Parts[i].Dir(), f.Name)
			files = append(files, file{name, f.SHA256 + "  " + name + "\n"})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.path, b.path) })
	sum := sha256.New()
	for _, f := range files {
		sum.Write([]byte(f.line))
	}
	return [32]byte(sum.Sum(nil))
}

// Ledger is the append-only file as read: an entry a line.
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

// Line is what the ledger says of a release, if it does.
func (l *Ledger) Line(release uint32) (LedgerEntry, bool) {
	if len(l.Entries) == 0 || release < l.Entries[0].Release || release > l.Newest().Release {
		return LedgerEntry{}, false
	}
	return l.Entries[release-l.Entries[0].Release], true
}

// Find is the manifest of a release that the ledger names, if it does.
func (l *Ledger) Find(release uint32) ([32]byte, bool) {
	e, ok := l.Line(release)
	return e.SHA256, ok
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
			return nil, fmt.Errorf("%w: %s:%d: the line does not seal a release", ErrDamaged, path, n)
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

// parseLedgerLine is the inverse of Line. It runs over the whole ledger before each release.
func parseLedgerLine(line []byte) (e LedgerEntry, ok bool) {
	var words [10][]byte
	rest := line
	for i := range words {
		words[i], rest, ok = bytes.Cut(rest, []byte(" "))
		if ok != (i < len(words)-1) {
			return e, false
		}
	}
	for _, to := range []struct {
		sum  *[32]byte
		word int
	}{{&e.SHA256, 1}, {&e.Parts, 3}} {
		if len(words[to.word]) != hex.EncodedLen(len(to.sum)) {
			return e, false
		}
		if _, err := hex.Decode(to.sum[:], words[to.word]); err != nil {
			return e, false
		}
	}
	var numbers [4]uint64
	for i, word := range []int{0, 5, 7, 9} {
		n, err := strconv.ParseUint(string(words[word]), 10, []int{32, 32, 62, 62}[i])
		if err != nil {
			return e, false
		}
		numbers[i] = n
	}
	e.Release, e.Algorithm, e.People, e.Digests = uint32(numbers[0]), uint32(numbers[1]), int(numbers[2]), int(numbers[3])
	again := e.Line()
	return e, e.Release > 0 && bytes.Equal(again[:len(again)-1], line)
}

// Line is the entry as the ledger has it: 7 SHA parts SHA algorithm 10 people 5 digests 7.
func (e *LedgerEntry) Line() []byte {
	out := strconv.AppendUint(make([]byte, 0, 192), uint64(e.Release), 10)
	out = hex.AppendEncode(append(out, ' '), e.SHA256[:])
	out = hex.AppendEncode(append(out, " parts "...), e.Parts[:])
	out = strconv.AppendUint(append(out, " algorithm "...), uint64(e.Algorithm), 10)
	out = strconv.AppendInt(append(out, " people "...), int64(e.People), 10)
	return append(strconv.AppendInt(append(out, " digests "...), int64(e.Digests), 10), '\n')
}

// LedgerNewest is the newest release that a ledger names, 0 if it names none.
func LedgerNewest(files FS, path string) (uint32, error) {
	l, err := ReadLedger(files, path)
	if err != nil {
		return 0, err
	}
	return l.Newest().Release, nil
}
