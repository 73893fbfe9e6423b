package keying

import (
	"encoding/binary"
	"math"
)

// Murmur2 is the hash by which Kafka's Java client, and every client that is compatible with
// it, finds the partition of a key: MurmurHash 2 of 32 bits with the client's own seed.
// Source: org.apache.kafka.common.utils.Utils.murmur2.
func Murmur2(data []byte) uint32 {
	const m, shift, seed = 0x5bd1e995, 24, 0x9747b28c
	h := uint32(seed) ^ uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		k := binary.LittleEndian.Uint32(data) * m
		k ^= k >> shift
		h = h*m ^ k*m
	}
	for i, b := range data {
		h ^= uint32(b) << (8 * i)
	}
	if len(data) > 0 {
		h *= m
	}
	h ^= h >> 13
	h *= m
	return h ^ h>>15
}

// PartitionOf is the partition to which a key leads, as Kafka's Java client has it by default.
func PartitionOf(key []byte, partitions int) int32 {
	return int32(int64(Murmur2(key)&math.MaxInt32) % int64(partitions))
}
