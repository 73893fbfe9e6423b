package subjectledger

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"anond/incremental/state"
	"anond/internal/fault"
)

// kind says what a frame is.
type kind byte

// The kinds of frames.
const (
	begins   kind = 'B' // the first one: magic, the ledger's own number, the name of the key
	joins    kind = 'J' // check of the state's seed, then the name of the dataset
	claims   kind = 'C' // digests of people
	givesAll kind = 'G' // the dataset has given back all that it had claimed before
)

// A frame is: kind (1 byte), member (2), length of what follows (4, all big-endian), content, and the first 16 bytes of the SHA-256
// of the chain's digest before it and of all that.
const (
	headBytes   = 7
	sumBytes    = 16
	digestBytes = 15 // of a person: state.Person without the last byte
	mostContent = 1 << 24
	mostTorn    = 1 << 20 // more than a frame that a process leaves half written
	magic       = "anond subjects 1"
)

type frame struct {
	kind    kind
	member  uint16 // from 1 on; of begins 0
	content []byte
}

// people visits the digests of a frame of claims.
func (f *frame) people(visit func(state.Person)) {
	for at := 0; at < len(f.content); at += digestBytes {
		var p state.Person
		copy(p[:], f.content[at:at+digestBytes])
		visit(p)
	}
}

// head is what a frame begins with.
func (f *frame) head() []byte {
	out := append(make([]byte, 0, headBytes+len(f.content)+sumBytes), byte(f.kind))
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(out, f.member), uint32(len(f.content)))
}

// bytes is the frame behind a mark, with the mark behind it.
func (f *frame) bytes(after state.LedgerMark) ([]byte, state.LedgerMark) {
	out := append(f.head(), f.content...)
	sum := sumOf(after, out)
	out = append(out, sum[:]...)
	return out, state.LedgerMark{Size: after.Size + int64(len(out)), Digest: sum}
}

func sumOf(after state.LedgerMark, frame []byte) [sumBytes]byte {
	h := sha256.New()
	h.Write(after.Digest[:])
	h.Write(frame)
	return [sumBytes]byte(h.Sum(nil))
}

// errTorn: the file ends within a frame, which was being written when a process or the host ended.
var errTorn = errors.New("the last frame is not whole")

// errNoLedger: the file is another one.
var errNoLedger = fault.Errorf(fault.Config, "name the directory of a ledger, or one that is empty",
	"subject.ledger: the file claims is no subject ledger")

// damagedAt says where a ledger cannot be read.
func damagedAt(at int64) error {
	return fault.Errorf(fault.Failed, "put the newest copy of the file in its place; a copy that lacks claims of a dataset is refused by it",
		"the subject ledger is damaged at byte %d", at)
}

// scan hands on the frames of a file from a mark up to size, and returns the mark behind the last. The content of a frame is
// valid until the next one.
func scan(f *os.File, from state.LedgerMark, size int64, visit func(frame, state.LedgerMark) error) (state.LedgerMark, error) {
	r := bufio.NewReaderSize(io.NewSectionReader(f, from.Size, size-from.Size), 1<<16)
	var buffer []byte
	for from.Size < size {
		left := size - from.Size
		head, err := r.Peek(headBytes)
		if err != nil && left >= headBytes {
			return from, err
		}
		if from.Size == 0 && kind(head[0]) != begins {
			return from, errNoLedger
		}
		if left < headBytes {
			return from, errTorn
		}
		n := int64(binary.BigEndian.Uint32(head[3:]))
		whole := headBytes + n + sumBytes
		if whole > left {
			return from, tornOrDamaged(f, from.Size, size, size, left > mostTorn)
		}
		if n > mostContent || n == 0 && head[0] == 0 {
			return from, tornOrDamaged(f, from.Size, from.Size+headBytes, size, true)
		}
		if int64(cap(buffer)) < whole {
			buffer = make([]byte, whole)
		}
		buffer = buffer[:whole]
		if _, err := io.ReadFull(r, buffer); err != nil {
			return from, err
		}
		body, sum := buffer[:headBytes+n], [sumBytes]byte(buffer[headBytes+n:])
		if sumOf(from, body) != sum {
			return from, tornOrDamaged(f, from.Size, from.Size+whole, size, whole < left)
		}
		next := state.LedgerMark{Size: from.Size + whole, Digest: sum}
		x := frame{kind: kind(body[0]), member: binary.BigEndian.Uint16(body[1:]), content: body[headBytes:]}
		if x.kind == claims && n%digestBytes != 0 {
			return from, damagedAt(from.Size)
		}
		if err := visit(x, next); err != nil {
			return from, err
		}
		from = next
	}
	return from, nil
}

// tornOrDamaged judges what is no frame: the end of a file that was being written, of which a host that lost its power may have
// kept a beginning and zeros behind it; or, where something else follows, damage.
func tornOrDamaged(f *os.File, at, end, size int64, followed bool) error {
	if !followed {
		return errTorn
	}
	buffer := make([]byte, 1<<16)
	for from := end; from < size; from += int64(len(buffer)) {
		n, err := f.ReadAt(buffer[:min(int64(len(buffer)), size-from)], from)
		if err != nil && err != io.EOF {
			return err
		}
		for _, b := range buffer[:n] {
			if b != 0 {
				return damagedAt(at)
			}
		}
	}
	return errTorn
}

// opening is what the first frame says.
func opening(f frame) (id [16]byte, key string, err error) {
	if f.kind != begins || len(f.content) < len(magic)+len(id) || string(f.content[:len(magic)]) != magic {
		return id, "", errNoLedger
	}
	copy(id[:], f.content[len(magic):])
	return id, string(f.content[len(magic)+len(id):]), nil
}
