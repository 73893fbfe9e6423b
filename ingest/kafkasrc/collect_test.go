package kafkasrc

import "anond/ingest"

// roomy are bounds that no test batch reaches, tight ones that most batches do.
var (
	roomy = sizes{piece: 16 << 20, record: 1 << 20, batch: 16 << 20}
	tight = sizes{piece: 100, record: 1 << 20, batch: 16 << 20}
)

// collect reads an answer to its end as one chunk.
func collect(res *fetchResponse, next, limit int64) (*ingest.Chunk, error) {
	return collectWithin(roomy, res, next, limit)
}

func collectWithin(s sizes, res *fetchResponse, next, limit int64) (*ingest.Chunk, error) {
	a := newAnswer(res, next, limit, s, func() error { return nil })
	defer a.close()
	whole, err := a.piece()
	if err != nil {
		return nil, err
	}
	for {
		c, err := a.piece()
		if err != nil || c.Next == c.From {
			return whole, nil
		}
		whole.Records, whole.Next = append(whole.Records, c.Records...), c.Next
	}
}
