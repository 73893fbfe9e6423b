package topic

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// messageKey is the key of a message: 000007/part-000007/data.csv/12/SHA-256.
type messageKey struct {
	Release uint32 // that sent it
	Stream  string // what it is a piece of
	Number  uint32 // in the stream, from 1
	SHA256  [32]byte
}

// The streams that are not files of parts or hierarchies.
const (
	manifestStream = "manifest.json"
	removedStream  = "removed"
	markerStream   = "release"
)

// maxKey bounds keys. File names have 255 bytes.
const maxKey = 1024

func keyOf(release uint32, stream string, number uint32, value []byte) messageKey {
	return messageKey{release, stream, number, sha256.Sum256(value)}
}

// String is the key as the topic has it.
func (k messageKey) String() string {
	return fmt.Sprintf("%06d/%s/%d/%s", k.Release, k.Stream, k.Number, hex.EncodeToString(k.SHA256[:]))
}

var errKey = errors.New("it is no key of a message of releases")

// parseKey is the inverse of String; an error for any other text.
func parseKey(text []byte) (k messageKey, err error) {
	if len(text) > maxKey {
		return k, errKey
	}
	head, digest, _ := cutLast(string(text))
	middle, number, _ := cutLast(head)
	release, stream, _ := strings.Cut(middle, "/")
	r, err1 := strconv.ParseUint(release, 10, 32)
	n, err2 := strconv.ParseUint(number, 10, 32)
	sum, err3 := hex.DecodeString(digest)
	if err := errors.Join(err1, err2, err3); err != nil || len(sum) != len(k.SHA256) || r == 0 || n == 0 || stream == "" {
		return k, errKey
	}
	k = messageKey{Release: uint32(r), Stream: stream, Number: uint32(n)}
	copy(k.SHA256[:], sum)
	if !bytes.Equal([]byte(k.String()), text) {
		return messageKey{}, errKey
	}
	return k, nil
}

func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, '/')
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}
