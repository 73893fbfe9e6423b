package snapshot

// ReadLedger is readLedger for tests outside the package.
func ReadLedger(files FS, path string) ([]LedgerEntry, error) {
	l, err := readLedger(files, path)
	if err != nil {
		return nil, err
	}
	return l.entries, nil
}
