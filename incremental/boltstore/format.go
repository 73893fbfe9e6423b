package boltstore

import (
	"encoding/binary"
	"hash/crc32"
)

// Versions of the file format. A reader knows all versions up to its own and
// refuses newer ones (incremental.ErrNewerFormat).
const (
	// format1 is the first: ten buckets, values sealed with CRC-32C over
	// bucket, key and content, columns bit-packed over their minimum.
	// Format 2 lets meta carry the reference distributions of t-closeness behind
	// what format 1 has there; format 3 how far a state had read when it was reset, and
	// the versions of hierarchies: a dictionary then holds the paths of their leaves.
	format1 = 1
	// format4 lets meta carry the pools of level L2, and classes their buckets; the cuts tried
	// at level L2 have a bucket, which a file that an earlier version began gets with the first.
	// After a refusal, and only then, the l of it stands behind the pools; after a replay of
	// dead letters, and only then, their number by reason behind the counters.
	format4 = 4
	// format5 is format 4 with every value encrypted, except for the format and the
	// wrapped data key (package sealed). Only a file with a key has it.
	format5 = 5
	// format6 is format 4, or with a wrapped data key format 5, of a state that has forgotten people:
	// meta holds the list of them, counters how many records of theirs were blocked, and a record with
	// subject 0 is one of theirs. An earlier version would take in their records again. While an erasure is due,
	// or free pages may hold what one removed, and only then, meta says so (due).
	format6 = 6
	// format7 is format 4, 5 or 6 of the state of a shard: meta holds how many partitions its topic has. An
	// earlier version would read the partitions of the other shards too, and check no key.
	format7 = 7
	// format8 is format 7 of a state that follows a journal: meta holds how far. An earlier version would decide
	// what the journal does not have. How many partitions the topic has may be missing still.
	format8 = 8
	// format9 is any of them of a state that knows the people of earlier epochs, or is closed for a next one, or of what
	// a closed one has left. An earlier version would publish these people again.
	format9 = 9

	formatNewest = format9
)

// Limits of a block. They bound what a decoder allocates for a damaged count;
// the first two are free to change, as readers accept any block up to maxBlock.
const (
	blockLength = 1024 // records or classes of a full block
	mergeBelow  = 128  // a shorter tail block takes in what comes next
	maxBlock    = 1 << 16
	maxColumns  = 1 << 12
)

// fillPercent packs pages full, as keys only grow. Blocks are larger than a
// page, so it matters for the small lists and for dead letters.
const fillPercent = 0.95

// A bucket is one kind of content. All keys are numbers in big-endian, but for
// the names in meta, so a key never shows a value.
type bucket struct {
	name []byte
	seed uint32 // CRC-32C of the name, from which every checksum goes on
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func newBucket(name string) *bucket {
	return &bucket{[]byte(name), crc32.Checksum([]byte(name), castagnoli)}
}

var (
	inMeta       = newBucket("meta")       // format, meta, counters, ends
	inDictionary = newBucket("dictionary") // first entry's number (8) -> list
	inRecords    = newBucket("records")    // first record (4) -> block
	inClasses    = newBucket("classes")    // first class (4) -> block, as born
	inDeaths     = newBucket("deaths")     // first death's number (8) -> list
	inPure       = newBucket("pure")       // first declaration's number (8) -> list
	inQuarantine = newBucket("quarantine") // first record's number in order (8) -> list
	inIntents    = newBucket("intents")    // release (4) -> intent
	inPositions  = newBucket("positions")  // partition's number (2) -> partition, position
	inOutbox     = newBucket("outbox")     // sequence (8) -> dead letter
	inAttempts   = newBucket("attempts")   // number (4) -> cuts tried; may be missing if there are none

	inEarlier = newBucket("earlier") // first person's number (8) -> people of earlier epochs; missing if there was none

	allBuckets = []*bucket{inMeta, inDictionary, inRecords, inClasses, inDeaths, inPure, inQuarantine, inIntents, inPositions, inOutbox,
		inAttempts}
	// everyBucket are those that a file may have.
	everyBucket = append(allBuckets[:len(allBuckets):len(allBuckets)], inEarlier)
)

// Keys in meta.
var (
	keyFormat    = []byte("format")
	keyMeta      = []byte("meta")
	keyCounters  = []byte("counters")
	keyEnds      = []byte("ends")
	keyCipher    = []byte("cipher")    // the data key, wrapped; format5
	keyForgotten = []byte("forgotten") // digests of all who were forgotten; format6
	keyDue       = []byte("due")       // how many of these are not forgotten yet, and whether free pages may hold what was; format6
	keyShard     = []byte("shard")     // how many partitions the topic of a shard has; format7
	keyJournal   = []byte("journal")   // how far the state follows its journal; format8
	keyEpoch     = []byte("epoch")     // what is known of earlier epochs; format9
	keyClosed    = []byte("closed")    // the epoch of the state is closed; format9
	keyHandover  = []byte("handover")  // the file is what a closed state has left; format9
	headKeys     = [][]byte{keyFormat, keyMeta, keyCounters, keyEnds, keyCipher, keyForgotten, keyDue, keyShard, keyJournal, keyEpoch,
		keyClosed, keyHandover}
)

func key16(n uint16) []byte { return binary.BigEndian.AppendUint16(nil, n) }
func key32(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
func key64(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

const sealLength = 4

func (b *bucket) sum(key, content []byte) uint32 {
	return crc32.Update(crc32.Update(b.seed, castagnoli, key), castagnoli, content)
}

// seal appends the checksum to a value.
func (b *bucket) seal(key, content []byte) []byte {
	return binary.LittleEndian.AppendUint32(content, b.sum(key, content))
}

// unseal returns the content of a value, which lives as long as the transaction.
func (b *bucket) unseal(key, value []byte) ([]byte, error) {
	n := len(value) - sealLength
	if n < 0 || binary.LittleEndian.Uint32(value[n:]) != b.sum(key, value[:n]) {
		return nil, b.damaged(key, "the checksum does not fit")
	}
	return value[:n:n], nil
}
