package incremental

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental/state"
)

// TestTimeOfARecord: it is the largest time stamp of its partition so far, so that it never falls; a partition has its own time; a record
// without a stamp, and one whose stamp lies far ahead of the host's clock, do not move it.
func TestTimeOfARecord(t *testing.T) {
	const day = 24 * 60 * 60 * 1000
	m, a, b := &Machine{intake: newIntake()}, state.Partition{Source: "s"}, state.Partition{Source: "s", ID: 1}
	for i, c := range []struct {
		now   int64
		of    state.Partition
		stamp int64
		time  int64
	}{{0, a, 0, 0}, {0, a, 50, 50}, {0, a, 40, 50}, {0, b, 30, 30}, {0, a, 0, 50}, {0, b, 0, 30}, {0, a, 3 * day, 3 * day},
		{100, b, 100 + day, 100 + day}, {100, b, 101 + day, 100 + day}, {200, b, 101 + day, 101 + day}} {
		m.host = c.now
		require.NoError(t, m.Stamp(c.of, c.stamp))
		require.Equal(t, c.time, m.intake.at, "record %d", i)
		require.Equal(t, c.time, m.intake.Positions()[c.of].Time, "record %d", i)
	}
}
