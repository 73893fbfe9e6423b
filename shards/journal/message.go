package journal

import (
	"anond/incremental/state"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"

	"anond/internal/sealed"
)

// A message is: magic and version (4 bytes), number (8, big-endian), digest of the message before (32), then
// the sealed entry. The place that the seal binds is the name of the journal and all that stands before it.
const (
	magic       = "anJ\x01"
	headerBytes = len(magic) + 8 + sha256.Size
)

// cipher seals entries and opens them.
type cipher struct {
	key    sealed.Key
	name   string // of the journal: entries of another shard do not open
	opener *sealed.Opener
	random io.Reader
}

// seal writes the entry that follows a mark.
func (c *cipher) seal(after state.JournalMark, e *Entry) ([]byte, error) {
	text, err := e.encode()
	if err != nil {
		return nil, err
	}
	s, err := c.key.Sealer(c.random)
	if err != nil {
		return nil, err
	}
	out := binary.BigEndian.AppendUint64([]byte(magic), after.Seq+1)
	out = append(out, after.Digest[:]...)
	return s.Seal(out, c.place(out), text)
}

func (c *cipher) place(header []byte) []byte {
	return append([]byte("anond journal\x00"+c.name+"\x00"), header...)
}

// number is that of a message; known is false for what is none.
func number(message []byte) (seq uint64, known bool) {
	if len(message) < headerBytes || string(message[:len(magic)]) != magic {
		return 0, false
	}
	return binary.BigEndian.Uint64(message[len(magic):]), true
}

// open reads the entry that follows a mark.
func (c *cipher) open(after state.JournalMark, message []byte) (*Entry, error) {
	header := message[:headerBytes]
	if !bytes.Equal(header[len(magic)+8:], after.Digest[:]) {
		return nil, fmt.Errorf("%w: entry %d does not follow the one before", ErrForeign, after.Seq+1)
	}
	text, err := c.opener.Open(c.place(header), message[headerBytes:])
	if err == nil {
		var e *Entry
		if e, err = decode(text); err == nil {
			return e, nil
		}
	}
	return nil, fmt.Errorf("%w: entry %d: %w", ErrForeign, after.Seq+1, err)
}
