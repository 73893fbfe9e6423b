// Package deadletter has the form in which refused records leave the state, and what keeps them in a file.
//
// # Guarantee
//
// Two encodings of one dead letter are equal byte for byte, sealed or not, so that a delivery may be repeated; a file has
// each dead letter once. No text of a refused record is in it unless the configuration asks for payloads (rule V: no value is
// shown).
package deadletter

import (
	"anond/incremental/state"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Encode writes a dead letter as one JSON object without line break,
// the form in which files and topics hold it. Two encodings of one dead letter
// are equal byte for byte. "attribute" and "payload" (base64) are there only if
// the dead letter has them; an encrypted payload is "payload_encrypted". The payload is the refused message itself; it is
// kept only if the configuration asks for it (rule V: no value is shown).
func Encode(d state.DeadLetter) []byte { return encodeLetter(d, time.Time{}) }

// EncodeDelivered adds when the sink gets it ("delivered", to the second). Without that
// time two encodings of one dead letter are equal still.
func EncodeDelivered(d state.DeadLetter, at time.Time) []byte { return encodeLetter(d, at) }

func encodeLetter(d state.DeadLetter, at time.Time) []byte {
	b := make([]byte, 0, 192+base64.StdEncoding.EncodedLen(len(d.Payload)))
	b = append(b, `{"seq":`...)
	b = strconv.AppendUint(b, d.Seq, 10)
	b = appendText(b, "source", d.Partition.Source)
	b = append(b, `,"partition":`...)
	b = strconv.AppendInt(b, int64(d.Partition.ID), 10)
	b = append(b, `,"offset":`...)
	b = strconv.AppendInt(b, d.Offset, 10)
	b = appendText(b, "reason", string(d.Reason))
	if d.Attribute != "" {
		b = appendText(b, "attribute", d.Attribute)
	}
	b = append(b, `,"digest":"`...)
	b = hex.AppendEncode(b, d.Digest[:])
	b = append(b, '"')
	if !at.IsZero() {
		b = appendText(b, "delivered", at.UTC().Format(time.RFC3339))
	}
	if d.Payload != nil {
		name := `,"payload":"`
		if d.Sealed {
			name = `,"payload_encrypted":"`
		}
		b = append(b, name...)
		b = base64.StdEncoding.AppendEncode(b, d.Payload)
		b = append(b, '"')
	}
	return append(b, '}')
}

func appendText(b []byte, name, text string) []byte {
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	// The error tells of invalid UTF-8, which is written as U+FFFD.
	b, _ = jsontext.AppendQuote(b, text)
	return b
}
