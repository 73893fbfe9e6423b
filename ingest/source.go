package ingest

import (
	"context"
	"errors"
	"fmt"

	"anond/incremental"
)

// Record is one message as its source holds it. Its bytes belong to the caller.
type Record struct {
	Offset int64 // Kafka: offset; file: byte offset of the line
	Line   int64 // files: line number, from 1; Kafka: 0
	Key    []byte
	Value  []byte // nil for a Kafka tombstone
}

// Chunk is a contiguous piece of one partition. Every offset in [From, Next) is
// either in Records or known to hold none (control record, aborted
// transaction, compaction hole, blank line).
type Chunk struct {
	Partition  incremental.Partition
	From, Next int64
	Records    []Record // ascending offsets
	// Header holds the column names where the source has them (a CSV file);
	// nil: the schema's order.
	Header []string
}

// Resume tells a source where the state stands.
type Resume struct {
	// Positions of the partitions known to state. A partition that is not in it
	// starts at its first offset, unless state is fresh and the log was cut.
	Positions map[incremental.Partition]incremental.Position
	// Read says how far the state had read before it was reset: a group's commits
	// up to there do not tell that state is behind.
	Read map[incremental.Partition]int64
	// Digest is the keyed digest under which state remembers last records.
	Digest func([]byte) incremental.Digest
	// Once: stop with io.EOF at the end that the source had when it was opened.
	Once bool
}

// Source is where records come from. Implementations reconnect by themselves
// and for ever; an error from Next is final and says what an operator can do.
// Not safe for concurrent use, except Status.
type Source interface {
	// Ends returns the present end of every partition: the offset after its
	// last record. A source whose end is unknown (standard input) returns nil.
	Ends(ctx context.Context) (map[incremental.Partition]int64, error)
	// Next blocks until a chunk is there. Chunks of one partition come in order
	// and without overlap. Not calling Next pauses the fetch (back-pressure).
	// io.EOF: the source is at its end (Once, or a stream that ended).
	Next(ctx context.Context) (*Chunk, error)
	// Ack tells that state holds everything below these offsets durably. It is a
	// courtesy (lag tools), errors are the source's to log.
	Ack(positions map[incremental.Partition]int64)
	// Status is what an operator wants to see; safe for concurrent use.
	Status() Status
	Close() error
}

// Status describes a source at a moment.
type Status struct {
	Connected  bool
	Partitions []PartitionStatus
	Stalled    bool // there is something to read, and nothing came for a while
}

// Lag returns how many offsets are left to read, where the end is known.
func (s Status) Lag() int64 {
	var lag int64
	for _, p := range s.Partitions {
		if p.End > p.Next {
			lag += p.End - p.Next
		}
	}
	return lag
}

// PartitionStatus tells how far a partition was handed out and where it ends.
type PartitionStatus struct {
	Partition incremental.Partition
	Next, End int64 // End: -1 if unknown
}

// Errors of a source, to be met with errors.Is.
var (
	// ErrGap: records between the state's position and what the source still
	// holds are gone (retention, truncation). Matches *GapError.
	ErrGap = errors.New("records are missing from the source")
	// ErrReplaced: the partition holds another log than the one that state read
	// (topic deleted and created again, file replaced or cut).
	ErrReplaced = errors.New("the source is not the one that state has read")
	// ErrBehind: a witness outside (group commit, ledger) is ahead of state (exit 5).
	ErrBehind = errors.New("state is behind what was published or committed")
)

// GapError names the records that are gone.
type GapError struct {
	Partition  incremental.Partition
	Want, Have int64 // first offset wanted, first offset there
}

func (e *GapError) Error() string {
	return fmt.Sprintf("%s partition %d: offsets %d to %d are no longer there, and were never read", e.Partition.Source, e.Partition.ID, e.Want, e.Have-1)
}

// Is makes errors.Is(err, ErrGap) true.
func (e *GapError) Is(target error) bool { return target == ErrGap }

// DeadLetters is where refused records go, after the transaction that refused
// them. Delivery is at least once; Seq lets a sink drop what it already has.
type DeadLetters interface {
	Deliver(ctx context.Context, letters []incremental.DeadLetter) error
	Close() error
}
