package kafkasrc

import (
	"fmt"

	"anond/ingest"
)

// collect turns an answer into a chunk of the offsets [next, limit), as far as
// the answer reaches. Guarantee: every committed record in [From, Next) is in
// Records, and nothing else is; Next == From means that the answer holds nothing
// new. limit < 0: none.
//
// A corrupt batch after good ones ends the chunk before it, and the next fetch
// meets it again; a corrupt first batch is an error.
func collect(res *fetchResponse, next, limit int64) (*ingest.Chunk, error) {
	c := &ingest.Chunk{From: next, Next: next}
	tx := newTransactions(res.aborted)
	for data := res.recordData; len(data) > 0 && (limit < 0 || c.Next < limit); {
		b, rest, err := nextBatch(data)
		if err == nil && b == nil {
			if c.Next == next && len(rest) == len(res.recordData) {
				return nil, fmt.Errorf("%w at offset %d: cut", errCorrupt, next)
			}
			break
		}
		if err == nil {
			err = appendBatch(c, b, tx, limit)
		}
		if err != nil {
			if c.Next > next {
				break
			}
			return nil, err
		}
		data = rest
	}
	if limit >= 0 && c.Next > limit {
		c.Next = max(next, limit)
	}
	return c, nil
}

// appendBatch adds the records of b to the chunk, all of them or, on an error,
// none.
func appendBatch(c *ingest.Chunk, b *batch, tx *transactions, limit int64) error {
	hidden, err := tx.hides(b)
	if err != nil {
		return err
	}
	if b.last < c.Next { // compaction may leave the fetched offset before the batch's records
		return nil
	}
	before := len(c.Records)
	if !hidden {
		c.Records = grow(c.Records, min(b.count, len(b.payload)))
		from := c.Next
		err = b.records(func(r rawRecord) {
			if r.offset >= from && (limit < 0 || r.offset < limit) {
				c.Records = append(c.Records, ingest.Record{Offset: r.offset, Key: r.key, Value: r.value})
			}
		})
	}
	if err != nil {
		c.Records = c.Records[:before]
		return err
	}
	c.Next = b.last + 1
	return nil
}

// grow makes room for n more records at once. The first batch of an answer is
// usually like the others, so room for several is made when it is full.
func grow(records []ingest.Record, n int) []ingest.Record {
	if cap(records)-len(records) >= n {
		return records
	}
	bigger := make([]ingest.Record, len(records), max(len(records)+n, 2*cap(records)))
	copy(bigger, records)
	return bigger
}
