package sealed

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"anond/internal/fault"
)

// KeyBytes is the length of a key.
const KeyBytes = 32

// Errors of keys and sealed texts. None repeats a key or a text.
var (
	// ErrNoKey: something is encrypted, and there is no key.
	ErrNoKey = fault.Errorf(fault.Config, "set encryption.key to the key with this ID; anond state rekey --old-key-file changes the key",
		"it is encrypted, and no key is configured")
	// ErrWrongKey: it is encrypted under another key.
	ErrWrongKey = fault.Errorf(fault.Config, "set encryption.key to the key with this ID; anond state rekey --old-key-file changes the key",
		"it is encrypted under another key")
	// ErrNotEncrypted: there is a key, and what it should open is not encrypted.
	ErrNotEncrypted = fault.Errorf(fault.Config, "encrypt it with anond state rekey, or remove the key",
		"a key is configured, and it is not encrypted")
	// ErrTampered: the content was changed, cut off or moved.
	ErrTampered = errors.New("the encrypted content is damaged or was tampered with")
)

// Unreadable reports whether an error says that the key does not fit.
func Unreadable(err error) bool { return errors.Is(err, ErrNoKey) || errors.Is(err, ErrWrongKey) }

// Key is a key of 256 bits. The zero Key is none. The bytes lie behind a pointer, so
// that printing a struct with a Key in it shows an address.
type Key struct{ secret *[KeyBytes]byte }

// Set reports whether there is a key.
func (k Key) Set() bool { return k.secret != nil }

// String shows the ID.
func (k Key) String() string { return k.ID() }

// GoString is String.
func (k Key) GoString() string { return k.ID() }

// ParseKey reads a key of 32 bytes, written as 64 hexadecimal digits or in base64.
// White space around it is ignored. The error does not repeat the text.
func ParseKey(text string) (Key, error) {
	text = strings.TrimSpace(text)
	for _, decode := range []func(string) ([]byte, error){hex.DecodeString, base64.StdEncoding.DecodeString,
		base64.RawStdEncoding.DecodeString, base64.URLEncoding.DecodeString, base64.RawURLEncoding.DecodeString} {
		if b, err := decode(text); err == nil && len(b) == KeyBytes {
			return Key{(*[KeyBytes]byte)(b)}, nil
		}
	}
	return Key{}, fmt.Errorf("an encryption key is 32 random bytes, as 64 hexadecimal digits or in base64 (openssl rand -hex 32); "+
		"this text has %d characters", len(text))
}

// NewKey draws a key.
func NewKey(random io.Reader) (Key, error) {
	k := Key{new([KeyBytes]byte)}
	if _, err := io.ReadFull(random, k.secret[:]); err != nil {
		return Key{}, err
	}
	return k, nil
}

// ID names a key without telling it: 16 hexadecimal digits, empty for no key.
func (k Key) ID() string {
	if !k.Set() {
		return ""
	}
	return hex.EncodeToString(k.derive(nil, "anond key id", idBytes))
}

const idBytes = 8

// derive is HKDF-SHA-256. It cannot fail at these lengths.
func (k Key) derive(salt []byte, info string, length int) []byte {
	out, err := hkdf.Key(sha256.New, k.secret[:], salt, info, length)
	if err != nil {
		panic("hkdf: " + err.Error())
	}
	return out
}

// Derive makes a secret of 32 bytes for a purpose of its own. The key must be set.
func (k Key) Derive(purpose string) []byte { return k.derive(nil, purpose, KeyBytes) }

const wrapPlace = "anond data key"

// Wrap encrypts another key under this one and names this one, so that a wrong key is
// told from a damaged file.
func (k Key) Wrap(other Key, random io.Reader) ([]byte, error) {
	s, err := k.Sealer(random)
	if err != nil {
		return nil, err
	}
	return s.Seal(k.derive(nil, "anond key id", idBytes), []byte(wrapPlace), other.secret[:])
}

// Unwrap decrypts a key that Wrap encrypted.
func (k Key) Unwrap(wrapped []byte) (Key, error) {
	if err := k.fits(wrapped); err != nil {
		return Key{}, err
	}
	text, err := k.Opener().Open([]byte(wrapPlace), wrapped[idBytes:])
	if err != nil {
		return Key{}, err
	}
	if len(text) != KeyBytes {
		return Key{}, ErrTampered
	}
	return Key{(*[KeyBytes]byte)(text)}, nil
}

// fits says whether this is the key that is named at the beginning.
func (k Key) fits(wrapped []byte) error {
	id := wrapperID(wrapped)
	switch {
	case id == "":
		return ErrTampered
	case !k.Set():
		return fmt.Errorf("%w; its key has the ID %s", ErrNoKey, id)
	case id != k.ID():
		return fmt.Errorf("%w: its key has the ID %s, the configured one %s", ErrWrongKey, id, k.ID())
	}
	return nil
}

// wrapperID is the ID of the key that opens a wrapped key or a text of SealSame, empty
// if it is none of them.
func wrapperID(wrapped []byte) string {
	if len(wrapped) < idBytes {
		return ""
	}
	return hex.EncodeToString(wrapped[:idBytes])
}
