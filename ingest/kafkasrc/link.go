package kafkasrc

import (
	"encoding/binary"

	"anond/ingest"
)

// headersMost bounds what is kept of the headers of a record in a large batch.
const headersMost = 4 << 10

// linkTo gives a record the link in its headers, if they have one.
func linkTo(r *ingest.Record, headers []byte) {
	text, ok := headerOf(headers, ingest.LinkHeader)
	if !ok {
		return
	}
	if l, err := ingest.DecodeLink(text); err == nil {
		r.Link, r.Cut = l, r.Cut || l.Cut
	}
}

// headerOf finds a header in the headers of a record, as a batch has them: their number, then
// name and value of each. ok is false if it is not there, or the bytes are no headers.
func headerOf(b []byte, name string) (value []byte, ok bool) {
	count, n := binary.Varint(b)
	if n <= 0 {
		return nil, false
	}
	for b = b[n:]; count > 0; count-- {
		var key, text []byte
		if key, b, ok = cutBytes(b); !ok {
			return nil, false
		}
		if text, b, ok = cutBytes(b); !ok {
			return nil, false
		}
		if string(key) == name {
			return text, true
		}
	}
	return nil, false
}
