package deadletter

import (
	"anond/incremental/state"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anond/equivclass"
)

// Reading dead letters back from where a sink has put them.

// ErrNoLetter: a line is no dead letter.
var ErrNoLetter = errors.New("the line is no dead letter")

// Delivered is a dead letter as a sink holds it.
type Delivered struct {
	state.DeadLetter
	At  time.Time // when the sink got it, to the second
	Cut bool      // it has a payload that was longer than the reader takes, and is not in Payload
}

// Decode reads what Encode and EncodeDelivered wrote.
func Decode(line []byte) (Delivered, error) {
	var l struct {
		Seq       uint64
		Source    string
		Partition int32
		Offset    int64
		Reason    string
		Attribute string
		Digest    string
		Delivered *time.Time
		Payload   *string
		Encrypted *string `json:"payload_encrypted"`
	}
	if json.Unmarshal(line, &l) != nil || l.Seq == 0 {
		return Delivered{}, ErrNoLetter
	}
	out := Delivered{DeadLetter: state.DeadLetter{Seq: l.Seq, Partition: state.Partition{Source: l.Source, ID: l.Partition},
		Offset: l.Offset, Reason: equivclass.Reason(l.Reason), Attribute: l.Attribute}}
	if l.Delivered != nil {
		out.At = *l.Delivered
	}
	digest, err := hex.DecodeString(l.Digest)
	if err != nil || len(digest) != len(out.Digest) {
		return Delivered{}, ErrNoLetter
	}
	copy(out.Digest[:], digest)
	payload := l.Payload
	if l.Encrypted != nil {
		payload, out.Sealed = l.Encrypted, true
	}
	if payload != nil {
		if out.Payload, err = base64.StdEncoding.DecodeString(*payload); err != nil {
			return Delivered{}, ErrNoLetter
		}
	}
	return out, nil
}

// DecodePrefix reads a dead letter of which only the beginning is there: all but the
// payload, which is last.
func DecodePrefix(prefix []byte) (Delivered, error) {
	for _, name := range []string{`,"payload":"`, `,"payload_encrypted":"`} {
		if i := bytes.Index(prefix, []byte(name)); i >= 0 {
			d, err := Decode(append(bytes.Clone(prefix[:i]), '}'))
			d.Cut, d.Sealed = true, strings.Contains(name, "encrypted")
			return d, err
		}
	}
	return Delivered{}, ErrNoLetter
}

// PrefixBytes is enough of an encoded dead letter to have all but its payload.
const PrefixBytes = 64 << 10

// taking is told each line, from 1: a dead letter, or ErrNoLetter.
type taking func(line int, d Delivered, err error) error

// Read reads the lines of a dead-letter file, in the order in which they were
// written. It holds one line at a time, and of that at most limit bytes: a longer one is
// handed out without its payload. torn: a last line without line break was left out, which
// is still being written, or was torn by a crash.
func Read(r io.Reader, limit int, take taking) (torn bool, err error) {
	lines := bufio.NewReaderSize(r, PrefixBytes)
	var line []byte
	for number := 1; ; number++ {
		var whole bool
		line, whole, err = nextLine(lines, line[:0], limit)
		if err == io.EOF {
			return len(line) > 0, nil
		}
		if err != nil {
			return false, err
		}
		var d Delivered
		if whole {
			d, err = Decode(line)
		} else {
			d, err = DecodePrefix(line)
		}
		if err = take(number, d, err); err != nil {
			return false, err
		}
	}
}

// nextLine reads a line into a buffer, and at most limit bytes of it. io.EOF: it has no
// line break.
func nextLine(r *bufio.Reader, into []byte, limit int) (line []byte, whole bool, err error) {
	whole = true
	for {
		piece, err := r.ReadSlice('\n')
		if room := limit - len(into); len(piece) > room {
			piece, whole = piece[:max(0, room)], false
		}
		into = append(into, piece...)
		if err != bufio.ErrBufferFull {
			return into, whole, err
		}
	}
}

// Files lists the dead-letter files of a directory, those that were rotated away
// included, in the order of their first dead letters. Rotated files keep the name with
// something before or behind the ending, and may be compressed: dead-letter-2026.ndjson,
// dead-letter.ndjson.1, dead-letter.ndjson.2.gz.
func Files(dir string) ([]string, error) {
	name, ending, _ := strings.Cut(FileName, ".")
	paths, err := filepath.Glob(filepath.Join(escapeGlob(dir), name+"*."+ending+"*"))
	if err != nil {
		return nil, err
	}
	first := map[string]uint64{}
	for _, path := range paths {
		if first[path], err = firstLetter(path); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int {
		switch {
		case first[a] < first[b]:
			return -1
		case first[a] > first[b]:
			return 1
		}
		return strings.Compare(a, b)
	})
	return paths, nil
}

// escapeGlob makes a path one that matches itself alone.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

var errFound = errors.New("found")

// firstLetter is the number of a file's first dead letter, 0 if it has none.
func firstLetter(path string) (seq uint64, err error) {
	f, err := Open(path)
	if err != nil {
		return 0, err
	}
	_, err = Read(f, PrefixBytes, func(_ int, d Delivered, err error) error {
		if err != nil {
			return nil
		}
		seq = d.Seq
		return errFound
	})
	if err == errFound {
		err = nil
	}
	return seq, errors.Join(err, f.Close())
}

// Open opens a dead-letter file, compressed or not.
func Open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return f, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &unzipped{z, f}, nil
}

type unzipped struct {
	*gzip.Reader
	file *os.File
}

func (u *unzipped) Close() error { return errors.Join(u.Reader.Close(), u.file.Close()) }
