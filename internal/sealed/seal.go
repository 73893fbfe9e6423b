package sealed

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"sync/atomic"
)

const (
	saltBytes  = 16
	nonceBytes = 12
	tagBytes   = 16

	// Overhead is by how much a sealed text is longer.
	Overhead = saltBytes + nonceBytes + tagBytes
)

// A Sealer encrypts under one salt. It is used by one goroutine; make one for each
// transaction.
type Sealer struct {
	salt   [saltBytes]byte
	aead   cipher.AEAD
	random io.Reader
}

// Sealer draws a salt.
func (k Key) Sealer(random io.Reader) (*Sealer, error) {
	s := &Sealer{random: random}
	if _, err := io.ReadFull(random, s.salt[:]); err != nil {
		return nil, err
	}
	s.aead = k.under(s.salt[:])
	return s, nil
}

// under makes the cipher of a salt. It cannot fail at this length of key.
func (k Key) under(salt []byte) cipher.AEAD {
	block, err := aes.NewCipher(k.derive(salt, "anond sealed text", KeyBytes))
	if err != nil {
		panic("aes: " + err.Error())
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic("gcm: " + err.Error())
	}
	return aead
}

// Seal appends to out: salt, nonce, encrypted text and tag.
func (s *Sealer) Seal(out, place, text []byte) ([]byte, error) {
	out = append(out, s.salt[:]...)
	from := len(out)
	out = append(out, make([]byte, nonceBytes)...)
	nonce := out[from:]
	if _, err := io.ReadFull(s.random, nonce); err != nil {
		return nil, err
	}
	return s.aead.Seal(out, nonce, text, place), nil
}

// SealSame encrypts so that the same text at the same place gives the same bytes: salt
// and nonce are a keyed digest of both (a synthetic initialization vector). So it shows
// whether two texts of one place are equal. The result names its key.
func (k Key) SealSame(place, text []byte) []byte {
	h := hmac.New(sha256.New, k.derive(nil, "anond synthetic salt", KeyBytes))
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(place))))
	h.Write(place)
	h.Write(text)
	drawn := h.Sum(nil)
	out := append(k.derive(nil, "anond key id", idBytes), drawn[:saltBytes+nonceBytes]...)
	return k.under(drawn[:saltBytes]).Seal(out, drawn[saltBytes:saltBytes+nonceBytes], text, place)
}

// OpenSame decrypts what SealSame made.
func (k Key) OpenSame(place, out []byte) ([]byte, error) {
	if err := k.fits(out); err != nil {
		return nil, err
	}
	text, err := k.Opener().Open(place, out[idBytes:])
	if text == nil && err == nil {
		text = []byte{}
	}
	return text, err
}

// An Opener decrypts. It may be used by several goroutines.
type Opener struct {
	key  Key
	last atomic.Pointer[derived] // texts of one transaction follow each other
}

type derived struct {
	salt [saltBytes]byte
	aead cipher.AEAD
}

// Opener makes one.
func (k Key) Opener() *Opener { return &Opener{key: k} }

// Open decrypts what Seal appended for the same place.
func (o *Opener) Open(place, sealed []byte) ([]byte, error) {
	if len(sealed) < Overhead {
		return nil, ErrTampered
	}
	salt, nonce, text := sealed[:saltBytes], sealed[saltBytes:saltBytes+nonceBytes], sealed[saltBytes+nonceBytes:]
	d := o.last.Load()
	if d == nil || !bytes.Equal(d.salt[:], salt) {
		d = &derived{[saltBytes]byte(salt), o.key.under(salt)}
		o.last.Store(d)
	}
	out, err := d.aead.Open(nil, nonce, text, place)
	if err != nil {
		return nil, ErrTampered // the library's own word says less
	}
	return out, nil
}
