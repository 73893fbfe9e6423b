package fetch

import "anond/internal/kafkaclient/fetch/fetchtest"

// Batches of tests.
var encodeBatch, record, compressed, recompress, sealed = fetchtest.Batch, fetchtest.Record, fetchtest.Compressed, fetchtest.Recompress,
	fetchtest.Sealed

// weightOf is what a record counts for in a piece.
func weightOf(r *Record) int { return 64 + len(r.Key) + len(r.Value) }

// answerOf reads records as they are.
func answerOf(res *Response, next, limit int64, s Sizes, large func() error) *Answer[Record] {
	return NewAnswer(res, next, limit, s, large, func(to, r *Record) int { *to = *r; return weightOf(r) })
}

// roomy are bounds that no test batch reaches, tight ones that most batches do.
var (
	roomy = Sizes{Piece: 16 << 20, Record: 1 << 20, Batch: 16 << 20}
	tight = Sizes{Piece: 100, Record: 1 << 20, Batch: 16 << 20}
)

// collect reads an answer to its end as one chunk.
func collect(res *Response, next, limit int64) (*Piece[Record], error) {
	return collectWithin(roomy, res, next, limit)
}

func collectWithin(s Sizes, res *Response, next, limit int64) (*Piece[Record], error) {
	a := answerOf(res, next, limit, s, func() error { return nil })
	defer a.Close()
	whole, err := a.Piece()
	if err != nil {
		return nil, err
	}
	for {
		c, err := a.Piece()
		if err != nil || c.Next == c.From {
			return whole, nil
		}
		whole.Records, whole.Next = append(whole.Records, c.Records...), c.Next
	}
}
