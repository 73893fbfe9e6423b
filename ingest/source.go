package ingest

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"anond/equivclass"
	"anond/incremental"
	"anond/ingest/decode"
	"anond/internal/fault"
)

// ErrSchema: a schema of the source's registry has no place for an attribute, or cannot be read. It is final.
var ErrSchema = errors.New("the schema of a message does not serve")

// Record is one message as its source holds it. Its bytes belong to the caller.
type Record struct {
	Offset int64 // Kafka: offset; file: byte offset of the line
	Line   int64 // files: line number, from 1; Kafka: 0
	// Time is when it was written, in Unix milliseconds, as the log says; 0: the source does not know.
	Time  int64
	Key   []byte
	Value []byte // nil for a Kafka tombstone
	// More is the number of further lines that the record goes over (CSV with
	// declared multi-line fields).
	More int
	// Passed says why a line holds no record (ReasonBlank, ReasonHeaderLine): it
	// is counted, and reading goes on at End. Empty for records.
	Passed equivclass.Reason
	End    int64
	// Refused is set where the source itself knows that the text is no record of
	// its own (ReasonGrown); it is not decoded.
	Refused equivclass.Reason
	// Note is what a Placement has from the source of a record; nil: nothing.
	Note any
	// Cut says that Value is only the beginning of a message that is longer than
	// the longest taken. CutHere: the source has cut it, and not only an anond repartition before.
	Cut, CutHere bool
}

// Placement judges where a record lies, besides what it holds (shards/keying). What the state has had of other places it keeps
// by positions of its own in the state.
type Placement interface {
	// Judge says what is wrong with the place of a record. Of one that cannot be read it may name the person in the row. Decoders
	// call it side by side.
	Judge(p state.Partition, r *Record, o decode.Outcome, row equivclass.Row) error
	// Before is told each record before it is placed. again: the state has had it.
	Before(m *incremental.Machine, p state.Partition, r *Record) (again bool, err error)
	// After is told each record in the transaction that has it.
	After(m *incremental.Machine, p state.Partition, r *Record) error
}

// Chunk is a contiguous piece of one partition. Every offset in [From, Next) is
// either in Records or known to hold none (control record, aborted
// transaction, compaction hole). The lines of a file are all in Records, also
// those that hold no record, so that each is counted once.
type Chunk struct {
	Partition  state.Partition
	From, Next int64
	Records    []Record // ascending offsets
	// Header holds the column names where the source has them (a CSV file);
	// nil: the schema's order.
	Header []string
	// Missing are offsets at the beginning of the chunk that were given up.
	Missing Missing
	// Witness is the digest by which the source knows again that it was read up to a record; nil: that of its Value.
	Witness func(*Record) state.Digest
}

// Missing are the offsets of a chunk from its beginning up to Below: they held
// records, or may have, which nobody can read any more, and the configuration
// accepts that. The zero value: none.
type Missing struct {
	Below  int64
	Reason equivclass.Reason
}

// Resume tells a source where the state stands.
type Resume struct {
	// Positions of the partitions known to state. A partition that is not in it
	// starts at its first offset, unless state is fresh and the log was cut.
	Positions map[state.Partition]state.Position
	// Read says how far the state had read before it was reset: a group's commits
	// up to there do not tell that state is behind.
	Read map[state.Partition]int64
	// Digest is the keyed digest under which state remembers last records.
	Digest func([]byte) state.Digest
	// Once: stop with io.EOF at the end that the source had when it was opened.
	Once bool
	// Ordered: an Ordered source hands out nothing before it is told how far.
	Ordered bool
}

// Partitioned is a source that knows how many partitions its topic has, those of other shards
// included.
type Partitioned interface{ Partitions() int }

