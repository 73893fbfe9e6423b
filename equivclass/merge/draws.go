package merge

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// Key names one use of the secret seed. Two uses never share a key: with shared
// draws, what one sub-pool shows of them tells how another was decided, and the
// proof fails (posterior .604 instead of .5 in the enumeration of the tests).
type Key struct {
	Release uint64 // number of the release in which the pool is published
	Pool    uint64 // number of the pool
	SubPool uint32 // 0: the pool as a whole, else the sub-pool's number from 1
	Level   uint32 // 0: the top
	Node    uint32 // of the level
	Purpose string
}

// Draws are the random draws of one pool, under rule R (randomness): the order
// in which equal bags stand in the sorted list.
type Draws struct {
	key    Key
	orders func(Key, int) []int32
}

// NewDraws returns the draws that a secret seed and a key give.
func NewDraws(seed [32]byte, key Key) Draws {
	return Draws{key, func(k Key, m int) []int32 { return shuffled(generator(seed, k), m) }}
}

// AllDraws returns draws whose orders the caller gives: a permutation of
// 0..m-1 for each key. It is for enumerations, which need every outcome.
func AllDraws(key Key, orders func(Key, int) []int32) Draws { return Draws{key, orders} }

// Through returns draws whose orders a function sees and may replace. It may be called
// by several goroutines.
func (d Draws) Through(change func(Key, []int32) []int32) Draws {
	return Draws{d.key, func(k Key, m int) []int32 { return change(k, d.orders(k, m)) }}
}

// of returns the draws of a node of a sub-pool.
func (d Draws) of(subPool, level, node int) Draws {
	d.key.SubPool, d.key.Level, d.key.Node = uint32(subPool), uint32(level), uint32(node)
	return d
}

// order returns 0..m-1 in random order.
func (d Draws) order(m int) []int32 { return d.orders(d.key, m) }

// generator keys a generator by all parts of the key.
func generator(seed [32]byte, k Key) *rand.ChaCha8 {
	text := []byte("anond merge 1\x00")
	for _, n := range []uint64{k.Release, k.Pool, uint64(k.SubPool), uint64(k.Level), uint64(k.Node)} {
		text = binary.BigEndian.AppendUint64(text, n)
	}
	mac := hmac.New(sha256.New, seed[:])
	mac.Write(append(text, k.Purpose...))
	var key [32]byte
	mac.Sum(key[:0])
	return rand.NewChaCha8(key)
}

// shuffled returns 0..m-1 in an order drawn uniformly (Fisher and Yates). It is
// written out because a decision must be the same after an upgrade of Go.
func shuffled(g *rand.ChaCha8, m int) []int32 {
	out := make([]int32, m)
	for i := range out {
		out[i] = int32(i)
	}
	for i := m - 1; i > 0; i-- {
		j := below(g, uint64(i+1))
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// below draws uniformly from 0..n-1 without bias (Lemire 2019).
func below(g *rand.ChaCha8, n uint64) uint64 {
	hi, lo := bits.Mul64(g.Uint64(), n)
	for lo < n && lo < -n%n {
		hi, lo = bits.Mul64(g.Uint64(), n)
	}
	return hi
}
