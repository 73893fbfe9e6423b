package snapshot

import "fmt"

// asWritten reads a small file again that was just written and that nothing else vouches for. Data files
// are read by the gate, which compares them with the manifest. In the manifest itself a turned bit may be
// one that no gate can know (a time, a measure), and what has its name stays: the next release, the state
// and the ledger would name another SHA-256 than it has, and nobody has a copy of what was meant.
//
// Cost: one read of the file.
func asWritten(files FS, path string, sum [32]byte) error {
	data, err := files.ReadFile(path)
	if err != nil {
		return err
	}
	if sha(data) != sum {
		return fmt.Errorf("%w: %s: look after the disk if this is said again", ErrMiswritten, path)
	}
	return nil
}
