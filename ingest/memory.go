package ingest

import "anond/ingest/decode"

// DefaultMaxInFlight bounds what is in flight if nothing else is said.
const DefaultMaxInFlight = 64 << 20

// Shares divides one bound in bytes, memory.max_in_flight, among the places
// where input waits between its source and the state. Each place keeps to its
// own share, so that no place waits for another and no order of events can
// block all of them. The shares of data at rest come to about the bound; what
// encodes and copies of it need on top is a small multiple of a share.
type Shares struct {
	// Batch is what one compressed batch may decompress to, and the largest answer
	// of a broker. A batch that decompresses to more than a Piece is read one at a
	// time, and never held as a whole.
	Batch int
	// Piece is the size of a fetch, and of the chunks that a source hands out. A
	// single larger record makes a piece of its own.
	Piece int
	// Fetches is the number of answers of brokers that are held at once.
	Fetches int
	// Stage is what may wait decoded.
	Stage int
	// Commit is the input that one transaction gathers.
	Commit int
	// Deliver is what is taken out of the outbox at once.
	Deliver int
}

// The bounds of a piece: a fetch below the least costs more than it brings, one
// above the most gains nothing.
const (
	leastPiece = 64 << 10
	mostPiece  = 1 << 20
	mostFetch  = 16
)

// SharesOf divides a bound. maxRecord is the largest record taken. Zero means
// the defaults.
func SharesOf(maxInFlight, maxRecord int) Shares {
	if maxInFlight <= 0 {
		maxInFlight = DefaultMaxInFlight
	}
	if maxRecord <= 0 {
		maxRecord = decode.DefaultMaxBytes
	}
	s := Shares{Batch: maxInFlight, Stage: maxInFlight / 4, Commit: maxInFlight / 8, Deliver: maxInFlight / 16}
	s.Piece = max(leastPiece, min(mostPiece, maxInFlight/64))
	s.Fetches = max(1, min(mostFetch, maxInFlight/4/max(s.Piece, maxRecord)))
	return s
}

// recordCost is what a record costs in memory besides its bytes.
const recordCost = 64

// noteCost is what its note costs.
const noteCost = 64

// Weight is the memory that a record holds on to.
func (r *Record) Weight() int {
	w := len(r.Key) + len(r.Value) + recordCost
	if r.Note != nil {
		w += noteCost
	}
	return w
}
