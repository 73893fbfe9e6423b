package kafkasrc

import (
	"encoding/binary"

	"anond/ingest"
)

// headersMost bounds what is kept of the headers of a record in a large batch.
const headersMost = 4 << 10

// Header is one that a source looks for in each record. Take is told the value of the first of its name.
type Header struct {
	Name string // empty: no header is looked for
	Take func(r *ingest.Record, value []byte)
}

func (h *Header) read(r *ingest.Record, headers []byte) {
	if value, ok := headerOf(headers, h.Name); ok {
		h.Take(r, value)
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
