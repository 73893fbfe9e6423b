package state

import (
	"log/slog"

	"anond/equivclass"
	"anond/incremental/settle"
)

// RecordID numbers the accepted records in order of arrival, from 0. It is
// internal: nothing in a release depends on it.
type RecordID = equivclass.RecordID

// ClassID numbers the published classes in order of birth, from 0. A class
// whose records are regrouped dies, and its successors get new numbers.
// Internal, like RecordID.
type ClassID uint32

// Partition names one ordered part of a source, across restarts.
type Partition struct {
	Source string // identity of the source, such as kafka:<topic> or file:<keyed hash>
	ID     int32
}

// Digest is a keyed digest of bytes that must not be kept themselves.
type Digest [16]byte

// Position says where reading of a partition goes on.
type Position struct {
	Number uint16 // of the partition, in order of first appearance; RecordBlock.Origin refers to it
	Next   int64  // first offset that is not applied
	Last   int64  // offset of the last record applied, -1 if none
	Digest Digest // keyed digest of that record, to notice another log under the same name
	// Time is the largest time stamp of a record read, in Unix milliseconds, 0 if none had one; or what an idle partition was moved to.
	Time int64
}

// DeadLetter says which record was refused and why, without its values.
type DeadLetter struct {
	Seq       uint64 // order of the outbox, from 1; given by the machine
	Partition Partition
	Offset    int64
	Reason    equivclass.Reason
	Attribute string // the attribute at fault, if one is
	Digest    Digest
	Payload   []byte // only if the configuration asks for it
	Sealed    bool   `json:",omitempty"` // Payload is encrypted, as it is at a sink
}

// Bytes is about what the letter takes in memory.
func (d *DeadLetter) Bytes() int {
	return 128 + len(d.Partition.Source) + len(d.Reason) + len(d.Attribute) + len(d.Payload)
}

// String leaves the payload out, so that it reaches no log by accident.
func (d DeadLetter) String() string { return string(d.Reason) }

// GoString is String.
func (d DeadLetter) GoString() string { return d.String() }

// LogValue gives the log what an operator needs: place and reason.
func (d DeadLetter) LogValue() slog.Value {
	return slog.GroupValue(slog.String("source", d.Partition.Source), slog.Int("partition", int(d.Partition.ID)),
		slog.Int64("offset", d.Offset), slog.String("reason", string(d.Reason)), slog.String("attribute", d.Attribute))
}

// RecordBlock is a run of accepted records, column by column. All columns have
// the same length.
type RecordBlock struct {
	First RecordID
	Tick  int64 // arrival, in the machine's ticks
	// Columns are those of Records.Stores.
	Columns [][]equivclass.Code
	// Subject is the keyed digest of the subject; nil without a subject attribute. 0: the person
	// was forgotten, and the record is what stays of it (package erase).
	Subject []uint64
	Stratum []settle.Stratum // of the person; nil where nobody settles
	Origin  []uint16         // Position.Number of the partition
	Offset  []int64
}

// Len returns the number of records in the block.
func (b *RecordBlock) Len() int { return len(b.Origin) }

// Regime says by which rule a published class is safe.
type Regime uint8

// The regimes of docs/PROOFS.md, The rules: a record stays in one permanently,
// except that a frozen class with a flat bag may be declared pure once (rule C,
// coexistence).
const (
	Frozen Regime = iota // rule A (frozen classes)
	Pure                 // rule P (pure classes)
)

// BucketID numbers the buckets of level L2 in order of birth, from 1; 0 is no bucket.
// Internal, like RecordID.
type BucketID uint32

