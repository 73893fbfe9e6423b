package snapshot

// ReadLedger is readLedger for tests outside the package.
func ReadLedger(files FS, path string) ([]LedgerEntry, error) {
	l, err := readLedger(files, path)
	if err != nil {
		return nil, err
	}
	return l.entries, nil
}

// Render is render for tests: behind prev, whose history the input has.
func Render(in *Input, s *Settings, prev *Rendered, files Files) (*Rendered, error) {
	from := newStanding()
	if prev != nil {
		var err error
		if from, err = standingOf(in.before(), s, &prev.Manifest, prev.SHA256); err != nil {
			return nil, err
		}
	}
	return render(in, s, from, files)
}

// PartsOf names the parts of a release.
func PartsOf(release, since uint32) (out []string) {
	for _, p := range partsOf(release, since) {
		out = append(out, p.name())
	}
	return out
}

// ExactSum adds numbers.
func ExactSum(numbers ...float64) float64 {
	var s exactSum
	for _, x := range numbers {
		s.add(x)
	}
	return s.value()
}
