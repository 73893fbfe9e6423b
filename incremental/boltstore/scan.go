package boltstore

import (
	"encoding/binary"
	"fmt"
)

// get returns the content of one key, nil if it is not there.
func get(tx *transaction, b *bucket, key []byte) ([]byte, error) {
	x := tx.Bucket(b.name)
	if x == nil {
		return nil, b.damaged(key, "the bucket is missing")
	}
	value := x.Get(key)
	if value == nil {
		return nil, nil
	}
	return tx.unseal(b, key, value)
}

func readEnds(tx *transaction) (ends, error) {
	content, err := get(tx, inMeta, keyEnds)
	if err != nil {
		return ends{}, err
	}
	e, err := decodeEnds(content)
	if err != nil {
		return ends{}, inMeta.damaged(keyEnds, err.Error())
	}
	return e, nil
}

// number reads a key of the given length.
func (b *bucket) number(key []byte, length int) (uint64, error) {
	if len(key) != length {
		return 0, b.damaged(key, "the key has the wrong length")
	}
	var n [8]byte
	copy(n[8-length:], key)
	return binary.BigEndian.Uint64(n[:]), nil
}

// scan visits a bucket in order of its keys, each with its number and its verified
// content.
func scan(tx *transaction, b *bucket, length int, yield func(n uint64, key, content []byte) error) error {
	x := tx.Bucket(b.name)
	if x == nil {
		return b.damaged(nil, "the bucket is missing")
	}
	c := x.Cursor()
	for key, value := c.First(); key != nil; key, value = c.Next() {
		content, err := tx.unseal(b, key, value)
		if err != nil {
			return err
		}
		n, err := b.number(key, length)
		if err != nil {
			return err
		}
		if err := yield(n, key, content); err != nil {
			return err
		}
	}
	return nil
}

// broken says why a value that decoded, or did not, is out of place.
func broken(err error) string {
	if err != nil {
		return err.Error()
	}
	return "it does not go on where the one before ends"
}

// reached returns the error of a scan, or else that the bucket is incomplete.
func reached(err error, b *bucket, seen, want uint64) error {
	if err == nil && seen != want {
		return b.damaged(nil, fmt.Sprintf("it holds %d entries of %d", seen, want))
	}
	return err
}
