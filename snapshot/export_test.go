package snapshot

import "path"

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

// Whole renders the living classes of an input as one table, as if nothing had
// been published before: its files, and what its manifest would say of it. frozen:
// no class ever died.
func Whole(in *Input, s *Settings, files Files) (Quality, Privacy, error) {
	only := *in
	only.Dead = nil
	src, err := newSource(&only, s)
	if err != nil {
		return Quality{}, Privacy{}, err
	}
	t, err := src.table(in.Classes)
	if err != nil {
		return Quality{}, Privacy{}, err
	}
	for _, l := range s.Recoding.layouts(t) {
		if _, err := t.writeFile(l, files); err != nil {
			return Quality{}, Privacy{}, err
		}
	}
	sums := newSums(len(src.cols))
	sums.add(t)
	return sums.quality(t, s.Policy.K), sums.privacy(t, len(in.Dead) == 0, false), nil
}

// Keep makes parts stay apart until so many of them stand.
func Keep(parts int) (restore func()) {
	was := fanIn
	fanIn = parts
	return func() { fanIn = was }
}

// Mark remembers what the publisher stands behind.
func (p *Publisher) Mark() (back func()) {
	was := p.at.standing
	return func() { p.at.standing = was }
}

// PartsOf names the parts of a release.
func PartsOf(release uint32) (out []string) {
	for _, p := range partsOf(release) {
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

// DataFiles yields every data file that a manifest names, with its path in the
// release's directory.
func (m *Manifest) DataFiles() func(yield func(path string, entry FileEntry) bool) {
	return func(yield func(string, FileEntry) bool) {
		for i := range m.Parts {
			for _, f := range m.Parts[i].Files {
				if !yield(path.Join(m.Parts[i].Dir(), f.Name), f) {
					return
				}
			}
		}
	}
}

// Written counts the classes in parts by birth, as the publisher carries them.
func (p *Publisher) Written() []uint32 { return p.at.written }

// DecodeManifest is decodeManifest for tests outside the package.
func DecodeManifest(data []byte) (*Manifest, error) { return decodeManifest(data) }

// DecodeIntent is decodeIntent for tests: what it reads, written again, and the shards.
func DecodeIntent(data []byte) (again []byte, shards []int, err error) {
	i, err := decodeIntent(data)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range i.Shards {
		shards = append(shards, s.Shard)
	}
	again, err = i.encode()
	return again, shards, err
}
