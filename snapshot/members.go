package snapshot

import "fmt"

// Members returns who is in which class of the release that the input shows, and
// of which part, without writing anything: the private side of a release, for
// `anond state members`. The numbers are those that were published. since is the
// first release of the chain in parts, see PartsSince.
func Members(in *Input, s *Settings, since uint32) ([]Placement, error) {
	m := &Manifest{FormatVersion: FormatVersion, Release: in.Release, PartsSince: since}
	if in.Release < since {
		m.FormatVersion = formatWhole
	}
	x, err := standingOf(in, s, m, [32]byte{})
	if err != nil {
		return nil, err
	}
	return x.placed, nil
}

// PartsSince reads in a releases directory which release of the chain is the
// first in parts: 1, unless the chain began in format version 1. If the newest
// release is of that version, it will be the next.
func PartsSince(files FS, dir string) (uint32, error) {
	on, err := scan(files, dir)
	if err != nil || on.newest() == 0 {
		return 1, err
	}
	m, _, err := readManifest(files, dir, on.newest())
	if err != nil {
		return 0, fmt.Errorf("read the newest release: %w", err)
	}
	if m.FormatVersion == formatWhole {
		return m.Release + 1, nil
	}
	return max(1, m.PartsSince), nil
}