// Source is where records come from. Implementations reconnect by themselves,
// without limit; an error from Next is final and says what an operator can do.
// Not safe for concurrent use, except Status.
type Source interface {
	// Ends returns the present end of every partition: the offset after its
	// last record. A source whose end is unknown (standard input) returns nil.
	Ends(ctx context.Context) (map[state.Partition]int64, error)
	// Next blocks until a chunk is there. Chunks of one partition come in order
	// and without overlap. Not calling Next pauses the fetch (back-pressure).
	// io.EOF: the source is at its end (Once, or a stream that ended).
	Next(ctx context.Context) (*Chunk, error)
	// Ack tells that state holds everything below these offsets durably. What a
	// source makes of it is best effort, for tools that show the lag; it logs its
	// errors.
	Ack(positions map[state.Partition]int64)
	// Status is what an operator wants to see; safe for concurrent use.
	Status() Status
	Close() error
}

// Status describes a source at a moment.
type Status struct {
	Connected  bool
	Trouble    string // why it is not connected, if that is known
	Partitions []PartitionStatus
	Stalled    bool // there is something to read, and nothing came for a while
	Unread     Unread
}

// Unread counts the lines at the end of files that are not taken in yet, and so
// are not in state: a later run finds them again.
type Unread struct {
	// Unterminated lines have no line break and may still grow. With multi-line
	// fields, the lines from an open quote on.
	Unterminated int `json:"unterminated"`
	// WithoutRecord are the whole lines (header, blank ones) of files that have no
	// record yet, by which a file is known.
	WithoutRecord int `json:"without_record"`
	// SetAside files begin like others, and nothing of them is read.
	SetAside int `json:"files_set_aside,omitempty"`
}

// endsHold is how long the end of a partition that was told once is taken for
// its end: longer than sources take to ask again.
const endsHold = time.Minute

// Lag returns how many offsets are left to read. known is false if there may be
// more: the source is not connected, or the end of a partition is not known or
// was told too long ago. What was written during an outage shows only after it.
func (s Status) Lag(now time.Time) (lag int64, known bool) {
	known = s.Connected
	for _, p := range s.Partitions {
		lag += p.Lag()
		known = known && p.End >= 0 && (p.Heard.IsZero() || now.Sub(p.Heard) <= endsHold)
	}
	return lag, known
}

// PartitionStatus tells how far a partition was handed out and where it ends.
type PartitionStatus struct {
	Partition state.Partition
	Next, End int64     // End: -1 if unknown
	Heard     time.Time // when End was told; zero: just now
	// Whole: the partition is read once, before all others and as one round, up to WholeEnd. Its offsets count no records and
	// may be numbers of people: Next and End do not tell them.
	Whole bool
}

// WholeEnd is the offset behind all of a partition that is read as a whole.
const WholeEnd = math.MaxInt64

// Lag returns how many offsets are left to read, 0 if the end is not known.
func (p PartitionStatus) Lag() int64 { return max(0, p.End-p.Next) }

// Errors of a source, to be tested with errors.Is.
var (
	// ErrGap: records between the state's position and what the source still
	// holds are gone (retention, truncation). Matches *GapError.
	ErrGap = fault.Errorf(fault.Failed, "the records are permanently lost: set source.kafka.on_gap to continue to accept this, and "+
		"raise the topic's retention",
		"records are missing from the source")
	// ErrReplaced: the partition holds another log than the one that state read
	// (topic deleted and created again, file replaced or cut).
	ErrReplaced = fault.Errorf(fault.Failed, "start a new dataset for the new source, with its own state, releases and ledger; if "+
		"Kafka lost records in an election, docs/KAFKA.md says how to go on",
		"the source is not the one that state has read")
	// ErrAway: a run that has to end (Host.Once) did not reach its source.
	ErrAway = fault.Errorf(fault.Failed, "make sure that source.type is where the records are, and that it can be reached; then run it "+
		"again; nothing was lost",
		"the source has not answered")
	// ErrCorrupt: a part of the source cannot be read, however often it is tried.
	// Matches *CorruptError.
	ErrCorrupt = fault.Errorf(fault.Failed, "check the partition and its producers; source.kafka.on_corrupt: skip skips these "+
		"offsets, a larger memory.max_in_flight accepts a large batch",
		"a part of the source cannot be read")
	// ErrBehind: a witness outside (group commit, ledger) is ahead of state (exit 5).
	ErrBehind = fault.Errorf(fault.Behind, "restore the newest state; continuing with this one would break the promise of earlier releases",
		"state is behind what was published or committed")
)

