package fetch

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"
)

// ErrCorrupt marks data that is not what the producer sent, or that
// decompresses to more than is taken. The fetch is tried again, since the fault
// may lie in transit or in one replica.
var ErrCorrupt = errors.New("corrupt record batch")

// CorruptBatch is an ErrCorrupt that says which batch it is.
type CorruptBatch struct {
	base int64 // first offset, as far as the header can be believed
	Last int64 // last offset; -1 if the header cannot be believed
	why  string
}

func (e *CorruptBatch) Error() string {
	return fmt.Sprintf("%v at offset %d: %s", ErrCorrupt, e.base, e.why)
}

// Unwrap makes errors.Is(err, ErrCorrupt) true.
func (e *CorruptBatch) Unwrap() error { return ErrCorrupt }

// Corrupt is a batch with a wrong checksum: its header may be wrong, too.
func Corrupt(base int64, format string, args ...any) error {
	return &CorruptBatch{base: base, Last: -1, why: fmt.Sprintf(format, args...)}
}

// spoiled is a batch whose checksum is right: its header can be believed, its
// content cannot be read.
func (b *batch) spoiled(format string, args ...any) error {
	return &CorruptBatch{base: b.base, Last: b.last, why: fmt.Sprintf(format, args...)}
}

// IsCorrupt is true also where the broker itself reports a corrupt batch.
func IsCorrupt(err error) bool {
	return errors.Is(err, ErrCorrupt) || errors.Is(err, kafka.InvalidMessage)
}

// behind returns what follows the first batch of data, whose content may be
// anything: nil if its length field makes no sense or nothing follows.
func behind(data []byte) []byte {
	if len(data) < lengthEnd {
		return nil
	}
	length := int64(int32(binary.BigEndian.Uint32(data[lengthAt:])))
	if length < headerSize-lengthEnd || lengthEnd+length >= int64(len(data)) {
		return nil
	}
	return data[lengthEnd+length:]
}

// soundBehind returns the first offset of the sound batch that follows the first
// one of data, if there is one.
func soundBehind(data []byte) (base int64, rest []byte, ok bool) {
	rest = behind(data)
	b, _, err := nextBatch(rest)
	if err != nil || b == nil {
		return 0, nil, false
	}
	return b.base, rest, true
}

// SoundBehind is where the sound batch begins that follows the first one of an answer, if there is one.
func (r *Response) SoundBehind() (base int64, ok bool) {
	base, _, ok = soundBehind(r.Batches)
	return base, ok
}

// First is where the first batch of an answer begins, if there is a whole one.
func (r *Response) First() (base int64, some bool, err error) {
	b, _, err := nextBatch(r.Batches)
	if err != nil || b == nil {
		return 0, false, err
	}
	return b.base, true, nil
}
