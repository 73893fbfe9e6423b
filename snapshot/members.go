package snapshot

import (
	"runtime"
)

// Members returns the class number of each record (by RecordID) in the release
// that the input shows, 0 where it is not published, without writing anything:
// the private side of a release, for the gate after a restart and for `anond
// state members`. The numbers are those that Render gives.
func Members(in *Input, s *Settings) ([]uint32, error) {
	t, err := newTable(in, s.Recoding, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	return t.members(len(in.SA)), nil
}