// ErrPartitionsChanged matches every *PartitionsChangedError.
var ErrPartitionsChanged = fault.Errorf(fault.Config, "nothing was lost, and these shards end here: write another topic with anond "+
	"repartition --to, for a new dataset of other people", "the topic does not have the partitions that the shard needs")

// PartitionsChangedError says that the topic of a shard has other partitions than it must have: the
// keys of people lead elsewhere, or nobody is left for the shard.
type PartitionsChangedError struct {
	Source    string
	Was, Has  int // partitions; Was 0: it was never read
	Index, Of int // of the shard
}

func (e *PartitionsChangedError) Error() string {
	if e.Was > 0 {
		return fmt.Sprintf("%s has %d partitions, and had %d when shard %d of %d first read it: the keys of people lead to other partitions now",
			e.Source, e.Has, e.Was, e.Index, e.Of)
	}
	return fmt.Sprintf("%s has %d partitions: shard %d of %d would read none", e.Source, e.Has, e.Index, e.Of)
}

// Unwrap makes errors.Is(err, ErrPartitionsChanged) true.
func (e *PartitionsChangedError) Unwrap() error { return ErrPartitionsChanged }

// Fault implements fault.Fault.
func (e *PartitionsChangedError) Fault() (fault.Kind, string) {
	if e.Was == 0 {
		return fault.Config, "lower shard.of to the number of partitions or less, or write the topic anew with more of them: anond repartition"
	}
	return 0, ""
}

// GapError names the records that are gone.
type GapError struct {
	Partition  state.Partition
	Want, Have int64 // first offset wanted, first offset there
}

func (e *GapError) Error() string {
	return fmt.Sprintf("%s partition %d: offsets %d to %d are no longer there, and were never read", e.Partition.Source, e.Partition.ID,
		e.Want, e.Have-1)
}

// Unwrap makes errors.Is(err, ErrGap) true.
func (e *GapError) Unwrap() error { return ErrGap }

// CorruptError names the offsets that cannot be read.
type CorruptError struct {
	Partition  state.Partition
	From, Next int64 // first offset that cannot be read, first one behind; -1: not known
	Why        string
}

func (e *CorruptError) Error() string {
	where := fmt.Sprintf("offset %d", e.From)
	if e.Next > e.From+1 {
		where = fmt.Sprintf("offsets %d to %d", e.From, e.Next-1)
	} else if e.Next < 0 {
		where = fmt.Sprintf("offset %d and more", e.From)
	}
	return fmt.Sprintf("%s partition %d: %s cannot be read: %s", e.Partition.Source, e.Partition.ID, where, e.Why)
}

// Unwrap makes errors.Is(err, ErrCorrupt) true.
func (e *CorruptError) Unwrap() error { return ErrCorrupt }

// DeadLetters is where refused records go, after the transaction that refused
// them. Delivery is at least once; Seq lets a sink drop what it already has.
type DeadLetters interface {
	Deliver(ctx context.Context, letters []state.DeadLetter) error
	Close() error
}

// ErrForeignLetters says that a sink holds dead letters of another state.
// Their numbers cannot be compared with those of this state.
var ErrForeignLetters = errors.New("the dead-letter file holds dead letters of another state: move it away, and a new one is made")

// Taken is told each record that a source still holds at a wanted place. header
// is that of a CSV file, nil without one. The key is nil where there is none.
type Taken func(p state.Partition, offset int64, key, value []byte, header []string) error

// Reread reads single records of a source again, by partition and ascending
// offset. What the source no longer holds is left out.
type Reread func(ctx context.Context, wanted map[state.Partition][]int64, take Taken) error
