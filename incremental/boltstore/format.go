package boltstore

import (
	"encoding/binary"
	"hash/crc32"

	bolt "go.etcd.io/bbolt"
)

// formatNumber is the version of the file's format: values sealed with CRC-32C over bucket, key and content, columns
// bit-packed over their minimum. A file of another one is refused (incremental.ErrFormat).
const formatNumber = 20

// Limits of a block. They bound what a decoder allocates for a damaged count;
// the first two are free to change, as readers accept any block up to maxBlock.
const (
	blockLength = 1024 // records or classes of a full block
	mergeBelow  = 128  // a shorter tail block takes in what comes next
	knownLength = 250  // people of a full list: a page has one
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
	inAttempts   = newBucket("attempts")   // number (4) -> cuts tried
	inKnown      = newBucket("known")      // first entry's number in order (8) -> digests of people, with reasons
	inBorn       = newBucket("born")       // release (4) -> bag of whom it published first
	inStale      = newBucket("stale")      // first record's number in order (8) -> list
	inSettling   = newBucket("settling")   // number (8) -> history that is open

	allBuckets = []*bucket{inMeta, inDictionary, inRecords, inClasses, inDeaths, inPure, inQuarantine, inIntents, inPositions, inOutbox,
		inAttempts, inKnown, inBorn, inStale, inSettling}
)

// Keys in meta.
var (
	keyFormat   = []byte("format")
	keyMeta     = []byte("meta")
	keyCounters = []byte("counters")
	keyEnds     = []byte("ends")
	keyCipher   = []byte("cipher")  // the data key, wrapped, of an encrypted state: every value but this one and the format is encrypted
	keyDue      = []byte("due")     // how many of those who were forgotten are not yet, and whether free pages may hold what was
	keyShard    = []byte("shard")   // how many partitions the topic of a shard has
	keyJournal  = []byte("journal") // how far the state follows its journal
	keyLedger   = []byte("ledger")  // how far the state has seen the ledger of subjects
	headKeys    = [][]byte{keyFormat, keyMeta, keyCounters, keyEnds, keyCipher, keyDue, keyShard, keyJournal, keyLedger}
)

// marked are the keys whose absence would be taken for another state. The cell of the format says which of them there are,
// so that one that is lost is noticed.
var marked = [][]byte{keyCipher, keyShard, keyJournal, keyLedger}

func marksOf(meta *bolt.Bucket) (marks byte) {
	for i, key := range marked {
		if meta.Get(key) != nil {
			marks |= 1 << i
		}
	}
	return marks
}

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
