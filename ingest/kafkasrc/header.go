package kafkasrc

import (
	"anond/ingest"
	"anond/internal/kafkaclient/fetch"
)

// Header is one that a source looks for in each record. Take is told the value of the first of its name.
type Header struct {
	Name string // empty: no header is looked for
	Take func(r *ingest.Record, value []byte)
}

// take keeps a record of a batch as the source hands it out.
func (h *Header) take(to *ingest.Record, r *fetch.Record) (weight int) {
	*to = ingest.Record{Offset: r.Offset, Time: r.Time, Key: r.Key, Value: r.Value, Cut: r.Short, CutHere: r.Short}
	if h.Name != "" {
		if value, ok := fetch.HeaderOf(r.Headers, h.Name); ok {
			h.Take(to, value)
		}
	}
	return to.Weight()
}

// chunkOf is a piece of an answer as a chunk.
func chunkOf(p *fetch.Piece[ingest.Record]) *ingest.Chunk {
	return &ingest.Chunk{From: p.From, Next: p.Next, Records: p.Records}
}
