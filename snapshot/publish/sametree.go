package publish

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"anond/snapshot"
)

// sameTree reports ErrDifferent unless two directories hold the same files with
// the same bytes, in directories of the same names.
func sameTree(files snapshot.FS, published, rendered string) error {
	a, err := files.ReadDir(published)
	if err != nil {
		return err
	}
	b, err := files.ReadDir(rendered)
	if err != nil {
		return err
	}
	if !slices.Equal(a, b) {
		return fmt.Errorf("%w: %s holds other files", ErrDifferent, published)
	}
	for _, name := range a {
		if err := sameEntry(files, filepath.Join(published, name), filepath.Join(rendered, name)); err != nil {
			return err
		}
	}
	return nil
}

func sameEntry(files snapshot.FS, published, rendered string) error {
	a, err := files.Stat(published)
	if err != nil {
		return err
	}
	b, err := files.Stat(rendered)
	if err != nil {
		return err
	}
	if a.IsDir() && b.IsDir() {
		return sameTree(files, published, rendered)
	}
	if os.SameFile(a, b) { // both are links of one file
		return nil
	}
	same := false
	if a.IsDir() == b.IsDir() {
		if same, err = sameFile(files, published, rendered); err != nil {
			return err
		}
	}
	if !same {
		return fmt.Errorf("%w: %s has other bytes", ErrDifferent, published)
	}
	return nil
}

func sameFile(files snapshot.FS, x, y string) (bool, error) {
	a, err := files.Open(x)
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := files.Open(y)
	if err != nil {
		return false, err
	}
	defer b.Close()
	return sameBytes(a, b)
}

func sameBytes(a, b io.Reader) (bool, error) {
	p, q := make([]byte, 1<<16), make([]byte, 1<<16)
	for {
		n, errA := io.ReadFull(a, p)
		m, errB := io.ReadFull(b, q)
		if err := cmpError(errA, errB); err != nil {
			return false, err
		}
		if !bytes.Equal(p[:n], q[:m]) {
			return false, nil
		}
		if errA != nil || errB != nil { // both are at their end
			return true, nil
		}
	}
}

// cmpError returns the first error that is not the end of a file.
func cmpError(errs ...error) error {
	for _, err := range errs {
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
	}
	return nil
}

// AsWritten reads a small file again that was just written and that nothing else vouches for. Data files
// are read by the gate, which compares them with the manifest. In the manifest itself a turned bit may be
// one that no gate can know (a time, a measure), and what has its name stays: the next release, the state
// and the ledger would name another SHA-256 than it has, and nobody has a copy of what was meant.
//
// Cost: one read of the file.
func AsWritten(files snapshot.FS, path string, sum [32]byte) error {
	data, err := files.ReadFile(path)
	if err != nil {
		return err
	}
	if sha256.Sum256(data) != sum {
		return fmt.Errorf("%w: %s: look after the disk if this is said again", ErrMiswritten, path)
	}
	return nil
}
