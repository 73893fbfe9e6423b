package deadletter

import (
	"anond/incremental/state"
	"context"
	"encoding/binary"
	"slices"

	"anond/ingest"
	"anond/internal/sealed"
)

// Seal encrypts the payloads of the dead letters on their way to a sink. Two
// encryptions of one dead letter are equal byte for byte, so a delivery may be repeated
// as before.
func Seal(to ingest.DeadLetters, key sealed.Key) ingest.DeadLetters {
	return &sealing{to, key}
}

type sealing struct {
	ingest.DeadLetters
	key sealed.Key
}

func (s *sealing) Deliver(ctx context.Context, letters []state.DeadLetter) error {
	letters = slices.Clone(letters)
	for i := range letters {
		if l := &letters[i]; l.Payload != nil {
			l.Payload, l.Sealed = s.key.SealSame(letterPlace(*l), l.Payload), true
		}
	}
	return s.DeadLetters.Deliver(ctx, letters)
}

// OpenPayload decrypts the payload of a delivered dead letter, if it is encrypted.
// Errors: sealed.ErrNoKey, sealed.ErrWrongKey, sealed.ErrTampered.
func OpenPayload(l Delivered, key sealed.Key) (Delivered, error) {
	if !l.Sealed {
		return l, nil
	}
	payload, err := key.OpenSame(letterPlace(l.DeadLetter), l.Payload)
	l.Payload, l.Sealed = payload, false
	return l, err
}

// letterPlace binds a payload to its dead letter.
func letterPlace(l state.DeadLetter) []byte {
	place := binary.BigEndian.AppendUint64([]byte("dead letter\x00"), l.Seq)
	place = binary.BigEndian.AppendUint64(place, uint64(l.Offset))
	return append(place, l.Digest[:]...)
}
