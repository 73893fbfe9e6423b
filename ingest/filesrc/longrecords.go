package filesrc

import (
	"bytes"
	"errors"

	"anond/ingest"
	"anond/ingest/decode"
)

var errHeaderTooLong = errors.New("the header is longer than the longest record allowed")

// startLong begins to skip a record that is too long. Its first max+1 bytes
// stand for it, enough for the decoder to refuse it; the rest is not kept. The
// position stays at its start until its end is found, so that a restart in
// between finds the record again.
func (r *recordReader) startLong() {
	r.skip = &ingest.Record{Offset: r.off, Line: r.line, Value: bytes.Clone(r.buf[:r.split.max+1])}
	if r.rest == ofLine {
		r.skip.Refused = decode.ReasonGrown
	}
	r.pass(r.split.max)
}

// passLong passes the bytes up to the line break that ends the long record.
func (r *recordReader) passLong(b *batch, final bool) (done bool, err error) {
	lf := bytes.IndexByte(r.buf, '\n')
	if lf < 0 && !final {
		r.pass(len(r.buf))
		return false, nil
	}
	if r.header != nil && r.rest == ofNothing {
		return false, errHeaderTooLong
	}
	counted := r.rest == ofLong
	if lf < 0 {
		lf, r.rest = len(r.buf)-1, ofLong
	} else {
		r.rest = ofNothing
	}
	r.pass(lf + 1)
	if !counted {
		b.records = append(b.records, *r.skip)
	}
	r.skip = nil
	return true, nil
}
