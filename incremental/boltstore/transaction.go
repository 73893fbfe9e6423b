package boltstore

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"

	bolt "go.etcd.io/bbolt"

	"anond/internal/sealed"
)

// crypt is the data key of an encrypted file; nil where the file is not encrypted.
type crypt struct {
	key    sealed.Key
	opener *sealed.Opener
	random io.Reader
}

func newCrypt(key sealed.Key) *crypt { return &crypt{key, key.Opener(), rand.Reader} }

// A transaction is one of bbolt, and the data key of its file. Every value is read and
// written through it.
type transaction struct {
	*bolt.Tx
	crypt  *crypt
	sealer *sealed.Sealer // of this transaction, made with its first write
}

func (s *Store) view(do func(*transaction) error) error {
	return s.db.View(func(tx *bolt.Tx) error { return do(&transaction{Tx: tx, crypt: s.crypt}) })
}

func (s *Store) update(do func(*transaction) error) error {
	return s.db.Update(func(tx *bolt.Tx) error { return do(&transaction{Tx: tx, crypt: s.crypt}) })
}

// inClear reports whether a value is never encrypted: what has to be read before the key
// is known.
func inClear(b *bucket, key []byte) bool {
	return b == inMeta && (string(key) == string(keyFormat) || string(key) == string(keyCipher))
}

// place is what a value is bound to: its bucket and its key. No name of a bucket has a
// zero byte.
func (b *bucket) place(key []byte) []byte {
	return append(append(append(make([]byte, 0, len(b.name)+1+len(key)), b.name...), 0), key...)
}

// seal makes the value of a content: encrypted, or followed by its checksum.
func (tx *transaction) seal(b *bucket, key, content []byte) ([]byte, error) {
	if tx.crypt == nil || inClear(b, key) {
		return b.seal(key, content), nil
	}
	if tx.sealer == nil {
		var err error
		if tx.sealer, err = tx.crypt.key.Sealer(tx.crypt.random); err != nil {
			return nil, err
		}
	}
	return tx.sealer.Seal(make([]byte, 0, len(content)+sealed.Overhead), b.place(key), content)
}

// unseal returns the content of a value. What is not encrypted lives as long as the
// transaction.
func (tx *transaction) unseal(b *bucket, key, value []byte) ([]byte, error) {
	if tx.crypt == nil || inClear(b, key) {
		return b.unseal(key, value)
	}
	content, err := tx.crypt.opener.Open(b.place(key), value)
	if err != nil {
		return nil, b.damaged(key, err.Error())
	}
	return content, nil
}

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

// cell is a value of the head; nil: it is not there.
func cell[T any](tx *transaction, key []byte, of layout[T]) (*T, error) {
	content, err := get(tx, inMeta, key)
	if content == nil || err != nil {
		return nil, err
	}
	v, err := of.decode(content)
	if err != nil {
		return nil, inMeta.damaged(key, err.Error())
	}
	return &v, nil
}

func readEnds(tx *transaction) (ends, error) {
	content, err := get(tx, inMeta, keyEnds)
	if err != nil {
		return ends{}, err
	}
	e, err := endsLayout.decode(content)
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
