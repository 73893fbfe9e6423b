// Package suppress is the file that lists who was forgotten. It lies next to the ledger, so that
// a state that is restored from a backup forgets these people again before it takes any record.
//
// Guarantee: a list is read as it was written for this state or not at all; a reader sees the old
// list or the new one, also after a crash. The file shows how many people were forgotten and nothing of
// who they are: its digests are keyed with the state's seed (rule R, randomness).
//
// Format (version 1), text:
//
//	anond forgotten 1
//	<digest of a person, 32 hexadecimal digits>, one a line, in ascending order
//	hmac-sha256 <64 hexadecimal digits>
//
// The last line authenticates all lines before it, under a key that follows from the seed.
package suppress

import (
	"anond/incremental/state"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"anond/internal/disk"
	"anond/internal/fault"
)

// Errors of decode and Read.
var (
	// ErrDamaged: the file is no list, or not all of it.
	ErrDamaged = fault.Errorf(fault.Failed, "restore the file from a copy; if there is none, remove it: anond writes it again from "+
		"the state, which knows whom it has forgotten",
		"the list of who was forgotten is damaged")
	// ErrForeign: the list was not written for this state, or was changed.
	ErrForeign = errors.New("the list of who was forgotten does not belong to this state, or was changed")
	// errNewer: a later version wrote it.
	errNewer = errors.New("the list of who was forgotten has a newer format")
)

const (
	header = "anond forgotten 1"
	family = "anond forgotten "
	seal   = "hmac-sha256 "
)

// Path is where the list of a ledger lies.
func Path(ledger string) string { return ledger + ".forgotten" }

// encode writes a list.
func encode(list []state.Digest, key []byte) []byte {
	var out bytes.Buffer
	fmt.Fprintln(&out, header)
	for _, d := range list {
		fmt.Fprintln(&out, hex.EncodeToString(d[:]))
	}
	fmt.Fprintf(&out, "%s%x\n", seal, sum(out.Bytes(), key))
	return out.Bytes()
}

func sum(lines, key []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(lines)
	return mac.Sum(nil)
}

// decode reads what encode wrote with the same key.
func decode(data, key []byte) ([]state.Digest, error) {
	lines := bytes.Split(data, []byte("\n"))
	if first := lines[0]; string(first) != header {
		if bytes.HasPrefix(first, []byte(family)) {
			return nil, errNewer
		}
		return nil, fmt.Errorf("%w: line 1 is not %q", ErrDamaged, header)
	}
	n := len(lines)
	if n < 3 || len(lines[n-1]) != 0 || !bytes.HasPrefix(lines[n-2], []byte(seal)) {
		return nil, fmt.Errorf("%w: the last line is not complete", ErrDamaged)
	}
	var out []state.Digest
	for i, line := range lines[1 : n-2] {
		d, err := hex.DecodeString(string(line))
		if err != nil || len(d) != len(state.Digest{}) {
			return nil, fmt.Errorf("%w: line %d is not a digest of 32 hexadecimal digits", ErrDamaged, i+2)
		}
		out = append(out, state.Digest(d))
	}
	if !hmac.Equal(encode(out, key), data) {
		return nil, ErrForeign
	}
	return out, nil
}

// Read reads a list; without a file it is empty.
func Read(path string, key []byte) ([]state.Digest, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := decode(data, key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// Write replaces the list, durably.
func Write(path string, list []state.Digest, key []byte) error {
	if err := disk.ReplaceDurably(path, 0o600, encode(list, key)); err != nil {
		return fmt.Errorf("the list of who was forgotten cannot be written: %w", err)
	}
	return nil
}