// Class is a published class.
type Class struct {
	ID     ClassID
	Regime Regime
	Bucket BucketID // at level L2: the bucket whose bag holds the class's values
	Born   uint32   // release that published it first
	// Died is the release in which other classes took its records over, 0 while
	// it lives; at level L2 in which it left with its bucket (package withdraw). Invariant: only a pure class dies, or one in a bucket.
	Died uint32
	// Regroups is the largest number of regroupings that one of its records has
	// seen (rule E, equality patterns).
	Regroups uint16
	// Ownerless: a member was forgotten (package erase). It follows from the records and is not
	// stored; only a machine knows it.
	Ownerless bool `json:"-"`
	// Members in ascending order. Invariant: at least k, never changed.
	Members []RecordID
}

// Holds reports whether the people of the class are in it, and in no other: it lives, or was withdrawn.
func (c *Class) Holds() bool { return c.Died == 0 || c.Bucket != 0 }

// Pending counts the accepted records that may be published later, by reason.
type Pending struct {
	Waiting     int `json:"waiting"`
	Settling    int `json:"settling,omitempty"` // of people whose window has not ended (package settle)
	Quarantined int `json:"quarantined"`
	Infeasible  int `json:"infeasible"`
}

// Total is the sum over all reasons.
func (p Pending) Total() int { return p.Waiting + p.Settling + p.Quarantined + p.Infeasible }

// Intent is the decision to make a release. It is committed before anything is
// rendered, and a retry renders it again to the same bytes.
type Intent struct {
	Release   uint32
	Cut       RecordID // records below had arrived
	CreatedAt int64    // Unix seconds
	Policy    [32]byte // digest of schema, policy and recoding
	Records   int      // published, this release included
	Classes   int      // alive
	Newcomers int      // published here for the first time
	Pending   Pending
	// Algorithm is that of the program that decided it, Digests how many people it knew by a digest then: the ledger says
	// both (snapshot.Seal).
	Algorithm uint32
	Digests   int
	// Stale is how many published people were stale then (Stale).
	Stale int
	// Expired is the watermark of the window: what was born in releases up to it is not shown (package retire).
	Expired uint32
	// Published and Manifest (SHA-256 of manifest.json) are set by the last
	// durable step. An intent without them is the next to be rendered.
	Published bool
	Manifest  [32]byte
}

// Meta is what a state file says about itself.
type Meta struct {
	// Settings are digests of what must not change under a state, by
	// configuration key: schema, hierarchies, policy, recoding.
	Settings map[string][32]byte
	// Seed keys every random draw and digest (rule R, randomness). It is stored nowhere
	// else.
	Seed [32]byte
	// Seeded says that the seed was given (demo, experiments, tests), not drawn.
	Seeded bool
	// InitialEnds are the ends of the source at the first start; the first load
	// is complete once every position has reached them. nil: not yet known.
	InitialEnds map[Partition]int64
	// Ends are where the present round ends: up to there records are applied, partition after partition, before any
	// behind them is read (rounds.go). nil: the source has no rounds.
	Ends map[Partition]int64
	// InitialDone says that the first load is complete.
	InitialDone bool
	// Tick counts the cuts tried, skipped ones included. It is the machine's
	// clock where max_hold is a number of releases.
	Tick int64
	// CutTick is the machine's time at the newest cut tried. Records that had
	// waited for max_hold by then, and still wait, were passed over.
	CutTick int64
	// LastCut is the number of records at the newest cut tried.
	LastCut RecordID
	// CutRead is Counters.Read at the newest cut tried.
	CutRead uint64
	// Scale is what quasi-identifiers of numbers are measured by, by quasi-identifier: fixed
	// with the first pool, or at level L1 with release 1 (scale.go); nil before.
	Scale []equivclass.Range
	// References are the distributions that t-closeness compares with, by
	// attribute of the schema: declared at the first start, else what release 1
	// published, stored with its intent. Permanent once there.
	References map[int][]equivclass.Count
	// Read says how far partitions had been read when the state was reset: a
	// witness outside, such as the commits of a consumer group, may know as much.
	Read map[Partition]int64
	// Hierarchies are the versions of the hierarchy of each attribute of the
	// schema that has one, oldest first (leaves.go).
	Hierarchies map[int][]HierarchyVersion
	// Pools is what level L2 keeps of the pools; zero at level L1.
	Pools Pools
	// Removed is the watermark up to which values, classes and buckets of people who have left are not in the state any more
	// (package erase, Removal).
	Removed uint32
	// Epoch is at how many starts a hierarchy of a sensitive attribute had grown (package settle).
	Epoch uint32 `json:",omitempty"`
	// Partitions is the number of partitions that the topic of a shard had when it was first
	// read, by which the key of a person leads to a partition; 0: the state is of no shard.
	Partitions int `json:",omitempty"`
}

