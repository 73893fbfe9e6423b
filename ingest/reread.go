package ingest

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"

	"anond/equivclass"
	"anond/incremental"
)

// Taken is told each record that a source still holds at a wanted place. header
// is that of a CSV file, nil without one.
type Taken func(p incremental.Partition, offset int64, value []byte, header []string) error

// Reread reads single records of a source again, by partition and ascending
// offset. What the source no longer holds is left out.
type Reread func(ctx context.Context, wanted map[incremental.Partition][]int64, take Taken) error

// ErrNoLetter: a line is no dead letter.
var ErrNoLetter = errors.New("the line is no dead letter")

// DecodeDeadLetter reads what EncodeDeadLetter wrote.
func DecodeDeadLetter(line []byte) (incremental.DeadLetter, error) {
	var l struct {
		Seq       uint64
		Source    string
		Partition int32
		Offset    int64
		Reason    string
		Attribute string
		Digest    string
		Payload   *string
		Encrypted *string `json:"payload_encrypted"`
	}
	if json.Unmarshal(line, &l) != nil || l.Seq == 0 {
		return incremental.DeadLetter{}, ErrNoLetter
	}
	out := incremental.DeadLetter{Seq: l.Seq, Partition: incremental.Partition{Source: l.Source, ID: l.Partition}, Offset: l.Offset,
		Reason: equivclass.Reason(l.Reason), Attribute: l.Attribute}
	digest, err := hex.DecodeString(l.Digest)
	if err != nil || len(digest) != len(out.Digest) {
		return incremental.DeadLetter{}, ErrNoLetter
	}
	copy(out.Digest[:], digest)
	payload := l.Payload
	if l.Encrypted != nil {
		payload, out.Sealed = l.Encrypted, true
	}
	if payload != nil {
		if out.Payload, err = base64.StdEncoding.DecodeString(*payload); err != nil {
			return incremental.DeadLetter{}, ErrNoLetter
		}
	}
	return out, nil
}
