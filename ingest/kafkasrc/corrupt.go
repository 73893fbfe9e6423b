package kafkasrc

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"
)

// errCorrupt marks data that is not what the producer sent, or that
// decompresses to more than is taken. The fetch is tried again, since the fault
// may lie in transit or in one replica. Config.OnCorrupt says what to do if it
// stays.
var errCorrupt = errors.New("corrupt record batch")

// corruptBatch is an errCorrupt that says which batch it is.
type corruptBatch struct {
	base int64 // first offset, as far as the header can be believed
	last int64 // last offset; -1 if the header cannot be believed
	why  string
}

func (e *corruptBatch) Error() string {
	return fmt.Sprintf("%v at offset %d: %s", errCorrupt, e.base, e.why)
}

// Unwrap makes errors.Is(err, errCorrupt) true.
func (e *corruptBatch) Unwrap() error { return errCorrupt }

// corrupt is a batch with a wrong checksum: its header may be wrong, too.
func corrupt(base int64, format string, args ...any) error {
	return &corruptBatch{base: base, last: -1, why: fmt.Sprintf(format, args...)}
}

// spoiled is a batch whose checksum is right: its header can be believed, its
// content cannot be read.
func (b *batch) spoiled(format string, args ...any) error {
	return &corruptBatch{base: b.base, last: b.last, why: fmt.Sprintf(format, args...)}
}

// isCorrupt is true also where the broker itself reports a corrupt batch.
func isCorrupt(err error) bool {
	return errors.Is(err, errCorrupt) || errors.Is(err, kafka.InvalidMessage)
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