// Pools is what a state at level L2 keeps of its pools (package pools).
type Pools struct {
	Fixed uint64 // how many were, ever: the number of the newest one
	// Open is the newest one as long as it is not decided; nil: it is.
	Open *Pool
	// Need is how many people the newest pool before release 1 had to have, when it was fixed; First is how many the first
	// one had, if it was quarantined.
	Need, First int
	// Turn is the stratum of the newest pool (package pools, next_pool.go).
	Turn settle.Stratum
	// Refused: the first pool cannot satisfy the requirement under which it was cut last.
	Refused bool
	// Grown: it took in more records after a refusal, so level L2 is not promised.
	Grown bool
}

// Pool is a pool that is fixed: who is in it, and what Merge will see of it (fixed_pool.go).
type Pool struct {
	SubPools int
	// Members are the people by class, k each, in the order in which Merge has the classes.
	Members []RecordID
}

// HierarchyVersion is one content of a hierarchy file.
type HierarchyVersion struct {
	SHA256  [32]byte
	Leaves  uint32   // known to state, those of earlier versions included
	Records RecordID // accepted before it
	Release uint32   // decided before it
}

// Counters count positions read, for sent = published + expired + pending + dead_letter + forgotten + beyond.
type Counters struct {
	Sent    uint64                       // distinct positions that held a record
	Read    uint64                       // the same, with those that the configuration leaves out (Ignored)
	Refused map[equivclass.Reason]uint64 // dead-letters, by reason
	Ignored map[equivclass.Reason]uint64 // read and left out by configuration; lines without a record
	// Replayed counts what left Refused again, by the reason there; nil: nothing did.
	Replayed map[equivclass.Reason]uint64 `json:",omitempty"`
	// Blocked are records of people who had been forgotten before these came, and deletes by
	// which people are forgotten: nothing is kept of them.
	Blocked uint64 `json:",omitempty"`
	// Beyond are records of people who may not be published any more (package incremental, seen.go): nothing is kept of them.
	Beyond uint64 `json:",omitempty"`
	// Elsewhere are those of Beyond whose people belong to another dataset of the subject ledger (package ingest/subjectledger).
	Elsewhere uint64 `json:",omitempty"`
	// Ahead are records whose time stamps count as none, where windows go by them: they lie far ahead of the host's clock.
	Ahead uint64 `json:",omitempty"`
}

// LedgerMark is how far a state has seen the ledger of subjects that its dataset shares with others (package
// ingest/subjectledger): each decision of the state rests on claims before it. A ledger that is shorter, or another, is no
// ledger of this state.
type LedgerMark struct {
	Size   int64    // in bytes; 0: the dataset has joined none
	Digest [16]byte // of all of it
}

// JournalMark is how far a state follows the journal in which its host writes what it decides, before
// it acts on it (package shards/journal). It is part of the transaction that holds the effects of the
// entries up to it, so that whoever has a copy of the state knows which entries come next.
type JournalMark struct {
	Seq    uint64   // of the newest entry whose effects the state holds; 0: it follows no journal
	Digest [32]byte // of that entry
	Next   int64    // offset in the journal behind it
}

// Complete gives counters the maps that a store may have left out.
func (c Counters) Complete() Counters {
	if c.Refused == nil {
		c.Refused = map[equivclass.Reason]uint64{}
	}
	if c.Ignored == nil {
		c.Ignored = map[equivclass.Reason]uint64{}
	}
	return c
}
